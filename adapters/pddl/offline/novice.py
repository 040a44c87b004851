"""The novice's rules for the four domains (role ``act``): a player that looks a few actions ahead, and can be taught.

Known beforehand: the conditions and effects of actions that the frame states, and the sentences of the domain; no
policy and no order of sub-goals. It thinks ``depth`` actions ahead and takes what makes most goal facts true soonest. A
sequence of actions that the prompt shows or tells counts as one of them (``sequences``). With nothing to gain in sight
it takes an action that leads where it has not been, and the one that it has tried least, as far as its context shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from adapters.pddl.domain import DOMAINS, Atom, State
from adapters.pddl.offline.moves import Move, list_moves
from adapters.pddl.offline.own import OwnRule
from adapters.pddl.offline.rules import PddlRule
from adapters.pddl.offline.sequences import ShownSequence, find_sequences, try_sequence
from adapters.pddl.offline.view import View, read_view
from adapters.pddl.phrases import CHECK
from adapters.pddl.wording import load_wording
from adapters.shared.lessons import read_lessons
from bench.protocols import OfflineRule, Params
from bench.types import Message

__all__ = ["NoviceRule", "build_rules"]

_EXAMPLE_LEAD = "An example:"


class NoviceRule(PddlRule):
    """The acting rule of one domain."""

    def __init__(self, domain_name: str, depth: int):
        super().__init__(domain_name)
        self._depth = depth

    def reply(self, messages: Sequence[Message]) -> str:
        """Return one action line; a pure function of the messages."""
        view = read_view(messages, self.domain)
        system = "\n".join(m.content for m in messages if m.role == "system")
        example = system.partition(_EXAMPLE_LEAD)[2]
        lessons = read_lessons(f"{example}\n\n{view.teaching.experience}", view.teaching.attempts)
        names = frozenset(atom.name for atom in view.goal)
        sequences = find_sequences(lessons.trajectories, lessons.prose, self.domain, names)
        return f"Action: {_decide(view, sequences, self._depth)}"


def _decide(view: View, sequences: tuple[ShownSequence, ...], depth: int) -> str:
    planned = _think(view.domain, frozenset(view.goal), view.belief, sequences, depth)
    phrases = [load_wording(view.domain).phrase(call) for call in (*planned, *_explore(view))]
    if view.valid:
        known = [phrase for phrase in phrases[: len(planned)] if phrase in view.valid]
        return next((phrase for phrase in known if phrase not in view.failed), view.find_least_tried())
    return next((phrase for phrase in phrases if phrase not in view.failed), CHECK)


def _explore(view: View) -> list[Atom]:
    """Return the possible actions: those that lead to a new state first, then the least tried."""

    def key(move: Move) -> tuple[bool, int, Atom]:
        phrase = load_wording(view.domain).phrase(move.call)
        return (move.after in view.past, view.tried.count(phrase), move.call)

    return [move.call for move in sorted(list_moves(view.domain, view.belief), key=key)]


@lru_cache(maxsize=4096)
def _think(
    domain_name: str, goal: frozenset[Atom], belief: State, sequences: tuple[ShownSequence, ...], depth: int
) -> tuple[Atom, ...]:
    """Return the first action of the thought that makes most goal facts true with the fewest actions; or nothing."""
    frontier: list[tuple[Move, ...]] = [()]
    known, met = {belief}, len(goal & belief)
    for _ in range(depth):
        further: list[tuple[Move, ...]] = []
        best: list[tuple[int, int, Atom]] = []
        for path in frontier:
            state = path[-1].after if path else belief
            for thought in _list_thoughts(domain_name, goal, state, sequences):
                longer, after = (*path, *thought), thought[-1].after
                if len(goal & after) > met:
                    best.append((-len(goal & after), len(longer), longer[0].call))
                elif after not in known:
                    known.add(after)
                    further.append(longer)
        if best:
            return (min(best)[2],)
        frontier = further
    return ()


def _list_thoughts(
    domain_name: str, goal: frozenset[Atom], state: State, sequences: tuple[ShownSequence, ...]
) -> Iterator[tuple[Move, ...]]:
    for move in list_moves(domain_name, state):
        yield (move,)
    for one in sequences:
        if moves := try_sequence(one, domain_name, state, goal):
            yield moves


def build_rules(params: Params) -> tuple[OfflineRule, ...]:
    """Return what the novice knows about the frames of the four domains, and the rule of a user's, of which the reader
    knows nothing either. Reads the parameter ``depth``."""
    return (*(NoviceRule(name, params.integer("depth")) for name in DOMAINS), OwnRule())
