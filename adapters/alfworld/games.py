"""The official games on disk: finds them in folders or in an archive, and reads game files.

Selection follows the official loader: paths with ``movable`` or ``Sliced`` are dropped, and so are games without
``solvable: true``. A game that cannot be read stays in the list and fails when it is opened, so that a broken file is
reported. ``traj_data.json`` is not needed: the task type is the folder name up to the first hyphen. Nothing is written
into the data root. Knows no engine.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import re
import tarfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

from bench.errors import DataError
from bench.types import Task

__all__ = [
    "EXPECTED",
    "GAME_FILE",
    "GET",
    "SUITE_NAME",
    "TREES",
    "Game",
    "GameSource",
    "OfficialGames",
    "compute_content_digest",
    "find_tree",
    "load_pins",
    "parse_game",
    "read_manifest",
]

GET = "bench data get alfworld"
GAME_FILE = "game.tw-pddl"
SUITE_NAME = "alfworld-v1"
TREES: Mapping[str, str] = {"move": "json_2.1.1", "put": "json_2.1.1_put"}
EXPECTED: Mapping[str, int] = {"valid_unseen": 134, "valid_seen": 140, "valid_train": 200, "train": 3553}
_ARCHIVES: Mapping[str, str] = {
    "valid_train": "valid_train_games.tar.xz",
    "train": "json_2.1.1_train_games.tar.xz",
}
_PINS = Path(__file__).with_name("pinned.csv")
_SOLVABLE = re.compile(rb'"solvable"\s*:\s*true')
_MISSING_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Game:
    """The fields of a game file that this adapter reads."""

    domain: str
    grammar: str
    problem: str
    walkthrough: tuple[str, ...] = ()


class GameSource(Protocol):
    """Tasks and the bytes of their games."""

    def tasks(self) -> Sequence[Task]: ...

    def read(self, task: Task) -> bytes:
        """Return the game file. Raises: DataError if it is missing or altered."""


def parse_game(data: bytes, who: str) -> Game:
    """Read a game file. Raises DataError if it is not one."""
    try:
        fields = json.loads(data)
        game = Game(
            fields["pddl_domain"], fields["grammar"], fields["pddl_problem"], tuple(fields.get("walkthrough") or ())
        )
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{who}: expected a game file, got {type(error).__name__}: {error}; get it again with `{GET}`"
        ) from None
    if not all(isinstance(text, str) for text in (game.domain, game.grammar, game.problem)):
        raise DataError(f"{who}: expected three texts in the game file, got others; get it again with `{GET}`")
    return game


def compute_content_digest(game: Game) -> str:
    """Return the digest of the game's content, independent of file format and walkthrough."""
    return hashlib.sha256("\0".join((game.domain, game.grammar, game.problem)).encode()).hexdigest()


@cache
def load_pins() -> Mapping[str, Mapping[str, str]]:
    """Return, for each wording, the content digest of each of the 134 valid_unseen games by task id."""
    found: dict[str, dict[str, str]] = {version: {} for version in TREES}
    for line in _PINS.read_text(encoding="utf-8").splitlines()[1:]:
        task_id, move, put = line.split(",")
        found["move"][task_id], found["put"][task_id] = move, put
    return found


@cache
def read_manifest(data_root: Path) -> Mapping[str, str]:
    """Return SHA-256 by path from ``MANIFEST.sha256`` in the data root; empty where there is none."""
    path = data_root / "MANIFEST.sha256"
    if not path.is_file():
        return {}
    lines = (line.split(maxsplit=1) for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip())
    return {name.strip().lstrip("*"): digest for digest, name in lines}


def find_tree(data_root: Path, version: str) -> Path:
    """Return the folder of one wording: below ``alfworld/``, or at the root as alfworld-download leaves it."""
    nested = data_root / "alfworld" / TREES[version]
    plain = data_root / TREES[version]
    return plain if plain.is_dir() and not nested.is_dir() else nested


