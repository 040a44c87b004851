"""Suite ``jericho-v1``: text adventures, a fixed goal and milestones for each, under a step cap.

It joins story files, notes, the engine and limits. Source: AgentBoard (arXiv 2401.13178) section Jericho, tasks also
used by HiAgent. Deviations: goals and milestones are our own files for the three Zork games under the MIT licence
(other releases than AgentBoard's), joined by the game's id; no valid-action helper; validity is told by the game's
refusals; ``measure=score`` counts the game's own score instead. Every split needs its files: the games are data.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from adapters.jericho import commands
from adapters.jericho.engine import JerichoEngines
from adapters.jericho.environment import JerichoEnvironment, Measure, Milestones, NativeScore, Play
from adapters.jericho.games import DATA, ROOT, SPLITS, digest_of, find_story, games_of, read_story
from adapters.jericho.milestones import GameNotes, has_notes, read_notes
from bench.errors import DataError
from bench.protocols import Environment, Param, SuiteOptions, SuiteSpec
from bench.types import Fingerprint, Limits, Shape, Task

__all__ = ["PRESETS", "SUITE", "JerichoSuite"]

_NAME = "jericho-v1"
_GROUP = "jericho"
_SCORE_GOAL = "Explore this world and get as many points as the game gives."
PRESETS: Mapping[str, int] = {"default": 30, "agentboard": 30, "hiagent": 30, "code": 50}
"""Step caps; ``code`` is what HiAgent's published script passes."""

_PARAMS = (
    Param(
        "measure", "milestones", "what progress counts: milestones, or the game's own score", ("milestones", "score")
    ),
    Param("preset", "default", "step cap as in a paper: agentboard 30, hiagent 30, HiAgent's code 50", tuple(PRESETS)),
)


class JerichoSuite:
    """An ``EpisodeSuite`` over one split."""

    def __init__(self, options: SuiteOptions, engines: JerichoEngines | None = None):
        self._options = options
        self._measure = options.params.text("measure")
        self._engines = engines or JerichoEngines()

    @cached_property
    def _tasks(self) -> tuple[Task, ...]:
        root = self._options.data_root
        if not (root / ROOT).is_dir():
            raise DataError(
                f"jericho: expected the folder {root / ROOT}, got none; fetch it with: bench data get jericho"
            )
        return tuple(self._task(game) for game in games_of(self._options.split))

    def _task(self, game: str) -> Task:
        root, split = self._options.data_root, self._options.split
        story = find_story(root, split, game)
        return Task(
            game,
            _NAME,
            split,
            _GROUP,
            game,
            source=story.as_posix() if story else "",
            digest=self._digest(game, root / story) if story else "",
        )

    def _digest(self, game: str, story: Path) -> str:
        """Return the digest of everything that defines a task: the story and, where they count, its milestones."""
        notes = ""
        if self._measure == "milestones" and has_notes(self._options.data_root, game):
            notes = read_notes(self._options.data_root, game).digest
        return hashlib.sha256(f"{digest_of(story)} {notes}".encode()).hexdigest()

    def tasks(self) -> Sequence[Task]:
        """Return every game of the split, those without a file too: ``open`` raises for them alone."""
        return self._tasks

    def open(self, task: Task) -> Environment:
        """Return a fresh game on a worker of its own. Raises: DataError if its file or milestones are missing."""
        story = read_story(self._options.data_root, self._options.split, task.id)
        goal, measure = self._aim(task.id)
        return JerichoEnvironment(Play(task.id, story, goal), measure, self._engines.take())

    def _aim(self, game: str) -> tuple[str, Measure]:
        root = self._options.data_root
        if self._measure == "milestones":
            notes = read_notes(root, game)
            return notes.goal, Milestones(notes.milestones)
        known: GameNotes | None = read_notes(root, game) if has_notes(root, game) else None
        return _SCORE_GOAL, NativeScore(game, known.max_score if known else 0)

    def limits(self) -> Limits:
        return Limits(step_cap=self._options.step_cap or PRESETS[self._options.params.text("preset")])

    def fingerprint(self) -> Fingerprint:
        """Return what moves scores here; frames have their own digest in every row."""
        data = hashlib.sha256("".join(f"{t.id} {t.digest}\n" for t in self._tasks).encode()).hexdigest()
        return Fingerprint.of(
            suite=_NAME,
            split=self._options.split,
            data=data[:16],
            engine=_installed(),
            measure=self._measure,
            commands=commands.VERSION,
            refusals=hashlib.sha256(Path(__file__).with_name("refusals.csv").read_bytes()).hexdigest()[:16],
            step_cap=str(self.limits().step_cap),
        )

    def close(self) -> None:
        self._engines.close()


def _installed() -> str:
    try:
        return f"jericho {version('jericho')}"
    except PackageNotFoundError:
        return "jericho absent"


SUITE = SuiteSpec(
    name=_NAME,
    build=JerichoSuite,
    shape=Shape.EPISODE,
    splits=SPLITS,
    default_split="zork",
    params=_PARAMS,
    data=DATA,
    workers="thread",  # each world is a process of its own
    source="AgentBoard, arXiv 2401.13178; three Zork games under the MIT licence with milestones of our own",
)
