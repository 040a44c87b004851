"""The AgentBoard problem files on the user's disk: their paths, digests and labels.

``agentboard.csv`` lists the 60 ids, the SHA-256 of each file and its optimal plan length; the files are downloaded.
Labels are joined by domain and the lexicographic order of file names (blockworld's second is ``problem10``), not by
position across domains. Knows no domain and no observation text.
Source: AgentBoard (arXiv 2401.13178), problems of its code repository, labels of its data set.
"""

from __future__ import annotations

import csv
import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bench.errors import DataError
from bench.protocols import DataSource, DataSpec

__all__ = [
    "DATA",
    "LABELS",
    "ROOT",
    "Fault",
    "Label",
    "ProblemFile",
    "check",
    "list_problem_files",
    "read_labels",
    "read_problem",
]

ROOT = "agentboard_pddl"
LABELS = f"{ROOT}/data/pddl/test.jsonl"
_LABELS_SHA256 = "555295d7e207b89ffad10f9c7340337a6a208c5cbd34e6d0707e719f3d0bc23e"
_FETCH = "fetch the problems with: bench data get pddl"


@dataclass(frozen=True, slots=True)
class ProblemFile:
    """One of the 60 files: task id, path below the data root, SHA-256 and optimal plan length."""

    task: str
    path: str
    sha256: str
    optimal_steps: int

    @property
    def domain(self) -> str:
        return self.task.split("/", 1)[0]


@dataclass(frozen=True, slots=True)
class Label:
    """AgentBoard's label of one task. Only ``difficulty`` is used; tests check the join by ``goal`` and ``number``."""

    task: str
    number: int
    difficulty: str
    goal: str


@dataclass(frozen=True, slots=True)
class Fault:
    """A file that is ``missing`` or ``altered``."""

    path: str
    problem: str


@cache
def list_problem_files() -> tuple[ProblemFile, ...]:
    """Return the 60 problem files, sorted by task id."""
    with (Path(__file__).parent / "agentboard.csv").open(encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table))
    return tuple(
        ProblemFile(row["task"], f"{ROOT}/pddlgym/pddl/{row['task']}.pddl", row["sha256"], int(row["optimal_steps"]))
        for row in sorted(rows, key=lambda row: row["task"])
    )


def read_problem(data_root: Path, file: ProblemFile) -> str:
    """Return the text of one problem. Raises: DataError if the file is missing, altered or unreadable."""
    path = data_root / file.path
    try:
        content = path.read_bytes()
    except OSError as cause:
        raise DataError(f"pddl: expected {path}, got {cause.strerror or cause}; {_FETCH}") from cause
    if (got := hashlib.sha256(content).hexdigest()) != file.sha256:
        raise DataError(f"pddl: expected {path} with SHA-256 {file.sha256[:12]}, got {got[:12]}; {_FETCH}")
    return content.decode("utf-8")


def read_labels(data_root: Path) -> tuple[Label, ...]:
    """Return AgentBoard's labels, one for each task, sorted by task id.

    Raises: DataError if the label file is missing, malformed, or has another number of lines for a domain.
    """
    path = data_root / LABELS
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
        numbered = sorted((int(r["id"]), r["additional_info"]["subtask"], r["difficulty"], r["goal"]) for r in rows)
    except (OSError, ValueError, KeyError, TypeError) as cause:
        raise DataError(f"pddl: expected one JSON label a line in {path}, got {cause}; {_FETCH}") from cause
    found: list[Label] = []
    for name in sorted({file.domain for file in list_problem_files()}):
        tasks = [file.task for file in list_problem_files() if file.domain == name]
        mine = [row for row in numbered if row[1] == name]
        if len(mine) != len(tasks):
            raise DataError(f"pddl: expected {len(tasks)} {name} labels in {path}, got {len(mine)}; {_FETCH}")
        found += [Label(task, row[0], row[2], row[3]) for task, row in zip(tasks, mine, strict=True)]
    return tuple(found)


def check(data_root: Path) -> tuple[Fault, ...]:
    """Return every missing or altered file, sorted by path; empty if there is none."""
    expected = [(file.path, file.sha256) for file in list_problem_files()] + [(LABELS, _LABELS_SHA256)]
    faults = []
    for path, sha256 in sorted(expected):
        if not (data_root / path).is_file():
            faults.append(Fault(path, "missing"))
        elif hashlib.sha256((data_root / path).read_bytes()).hexdigest() != sha256:
            faults.append(Fault(path, "altered"))
    return tuple(faults)


DATA = DataSpec(
    folder=ROOT,
    sources=(
        DataSource(
            url="https://github.com/hkust-nlp/AgentBoard/archive/bb7255e.zip",
            to=f"{ROOT}/pddlgym/pddl",
            inside="agentboard/environment/pddl_env/pddlgym/pddl",
        ),
        DataSource(
            url="https://huggingface.co/datasets/hkust-nlp/agentboard/resolve/main/data.tar.gz",
            to=f"{ROOT}/data/pddl",
            inside="data/pddl",
        ),
    ),
    check=check,
    licence="GPL-2.0 (labels), Apache-2.0 (problem files)",
)
