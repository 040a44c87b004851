"""What the offline model does with HiAgent's prompts: names sub-goals around the suite's own acting, writes summaries.

From the messages alone. The suite's rule gets the prompt without the dialect, as if it were a plain history. A sub-goal
is opened when none is, when the open one has seen a few actions and the next is about something else, or after
many. It asks for hidden details only when the world has just refused an action: then what is believed may be wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from baselines.shared.extractive import condense, is_refusal, read_events, read_limit
from bench.protocols import OfflineDialect, OfflineRule
from bench.types import Message

__all__ = ["RULES", "SubgoalDialect", "SummaryRule"]

_HERE = Path(__file__).parent
_DIALECT, _RETRIEVE = ((_HERE / name).read_text(encoding="utf-8").strip() for name in ("dialect.txt", "retrieve.txt"))
_FIRST_LINE = _DIALECT.split("\n", 1)[0]
_SUMMARIZE = (_HERE / "summarize.txt").read_text(encoding="utf-8").split("\n", 1)[0]
_HEADING = re.compile(r"(?P<id>\d+) Subgoal: (?P<text>.*)")
_OUTCOME = re.compile(r"(\[\d+\]) Outcome: ")
_ACTION = re.compile(r"\[\d+\] Action: (?P<text>.*)")
_THING = re.compile(r"[^\W\d_][\w-]*(?: \d+)?")
_SMALL_WORDS = frozenset(
    ["a", "an", "and", "at", "for", "from", "in", "into", "of", "off", "on", "out", "the", "to", "up", "with"]
)
_FEW, _MANY = 4, 6
"""Actions after which a change of object, and after which anything, opens a new sub-goal."""


@dataclass(frozen=True, slots=True)
class _ActPrompt:
    """The parts of an acting prompt in this dialect."""

    plain: tuple[Message, ...]
    """The prompt as the suite's rule knows it."""
    open_subgoal: str
    actions: tuple[str, ...]
    """The actions of the open sub-goal."""
    hidden: tuple[str, ...]
    """Numbers of the closed sub-goals of which no action is shown."""
    may_retrieve: bool
    task: str
    """The opening, in lower case."""
    now: str


def _read_prompt(messages: Sequence[Message]) -> _ActPrompt:
    actions_by_subgoal: dict[str, list[str]] = {"": []}
    names, current = {"": ""}, ""
    plain: list[Message] = []
    for message in messages:
        lines = []
        for line in message.content.splitlines() if message.role != "system" else ():
            if heading := _HEADING.fullmatch(line):
                current = heading["id"]
                names[current], actions_by_subgoal[current] = heading["text"], []
            elif not line.startswith("Notice: "):
                lines.append(_OUTCOME.sub(r"\1 Observation: ", line, count=1) if _OUTCOME.match(line) else line)
            if action := _ACTION.match(line):
                actions_by_subgoal[current].append(action["text"])
        plain.append(
            replace(message, content="\n".join(lines)) if message.role != "system" else _strip_dialect(message)
        )
    hidden = tuple(one for one in actions_by_subgoal if one not in ("", current) and not actions_by_subgoal[one])
    system = "\n".join(m.content for m in messages if m.role == "system")
    body = messages[-1].content
    task = body.partition("# Memory\n")[0].partition("# Now\n")[0].lower()
    now = body.rpartition("# Now\n")[2]
    return _ActPrompt(
        tuple(plain), names[current], tuple(actions_by_subgoal[current]), hidden, _RETRIEVE in system, task, now
    )


def _strip_dialect(message: Message) -> Message:
    """Take out the paragraph that is the dialect, whichever of its parts it has."""
    paragraphs = message.content.split("\n\n")
    return replace(message, content="\n\n".join(part for part in paragraphs if not part.startswith(_FIRST_LINE)))


class SubgoalDialect:
    """Role ``act`` in HiAgent's dialect."""

    role = "act"
    block = _DIALECT

    def reply_with(self, messages: Sequence[Message], ask: Callable[[Sequence[Message]], str]) -> str:
        """Return the suite's action, with a sub-goal above it where one is due, or a retrieval instead."""
        prompt = _read_prompt(messages)
        reply = ask(prompt.plain)
        label, colon, action = reply.partition(":")
        if prompt.may_retrieve and prompt.hidden and is_refusal(prompt.now):
            return f"{label}{colon} retrieve({', '.join(prompt.hidden)})"
        if not _is_due(prompt, action):
            return reply
        return f"Subgoal: deal with {next(iter(_find_things(action, prompt.task)), action.strip())}\n{reply}"


def _is_due(prompt: _ActPrompt, action: str) -> bool:
    if not prompt.open_subgoal:
        return True
    things = _find_things(action, prompt.task)
    if not things or len(prompt.actions) < _FEW:
        return False
    earlier_things = {thing for actions in prompt.actions for thing in _find_things(actions, prompt.task)}
    return len(prompt.actions) >= _MANY or not earlier_things.issuperset(things)


def _find_things(action: str, task: str) -> list[str]:
    """Return what an action is about: the things in it, with their numbers, that the task's text speaks of."""
    words = _THING.findall(action.lower())
    return [word for word in words if word not in _SMALL_WORDS and re.search(rf"\b{re.escape(word)}\b", task)]


class SummaryRule:
    """Role ``summarize`` with HiAgent's prompt: what the world said, each fact once."""

    role = "summarize"
    header = _SUMMARIZE

    def reply(self, messages: Sequence[Message]) -> str:
        events_text = messages[1].content.partition("What happened:\n")[2]
        summary = condense(read_events(events_text), read_limit(messages[0].content))
        return summary or "Nothing was learned."


RULES: tuple[OfflineRule | OfflineDialect, ...] = (SubgoalDialect(), SummaryRule())
"""What the offline model knows about this strategy."""
