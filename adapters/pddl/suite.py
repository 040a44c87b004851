"""Suite ``pddl-v1``: planning problems of four domains (barman, blockworld, gripper, tyreworld) as text worlds.

Source: AgentBoard (arXiv 2401.13178), section PDDL. HiAgent, G-Memory and H2R use the same tasks.

Tasks: one episode per problem; group and cluster are the domain.

* split ``agentboard`` (default): the 60 published problems; needs a download.
* split ``generated``: 40 seeded problems, ten per domain; no download.
* ``path=DIR`` (split ``own``): a user's domains and problems (``own``), in a plain wording or the user's.

Score: success = all goal facts hold at the same time. Progress = running maximum of the share of goal facts that hold.
The step cap is 40, or that of the parameter ``protocol`` (30) or ``preset`` (agentboard 30, hiagent 30, h2r 40).

Differences from the published set-up:

* The simulator is our own (``world``); the domain texts are our own with the same semantics (``domain``).
* The wording is our own (``wording``): held objects and deleted facts are stated, and everything is sorted.
* An action is searched among all action names of the domain, not only among the applicable actions (``phrases``).
* Goal facts of the initial state count for progress only after the first action that changes the state (``env``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from importlib.metadata import version
from pathlib import Path

from adapters.pddl.data import DATA, ROOT, list_problem_files, read_labels, read_problem
from adapters.pddl.domain import DOMAINS
from adapters.pddl.env import PddlEnvironment
from adapters.pddl.frames import FRAMES, load_frame
from adapters.pddl.generate import generate_tasks
from adapters.pddl.own import find_own_tasks, parse_own
from adapters.pddl.problem import name_family, parse_problem
from adapters.pddl.wording import WORDING_VERSION
from adapters.shared.published.data import DATA as PROMPTS
from adapters.shared.published.protocol import HOUSE, compose_frame, list_protocols, open_protocol
from bench.errors import DataError, UsageError
from bench.protocols import Environment, Param, SuiteOptions, SuiteSpec
from bench.types import Fingerprint, Limits, Shape, Task

__all__ = ["SUITE", "PddlSuite"]

_NAME = "pddl-v1"
_OWN = "own"
_HERE = Path(__file__).parent
_CAPS = {"default": 40, "agentboard": 30, "hiagent": 30, "h2r": 40}

_PARAMS = (
    Param("path", "", "a folder with domain.pddl and problems of your own"),
    Param("domain", "all", "play one domain only", choices=("all", *DOMAINS)),
    Param("protocol", HOUSE, "a paper's own prompt, example and limits", choices=list_protocols(_HERE)),
    Param("frame", "full", "bare: without the example, so that what it shows can be learned", choices=FRAMES),
    Param("preset", "default", "step cap of a paper, with any prompt: agentboard, hiagent 30, h2r 40", tuple(_CAPS)),
    Param("hint", False, "list the valid actions after an action that is not, as AgentBoard can"),
)


class PddlSuite:
    """An ``EpisodeSuite`` over one split."""

    def __init__(self, options: SuiteOptions):
        self._options = options
        if options.split == _OWN and (given := options.params.text("protocol")) != HOUSE:
            raise UsageError(f"pddl: expected protocol={HOUSE} with path=, got {given}; leave it out")
        preset, self._protocol = options.params.text("preset"), open_protocol(_HERE, options)
        of_paper = self._protocol.steps if preset == "default" else 0
        self._step_cap = options.step_cap or of_paper or _CAPS[preset]
        self._files = {file.task: file for file in list_problem_files()}

    def tasks(self) -> Sequence[Task]:
        """Return the tasks, sorted by id. Raises: DataError if the whole data folder is missing.

        A single missing file costs its own task only: ``open`` raises for it.
        """
        split = self._options.split
        if split == _OWN:
            return self._own
        tasks = self._list_generated() if split == "generated" else self._list_agentboard()
        chosen = self._options.params.text("domain")
        return tuple(task for task in tasks if chosen in ("all", task.group))

    def open(self, task: Task) -> Environment:
        """Return a fresh world. Raises: DataError naming the file if it is missing, altered or not a problem."""
        hint = self._options.params.flag("hint")
        if task.split == _OWN:
            problem = parse_own(task.payload, f"pddl {task.id}")
            return PddlEnvironment(problem, load_frame(problem.domain.key, steps=self._step_cap), hint=hint)
        if task.payload:
            text, who = task.payload, f"pddl {task.id}"
        else:
            text = read_problem(self._options.data_root, self._files[task.id])
            who = str(self._options.data_root / task.source)
        slots = {"type": task.group, "steps": str(self._step_cap)}
        house = load_frame(task.group, self._options.params.text("frame"), self._step_cap)
        frame = compose_frame(self._protocol, house, self._options.data_root, slots)
        return PddlEnvironment(parse_problem(text, task.group, who), frame, hint=hint)

    def limits(self) -> Limits:
        """Return the step cap; PDDL worlds have no other limit."""
        return Limits(step_cap=self._step_cap)

    def difficulty(self, task_id: str) -> str:
        """Return AgentBoard's label, easy or hard; empty for other tasks. Raises: DataError, KeyError."""
        if self._options.split != "agentboard":
            return ""
        return {label.task: label.difficulty for label in read_labels(self._options.data_root)}[task_id]

    def fingerprint(self) -> Fingerprint:
        """Return everything that scores depend on, except frames: each result has the digest of its frame."""
        data = hashlib.sha256("".join(f"{t.id} {t.digest}\n" for t in self.tasks()).encode()).hexdigest()
        return Fingerprint.of(
            suite=_NAME,
            split=self._options.split,
            data=data[:16],
            domains=_hash_folder(Path(__file__).parent / "domains"),
            wording=f"{WORDING_VERSION}-{_hash_folder(Path(__file__).parent / 'wording')}",
            pddl_library=version("pddl"),
            step_cap=str(self._step_cap),
            hint="on" if self._options.params.flag("hint") else "off",
            **self._protocol.entries,
        )

    def close(self) -> None:
        """Do nothing: the suite holds no resources."""

    @cached_property
    def _own(self) -> tuple[Task, ...]:
        return tuple(
            Task(one.id, _NAME, _OWN, one.domain, one.domain, one.path, one.payload, digest=one.digest, spec=one.family)
            for one in find_own_tasks(Path(self._options.params.text("path")))
        )

    def _list_agentboard(self) -> list[Task]:
        root, difficulties = self._options.data_root, dict[str, str]()
        if not (root / ROOT).is_dir():
            raise DataError(
                f"pddl: expected the folder {root / ROOT}, got none; fetch it with: bench data get pddl "
                "(or run the split generated, which needs no download)"
            )
        with suppress(DataError):  # without the labels the tasks can be played all the same
            difficulties = {label.task: label.difficulty for label in read_labels(root)}
        return [
            Task(
                file.task,
                _NAME,
                self._options.split,
                file.domain,
                file.domain,
                source=file.path,
                digest=_hash_file(root / file.path),
                optimal_steps=file.optimal_steps,
                spec=_read_family(root / file.path, file.domain),
                difficulty=difficulties.get(file.task, ""),
            )
            for file in self._files.values()
        ]

    def _list_generated(self) -> list[Task]:
        return [
            Task(
                item.task,
                _NAME,
                self._options.split,
                item.domain,
                item.domain,
                source=f"generated:{item.task}",
                payload=item.text,
                digest=hashlib.sha256(item.text.encode()).hexdigest(),
                optimal_steps=item.optimal_steps,
                spec=name_family(item.text, item.domain),
                difficulty=item.difficulty,
            )
            for item in generate_tasks()
        ]


def _read_family(path: Path, domain: str) -> str:
    return name_family(path.read_text(encoding="utf-8", errors="replace"), domain) if path.is_file() else ""


def _hash_file(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _hash_folder(folder: Path) -> str:
    """Return a short digest of the text files of a folder, by name."""
    content = b"".join(path.name.encode() + path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file())
    return hashlib.sha256(content).hexdigest()[:16]


SUITE = SuiteSpec(
    name=_NAME,
    build=PddlSuite,
    shape=Shape.EPISODE,
    splits=("agentboard", "generated", _OWN),
    own_split=_OWN,
    default_split="agentboard",
    offline_splits=("generated",),
    params=_PARAMS,
    data=DATA,
    shared_data=(PROMPTS,),
    workers="process",
    source="AgentBoard, arXiv 2401.13178; own simulator and wording",
)
