"""How the offline model looks through files: it greps the question's rarest words and reads around the best line.

From the messages alone. Content words without the speakers' names, numbers and names first, then the longest, since
long words are the rarer ones; two at once, then one at a time if no line holds both, else the next two. The last
command reads what stands around the line that holds most of the words. It knows English and nothing of any suite.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from baselines.shared.extractive import SMALL_WORDS, strip_ending
from bench.protocols import OfflineRule
from bench.types import Message

__all__ = ["RULES", "NavigateRule", "find_root"]

_HERE = Path(__file__).parent
_FIRST_LINE = (_HERE / "navigate.txt").read_text(encoding="utf-8").split("\n", 1)[0]
_WORD = re.compile(r"[^\W_]+")
_ASKED_ON = re.compile(r" \(asked on [^)]*\)$")
_HIT = re.compile(r"^(?P<file>[\w.-]+):(?P<line>\d+): (?P<text>.*)$", re.MULTILINE)
_LEFT = re.compile(r"^Commands left: (\d+)$", re.MULTILINE)
_BEFORE, _AFTER = 2, 4
"""Lines that are read before and after the best one."""


@dataclass(frozen=True, slots=True)
class _Hit:
    file: str
    line: int
    roots: int
    """How many of the wanted words it holds."""


def find_root(word: str) -> str:
    """Return the beginning that a word shares with its other forms, at least four letters of it."""
    return strip_ending(word)


def find_search_words(text: str, speakers: str) -> list[str]:
    """Return the roots of a question's content words, those likely to be rare first."""
    names = {word.lower() for word in _WORD.findall(speakers)}
    ranks: dict[str, tuple[bool, int, int]] = {}
    for at, match in enumerate(_WORD.finditer(text)):
        word = match[0]
        if word.lower() in SMALL_WORDS or word.lower() in names or (len(word) < 2 and not word.isdigit()):
            continue
        is_name = word[0].isdigit() or (word[0].isupper() and at > 0)
        ranks.setdefault(find_root(word), (not is_name, -len(word), at))
    return sorted(ranks, key=ranks.__getitem__)


class NavigateRule:
    """Role ``navigate`` with the files' prompt."""

    role = "navigate"
    header = _FIRST_LINE

    def reply(self, messages: Sequence[Message]) -> str:
        question, _, files = messages[1].content.removeprefix("# Question\n").partition("\n\n# Files\n")
        words = find_search_words(_read_question(question, files), files.partition("\nSpeakers: ")[2])
        commands = [message.content for message in messages if message.role == "assistant"]
        results = [message.content for message in messages[2:] if message.role == "user"]
        hits = _find_hits(results, words)
        if any(command.startswith("read ") for command in commands):
            return "done"
        left = int(found[-1]) if results and (found := _LEFT.findall(results[-1])) else None
        command = next((grep for grep in _iterate_greps(words, commands, results) if grep not in commands), "")
        if command and (left is None or left > 1 or not hits):
            return command
        if not hits:
            return "done"
        best = max(hits, key=lambda hit: hit.roots)
        return f"read {best.file} {max(1, best.line - _BEFORE)} {best.line + _AFTER}"


def _read_question(question: str, files: str) -> str:
    """Return what is asked: of an episode, which is one log, only what follows the task's colon."""
    if files.startswith("log.txt"):
        return question.partition(": ")[2].split("\n", 1)[0] or question
    return _ASKED_ON.sub("", question)


def _iterate_greps(words: Sequence[str], commands: Sequence[str], results: Sequence[str]) -> Iterator[str]:
    """Yield what to grep for, in order: pairs, and the words of a pair that no line holds together."""
    without_hits = {command for command, result in zip(commands, results, strict=False) if not _HIT.search(result)}
    for at in range(0, len(words), 2):
        pair = words[at : at + 2]
        yield f"grep {' '.join(pair)}"
        if len(pair) == 2 and f"grep {' '.join(pair)}" in without_hits:
            yield from (f"grep {word}" for word in pair)


def _find_hits(results: Sequence[str], words: Sequence[str]) -> list[_Hit]:
    hits = []
    for result in results:
        for match in _HIT.finditer(result):
            line_words = [word.lower() for word in _WORD.findall(match["text"])]
            roots = sum(any(word.startswith(one) for word in line_words) for one in words)
            hits.append(_Hit(match["file"], int(match["line"]), roots))
    return hits


RULES: tuple[OfflineRule, ...] = (NavigateRule(),)
"""What the offline model knows about this strategy."""
