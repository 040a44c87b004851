"""The offline model's rule for a user's domain: read the actions off the instructions, then search.

Nothing of a domain is known beforehand. Types, conditions and effects are read from the instructions in the plain
wording (``adapters.pddl.plain``) and written as PDDL again (``_read_domain``); goal and believed state are read as in
the four domains (``view``). A greedy search over believed states, at most ``_STATES`` of them, gives the next action.
Where it finds none, the model asks for the valid actions and takes the least tried; of a domain in a user's own wording
it can do nothing else.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import count

from adapters.pddl.domain import Atom, State, name_own
from adapters.pddl.frames import OWN_LINE
from adapters.pddl.offline.moves import list_moves
from adapters.pddl.offline.view import read_view
from adapters.pddl.phrases import CHECK
from adapters.pddl.wording import load_wording
from adapters.shared.sections import split_sections
from bench.types import Message

__all__ = ["OwnRule"]

_STATES = 400
_ROOT = "thing"
_ACTION = re.compile(
    r"^- (?P<call>[\w -]+)(?: \((?P<kinds>[^)]*)\))?: needs (?P<needs>[^.]*)\."
    r"(?: Makes (?P<makes>[^.]*)\.)?(?: Ends (?P<ends>[^.]*)\.)?$",
    re.MULTILINE,
)
_KIND = re.compile(r"([\w-]+) is a kind of ([\w-]+)")
_DIFFER = re.compile(r"([\w-]+) and ([\w-]+) differ")
_THINGS = re.compile(r"\bThings: (.*?)\.")
_THING = re.compile(r"([\w-][\w, -]*) \(([\w-]+)\)")


class OwnRule:
    """The acting rule of every domain of a user's."""

    role = "act"
    header = OWN_LINE

    def reply(self, messages: Sequence[Message]) -> str:
        """Return one action line; a pure function of the messages."""
        frame = "\n".join(message.content for message in messages if message.role == "system")
        things = _THINGS.search(split_sections(messages).task)
        key = _read_domain(frame, things[1] if things else "")
        view = read_view(messages, key)
        call = _search(key, view.goal, view.belief)
        phrase = load_wording(key).phrase(call) if call else ""
        if phrase and phrase not in view.failed and (not view.valid or phrase in view.valid):
            return f"Action: {phrase}"
        return f"Action: {view.find_least_tried() if view.valid else CHECK}"


@lru_cache(maxsize=256)
def _read_domain(frame: str, things: str) -> str:
    """Return the key of the domain that the instructions describe; the things of the task are its constants."""
    lines = list(_ACTION.finditer(frame))
    named = [(names.replace(",", " "), _root(kind)) for names, kind in _THING.findall(things)]
    parents = {kind: _root(parent) for kind, parent in _KIND.findall(frame)}
    mentioned = {kind for _, kind in named} | {kind for line in lines for _, kind in _read_kinds(line)}
    parents |= dict.fromkeys(sorted(mentioned.union(parents.values()) - {*parents, _ROOT}), _ROOT)
    facts = {fact[0]: len(fact) - 1 for line in lines for fact in _list_facts(line)}
    signatures = (f"({name} {' '.join(f'?x{i}' for i in range(arity))})" for name, arity in sorted(facts.items()))
    parts = [
        f"(:types {_ROOT} - object {' '.join(f'{kind} - {parent}' for kind, parent in sorted(parents.items()))})",
        f"(:constants {' '.join(f'{names} - {kind}' for names, kind in named)})" if named else "",
        f"(:predicates {' '.join(signatures)})" if facts else "",
        *map(_write_action, lines),
    ]
    return name_own("\n".join(["(define (domain read)", *filter(None, parts), ")"]))


def _root(kind: str) -> str:
    """Return the type under a name that the library takes for a constant's; its own root type it does not take."""
    return _ROOT if kind == "object" else kind


def _read_kinds(line: re.Match[str]) -> list[tuple[str, str]]:
    """Return the variables of an action with their types, in order."""
    return [(words[0], _root(words[1])) for part in (line["kinds"] or "").split(",") if len(words := part.split()) == 2]


def _list_facts(line: re.Match[str]) -> list[list[str]]:
    parts = [part.strip() for name in ("needs", "makes", "ends") for part in (line[name] or "").split(";")]
    facts = [part for part in parts if part not in ("", "nothing") and not _DIFFER.fullmatch(part)]
    return [part.removeprefix("not ").split() for part in facts]


def _write_action(line: re.Match[str]) -> str:
    kinds = dict(_read_kinds(line))

    def write(part: str) -> str:
        if differ := _DIFFER.fullmatch(part):
            return f"(not (= {' '.join(f'?{arg}' if arg in kinds else arg for arg in differ.groups())}))"
        name, *args = part.removeprefix("not ").split()
        fact = f"({' '.join([name, *(f'?{arg}' if arg in kinds else arg for arg in args)])})"
        return f"(not {fact})" if part.startswith("not ") else fact

    def split(text: str | None) -> list[str]:
        return [part.strip() for part in (text or "").split(";") if part.strip() not in ("", "nothing")]

    effects = [*map(write, split(line["makes"])), *(f"(not {write(part)})" for part in split(line["ends"]))]
    parameters = " ".join(f"?{name} - {kind}" for name, kind in kinds.items())
    return (
        f"(:action {line['call'].split()[0]} :parameters ({parameters})"
        f" :precondition (and {' '.join(map(write, split(line['needs'])))}) :effect (and {' '.join(effects)}))"
    )


@lru_cache(maxsize=4096)
def _search(key: str, goal: tuple[Atom, ...], belief: State) -> Atom | None:
    """Return the first action towards the most goal facts; None where no better state is found."""
    wanted, ties = frozenset(goal), count()
    frontier: list[tuple[int, int, int, State, Atom | None]] = [(len(wanted - belief), 0, next(ties), belief, None)]
    known, best, found = {belief}, len(wanted - belief), None
    for _ in range(_STATES):
        if not frontier or best == 0:
            break
        _, depth, _, state, first = heapq.heappop(frontier)
        for move in list_moves(key, state):
            after = move.after
            if after in known:
                continue
            known.add(after)
            missing, start = len(wanted - after), first or move.call
            if missing < best:
                best, found = missing, start
            heapq.heappush(frontier, (missing, depth + 1, next(ties), after, start))
    return found
