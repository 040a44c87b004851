"""The toy navigator's tasks: small conversations about things that were put somewhere, filed in a workspace.

Four people talk about some things. Of each one it is said where it was put at first and where it is now, two ask about
it and one likes it. Where it is now is filed in the folder ``now``, where it was in ``was``, who asked in ``asked``. A
question is about one thing: where it is, where it was, who asked. One in ten is about a thing that nobody named: then
nothing is to be selected. The word for a thing is in all raw turns about it, so a search for it finds what is needed
and what is stale alike, while one note rests on exactly the turns that are needed.

Tasks of two splits are drawn from different numbers: the words are the same, the workspaces are not.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from baselines.horma.navigation import NavigationLimits, NavigationSession
from baselines.horma.notes import Line, Meta
from baselines.horma.train.environment import NavQuestion
from baselines.horma.workspace import Workspace
from bench.types import Event, EventKind

__all__ = ["KINDS", "THINGS", "ToyTask", "make_questions", "make_task"]

THINGS = ("box", "coin", "drum", "hat", "key", "lamp", "mug", "pan", "ring", "vase")
PLACES = ("attic", "cellar", "garden", "hall", "kitchen", "porch")
PEOPLE = ("ana", "ben", "cleo", "dan")
KINDS = {
    "now": "Where is the {} now?",
    "was": "Where was the {} before?",
    "asked": "Who asked about the {}?",
}
"""The question that the notes of a folder answer."""
_LIMITS = NavigationLimits(turns=5)
_FILED = 3
_UNKNOWN = 0.1
"""The share of questions about a thing that nobody named."""


@dataclass(frozen=True)
class ToyTask:
    """One workspace, and one question about it."""

    id: str
    workspace: Workspace
    question: str
    kind: str
    """Where the answer is filed, or ``unknown``."""
    evidence: tuple[str, ...]


def make_task(split: str, number: int) -> ToyTask:
    """Return one task of a split; the same one for the same name and number."""
    chance = random.Random(f"toy|{split}|{number}")
    things = chance.sample(THINGS, _FILED)
    workspace = Workspace()
    needed = _fill(workspace, things, chance)
    kind = chance.choice(list(KINDS))
    thing = chance.choice(things)
    if chance.random() < _UNKNOWN:
        thing = chance.choice([one for one in THINGS if one not in things])
        return ToyTask(f"{split}-{number:04d}", workspace, KINDS[kind].format(thing), "unknown", ())
    return ToyTask(f"{split}-{number:04d}", workspace, KINDS[kind].format(thing), kind, needed[thing, kind])


def make_questions(split: str, count: int) -> list[NavQuestion]:
    """Return the first ``count`` tasks of a split as questions to navigate for."""
    return [_ask(make_task(split, number)) for number in range(count)]


def _ask(task: ToyTask) -> NavQuestion:
    def begin() -> NavigationSession:
        return NavigationSession(task.workspace, task.question, _LIMITS)

    return NavQuestion(task.id, begin, task.evidence, task.kind)


def _fill(workspace: Workspace, things: list[str], chance: random.Random) -> dict[tuple[str, str], tuple[str, ...]]:
    """Write the talk and the notes; return the refs behind each line, by thing and kind."""
    said: list[tuple[str, str, str]] = []
    texts: dict[tuple[str, str], str] = {}
    for thing in things:
        was, now = chance.sample(PLACES, 2)
        asking, liking = chance.sample(PEOPLE, 2), chance.choice(PEOPLE)
        said.append((thing, "was", f"i put the {thing} in the {was}"))
        said += [(thing, "asked", f"{name}|where is the {thing}") for name in asking]
        said.append((thing, "", f"{liking}|i like the {thing}"))
        said.append((thing, "now", f"the {thing} is in the {now} now"))
        texts |= {(thing, "now"): f"in the {now}", (thing, "was"): f"put in the {was}"}
        texts[thing, "asked"] = f"{asking[0]} and {asking[1]} asked"
    # What is said about one thing stays in order; the talk goes from one thing to another.
    order = sorted(range(len(said)), key=lambda _at: chance.random())
    left = {thing: iter([one for one in said if one[0] == thing]) for thing in things}
    needed: dict[tuple[str, str], list[str]] = {}
    for number, at in enumerate(order, start=1):
        thing, kind, text = next(left[said[at][0]])
        speaker, _, line = text.rpartition("|")
        turn = Event(f"D1:{number}", EventKind.TURN, line, 1, speaker or chance.choice(PEOPLE))
        workspace.write_raw(turn)
        needed.setdefault((thing, kind), []).append(turn.ref)
    for (thing, folder), text in texts.items():
        workspace.write(f"{folder}/{thing}.md", Meta(), [Line(text, tuple(needed[thing, folder]))])
    return {key: tuple(refs) for key, refs in needed.items()}
