"""What the offline model does for Mem0: it picks the sentences that state something, and compares facts word by word.

Extractive and careful: a fact is the speaker's own words behind the speaker's name, a repeat has nearly the same words,
an update states the same property of the same person again, a deletion says "no longer". Of what a world said, a later
statement takes the place of an earlier one as in every other summary. It knows English and no suite, and sees nothing
but the messages of the call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from baselines.mem0.wording import denies, find_slot, has_denial, is_same_fact, is_small_talk, makes_statement
from baselines.shared.extractive import condense, is_refusal, read_events, read_limit
from bench.protocols import OfflineRule
from bench.types import Message

__all__ = ["RULES", "ExtractRule", "SummarizeRule", "UpdateRule"]


def _read_header(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8").split("\n", 1)[0]


_EXTRACT_HEADERS = (_read_header("extract.txt"), _read_header("extract_additive.txt"))
_UPDATE_HEADER, _SUMMARIZE_HEADER = _read_header("update.txt"), _read_header("summarize.txt")
_NUMBERED = re.compile(r"(\d+)\. (?:\[([^\]]*)\] )?(.*)")
_SPEECH = re.compile(r"([^\W\d][^:\[\],]{0,30}): (.*)")
_SECTION = re.compile(r"^# (.+)$", re.MULTILINE)
_STEP = re.compile(r"step \d+$")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+(?=\S)")
_CAPTION = re.compile(r"\s*(\[shares .*\])\s*$")
_REFERS_BACK = re.compile(r"(?:it|its|it's|they|them|that|that's|this|these|those|he|she|there)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Line:
    """One numbered line of a prompt."""

    number: int
    date: str
    speaker: str
    text: str

    @property
    def full_text(self) -> str:
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


@lru_cache(maxsize=4096)
def _read_line(line: str) -> _Line | None:
    found = _NUMBERED.match(line)
    if found is None:
        return None
    speech = _SPEECH.match(found[3])
    speaker, text = (speech[1], speech[2]) if speech else ("", found[3])
    return _Line(int(found[1]), found[2] or "", speaker, text)


def _read_section(text: str, heading: str) -> str:
    parts = _SECTION.split(text)
    return next((body.strip("\n") for name, body in zip(parts[1::2], parts[2::2], strict=True) if name == heading), "")


def _read_lines(text: str, heading: str) -> list[_Line]:
    return [line for part in _read_section(text, heading).split("\n") if (line := _read_line(part)) is not None]


def _find_request(messages: Sequence[Message]) -> str:
    return next((message.content for message in messages if message.role == "user"), "")


class ExtractRule:
    """Role ``extract``, both prompts: the sentences of the new messages that state something."""

    role = "extract"

    def __init__(self, header: str):
        self.header = header

    def reply(self, messages: Sequence[Message]) -> str:
        request = _find_request(messages)
        about, known = _read_section(request, "About"), {line.full_text for line in _read_lines(request, "Memory")}
        facts: list[dict[str, Any]] = []
        for line in _read_lines(request, "New messages"):
            if about and line.speaker != about:
                continue
            facts += [{"text": text, "turns": [line.number]} for text in _find_facts(line) if text not in known]
        return json.dumps({"facts": facts}, ensure_ascii=False)


class UpdateRule:
    """Role ``update``: one operation for each fact, ADD unless the words leave no doubt."""

    role = "update"
    header = _UPDATE_HEADER

    def reply(self, messages: Sequence[Message]) -> str:
        request = _find_request(messages)
        memories = _read_lines(request, "Memories")
        operations: list[dict[str, Any]] = []
        taken: set[int] = set()
        for fact in _read_lines(request, "New facts"):
            free = [memory for memory in memories if memory.number not in taken]
            for one in _choose_operations(fact, free):
                operations.append({"fact": fact.number, **one})
                if one["event"] in ("UPDATE", "DELETE"):
                    taken.add(one["id"])
        return json.dumps({"operations": operations}, ensure_ascii=False)


class SummarizeRule:
    """Role ``summarize`` with the rolling summary's prompt."""

    role = "summarize"
    header = _SUMMARIZE_HEADER

    def reply(self, messages: Sequence[Message]) -> str:
        request = _find_request(messages)
        events = [
            *read_events(_read_section(request, "Account so far")),
            *read_events(_read_section(request, "Said since")),
        ]
        return condense(events, read_limit(messages[0].content)) or "Nothing has happened yet."


def _find_facts(line: _Line) -> list[str]:
    """Return what one message states, in its own words, behind the name of who said it."""
    if _STEP.match(line.date):
        return _list_world_facts(line)
    caption = _CAPTION.search(line.text)
    body = line.text[: caption.start()] if caption else line.text
    facts: list[str] = []
    for sentence in _SENTENCE.split(body.strip()):
        if facts and _REFERS_BACK.match(sentence) and not is_small_talk(sentence):
            facts[-1] += f" {sentence}"
        elif makes_statement(sentence):
            facts.append(sentence)
    if caption:
        photo = caption[1]
        facts = [*facts[:-1], f"{facts[-1]} {photo}"] if facts else [photo]
    return [f"{line.speaker}: {text}" for text in facts]


def _list_world_facts(line: _Line) -> list[str]:
    if line.speaker not in ("World", "Judge", "Note"):
        return []
    return [sentence for sentence in _SENTENCE.split(line.text) if sentence and not is_refusal(sentence)]


def _choose_operations(fact: _Line, memories: Sequence[_Line]) -> list[dict[str, Any]]:
    for memory in memories:
        if memory.speaker == fact.speaker and is_same_fact(fact.text, memory.text):
            return [{"event": "NOOP", "id": memory.number}]
    if _STEP.match(fact.date):
        return _compare_world_facts(fact, memories)
    mine = [memory for memory in memories if memory.speaker == fact.speaker]
    if has_denial(fact.text):
        denied = [memory for memory in mine if denies(fact.text, memory.text)]
        return [*({"event": "DELETE", "id": memory.number} for memory in denied[:1]), {"event": "ADD"}]
    slot = find_slot(fact.text)
    for memory in reversed(mine):
        if slot and find_slot(memory.text) == slot:
            return [{"event": "UPDATE", "id": memory.number, "text": fact.full_text}]
    return [{"event": "ADD"}]


def _compare_world_facts(fact: _Line, memories: Sequence[_Line]) -> list[dict[str, Any]]:
    """What a summary of both would keep: the later statement about one thing, neither of a thing and its denial."""
    for memory in reversed(memories):
        remaining = condense(read_events(f"[0] Observation: {memory.full_text}\n[1] Observation: {fact.full_text}"))
        if memory.full_text not in remaining and fact.full_text in remaining:
            return [{"event": "UPDATE", "id": memory.number, "text": fact.full_text}]
        if not remaining:
            return [{"event": "DELETE", "id": memory.number}]
    return [{"event": "ADD"}]


RULES: tuple[OfflineRule, ...] = (*map(ExtractRule, _EXTRACT_HEADERS), UpdateRule(), SummarizeRule())
"""What the offline model knows about this strategy."""
