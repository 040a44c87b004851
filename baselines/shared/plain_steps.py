"""Steps of an episode read by plain rules, for the offline model's replies to what learns from whole episodes.

It knows how a prompt shows steps, and English; nothing of any suite, task or object. An action is a verb and what it is
done to; what a text is about are its words without the small ones, numbers and plural endings.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from baselines.shared.extractive import SMALL_WORDS, is_refusal, strip_ending

__all__ = [
    "PlainStep",
    "find_things",
    "generalise",
    "lift",
    "read_steps",
    "replace_things",
    "split_steps",
    "state_task",
]

_LINE = re.compile(r"\[(?P<number>\d+)\] (?P<kind>Action|Observation): (?P<text>.*)")
_NUMBER = re.compile(r"[ _-]?\d+\b")
_WORD = re.compile(r"[^\W\d_]{2,}")
_STATEMENT = re.compile(r"\b(?:task|goal)\b[^.:]*:\s*(?P<text>.+)", re.IGNORECASE | re.DOTALL)
_ENDINGS = ("es", "s")
_NAMES, _SOMEWHERE = ("thing", "place", "other"), "somewhere"
_FROM = re.compile(r"\bfrom [\w ]+$")


@dataclass(slots=True)
class PlainStep:
    """An action and the first line of what the world answered."""

    number: int
    action: str
    observation: str = ""

    @property
    def took_effect(self) -> bool:
        return bool(self.action.strip() and self.observation.strip()) and not is_refusal(self.observation)


def read_steps(text: str) -> list[PlainStep]:
    """Return the steps that a text shows, in order; an observation without its action is left out."""
    steps: list[PlainStep] = []
    for match in filter(None, map(_LINE.match, text.splitlines())):
        if match["kind"] == "Action":
            steps.append(PlainStep(int(match["number"]), match["text"].strip()))
        elif steps and steps[-1].number == int(match["number"]):
            steps[-1].observation = match["text"]
    return steps


def lift(text: str) -> str:
    """Return a text without the numbers that tell one thing from another of its kind."""
    return " ".join(_NUMBER.sub("", text).split())


def state_task(task: str) -> str:
    """Return what a text behind "task" or "goal" and a colon says is to be done; all of it if there is none."""
    match = _STATEMENT.search(task)
    return " ".join((match["text"] if match else task).split())


def find_things(text: str) -> frozenset[str]:
    """Return what an action is done to, or what a task speaks of: its words behind the first."""
    words = _WORD.findall(text.lower())[1:]
    return frozenset(strip_ending(word, _ENDINGS) for word in words if word not in SMALL_WORDS)


def split_steps(task: str, steps: Sequence[PlainStep]) -> list[int]:
    """Return the place of the last step of each stretch; the last stretch ends with the last step.

    A stretch ends with an action that takes effect on what the task speaks of, unless its verb is the one used most
    (that of moving about), or it is the same again.
    """
    wanted, moving = find_things(f"do {state_task(task)}"), _find_most_used_verb(steps)
    ends: list[int] = []
    for at, step in enumerate(steps):
        tells = step.took_effect and _find_verb(step) != moving and find_things(step.action) & wanted
        if tells and (not ends or lift(step.action) != lift(steps[ends[-1]].action)):
            ends.append(at)
    return [*ends, len(steps) - 1] if steps and ends[-1:] != [len(steps) - 1] else ends


def _find_verb(step: PlainStep) -> str:
    return step.action.lower().partition(" ")[0]


def _find_most_used_verb(steps: Iterable[PlainStep]) -> str:
    """Return the verb of more actions that took effect than any other; empty if two share that place."""
    best = Counter(_find_verb(step) for step in steps if step.took_effect).most_common(2)
    return best[0][0] if best and (len(best) == 1 or best[0][1] > best[1][1]) else ""


def generalise(task: str, actions: Iterable[str], form: str = "{}") -> tuple[str, tuple[str, ...]]:
    """Return what a task asks for, and actions, without what is other in other tasks, each in the given form.

    What the task names is thing, place and other, in the order of its words; where a thing was taken from is somewhere.
    """
    goal, lifted = lift(state_task(task)).rstrip(" ."), [lift(action) for action in actions]
    used = frozenset[str]().union(*map(find_things, lifted))
    shared = [word for word in _WORD.findall(goal.lower()) if find_things(f"do {word}") & used]
    names = {word: form.format(name) for word, name in zip(dict.fromkeys(shared), _NAMES, strict=False)}

    def fill(text: str) -> str:
        return _WORD.sub(lambda word: names.get(word[0].lower(), word[0]), text)

    return fill(goal), tuple(_FROM.sub(f"from {form.format(_SOMEWHERE)}", fill(action)) for action in lifted)


def replace_things(text: str, theirs: str, ours: str) -> str:
    """Return a text about one task as it would be about another: the words at whose places the two tasks differ."""
    ours_words, changed = _WORD.findall(ours.lower()), dict[str, str]()
    theirs_words = _WORD.findall(theirs.lower())
    if len(theirs_words) == len(ours_words):
        changed = {one: other for one, other in zip(theirs_words, ours_words, strict=True) if one != other}
    return _WORD.sub(lambda word: changed.get(word[0].lower(), word[0]), text)
