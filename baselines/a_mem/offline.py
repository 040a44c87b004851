"""What the offline model does with A-MEM's three prompts: it picks words out of what it is shown and writes none.

Keywords are a note's numbers and names, then its content words, the longest first, since long words are the rarer ones;
its context is its own sentence that holds most of them, shortened; its tags are the roots of the first keywords (so
that ``painted`` and ``painting`` meet) and whether it asks something. Two notes that share two keywords belong
together; each gets the roots they share as tags. A question's keywords are its content words. It knows English and
nothing of any suite.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from baselines.shared.extractive import SMALL_WORDS, strip_ending
from bench.protocols import OfflineRule
from bench.types import Message

__all__ = ["RULES", "CardRule", "KeywordsRule", "LinkRule", "find_root"]

_HERE = Path(__file__).parent
_FIRST_LINES = {
    name: (_HERE / f"{name}.txt").read_text(encoding="utf-8").split("\n", 1)[0]
    for name in ("extract", "link", "keywords")
}
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_HEAD = re.compile(r"^(?:\[[^\]]*\] )?(?:(?P<speaker>[^\W\d][\w .'-]{0,30}): )?")
_STEP_HEAD = re.compile(r"\[\d+\] (?:Action|Observation|Feedback|Note): ")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_KEYWORDS, _TAGS, _CONTEXT_WORDS, _SHARED = 8, 3, 16, 2
_MOST_QUERY_KEYWORDS = 24
"""Keywords of a query: an episode's holds the task and an observation."""
_ENDINGS = ("ing", "ied", "ies", "ed", "es", "s")


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    at: int
    is_name: bool
    """A number, or a capital that no sentence begins with."""


def find_root(word: str) -> str:
    """Return a word in lower case without its ending, at least four letters of it."""
    return strip_ending(word, _ENDINGS)


def _find_content_words(text: str) -> list[_Word]:
    """Return the words that are not small, each root once, in order."""
    found: dict[str, _Word] = {}
    for at, match in enumerate(_WORD.finditer(text)):
        word = match[0]
        if word.lower() in SMALL_WORDS or (len(word) < 2 and not word.isdigit()):
            continue
        begins = not text[: match.start()].rstrip(" \"'(*") or text[: match.start()].rstrip(" \"'(*")[-1] in ".!?:"
        is_name = word[0].isdigit() or (word[0].isupper() and not begins)
        earlier = found.get(find_root(word))
        if earlier is None or (is_name and not earlier.is_name):
            found[find_root(word)] = _Word(word, at if earlier is None else earlier.at, is_name)
    return list(found.values())


def _choose_keywords(text: str, speaker: str) -> list[str]:
    own = {find_root(word) for word in _WORD.findall(speaker)}
    words = [word for word in _find_content_words(text) if find_root(word.text) not in own]
    words.sort(key=lambda word: (not word.is_name, -len(word.text), word.at))
    return [word.text if word.is_name else word.text.lower() for word in words[:_KEYWORDS]]


def _choose_context(text: str, keywords: Sequence[str]) -> str:
    """Return the sentence with most of the keywords, cut after some words."""
    keyword_roots = {find_root(word) for word in keywords}

    def count_keywords(sentence: str) -> int:
        return len(keyword_roots & {find_root(word) for word in _WORD.findall(sentence)})

    best = max(_SENTENCE_END.split(text), key=count_keywords)
    words = best.split()
    return " ".join(words[:_CONTEXT_WORDS]) + (" …" if len(words) > _CONTEXT_WORDS else "")


class CardRule:
    """Role ``extract`` with A-MEM's prompt."""

    role = "extract"
    header = _FIRST_LINES["extract"]

    def reply(self, messages: Sequence[Message]) -> str:
        line = messages[1].content
        if _STEP_HEAD.match(line):
            speaker, text = "", _STEP_HEAD.sub("", line)
        else:
            head = _HEAD.match(line)
            speaker, text = (head["speaker"] or "", line[head.end() :]) if head else ("", line)
        keywords = _choose_keywords(text, speaker)
        tags = list(dict.fromkeys(find_root(word) for word in keywords[:_TAGS]))
        tags += ["question"] if text.rstrip().endswith("?") else []
        return json.dumps(
            {"keywords": keywords, "context": _choose_context(text, keywords), "tags": tags}, ensure_ascii=False
        )


@dataclass(frozen=True, slots=True)
class _Card:
    keywords: frozenset[str]
    """Roots."""
    tags: tuple[str, ...]
    context: str


class LinkRule:
    """Role ``link`` with A-MEM's prompt."""

    role = "link"
    header = _FIRST_LINES["link"]

    def reply(self, messages: Sequence[Message]) -> str:
        new, *near = map(_read_card, re.split(r"^(?:# Neighbors\n)?\d+\. ", messages[1].content, flags=re.MULTILINE))
        shared = {number: sorted(new.keywords & card.keywords) for number, card in enumerate(near, start=1)}
        linked = [number for number, roots in shared.items() if len(roots) >= _SHARED]
        together = sorted({word for number in linked for word in shared[number]})
        revised = [
            {
                "number": number,
                "context": near[number - 1].context,
                "tags": _merge_tags(near[number - 1], shared[number]),
            }
            for number in linked
            if set(shared[number]) - set(near[number - 1].tags)
        ]
        evolution = {
            "should_evolve": bool(linked),
            "actions": ["strengthen"] * bool(linked) + ["update_neighbor"] * bool(revised),
            "links": linked,
            "tags": _merge_tags(new, together) if linked else [],
            "neighbors": revised,
        }
        return json.dumps(evolution, ensure_ascii=False)


def _read_card(text: str) -> _Card:
    fields = dict(re.findall(r"^(Keywords|Tags|Context): (.*)$", text, flags=re.MULTILINE))
    keywords = frozenset(map(find_root, filter(None, fields.get("Keywords", "").split(", "))))
    tags = tuple(filter(None, fields.get("Tags", "").split(", ")))
    return _Card(keywords, tags, fields.get("Context", ""))


def _merge_tags(card: _Card, roots: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([*card.tags, *roots]))


class KeywordsRule:
    """Role ``keywords`` with A-MEM's prompt."""

    role = "keywords"
    header = _FIRST_LINES["keywords"]

    def reply(self, messages: Sequence[Message]) -> str:
        text = messages[1].content
        words = [word.text for word in _find_content_words(text)][:_MOST_QUERY_KEYWORDS]
        return json.dumps({"keywords": words or [" ".join(text.split())[:100] or "nothing"]}, ensure_ascii=False)


RULES: tuple[OfflineRule, ...] = (CardRule(), LinkRule(), KeywordsRule())
"""What the offline model knows about this strategy."""
