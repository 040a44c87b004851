"""What the offline model does for Mem0: it picks the sentences that state something, and compares facts word by word.

Extractive and careful: a fact is the speaker's own words behind the speaker's name, a repeat has nearly the same words,
an update states the same property of the same person anew, a deletion says "no longer". Of what a world said, a later
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
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_CONTENT = re.compile(r"[^\W\d_]{3,}|\d+")
_FILLER = frozenset(Path(__file__).with_name("filler.txt").read_text(encoding="utf-8").split())
_REFERS_BACK = re.compile(r"(?:it|its|it's|they|them|that|that's|this|these|those|he|she|there)\b", re.IGNORECASE)
_SMALL_TALK = re.compile(
    r"(?:hi|hey|hello|long time|bye|goodbye|good (?:morning|evening|night|luck)|thanks?|thank you|wow|congrat\w*"
    r"|great|awesome|cool|nice|amazing|sounds?|that sounds"
    r"|that's (?:so )?(?:great|awesome|amazing|cool|nice|wonderful|good|true)"
    r"|what an?|how (?:nice|cool|great)|glad|i'm (?:so )?glad|happy for you|take care|see you|talk (?:to you )?soon"
    r"|no (?:problem|worries)|you're welcome|you|your|you're|you've|let me know|keep (?:it|up|me)|good to)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|me|we|we're|we've|our|us)\b", re.IGNORECASE)
_TALK_WORDS = 12  # a greeting or compliment that is longer goes on to say something
_DENIAL = re.compile(r"\b(?:no longer|any ?more|not anymore|stopped|quit|gave up)\b", re.IGNORECASE)
_SLOTS = (
    re.compile(r"\b(?:live in|moved to|living in)\s+(.+)", re.IGNORECASE),
    re.compile(r"\b(?:work(?:ing)? (?:as|at|for)|my (?:new )?job is|started as)\s+(.+)", re.IGNORECASE),
    re.compile(
        r"\bmy (?:new |current )?(?P<what>(?:favou?rite )?[a-z]+) is (?:now )?(?:called |named )?(.+)", re.IGNORECASE
    ),
)
_SAME = 0.85
"""The share of words that two facts have in common when they say the same."""


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
    return [line for row in _read_section(text, heading).split("\n") if (line := _read_line(row)) is not None]


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
        if facts and _REFERS_BACK.match(sentence) and not _is_small_talk(sentence):
            facts[-1] += f" {sentence}"
        elif _makes_statement(sentence):
            facts.append(sentence)
    if caption:
        photo = caption[1]
        facts = [*facts[:-1], f"{facts[-1]} {photo}"] if facts else [photo]
    return [f"{line.speaker}: {text}" for text in facts]


def _list_world_facts(line: _Line) -> list[str]:
    if line.speaker not in ("World", "Judge", "Note"):
        return []
    return [sentence for sentence in _SENTENCE.split(line.text) if sentence and not is_refusal(sentence)]


def _makes_statement(sentence: str) -> bool:
    if sentence.rstrip().endswith("?") or _is_small_talk(sentence):
        return False
    content = {word for word in _CONTENT.findall(sentence.lower()) if word not in _FILLER}
    return len(content) >= (1 if _FIRST_PERSON.search(sentence) else 2)


def _is_small_talk(sentence: str) -> bool:
    if sentence.rstrip().endswith("?"):
        return True
    return bool(_SMALL_TALK.match(sentence)) and len(sentence.split()) <= _TALK_WORDS


def _choose_operations(fact: _Line, memories: Sequence[_Line]) -> list[dict[str, Any]]:
    for memory in memories:
        if memory.speaker == fact.speaker and _is_same_fact(fact.text, memory.text):
            return [{"event": "NOOP", "id": memory.number}]
    if _STEP.match(fact.date):
        return _compare_world_facts(fact, memories)
    mine = [memory for memory in memories if memory.speaker == fact.speaker]
    if _DENIAL.search(fact.text):
        denied = [memory for memory in mine if _denies(fact.text, memory.text)]
        return [*({"event": "DELETE", "id": memory.number} for memory in denied[:1]), {"event": "ADD"}]
    slot = _find_slot(fact.text)
    for memory in reversed(mine):
        if slot and _find_slot(memory.text) == slot:
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


@lru_cache(maxsize=8192)
def _split_words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text))


def _is_same_fact(first: str, second: str) -> bool:
    one, two = _split_words(first), _split_words(second)
    return bool(one) and len(one & two) >= _SAME * len(one | two)


def _denies(fact: str, memory: str) -> bool:
    """True if every weighty word of the memory stands in a fact that says it holds no longer."""
    words = _find_content_words(memory)
    return bool(words) and not _DENIAL.search(memory) and words <= _find_content_words(fact)


def _find_content_words(text: str) -> frozenset[str]:
    return frozenset(word for word in _CONTENT.findall(_DENIAL.sub("", text).lower()) if word not in _FILLER)


@lru_cache(maxsize=8192)
def _find_slot(text: str) -> str:
    """Return the property that a short statement sets ("where one lives"); empty if it sets none for certain."""
    for number, pattern in enumerate(_SLOTS):
        found = pattern.search(text)
        if found and len(text.split()) <= _TALK_WORDS and _FIRST_PERSON.search(text[: found.end()]):
            return f"{number} {found.groupdict().get('what', '').lower()}"
    return ""


RULES: tuple[OfflineRule, ...] = (*map(ExtractRule, _EXTRACT_HEADERS), UpdateRule(), SummarizeRule())
"""What the offline model knows about this strategy."""
