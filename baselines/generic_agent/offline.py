"""What the offline model adds in GenericAgent's dialect: a line about the turn, and key info every few turns.

From the messages alone. The suite's rule gets the prompt without the dialect and decides; the line says what the current
observation told (its sentences, a long list shortened to what the task names) and what is done next; the key info keeps
each fact's latest statement, from the key info before and what the raw past has shown since. It reads no file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from baselines.extractive import Told, condense, read_events, stated_limit
from bench.protocols import OfflineDialect, OfflineRule
from bench.types import Message

__all__ = ["RULES", "AnchorDialect", "gist"]

_HERE = Path(__file__).parent
_DIALECT, _CORE = ((_HERE / name).read_text(encoding="utf-8").strip() for name in ("dialect.txt", "core.txt"))
_KEY_HEADING = "Key info:"
_TURNS_HEADING = "Past turns:"
_RAW = re.compile(r"\[(?P<step>\d+)\] (?:Action|Observation|Feedback): ")
_NOTE = re.compile(r"\[(?P<step>\d+)\] Note: (?P<text>.*)")
_CHARS = re.compile(r"at most (\d+) characters")
_LIST = re.compile(r"(?P<lead>.*?\b(?:see|holds?|contains?|carrying:?)\b)\s*(?P<items>[^.]*)\.", re.IGNORECASE)
_STATE = re.compile(r"(?:\w+ )?state(?: now)?:\s*", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{3,}")
_CUT = "…"
_FEW = 4
"""Raw actions that are not in the key info yet before it is written anew."""


@dataclass(frozen=True, slots=True)
class _Page:
    """An acting prompt in this dialect, taken apart."""

    plain: tuple[Message, ...]
    """The prompt as the suite's rule knows it."""
    task: str
    key_info: str
    raw: tuple[str, ...]
    """Lines of the raw past that came after the key info."""
    now: str

    @property
    def fresh(self) -> int:
        """How many actions stand in the raw past that the key info does not cover."""
        return sum(" Action: " in line[:20] for line in self.raw)


def _read(messages: Sequence[Message]) -> _Page:
    plain = tuple(map(_stripped, messages))
    body = "\n".join(message.content for message in plain if message.role != "system")
    head, _, now = body.rpartition("# Now\n") if "# Now\n" in body else (body, "", "")
    task, _, memory = head.partition("# Memory\n")
    key_turn, key_info, raw, keyed = 0, "", list[str](), False
    for line in memory.splitlines():
        if keyed and (found := _NOTE.fullmatch(line)):
            key_turn, key_info = int(found["step"]), found["text"]
        keyed = line == _KEY_HEADING
        if _NOTE.match(line):
            continue
        if (found := _RAW.match(line)) and int(found["step"]) >= key_turn:
            raw.append(line)
        elif raw and not found and not line.startswith(("Turn ", _TURNS_HEADING)):
            raw[-1] = f"{raw[-1]} {line}"  # the rest of an observation of several lines
    now = now.partition(": ")[2].rpartition("\n\n")[0]
    return _Page(plain, task, key_info, tuple(raw), now)


def _stripped(message: Message) -> Message:
    if message.role == "system":
        text = message.content
        for part in (f"{_DIALECT}\n{_CORE}", _DIALECT, _CORE):
            text = text.replace(f"\n{part}", "").replace(part, "")
        return replace(message, content=text)
    lines = (line for line in message.content.split("\n") if not line.startswith("Notice: "))
    return replace(message, content="\n".join(lines))


class AnchorDialect:
    """Role ``act`` in GenericAgent's dialect."""

    def matches(self, messages: Sequence[Message], role: str) -> bool:
        return role == "act" and any(m.role == "system" and _DIALECT in m.content for m in messages)

    def reply_with(self, messages: Sequence[Message], _role: str, ask: Callable[[Sequence[Message]], str]) -> str:
        """Return the suite's action below a line about the turn, and below the key info where it is due."""
        page = _read(messages)
        said = ask(page.plain)
        action = said.partition(":")[2].strip() or said
        chars = int(found[1]) if (found := _CHARS.search(_DIALECT)) else 100
        then = f"Then: {action}"
        told = gist(page.now, page.task, chars - len(then) - 1)
        lines = [f"<summary>{told} {then}</summary>" if told else f"<summary>{then}</summary>"]
        if page.fresh >= _FEW and (key_info := _key_info(page)):
            lines.append(f"checkpoint({key_info})")
        return "\n".join([*lines, said])


def _key_info(page: _Page) -> str:
    """Return what is still so: the key info before, then what was observed since, each fact once."""
    events = [Told("Observation", page.key_info), *read_events("\n".join(page.raw)), Told("Observation", page.now)]
    whole = [event for event in events if event.text and _CUT not in event.text]
    return " ".join(condense(whole, stated_limit(_DIALECT)).split())


def gist(observation: str, task: str, chars: int) -> str:
    """Return what fits of an observation: whole sentences, those that name something of the task before others."""
    text = " ".join(observation.split())
    if len(text) <= chars:
        return text
    wanted = {word.lower() for word in _WORD.findall(task.rpartition(":")[2] or task)}
    facts = _STATE.sub("", condense([Told("Observation", text)]))
    sentences = [_shorter(part, wanted, chars) for part in re.split(r"(?<=[.!?])\s+", facts)]
    kept: list[int] = []
    room = chars
    for at in sorted(range(len(sentences)), key=lambda at: (-_shared(sentences[at], wanted), -at)):
        if sentences[at] and len(sentences[at]) + 1 <= room + (not kept):
            kept.append(at)
            room -= len(sentences[at]) + 1
    return " ".join(sentences[at] for at in sorted(kept))


def _shared(sentence: str, wanted: set[str]) -> int:
    return len(wanted & {word.lower() for word in _WORD.findall(sentence)})


def _shorter(sentence: str, wanted: set[str], chars: int) -> str:
    """Return a sentence whose list holds no more than fits, the task's own things first."""
    found = _LIST.fullmatch(sentence)
    if len(sentence) <= chars or not found:
        return sentence
    items = [item for item in re.split(r",\s*(?:and\s+)?|\s+and\s+", found["items"]) if item]
    room = chars - len(found["lead"]) - 2
    kept: list[str] = []
    for item in sorted(items, key=lambda item: -_shared(item, wanted)):
        if len(item) + 2 <= room:
            kept.append(item)
            room -= len(item) + 2
    return f"{found['lead']} {', '.join(item for item in items if item in kept)}." if kept else sentence


RULES: tuple[OfflineRule | OfflineDialect, ...] = (AnchorDialect(),)
"""What the offline model knows about this strategy."""
