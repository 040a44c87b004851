"""Suite ``jericho-v1``: text adventures, each with a fixed goal and milestones.

Source: AgentBoard (arXiv 2401.13178), section Jericho. HiAgent uses the same tasks.

Tasks: one episode per game; every game is a cluster of its own. Both splits need story files.

* split ``zork`` (default): the three Zork games under the MIT licence; ``bench data get jericho`` fetches them.
* split ``agentboard``: the 20 games of AgentBoard; the user provides the other story files and their milestones.
* ``path=FILE`` or a folder (split ``own``): story files of the user's own (``own``), by their own score.

Score: success = progress 1. Progress = the share of milestones reached, or with ``measure=score`` the game's own score
as a share of its maximum; a running maximum. The step cap is 30; ``preset=code`` is the 50 of HiAgent's published
script.

Differences from the published set-up:

* Goals and milestones are our own, for the MIT releases of the Zork games, which are not AgentBoard's releases.
* There is no helper command that lists the valid actions.
* An action is invalid if the game's reply is a refusal (``replies``).
* Texts are cut to one short command; commands that quit, save or undo are withheld (``commands``).
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
from adapters.jericho.games import DATA, ROOT, SPLITS, compute_digest, find_story, list_games, read_story
from adapters.jericho.milestones import GameNotes, has_notes, read_notes
from adapters.jericho.own import OwnStory, find_own_stories, read_own_story
from bench.errors import DataError
from bench.protocols import Environment, Param, SuiteOptions, SuiteSpec
from bench.types import Fingerprint, Limits, Shape, Task

__all__ = ["PRESETS", "SUITE", "JerichoSuite"]

_NAME = "jericho-v1"
_GROUP = "jericho"
_SCORE_GOAL = "Explore this world and get as many points as the game gives."
PRESETS: Mapping[str, int] = {"default": 30, "agentboard": 30, "hiagent": 30, "code": 50}
"""Step caps; ``code`` is what HiAgent's published script passes."""

_OWN = "own"
_PARAMS = (
    Param("path", "", "a story file of your own, or a folder of them"),
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
    def _stories(self) -> tuple[OwnStory, ...]:
        return find_own_stories(Path(self._options.params.text("path")))

    @cached_property
    def _tasks(self) -> tuple[Task, ...]:
        if self._options.split == _OWN:
            return tuple(
                Task(one.id, _NAME, _OWN, _GROUP, one.id, source=one.path.as_posix(), digest=one.digest)
                for one in self._stories
            )
        root = self._options.data_root
        if not (root / ROOT).is_dir():
            raise DataError(
                f"jericho: expected the folder {root / ROOT}, got none; fetch it with: bench data get jericho"
            )
        return tuple(self._task(game) for game in list_games(self._options.split))

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
        """Return the digest of all that defines a task: the story and, with ``measure=milestones``, its milestones."""
        notes = ""
        if self._measure == "milestones" and has_notes(self._options.data_root, game):
            notes = read_notes(self._options.data_root, game).digest
        return hashlib.sha256(f"{compute_digest(story)} {notes}".encode()).hexdigest()

    def tasks(self) -> Sequence[Task]:
        """Return every game of the split; ``open`` raises for a game without a file."""
        return self._tasks

    def open(self, task: Task) -> Environment:
        """Return a fresh game on its own worker. Raises: DataError if its file or milestones are missing."""
        if self._options.split == _OWN:
            return self._open_own(read_own_story(task.id, task.digest, self._stories))
        story = read_story(self._options.data_root, self._options.split, task.id)
        goal, measure = self._choose_measure(task.id)
        return JerichoEnvironment(Play(task.id, story, goal), measure, self._engines.take())

    def _open_own(self, story: OwnStory) -> Environment:
        notes, path = story.notes, story.path.resolve()
        if notes and self._measure == "milestones":
            play, measure = Play(story.id, path, notes.goal), Milestones(notes.milestones)
            return JerichoEnvironment(play, measure, self._engines.take())
        most = notes.max_score if notes else 0
        play = Play(story.id, path, _SCORE_GOAL, asks_score=True)
        return JerichoEnvironment(play, NativeScore(story.id, most), self._engines.take())

    def _choose_measure(self, game: str) -> tuple[str, Measure]:
        root = self._options.data_root
        if self._measure == "milestones":
            notes = read_notes(root, game)
            return notes.goal, Milestones(notes.milestones)
        known: GameNotes | None = read_notes(root, game) if has_notes(root, game) else None
        return _SCORE_GOAL, NativeScore(game, known.max_score if known else 0)

    def limits(self) -> Limits:
        return Limits(step_cap=self._options.step_cap or PRESETS[self._options.params.text("preset")])

    def fingerprint(self) -> Fingerprint:
        """Return everything that scores depend on, except frames: each result has the digest of its frame."""
        data = hashlib.sha256("".join(f"{t.id} {t.digest}\n" for t in self._tasks).encode()).hexdigest()
        return Fingerprint.of(
            suite=_NAME,
            split=self._options.split,
            data=data[:16],
            engine=_find_version(),
            measure=self._measure,
            commands=commands.VERSION,
            refusals=hashlib.sha256(Path(__file__).with_name("refusals.csv").read_bytes()).hexdigest()[:16],
            step_cap=str(self.limits().step_cap),
        )

    def close(self) -> None:
        self._engines.close()


def _find_version() -> str:
    try:
        return f"jericho {version('jericho')}"
    except PackageNotFoundError:
        return "jericho absent"


SUITE = SuiteSpec(
    name=_NAME,
    build=JerichoSuite,
    shape=Shape.EPISODE,
    splits=(*SPLITS, _OWN),
    own_split=_OWN,
    default_split="zork",
    params=_PARAMS,
    data=DATA,
    workers="thread",  # each world is a process of its own
    source="AgentBoard, arXiv 2401.13178; three Zork games under the MIT licence with milestones of our own",
)
