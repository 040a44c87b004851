"""What the offline model does with ACON's prompts: it keeps sentences, and writes guidelines that name their words.

Compressing, it keeps the latest statement of each fact. Of a guideline it follows one form of sentence alone, which it
writes itself: where room is short, facts without a word that the sentence names go first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from baselines.shared.extractive import PromptEvent, condense, list_words, read_events, read_limit
from bench.protocols import OfflineRule
from bench.types import Message

__all__ = ["RULES", "AnalyseRule", "HistoryRule", "ObservationRule", "RewriteRule"]

_ANALYSE, _HISTORY, _OBSERVATION, _REWRITE = (
    Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8").split("\n", 1)[0]
    for name in ("analyse", "compress_history", "compress_observation", "rewrite")
)
_KEEP = re.compile(r"Keep facts with these words: (?P<words>[\w, ]+)\.")
_QUOTED = re.compile(r'"([^"]+)"')
_ACTION = re.compile(r"^\[\d+\] Action: (.*)$", re.MULTILINE)
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


class AnalyseRule:
    """Role ``guideline`` with a failed attempt: quotes what its memory lost of the things that the success acted on.

    The names of these things are left out of a quotation, since other tasks have others.
    """

    role = "guideline"
    header = _ANALYSE

    def reply(self, messages: Sequence[Message]) -> str:
        attempts, _, lost = messages[1].content.rpartition("# What it no longer held\n")
        succeeded = attempts.partition("# Attempt that succeeded\n")[2].partition("# Attempt that failed\n")[0]
        used = list_words(" ".join(_ACTION.findall(succeeded)))
        said = (part.replace('"', "'") for part in re.split(r"(?<=[.!?])\s+|\n", lost))
        needed = (part for part in said if not used.isdisjoint(list_words(part)) and list_words(part) - used)
        quoted = dict.fromkeys(f'"{_leave_out(used, part)}"' for part in needed)
        return f"The memory no longer held: {' '.join(quoted)}" if quoted else "The memory was not the reason."


def _leave_out(words: set[str], text: str) -> str:
    return re.sub(r"\w+", lambda word: "..." if word[0].lower() in words else word[0], text)


class RewriteRule:
    """Role ``guideline`` with analyses: adds the words that most of them quote."""

    role = "guideline"
    header = _REWRITE

    def reply(self, messages: Sequence[Message]) -> str:
        before, _, missing = messages[1].content.partition("# What was missing\n")
        guideline = before.partition("# Guideline so far\n")[2].strip()
        words = sorted(_read_wanted(guideline) | set(_choose_words(missing.splitlines())))
        if not words:
            return guideline
        rest = _KEEP.sub("", guideline).strip()
        return f"{rest} Keep facts with these words: {', '.join(words)}.".strip()


def _choose_words(analyses: Iterable[str]) -> list[str]:
    """Return the words that more than half of the analyses quote, those of the most first."""
    quoted = [words for line in analyses if (words := list_words(" ".join(_QUOTED.findall(line))))]
    counts = Counter(word for words in quoted for word in words)
    common = [word for word, n in counts.items() if 2 * n > len(quoted)]
    return sorted(common, key=lambda word: (-counts[word], word))[:_MOST_WORDS]


RULES: tuple[OfflineRule, ...] = (AnalyseRule(), HistoryRule(), ObservationRule(), RewriteRule())
"""What the offline model knows about this strategy."""
