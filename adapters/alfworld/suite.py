"""Suite ``alfworld-v1``: household tasks of six types as text games.

Source: ALFWorld (arXiv 2010.03768); games of release 0.4.2 (2.1.3), and of before December 2024 with ``version=put``.

Tasks: one episode per game file; the group is the task type, the cluster is the folder of the game.

* split ``valid_unseen`` (default): 134 games; ``valid_seen``: 140; ``valid_train``: 200; ``train``: 3,553.
* split ``procedural``: 60 games generated from seeds, ten per type; no download, but package alfworld is needed.
* ``path=DIR`` (split ``own``): games of the user's own.

Score: success = the game is won. Progress = the share of goal conditions that hold, as a running maximum
(``progress``). The step cap is 50, or that of the parameter ``protocol`` (react 49, agentboard 30, reflexion 30, expel
20) or ``preset`` (h2r 30, and the same).

Differences from the published set-up:

* The default engine is our own (``engine``), with the same texts and worlds; ``engine=official`` uses TextWorld.
* Tasks are the game files in sorted order, not the order of the official loader.
* Progress is our own measure, not AgentBoard's.
* The wording of actions is repaired (``normalise``); each repair is recorded.
* A preset gives the step cap of a published set-up, not its prompt; a protocol gives both (``protocols``).
* The games name no evidence; that of ``evidence=on`` is synthetic (``evidence``).
* The frame is our own. ``frame=bare`` leaves out its procedures and examples, for strategies that learn from others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from adapters.alfworld import evidence, normalise
from adapters.alfworld.data import DATA
from adapters.alfworld.engines import ENGINES, build_engines
from adapters.alfworld.environment import HouseholdEnvironment, Switches
from adapters.alfworld.games import EXPECTED, SUITE_NAME, TREES, GameSource, OfficialGames
from adapters.alfworld.grammar import FRAMES, Grammar
from adapters.alfworld.own import OWN, OwnGames
from adapters.alfworld.procedural import PROCEDURAL, GeneratedGames
from adapters.alfworld.world import Engines
from adapters.shared.published.data import DATA as PROMPTS
from adapters.shared.published.protocol import HOUSE, compose_frame, list_protocols, open_protocol
from bench.protocols import Environment, Param, SuiteOptions, SuiteSpec
from bench.types import Fingerprint, Frame, Limits, Shape, Task

__all__ = ["PRESETS", "PUBLISHED_TYPES", "SUITE", "SUITE_VERSION", "AlfworldSuite", "build"]

SUITE_VERSION = "1"
_HERE = Path(__file__).parent
PUBLISHED_TYPES: Mapping[str, str] = {
    "pick_and_place_simple": "put",
    "pick_clean_then_place_in_recep": "clean",
    "pick_heat_then_place_in_recep": "heat",
    "pick_cool_then_place_in_recep": "cool",
    "look_at_obj_in_light": "examine",
    "pick_two_obj_and_place": "puttwo",
}
"""The task types as the examples of the papers are named."""


@dataclass(frozen=True, slots=True)
class Preset:
    """The step cap and the loop cap of a published set-up."""

    step_cap: int
    loop_cap: int = 0


PRESETS: Mapping[str, Preset] = {
    "default": Preset(50),
    "react": Preset(49),
    "agentboard": Preset(30),
    "h2r": Preset(30),
    "expel": Preset(20, loop_cap=2),
}


class AlfworldSuite:
    """The tasks of one split and the engines that play them."""

    def __init__(self, options: SuiteOptions, games: GameSource, engines: Engines):
        self._options, self._find_games, self._engines = options, games, engines
        self._protocol = open_protocol(_HERE, options)

    @cached_property
    def _tasks(self) -> tuple[Task, ...]:
        return tuple(self._find_games.tasks())

    def tasks(self) -> Sequence[Task]:
        return self._tasks

    def open(self, task: Task) -> Environment:
        """Return a fresh environment on its own engine. Raises: DataError if the task's game is missing or altered."""
        game = self._find_games.read(task)
        params = self._options.params
        given = (params.flag("normalise"), params.flag("fuzzy"), params.text("frame"), params.flag("hint"))
        switches = Switches(*given, evidence=params.flag("evidence"))
        adapt = partial(self._adapt, PUBLISHED_TYPES[task.group])
        return HouseholdEnvironment(task, game, self._engines.take(), switches, adapt)

    def _adapt(self, task_type: str, house: Frame) -> Frame:
        slots = {"type": task_type, "steps": str(self.limits().step_cap)}
        frame = compose_frame(self._protocol, house, self._options.data_root, slots)
        hint = (_HERE / "frame" / "hint.txt").read_text(encoding="utf-8").strip()
        told = f"{frame.instructions}\n\n{hint}"
        return replace(frame, instructions=told) if self._options.params.flag("hint") else frame

    def limits(self) -> Limits:
        name, paper = self._options.params.text("preset"), self._protocol
        preset = PRESETS[name]
        if name == "default" and paper.steps:
            preset = Preset(paper.steps, paper.loop)
        return Limits(step_cap=self._options.step_cap or preset.step_cap, loop_cap=preset.loop_cap)

    def fingerprint(self) -> Fingerprint:
        params, limits = self._options.params, self.limits()
        digests = "\n".join(sorted(f"{task.id} {task.digest}" for task in self._tasks))
        on = params.flag("normalise")
        return Fingerprint.of(
            suite=f"{SUITE_NAME}.{SUITE_VERSION}",
            split=self._options.split,
            version=params.text("version"),
            engine=self._engines.name,
            # The fast engine needs neither package, so their versions must not be part of its fingerprint.
            packages="none" if self._engines.name == "fast" else _list_packages(),
            data=hashlib.sha256(digests.encode()).hexdigest(),
            step_cap=str(limits.step_cap),
            loop_cap=str(limits.loop_cap),
            normaliser=(normalise.VERSION if on else "off") + ("+fuzzy" if params.flag("fuzzy") else ""),
            preset=params.text("preset"),
            hint="on" if params.flag("hint") else "off",
            **({"synthetic_evidence": evidence.VERSION} if params.flag("evidence") else {}),
            **self._protocol.entries,
        )

    def close(self) -> None:
        self._engines.close()


