"""One episode of one household task: opening text, action repair, validity, progress and success.

Works with any engine. Success is the game's ``won`` alone. Source: ALFWorld (arXiv 2010.03768) and the problems that
its users reported. Differences: our own progress measure (``progress``) and reasons for actions without effect. Knows
no data folder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from adapters.alfworld.evidence import Recollection
from adapters.alfworld.games import parse_game
from adapters.alfworld.grammar import Grammar, frame_for, probe
from adapters.alfworld.normalise import RepairedAction, find_nearest, normalise
from adapters.alfworld.progress import Goal, compute_progress, find_treated, read_goal
from adapters.alfworld.world import NOTHING, Engine, World
from bench.errors import EnvError
from bench.protocols import NeededFact
from bench.types import Fingerprint, Frame, Observation, Opening, Task

__all__ = ["CHECK", "HELPERS", "HouseholdEnvironment", "Switches"]

HELPERS = frozenset({"look", "inventory", "help"})
CHECK = "check valid actions"
"""Understood only where the hint is on."""
_BANNER = re.compile(r"^\s*-=.*?=-\s*")
_NAME = r"[a-z]+ \d+"
_FORMS = re.compile(
    rf"(?:go to {_NAME}|open {_NAME}|close {_NAME}|examine {_NAME}|use {_NAME}|take {_NAME} from {_NAME}"
    rf"|(?:heat|clean|cool|slice) {_NAME} with {_NAME}|look|inventory|help|(?P<place>move {_NAME} to {_NAME}"
    rf"|put {_NAME} in/on {_NAME}))"
)


@dataclass(frozen=True, slots=True)
class Switches:
    """The switches of a run: action repairs, the nearest command, how much the frame says, hints, evidence."""

    normalise: bool = True
    fuzzy: bool = False
    frame: str = "full"
    hint: bool = False
    """``check valid actions`` lists the admissible commands, and so does the answer to one that is not."""
    evidence: bool = False
    """The environment knows which past steps each decision depends on."""


class HouseholdEnvironment:
    """An ``Environment`` for one task; it is reset once and closed once."""

    def __init__(
        self,
        task: Task,
        game: bytes,
        engine: Engine,
        switches: Switches = Switches(),
        adapt: Callable[[Frame], Frame] = lambda frame: frame,
    ):
        """``adapt``: turns the suite's own frame into that of a protocol. Raises: DataError in ``reset``."""
        self._task, self._game, self._engine, self._switches, self._adapt = task, game, engine, switches, adapt
        self._grammar = Grammar.MOVE
        self._goal: Goal | None = None
        self._world: World | None = None
        self._treated_at_start: frozenset[str] = frozenset()
        self._best = 0.0
        self._last_place = ""
        self._recollection: Recollection | None = None

    def reset(self) -> Opening:
        """Load the game and return its opening text, with the room and the task."""
        who = f"alfworld task {self._task.id}"
        game = parse_game(self._game, who)
        self._grammar = probe(game.grammar, who)
        goal = read_goal(self._task.group, game.problem, who)
        world = self._engine.start(self._game)
        self._goal, self._world, self._last_place = goal, world, ""
        self._treated_at_start = find_treated(goal, world)
        self._best = compute_progress(goal, world, self._treated_at_start)
        self._recollection = Recollection(goal, world) if self._switches.evidence else None
        return Opening(
            goal=_BANNER.sub("", world.feedback).strip(),
            frame=self._adapt(frame_for(self._grammar, self._switches.frame)),
            fingerprint=Fingerprint.of(grammar=self._grammar.value),
        )

    def step(self, action: str) -> Observation:
        """Take one action. Raises EnvError if the engine does not answer."""
        if self._world is None or self._goal is None:
            raise EnvError(f"alfworld task {self._task.id}: expected reset before step, got step; call reset first")
        before = self._world
        repaired = self._repair(action)
        command = repaired.text
        if self._switches.hint and command == CHECK:
            if self._recollection is not None:
                self._recollection.skip()
            return Observation(self._list_admissible(), progress=self._best, executed=command, helper=True)
        world = self._engine.step(command)
        if self._recollection is not None:
            self._recollection.take(command, world)
        nothing = world.feedback.strip() == NOTHING
        reason = self._find_reason(command, before) if nothing else ""
        if not nothing and command.startswith("go to "):
            self._last_place = command.removeprefix("go to ")
        self._world = world
        self._best = max(self._best, compute_progress(self._goal, world, self._treated_at_start))
        text = world.feedback.strip()
        return Observation(
            text=f"{text} {self._list_admissible()}" if nothing and self._switches.hint else text,
            done=world.done,
            won=world.won,
            progress=self._best,
            valid=not nothing,
            executed=command,
            repairs=repaired.repairs,
            helper=command in HELPERS and not nothing,
            invalid_reason=reason,
        )

    def find_needed(self) -> Sequence[NeededFact]:
        """Return what of the past the expert's next action depends on (``evidence``); nothing with the switch off."""
        return self._recollection.find_needed() if self._recollection is not None else ()

    def followed_plan(self) -> bool:
        """True if the last action was one that those facts call for."""
        return self._recollection is not None and self._recollection.followed

    def close(self) -> None:
        self._engine.close()

    def _list_admissible(self) -> str:
        """Return the admissible commands as one sentence, as AgentBoard can show them."""
        return f"Valid actions: {'; '.join(sorted(self._engine.admissible()))}."

    def _repair(self, action: str) -> RepairedAction:
        repaired = normalise(action, self._grammar) if self._switches.normalise else RepairedAction(action)
        if not self._switches.fuzzy:
            return repaired
        guess = find_nearest(repaired.text, self._engine.admissible())
        return RepairedAction(guess.text, repaired.repairs + guess.repairs)

    def _find_reason(self, command: str, world: World) -> str:
        """Return the reason why nothing happened, derived from the command and the facts."""
        form = _FORMS.fullmatch(command)
        helper_unknown = command in HELPERS
        own_verb = "move" if self._grammar is Grammar.MOVE else "put"
        if form is None or helper_unknown or (form["place"] and not command.startswith(own_verb)):
            return "unparsable"
        known = {fact.args[0] for fact in world.facts if fact.name in ("objecttype", "receptacletype")}
        if not known.issuperset(re.findall(_NAME, command)):
            return "unparsable"
        if command.startswith("go to "):
            place = command.removeprefix("go to ")
            here = {fact.args[-1] for fact in world.facts if fact.name == "atlocation"}
            spots = {f.args[1] for f in world.facts if f.name == "receptacleatlocation" and f.args[0] == place}
            if spots & here:
                return "no-effect" if place == self._last_place else "shared-location"
        return "precondition"
