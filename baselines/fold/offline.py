"""What the offline model does in Fold's dialect: opens and closes branches around the suite's own acting.

From the messages alone. The suite's rule gets the prompt without the dialect's lines. A branch is opened when none
is and closed when it has seen a few actions and the next is about something else, after many, or when it is
asked to; its message keeps the sentences of the world that the branch's record shows, each fact once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from baselines.shared.extractive import PromptEvent, condense, read_events, read_limit
from bench.protocols import OfflineDialect
from bench.types import Message

__all__ = ["RULES", "BranchDialect"]

_FIRST_LINE = Path(__file__).with_name("dialect.txt").read_text(encoding="utf-8").split("\n", 1)[0]
_OPEN = re.compile(r"Branch \d+ \(open, .*")
_OURS = re.compile(r"Branch \d+ \((?:open|closed).*|Returned from branch \d+:|Notice: .*")
_ACTION = re.compile(r"\[\d+\] Action: (?P<text>.*)")
_THING = re.compile(r"[^\W\d_][\w-]*(?: \d+)?")
_SMALL_WORDS = frozenset(["a", "an", "and", "at", "for", "from", "in", "into", "of", "off", "on", "out", "the", "to"])
_FEW, _MANY = 4, 6
"""Actions after which a change of object, and after which anything, ends a branch."""


@dataclass(frozen=True, slots=True)
class _ActPrompt:
    """The parts of an acting prompt in this dialect."""

    plain: tuple[Message, ...]
    """The prompt as the suite's rule knows it."""
    heading: str
    """Of the open branch; empty if none is open."""
    record: str
    """The open branch's lines."""
    must_return: bool
    spent: bool
    task: str
    """The opening, in lower case."""
    now: str

    @property
    def actions(self) -> list[str]:
        return [match["text"] for match in map(_ACTION.match, self.record.splitlines()) if match]

    @property
    def message(self) -> str:
        """What a return would say, on one line."""
        events = [*read_events(self.record), PromptEvent("Observation", self.now)]
        return " ".join(condense(events, read_limit(self.heading)).split()).replace("(", "[").replace(")", "]")


def _read_prompt(messages: Sequence[Message]) -> _ActPrompt:
    body = messages[-1].content
    opening, _, tail = body.partition("# Memory\n")
    memory, _, now = tail.rpartition("# Now\n") if "# Now\n" in tail else (tail, "", "")
    lines = memory.splitlines()
    at = next((at for at, line in enumerate(lines) if _OPEN.fullmatch(line)), len(lines))
    record = "\n".join(line for line in lines[at + 1 :] if not _OURS.fullmatch(line))
    text = "\n".join(line for line in body.splitlines() if not _OURS.fullmatch(line))
    plain = [_strip_dialect(message) for message in messages[:-1]]
    now = now.strip().partition(" ")[2]
    return _ActPrompt(
        plain=(*plain, replace(messages[-1], content=text)),
        heading=lines[at] if at < len(lines) else "",
        record=record,
        must_return="no room for another step" in memory,
        spent="no more branches" in memory,
        task=opening.partition("# Now\n")[0].lower(),
        now=now,
    )


def _strip_dialect(message: Message) -> Message:
    """Take out the paragraph that is the dialect, whatever room it tells."""
    paragraphs = message.content.split("\n\n")
    return replace(message, content="\n\n".join(part for part in paragraphs if not part.startswith(_FIRST_LINE)))


class BranchDialect:
    """Role ``act`` in Fold's dialect."""

    role = "act"
    block = _FIRST_LINE

    def reply_with(self, messages: Sequence[Message], ask: Callable[[Sequence[Message]], str]) -> str:
        """Return the suite's action, with lines above it that close and open a branch where that is due."""
        prompt = _read_prompt(messages)
        reply = ask(prompt.plain)
        action = reply.partition(":")[2].strip()
        lines = []
        is_over = bool(prompt.heading) and (prompt.must_return or _is_finished(prompt, action))
        if is_over:
            lines.append(f"return({prompt.message})")
        if (is_over or not prompt.heading) and not prompt.spent:
            lines.append(f"branch(deal with {next(iter(_find_things(action, prompt.task)), action)})")
        return "\n".join([*lines, reply])


def _is_finished(prompt: _ActPrompt, action: str) -> bool:
    actions, things = prompt.actions, _find_things(action, prompt.task)
    if not things or len(actions) < _FEW:
        return False
    earlier_things = {thing for one in actions for thing in _find_things(one, prompt.task)}
    return len(actions) >= _MANY or not earlier_things.issuperset(things)


def _find_things(action: str, task: str) -> list[str]:
    """Return what an action is about: the things in it, with their numbers, that the task's text speaks of."""
    words = _THING.findall(action.lower())
    return [word for word in words if word not in _SMALL_WORDS and re.search(rf"\b{re.escape(word)}\b", task)]


RULES: tuple[OfflineDialect, ...] = (BranchDialect(),)
"""What the offline model knows about this strategy."""