def _list_packages() -> str:
    return ", ".join(f"{name} {_find_version(name)}" for name in ("alfworld", "textworld"))


def _find_version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def _find_games(options: SuiteOptions) -> GameSource:
    if options.split == PROCEDURAL:
        return GeneratedGames(Grammar(options.params.text("version")))
    if options.split == OWN:
        return OwnGames(Path(options.params.text("path")))
    return OfficialGames(Path(options.data_root), options.split, options.params.text("version"))


def build(options: SuiteOptions) -> AlfworldSuite:
    """Return the suite. Raises UsageError for an engine that is not installed."""
    return AlfworldSuite(options, _find_games(options), build_engines(options.params.text("engine")))


SUITE = SuiteSpec(
    name=SUITE_NAME,
    build=build,
    shape=Shape.EPISODE,
    splits=(*EXPECTED, PROCEDURAL, OWN),
    own_split=OWN,
    default_split="valid_unseen",
    offline_splits=(PROCEDURAL,),
    params=(
        Param("path", "", "a folder with games of your own"),
        Param("version", "move", "wording of the games: `move X to Y` (current) or `put X in/on Y`", tuple(TREES)),
        Param("protocol", HOUSE, "a paper's own prompt, examples, thoughts and limits", list_protocols(_HERE)),
        Param("frame", "full", "bare: no procedures and no examples, so that they can be learned", FRAMES),
        Param("preset", "default", "when an episode ends, as in a paper, with any prompt", tuple(PRESETS)),
        Param("normalise", True, "repair the wording of actions; each repair is counted"),
        Param("hint", False, "list the admissible commands on request and after an invalid one, as AgentBoard can"),
        Param("evidence", False, "score which past steps each decision depends on (synthetic; no strategy sees it)"),
        Param("fuzzy", False, "take the nearest admissible command for one that is none; counted"),
        Param("engine", next(iter(ENGINES)), "which engine plays the games", tuple(ENGINES)),
    ),
    data=DATA,
    shared_data=(PROMPTS,),
    # The official engine runs in processes of its own; the fast one computes where it is called.
    workers=lambda params: "process" if params.text("engine") == "fast" else "thread",
    source="ALFWorld, Shridhar et al. 2021, arXiv 2010.03768; games of release 0.4.2",
)
