"""What the offline model does with ACON's prompts: it keeps sentences, and writes guidelines that name their words.

Compressing, it keeps the latest statement of each fact. Of a guideline it follows one form of sentence alone, which it
writes itself: where room is short, facts without a word that the sentence names go first.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from baselines.shared.extractive import PromptEvent, condense, list_words, read_events, read_limit
from bench.protocols import OfflineRule
from bench.types import Message

__all__ = [
    "RULES",
    "AnalyseRule",
    "HistoryRule",
    "ObservationRule",
    "RewriteRule",
    "ShortenRule",
    "UnneededRule",
]

_ANALYSE, _HISTORY, _OBSERVATION, _REWRITE, _SHORTEN, _UNNEEDED = (
    Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8").split("\n", 1)[0]
    for name in ("analyse", "compress_history", "compress_observation", "rewrite", "shorten", "unneeded")
)
_KEEP = re.compile(r"Keep facts with these words: (?P<words>[\w, ]+)\.")
_STEP = re.compile(r"^\[\d+\] ", re.MULTILINE)
_QUOTED = re.compile(r'"([^"]+)"')
_ACTION = re.compile(r"^\[(?P<step>\d+)\] Action: (?P<text>.*)$", re.MULTILINE)
_HEADING = re.compile(r"^# (?P<heading>.+)\n", re.MULTILINE)
_MOST_WORDS = 8


def _read_wanted(guideline: str) -> frozenset[str]:
    return frozenset(word for found in _KEEP.finditer(guideline) for word in found["words"].split(", "))


class HistoryRule:
    """Role ``compress`` with the history compressor's prompt."""

    role = "compress"
    header = _HISTORY

    def reply(self, messages: Sequence[Message]) -> str:
        before, _, since = messages[1].content.partition("# Events since\n")
        history = before.partition("# History so far\n")[2].strip()
        condensed = condense(
            [*read_events(history), *read_events(since)],
            read_limit(messages[0].content),
            _read_wanted(messages[0].content),
        )
        return condensed or "Nothing of note."


class ObservationRule:
    """Role ``compress`` with the observation compressor's prompt."""

    role = "compress"
    header = _OBSERVATION

    def reply(self, messages: Sequence[Message]) -> str:
        text = messages[1].content.partition("# Text\n")[2]
        system = messages[0].content
        return condense([PromptEvent("Observation", text)], read_limit(system), _read_wanted(system)) or text


def _read_sections(text: str) -> dict[str, str]:
    """Return what stands below each heading of a request."""
    _, *parts = _HEADING.split(text)
    return {heading: body.strip() for heading, body in zip(parts[::2], parts[1::2], strict=True)}


def _find_section(sections: Mapping[str, str], begins: str) -> str:
    return next((body for heading, body in sections.items() if heading.startswith(begins)), "")


def _split(text: str) -> list[str]:
    return [part.replace('"', "'") for part in re.split(r"(?<=[.!?])\s+|\n", text)]


def _leave_out(words: set[str], text: str) -> str:
    return re.sub(r"\w+", lambda word: "..." if word[0].lower() in words else word[0], text)


class AnalyseRule:
    """Role ``guideline`` with a failed attempt: quotes what its memory lost of the things that the success acted on.

    The names of these things are left out of a quotation, since other tasks have others.
    """

    role = "guideline"
    header = _ANALYSE

    def reply(self, messages: Sequence[Message]) -> str:
        sections = _read_sections(messages[1].content)
        acted = _ACTION.finditer(_find_section(sections, "Attempt that succeeded"))
        used = list_words(" ".join(found["text"] for found in acted))
        lost = {
            "history": _find_section(sections, "Not there word for word: taken out with"),
            "observation": _find_section(sections, "Not there word for word: taken out of"),
        }
        return json.dumps({kind: _quote_needed(_STEP.sub("", text), used) for kind, text in lost.items()})


def _quote_needed(lost: str, used: set[str]) -> str:
    needed = (part for part in _split(lost) if not used.isdisjoint(list_words(part)) and list_words(part) - used)
    quoted = dict.fromkeys(f'"{_leave_out(used, part)}"' for part in needed)
    return f"The memory no longer held: {' '.join(quoted)}" if quoted else ""


class UnneededRule:
    """Role ``guideline`` with a success: quotes what its memory held of things that no later action names."""

    role = "guideline"
    header = _UNNEEDED

    def reply(self, messages: Sequence[Message]) -> str:
        sections = _read_sections(messages[1].content)
        heading = next(one for one in sections if one.startswith("What it saw before action "))
        before = int(re.findall(r"\d+", heading)[0])
        actions = _ACTION.finditer(_find_section(sections, "Attempt that succeeded"))
        used = list_words(" ".join(found["text"] for found in actions if int(found["step"]) >= before))
        history, *steps = re.split(r"^(?=\[\d+\] )", sections[heading], flags=re.MULTILINE)
        events = (event.text for event in read_events("".join(steps)) if event.kind == "Observation")
        kept = {"history": history.partition(":\n")[2], "observation": "\n".join(events)}
        return json.dumps({kind: _quote_unneeded(text, used) for kind, text in kept.items()})


def _quote_unneeded(kept: str, used: set[str]) -> str:
    quoted = dict.fromkeys(
        f'"{part}"' for part in _split(kept) if list_words(part) and used.isdisjoint(list_words(part))
    )
    return f"Nothing later needed: {' '.join(quoted)}" if quoted else ""


class RewriteRule:
    """Role ``guideline`` with analyses of failures: adds the words that most of them quote."""

    role = "guideline"
    header = _REWRITE

    def reply(self, messages: Sequence[Message]) -> str:
        guideline, found = _read_request(messages)
        return _write_guideline(guideline, _read_wanted(guideline) | set(_choose_words(found)))


class ShortenRule:
    """Role ``guideline`` with analyses of successes: takes out the words that most of them quote."""

    role = "guideline"
    header = _SHORTEN

    def reply(self, messages: Sequence[Message]) -> str:
        guideline, found = _read_request(messages)
        return _write_guideline(guideline, _read_wanted(guideline) - set(_choose_words(found)))


def _read_request(messages: Sequence[Message]) -> tuple[str, list[str]]:
    sections = _read_sections(messages[1].content)
    return sections["Guideline so far"], sections["What was found"].splitlines()


def _write_guideline(guideline: str, words: Iterable[str]) -> str:
    rest, listed = _KEEP.sub("", guideline).strip(), ", ".join(sorted(words))
    return f"{rest} Keep facts with these words: {listed}.".strip() if listed else rest


def _choose_words(analyses: Iterable[str]) -> list[str]:
    """Return the words that more than half of the analyses quote, those of the most first."""
    quoted = [words for line in analyses if (words := list_words(" ".join(_QUOTED.findall(line))))]
    counts = Counter(word for words in quoted for word in words)
    common = [word for word, n in counts.items() if 2 * n > len(quoted)]
    return sorted(common, key=lambda word: (-counts[word], word))[:_MOST_WORDS]


RULES: tuple[OfflineRule, ...] = (
    AnalyseRule(),
    UnneededRule(),
    RewriteRule(),
    ShortenRule(),
    HistoryRule(),
    ObservationRule(),
)
"""What the offline model knows about this strategy."""
