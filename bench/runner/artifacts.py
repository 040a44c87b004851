"""Artifacts on disk: a folder of text files, and ``manifest.toml``, which says what they were learned from and how.

Reads, writes and checks them, and gives each trial the part of one that it may see. Plays nothing and learns nothing.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import tomli_w
from pydantic import BaseModel, TypeAdapter, ValidationError

from bench.errors import StoreError, UsageError
from bench.runner.costs import Costs
from bench.runner.splits import name_spec
from bench.types import Artifact, Task

__all__ = ["MANIFEST", "LearnedArtifact", "Provenance", "find_artifacts", "read_artifact", "write_artifact"]

MANIFEST = "manifest.toml"
_FORMAT = 1
_PLAIN = ("strategy", "label", "suite", "split", "policy", "seed", "model", "pool", "trials", "won")
"""Fields of a provenance that stand in a manifest as they are."""
_COUNTS = ("rehearsed", "questions")
"""Fields that stand there where they are not 0."""
_FILE_NAME = re.compile(r"(?!manifest\.toml$)[\w][\w.-]*(?:/[\w][\w.-]*)*")


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where an artifact comes from."""

    strategy: str
    """Name with version."""
    label: str
    """The name that a run gives it, with parameters."""
    suite: str
    """Label of the suite."""
    split: str
    policy: str
    seed: int
    model: str
    collectors: tuple[str, ...]
    pool: str
    """Digest of the trials that it was learned from."""
    trials: int
    won: int
    frames: Mapping[str, str]
    """Digest of the frame's wording, by group of tasks."""
    specs: Mapping[str, str]
    """Of each task that it was learned from, its specification (``splits.name_spec``)."""
    kinds: Mapping[str, str]
    """The same without the room."""
    costs: Costs = Costs()
    every: str = "run"
    """When the strategy was called: once with all trials, or after each attempt (``LearnConfig.every``)."""
    rehearsed: int = 0
    """Further trials, which the strategy played itself while it learned (``Kit.rehearse``)."""
    questions: int = 0
    """Of conversations; ``won`` counts those that were answered rightly."""
    control: str = ""
    """What was done to it so that it is a control (``controls.CONTROLS``); empty = it is as it was learned."""
    origin: str = ""
    """Digest of the artifact that a control was made of."""

    @property
    def gathered(self) -> str:
        """How many trials by whom it was learned from, and how they went in words."""
        went = f"{self.won} of {self.questions} questions right" if self.questions else f"{self.won} won"
        more = f"; {self.rehearsed} more by itself" if self.rehearsed else ""
        each = "; called after each" if self.every == "attempt" else ""
        return f"{self.trials} trials by {', '.join(self.collectors)}, {went}{each}{more}"


_PROVENANCE = TypeAdapter(Provenance)
"""A fault in a manifest is found when it is read, not where it is used."""


@dataclass(frozen=True, slots=True)
class LearnedArtifact:
    """What one strategy learned on one suite."""

    artifact: Artifact
    about: Provenance
    edited: bool = False
    """A file is not as it was learned."""
    foreign: str = ""
    """The suite that it is used on although it was learned on another."""
    entries: tuple[tuple[str, str], ...] = ()
    """What of it stands in the fingerprint of an evaluation."""

    @property
    def digest(self) -> str:
        """SHA-256 of the names, texts and sources of all files."""
        parts = [f"{name}\0{_hash(text)}\0{','.join(self._sources(name))}\n" for name, text in self._files]
        return _hash("".join([*parts, *self.artifact.tasks]))

    def fits(self, suite: str, strategy: str) -> bool:
        """True if it is for a suite, whatever its parameters, and the version of a strategy."""
        return self.about.strategy == strategy and _strip(self.foreign or self.about.suite) == _strip(suite)

    @property
    def _files(self) -> list[tuple[str, str]]:
        return sorted(self.artifact.files.items())

    def _sources(self, name: str) -> tuple[str, ...]:
        return tuple(self.artifact.sources.get(name) or self.artifact.tasks)

    def select(self, task: Task, *, twins: bool = False) -> Artifact:
        """Return what a trial of the task may see: no file whose sources are all twins of the task or itself (with
        ``twins``: itself alone), and no name of a task."""
        specs = {} if twins else self.about.specs
        hidden = {source for source, spec in specs.items() if spec == name_spec(task)} | {task.id}
        return Artifact({name: text for name, text in self._files if not hidden.issuperset(self._sources(name))})


