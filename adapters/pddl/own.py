"""A user's own tasks: a folder with a domain and its problems, in the layouts of the planning competitions.

``DIR/domain.pddl`` with problems beside it or in any folder below; or a folder of such folders, each a domain. A file
``wording.txt`` beside a domain gives its sentences, in the format of the folder ``wording``; without one they are made
from its names (``plain``). Line ends of Windows and any case are accepted, as PDDL does not tell cases apart.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from adapters.pddl.domain import Domain, load_domain, name_own
from adapters.pddl.problem import Problem, name_family, parse_problem
from adapters.pddl.wording import load_wording
from bench.errors import DataError

__all__ = ["OwnTask", "find_own_tasks", "parse_own"]

_DOMAIN = "domain.pddl"
_WORDING = "wording.txt"
_NUMBERS = re.compile(r"(\d+)")
_LONGEST = 200
"""Characters of a reason in a message."""


@dataclass(frozen=True, slots=True)
class OwnTask:
    """One problem file, read."""

    id: str
    """``instance-1``, or ``depot/instance-1`` where there are several domains."""
    path: str
    domain: str
    payload: str
    """Domain, wording and problem: what is played, whatever becomes of the files."""
    family: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.payload.encode()).hexdigest()


def find_own_tasks(folder: Path) -> tuple[OwnTask, ...]:
    """Return the problems below a folder, in natural order of their names.

    Raises: DataError if there is no domain or no problem, or for a domain that is broken or not supported. A broken
    problem costs its own task only: ``parse_own`` raises for it.
    """
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() == ".pddl" and path.is_file())
    domains = [path for path in files if path.name.lower() == _DOMAIN]
    if not domains:
        raise DataError(
            f"pddl: expected path= a folder with {_DOMAIN} in it, got {folder} without; name the domain's file so"
        )
    tasks = []
    for domain in domains:
        problems = [path for path in files if path not in domains and _find_owner(path, domains) == domain]
        tasks += [_read_task(domain, path, folder, several=len(domains) > 1) for path in problems]
    if not tasks:
        raise DataError(f"pddl: expected problems (*.pddl) with {domains[0]}, got none; put them beside it or below")
    return tuple(sorted(tasks, key=lambda task: _to_natural_key(task.id)))


def parse_own(payload: str, who: str) -> Problem:
    """Return the problem of a task's payload. Raises: DataError naming ``who``."""
    key, text = json.loads(payload)
    return parse_problem(text, key, who)


def _find_owner(path: Path, domains: Sequence[Path]) -> Path | None:
    """Return the nearest domain beside or above a file."""
    above = [domain for domain in domains if domain.parent in path.parents]
    return max(above, key=lambda domain: len(domain.parts), default=None)


def _read_task(domain_file: Path, path: Path, folder: Path, *, several: bool) -> OwnTask:
    domain = _read_domain(domain_file)
    text = _read_text(path)
    name = path.relative_to(domain_file.parent).with_suffix("").as_posix()
    where = domain_file.parent.relative_to(folder).as_posix()
    return OwnTask(
        f"{where}/{name}" if several and where != "." else name,
        path.as_posix(),
        domain.name,
        json.dumps([domain.key, text]),
        name_family(text, domain.name),
    )


def _read_domain(path: Path) -> Domain:
    words = path.with_name(_WORDING)
    key = name_own(_read_text(path), _read_text(words) if words.is_file() else "")
    try:
        load_wording(key)
        return load_domain(key)
    except Exception as cause:  # the parser raises many kinds; for a user each means a domain that cannot be played
        reason = " ".join(str(cause).split())[:_LONGEST] or type(cause).__name__
        raise DataError(
            f"{path}: expected a PDDL domain of plain facts (with types, constants, negated conditions, inequality or "
            f"action costs), got {reason}; mend it or leave it out"
        ) from cause


def _read_text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except (OSError, ValueError) as cause:
        raise DataError(f"{path}: expected a text file in UTF-8, got {cause}; mend it or leave it out") from cause


def _to_natural_key(name: str) -> list[tuple[bool, int, str]]:
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in _NUMBERS.split(name)]
