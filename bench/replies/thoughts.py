"""Thoughts in place of an action (``think: ...``): how they are read, and what the driver answers."""

from __future__ import annotations

from dataclasses import dataclass

from bench.replies.labels import make_label, make_synonyms
from bench.replies.marks import ITEM, peel
from bench.replies.value import ReadReply
from bench.replies.visible import clean, hide_thoughts, split_lines
from bench.types import Observation, ThoughtRule

__all__ = ["WASTED", "ThoughtCounter", "read_thought"]

WASTED = "Nothing happens: too many thoughts in a row. Act now."
"""What an agent observes after a thought too many; it costs a step."""
_MARKS = " \t*_`~>#\"'“‘•–—-"


@dataclass(slots=True)
class ThoughtCounter:
    """Answers the thoughts of one episode under a rule; None = there is none."""

    rule: ThoughtRule | None
    in_row: int = 0

    def answer(self, action: str, progress: float) -> tuple[str, Observation] | None:
        """Return what a thought costs, ``step`` or ``free``, and its answer; None for any other action."""
        rule = self.rule
        if rule is None or not rule.matches(action):
            self.in_row = 0
            return None
        self.in_row += 1
        if rule.most and self.in_row > rule.most:
            return "step", Observation(WASTED, progress=progress, valid=False, invalid_reason="thoughts")
        return "step" if rule.costs_step else "free", Observation(rule.answer, progress=progress)


def read_thought(text: str, label: str, rule: ThoughtRule) -> ReadReply | None:
    """Return the thought that a reply begins with, as ``think: ...`` on one line; None if an action comes first.

    It may stand behind the label of an action, at the start of a line or of a sentence within one, or behind a prompt's
    mark, in bold, a quote or a fence.
    """
    reply, action, synonym = hide_thoughts(clean(text)), make_label(label), make_synonyms(label)
    lines = split_lines(reply.text)
    for at, line in enumerate(lines):
        labelled, extra = action.match(line.text), list[str]()
        if labelled is None and (other := synonym.match(line.text)) and _find_body(other.rest, rule.prefix):
            labelled, extra = other, ["label-synonym"]
        if labelled is None and not _find_body(line.text, rule.prefix) and (parts := action.split_inline(line.text)):
            labelled, extra = action.match(parts[1]), ["inline-label"]
        given = labelled.rest if labelled else line.text
        if found := _find_body(given, rule.prefix):
            names = [*extra, *(labelled.repairs if labelled else ()), *found[1]]
            names += ["played-on"] if any(one.text for one in lines[at + 1 :]) else []
            return ReadReply(f"{rule.prefix} {found[0]}".strip(), tuple(dict.fromkeys(names)), True, reply.thought)
        if labelled and given:
            return None
    return None


def _find_body(given: str, prefix: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the text of a thought without the marks around it, and what was repaired; None if it is none."""
    item = ITEM.fullmatch(given)
    bare = (item["text"] if item else given).lstrip(_MARKS)
    word = prefix.rstrip(":")
    rest = bare[len(word) :].lstrip("*_`~ ")
    if not bare.lower().startswith(word) or not rest.startswith((":", "\uff1a")):
        return None
    opened = given[: len(given) - len(bare)]
    body, peeled = peel(rest[1:].strip())
    quotes = "\"'”’" if any(mark in opened for mark in "\"'“‘") else ""
    names = ("bold",) * ("*" in opened or "_" in opened) + ("quote",) * (">" in opened) + peeled
    return " ".join(body.strip(f" *_`~{quotes}").split()), names
