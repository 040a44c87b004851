"""What an attempt did, as general sentences: how the offline model learns from whole episodes.

Extractive: an action is a verb, the kind of thing it is done to and the kind of place, without numbers. What is in hand
when the action is done becomes "a thing", and a place that the task names becomes "the place that the task names",
since both are others in other tasks. What was done without a place is left out. It knows English and nothing of any
suite, task, thing or place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from baselines.shared.extractive import is_refusal
from baselines.shared.plain_steps import lift, read_steps, state_task

__all__ = ["leave_out_place", "list_done", "list_refused", "list_sentences", "name_subject"]

_MOVE = re.compile(r"(?:go|walk|run|move|head|travel)(?: from .+?)? (?:to|into|towards?) (?P<place>.+)", re.IGNORECASE)
_JOIN = "(?:from|in/on|into|onto|inside|in|on|to|with|using|at)"
_ACTION = re.compile(
    r"(?P<verb>[a-z]{2,}(?: (?:up|down|off|on|out)(?= ))?) (?P<thing>.+?)"
    rf"(?: {_JOIN} (?P<place>.+?)(?: {_JOIN} .+)?)?",
    re.IGNORECASE,
)
_TAKES, _GIVES = (
    {"take", "pick up", "pick", "get", "grab", "lift"},
    {"put", "put down", "drop", "place", "move", "leave"},
)
_LOOKS = {"look", "look at", "examine", "inspect", "check", "read", "think", "wait", "search"}
_SOMEWHERE = re.compile(r"(?P<before>To .+?, (?:with a thing in hand, )?)go to .+ and (?P<verb>.+?) it(?: there)?\.")
_ARTICLE = re.compile(r"\b(?:the|an?|some|my) (?=\w)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Deed:
    """An action that had an effect."""

    verb: str
    thing: str
    """Its kind."""
    place: str
    """The kind of the place where it was done."""
    held: bool
    """What it was done to was in hand."""
    loaded: bool
    """Something else was."""


def list_sentences(opening: str, steps: str) -> list[str]:
    """Return what an attempt did as advice, each sentence once, what was done last first."""
    goal = state_task(opening).lower()
    said = [_put(deed, goal) for deed in _list_deeds(steps)]
    return list(dict.fromkeys(said[::-1]))


def list_done(steps: str) -> list[str]:
    """Return the actions that had an effect, without numbers, each once."""
    return list(dict.fromkeys(_name_kind(step.action) for step in read_steps(steps) if step.took_effect))


def list_refused(steps: str) -> list[str]:
    """Return the actions that the world refused, without numbers, each once."""
    refused = (step for step in read_steps(steps) if step.action and is_refusal(step.observation))
    return list(dict.fromkeys(_name_kind(step.action) for step in refused))


def name_subject(sentence: str) -> str:
    """Return what a sentence of advice is about: "Heat a thing"."""
    subject = sentence.removeprefix("To ").partition(",")[0]
    return subject[:1].upper() + subject[1:]


def leave_out_place(sentence: str) -> str:
    """Return advice that holds wherever a thing of the kind is; empty where the place is what it is about."""
    found = _SOMEWHERE.fullmatch(sentence)
    if found is None or found["verb"] in _TAKES:
        return ""
    return f"{found['before']}go to where there is one and {found['verb']} it."


def _list_deeds(steps: str) -> Iterator[_Deed]:
    here, hands = "", list[str]()
    for action in (step.action for step in read_steps(steps) if step.took_effect):
        if move := _MOVE.fullmatch(action):
            here = _name_kind(move["place"])
            continue
        found = _ACTION.fullmatch(action)
        if found is None or (verb := found["verb"].lower()) in _LOOKS:
            continue
        thing = found["thing"].lower()
        held = thing in hands
        place = _name_kind(found["place"] or "") or here
        if place:
            yield _Deed(verb, _name_kind(thing), place, held, bool(hands) and not held)
        if verb in _TAKES:
            hands.append(thing)
        elif held and verb in _GIVES:
            hands.remove(thing)


def _name_kind(text: str) -> str:
    """Return a name without its number and article."""
    return _ARTICLE.sub("", lift(text.lower()))


def _put(deed: _Deed, goal: str) -> str:
    """Return a deed as advice; a place that the goal names is another in other tasks."""
    verb, thing, place = deed.verb, _add_article(deed.thing), _add_article(deed.place)
    if re.search(rf"\b{re.escape(deed.place)}\b", goal):
        place = "the place that the task names"
    if deed.held:
        return f"To {verb} a thing, take it to {place} and {verb} it there."
    load = "with a thing in hand, " if deed.loaded else ""
    if deed.place == deed.thing:
        return f"To {verb} {thing}, {load}go to it and {verb} it."
    return f"To {verb} {thing}, {load}go to {place} and {verb} it there."


def _add_article(kind: str) -> str:
    return f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"