class OfficialGames:
    """The games of one split and wording: from the folder, or from our archive if that has more of them."""

    def __init__(self, data_root: Path, split: str, version: str):
        self._root, self._split, self._version = data_root, split, version
        self._packed: dict[str, bytes] = {}

    def tasks(self) -> Sequence[Task]:
        """Return the tasks sorted by id. Raises DataError if the split is not complete, naming what is missing."""
        known = load_pins()[self._version] if self._split == "valid_unseen" else {}
        found = tuple(self._list_folder(known))
        if len(found) != EXPECTED[self._split]:
            found = tuple(self._list_archive()) or found
        tasks = sorted(found, key=lambda task: task.id)
        self._check_complete([task.id for task in tasks], known)
        return tasks

    def read(self, task: Task) -> bytes:
        where = self._root / task.source
        if task.source in self._packed:
            data = zlib.decompress(self._packed[task.source])
        elif "::" in task.source:
            raise DataError(f"{where}: expected the task to come from this suite's list, got one that does not")
        else:
            data = _read_file(where)
        got = hashlib.sha256(data).hexdigest()
        expected = read_manifest(self._root).get(task.source, task.digest)
        if got != expected or got != task.digest:
            raise DataError(f"{where}: expected SHA-256 {expected[:12]}…, got {got[:12]}…; get it again with `{GET}`")
        known = load_pins()[self._version].get(task.id) if self._split == "valid_unseen" else None
        if known and compute_content_digest(parse_game(data, str(where))) != known:
            raise DataError(
                f"{where}: expected the game of the official release, got other content; get it again with `{GET}`"
            )
        return data

    def _list_folder(self, known: Mapping[str, str]) -> Iterator[Task]:
        split = find_tree(self._root, self._version) / self._split
        for path in sorted(split.glob(f"*/*/{GAME_FILE}")):
            source = path.relative_to(self._root).as_posix()
            task_id = f"{path.parent.parent.name}/{path.parent.name}"
            if task_id in known or _is_selected(source):
                data = _read_file(path)
                if task_id in known or _is_solvable(data):
                    yield self._build_task(task_id, source, data)

    def _list_archive(self) -> Iterator[Task]:
        name = _ARCHIVES.get(self._split)
        path = self._root / "alfworld" / "archives" / (name or "-")
        if name is None or not path.is_file():
            return
        archive = path.relative_to(self._root).as_posix()
        expected = read_manifest(self._root).get(archive)
        if expected and (got := hashlib.sha256(_read_file(path)).hexdigest()) != expected:
            raise DataError(f"{path}: expected SHA-256 {expected[:12]}…, got {got[:12]}…; get it again with `{GET}`")
        prefix = f"{TREES[self._version]}/{self._split}/"
        for member, data in _iterate_archive(path):
            source = f"{archive}::{member}"
            if member.startswith(prefix) and _is_selected(member) and _is_solvable(data):
                self._packed[source] = zlib.compress(data, 1)
                yield self._build_task(member.removeprefix(prefix).removesuffix(f"/{GAME_FILE}"), source, data)

    def _build_task(self, task_id: str, source: str, data: bytes) -> Task:
        folder = task_id.split("/")[0]
        return Task(
            id=task_id,
            suite=SUITE_NAME,
            split=self._split,
            group=folder.split("-")[0],
            cluster=folder,
            spec=folder,
            room=folder.rpartition("-")[2],
            source=source,
            digest=hashlib.sha256(data).hexdigest(),
        )

    def _check_complete(self, ids: Sequence[str], known: Mapping[str, str]) -> None:
        folder = find_tree(self._root, self._version) / self._split
        expected = EXPECTED[self._split]
        missing = sorted(set(known) - set(ids))
        surplus = sorted(set(ids) - set(known)) if known else []
        if len(ids) == expected and not missing:
            return
        shown = ", ".join(f"{folder / task_id / GAME_FILE}" for task_id in missing[:_MISSING_SHOWN])
        more = f" and {len(missing) - _MISSING_SHOWN} more" if len(missing) > _MISSING_SHOWN else ""
        details = f"; missing: {shown}{more}" if missing else f"; not known: {', '.join(surplus)}" if surplus else ""
        raise DataError(f"{folder}: expected {expected} games, got {len(ids)}{details}; get them with `{GET}`")


def _is_selected(path: str) -> bool:
    return "movable" not in path and "Sliced" not in path


def _is_solvable(data: bytes) -> bool:
    """True for a solvable game, and for a file that is no JSON, which must be reported and not dropped."""
    if _SOLVABLE.search(data):
        return True
    try:
        json.loads(data)
    except ValueError:
        return True
    return False


def _read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: expected a game file, got {error.strerror}; get it with `{GET}`") from None


def _iterate_archive(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of every game in an archive, reading it once from front to back."""
    try:
        with lzma.open(path) as plain, tarfile.open(fileobj=plain, mode="r|") as archive:
            for entry in archive:
                file = archive.extractfile(entry) if entry.name.endswith(GAME_FILE) else None
                if file is not None:
                    yield entry.name, file.read()
    except (OSError, lzma.LZMAError, tarfile.TarError, EOFError) as error:
        raise DataError(f"{path}: expected an archive of games, got {error}; get it again with `{GET}`") from None