def _strip(label: str) -> str:
    return label.partition(":")[0]


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def write_artifact(learned: LearnedArtifact, folder: Path) -> None:
    """Write an artifact in a new folder, or in the place of the one that is there. Raises: StoreError, UsageError."""
    for name in learned.artifact.files:
        if not _FILE_NAME.fullmatch(name):
            raise UsageError(
                f"learn {learned.about.strategy}: expected plain names of files in its artifact, got {name!r}; use "
                "letters, digits, dots, hyphens and slashes"
            )
    partial = folder.with_name(f"{folder.name}.partial")
    try:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        for name, text in learned.artifact.files.items():
            path = partial / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
        (partial / MANIFEST).write_text(tomli_w.dumps(_to_manifest(learned)), encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        partial.rename(folder)
    except OSError as cause:
        raise StoreError(f"artifact: expected a writable folder, got {folder} ({cause}); free some space") from cause


def _to_manifest(learned: LearnedArtifact) -> dict[str, Any]:
    about, costs = learned.about, learned.about.costs
    spent = {name: getattr(costs, name) for name in Costs.__slots__ if getattr(costs, name) is not None}
    return {
        "format": _FORMAT,
        "digest": learned.digest,
        **{name: getattr(about, name) for name in _PLAIN},
        **({"every": about.every} if about.every != "run" else {}),
        **{name: count for name in _COUNTS if (count := getattr(about, name))},
        **({"control": about.control, "origin": about.origin} if about.control else {}),
        "collectors": list(about.collectors),
        "costs": spent,
        "frames": dict(about.frames),
        "tasks": {t: {"spec": about.specs[t], "kind": about.kinds[t]} for t in learned.artifact.tasks},
        "files": {
            name: {"sha256": _hash(text), "tasks": list(learned._sources(name))} for name, text in learned._files
        },
    }


def read_artifact(folder: Path) -> LearnedArtifact:
    """Read an artifact; ``edited`` is true where a file is not as it was learned. Raises: UsageError."""
    path = folder / MANIFEST
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        texts = {name: (folder / name).read_bytes().decode() for name in _list_files(folder)}
        if given.get("format", _FORMAT) != _FORMAT:
            raise UsageError(f"artifact {folder}: expected format {_FORMAT}, got {given['format']}; learn it again")
        found, digest = _from_manifest(given, texts)
    except FileNotFoundError:
        raise UsageError(f"artifact {folder}: expected {MANIFEST} in it, got none; make one with bench learn") from None
    except ValidationError as cause:
        place, what = cause.errors()[0]["loc"], cause.errors()[0]["msg"]
        raise UsageError(
            f"artifact {folder}: expected a manifest that bench learn made, got one whose {'.'.join(map(str, place))} "
            f"is not right ({what}); learn it again"
        ) from cause
    except (OSError, ValueError, RecursionError) as cause:
        raise UsageError(f"artifact {folder}: expected one that bench learn made, got an error ({cause})") from cause
    return replace(found, edited=found.digest != digest)


def _list_files(folder: Path) -> Iterable[str]:
    found = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return sorted(name for name in found if name != MANIFEST)


class _Task(BaseModel):
    spec: str
    kind: str


class _File(BaseModel):
    tasks: tuple[str, ...]


class _Manifest(BaseModel):
    """What a manifest holds beside the fields of a provenance."""

    digest: str
    costs: dict[str, float]
    tasks: dict[str, _Task]
    files: dict[str, _File]


def _from_manifest(given: Mapping[str, Any], texts: Mapping[str, str]) -> tuple[LearnedArtifact, str]:
    """Return the artifact, and the digest that it was written with. Raises: ValidationError."""
    more = _Manifest.model_validate(given)
    about = _PROVENANCE.validate_python(
        {
            **given,
            "specs": {task: one.spec for task, one in more.tasks.items()},
            "kinds": {task: one.kind for task, one in more.tasks.items()},
            "costs": {name: more.costs.get(name) for name in Costs.__slots__},
        }
    )
    sources = {name: one.tasks for name, one in more.files.items() if name in texts}
    return LearnedArtifact(Artifact(dict(texts), sources, tuple(more.tasks)), about), more.digest


def find_artifacts(folder: Path) -> list[Path]:
    """Return the folders of artifacts at or below a folder, sorted. Raises: UsageError if there is none."""
    if (folder / MANIFEST).is_file():
        return [folder]
    found = sorted(path.parent for path in folder.rglob(MANIFEST) if path.parent.suffix != ".partial")
    if not found:
        raise UsageError(f"artifact {folder}: expected {MANIFEST} at or below it, got none; make one with bench learn")
    return found
