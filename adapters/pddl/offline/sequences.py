"""Sequences of actions that a teaching text shows or tells, with their objects lifted to variables.

Of a trajectory, each sequence that made a goal fact true is one, without the actions that did not contribute to it. Of
prose, the names of actions in their order are one, whatever their objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from adapters.pddl.domain import Atom, GroundAction, State, load_domain
from adapters.pddl.offline.moves import Move, bind_operator
from adapters.pddl.phrases import find_names, read_command
from adapters.pddl.wording import Literal, load_wording
from adapters.shared.lessons import Trajectory, is_refusal

__all__ = ["ShownSequence", "find_sequences", "try_sequence"]

_MOST_BINDINGS = 300
"""How many instances of actions are tried for one sequence."""
_LONGEST_TOLD = 8


@dataclass(frozen=True, slots=True)
class ShownSequence:
    """Actions by name with variables, and the goal fact that they make true; None = not known."""

    steps: tuple[Atom, ...]
    achieves: Atom | None = None


@lru_cache(maxsize=256)
def find_sequences(
    trajectories: tuple[Trajectory, ...], prose: tuple[str, ...], domain_name: str, goal_names: frozenset[str]
) -> tuple[ShownSequence, ...]:
    """Return the sequences of the trajectories and the prose of a text, each once, shown ones first.

    ``goal_names``: the predicates of the goal at hand, for trajectories that do not say what their goal was.
    """
    shown = [one for trajectory in trajectories for one in _read_trajectory(trajectory, domain_name, goal_names)]
    told = [line for line in prose if not _read_literals(line, domain_name)]  # a sentence of a state orders nothing
    return tuple(dict.fromkeys((*shown, *_read_prose(told, domain_name))))


def _read_trajectory(one: Trajectory, domain_name: str, goal_names: frozenset[str]) -> Iterator[ShownSequence]:
    texts = [one.task, *one.opening, *(act.result or "" for act in one.acts)]
    facts = [literal.atom for text in texts for literal in _read_literals(text, domain_name)]
    objects = {arg for atom in facts for arg in atom.args} | {name for name, _ in load_domain(domain_name).constants}
    goal = {literal.atom for literal in _read_literals(one.task, domain_name) if literal.holds}
    calls = [read_command(act.action, domain_name, objects).call for act in one.acts if not is_refusal(act.result)]
    start = [literal for text in one.opening for literal in _read_literals(text, domain_name) if literal.holds]
    done, states = list[GroundAction](), [frozenset(literal.atom for literal in start)]
    reached: set[Atom] = set()
    for call in filter(None, calls):
        done.append(load_domain(domain_name).operator(call.name).ground(call.args))
        states.append(done[-1].result(states[-1]))
        for fact in sorted(done[-1].add - reached):
            if fact in goal or (not goal and fact.name in goal_names):
                reached.add(fact)
                yield _lift(_find_needed(done, states, fact), fact)


def _read_literals(text: str, domain_name: str) -> list[Literal]:
    sentences = (part.rpartition(":")[2].strip() + "." for part in text.split(".") if part.strip())
    return [literal for sentence in sentences if (literal := load_wording(domain_name).read(sentence))]


def _find_needed(done: Sequence[GroundAction], states: Sequence[State], fact: Atom) -> list[Atom]:
    """Return the calls that led to a fact, walking back from the last; each adds what a later one needed.

    Where all that is needed held earlier already, what was done in between is a detour and left out.
    """
    needed, calls, at = frozenset((fact,)), list[Atom](), len(done)
    while at:
        at = next((earlier for earlier in range(at) if needed <= states[earlier]), at)
        if not at:
            break
        at -= 1
        if done[at].add & needed:
            needed = (needed - done[at].add) | done[at].pre
            calls.append(done[at].call)
    return calls[::-1]


def _lift(calls: Sequence[Atom], fact: Atom) -> ShownSequence:
    def lift(atom: Atom) -> Atom:
        return Atom(atom.name, tuple(f"?{arg}" for arg in atom.args))

    return ShownSequence(tuple(map(lift, calls)), lift(fact))


def _read_prose(lines: Sequence[str], domain_name: str) -> Iterator[ShownSequence]:
    """Yield the names of actions that a line, or several lines with one name each, put in an order."""
    run: list[str] = []
    for line in (*lines, ""):
        names = [name for name, *_ in find_names(line.lower(), domain_name)]
        if len(names) == 1:
            run += names
            continue
        for told in (run, names):
            if 2 <= len(told) <= _LONGEST_TOLD:
                yield ShownSequence(tuple(Atom(name) for name in told))
        run = []


def try_sequence(one: ShownSequence, domain_name: str, state: State, goal: frozenset[Atom]) -> tuple[Move, ...]:
    """Return the moves by which the sequence, or the last part of it, makes a further goal fact true; else nothing."""
    search = _Search(domain_name, goal, len(goal & state))
    unmet = sorted(atom for atom in goal - state if one.achieves and atom.name == one.achieves.name)
    starts = [dict(zip(one.achieves.args, fact.args, strict=True)) for fact in unmet] if one.achieves else [{}]
    for first in range(len(one.steps) - 1, -1, -1):
        for binding in starts:
            if moves := search.follow(one.steps[first:], state, binding):
                return moves
    return ()


@dataclass(slots=True)
class _Search:
    """A bounded search for objects under which a sequence is possible."""

    domain_name: str
    goal: frozenset[Atom]
    met: int
    left: int = _MOST_BINDINGS

    def follow(self, steps: Sequence[Atom], state: State, binding: Mapping[str, str]) -> tuple[Move, ...]:
        step, rest = steps[0], steps[1:]
        domain = load_domain(self.domain_name)
        op = domain.operator(step.name)
        known = {v: binding[arg] for v, arg in zip(op.variables, step.args, strict=False) if arg in binding}
        for move in bind_operator(domain, op, state, known):
            self.left -= 1
            if self.left < 0:
                return ()
            longer = {**binding, **dict(zip(step.args, move.call.args, strict=False))}
            if not rest:
                if len(self.goal & move.after) > self.met:
                    return (move,)
            elif moves := self.follow(rest, move.after, longer):
                return (move, *moves)
        return ()
