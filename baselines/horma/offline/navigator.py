"""How the offline model searches a workspace: greps, then one selection of what they found, and the end.

Without skills it greps the first content word of the question and selects the first line that holds it. Skills make it
grep the rare words, and several; take more lines, those that hold most of the words, each word counting the more the
fewer lines hold it; and take the turns behind a note and around a turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from baselines.horma.navigators import build_system, find_now, list_hits
from baselines.horma.offline.skills import Followed, find_skills
from baselines.shared.extractive import SMALL_WORDS, strip_ending
from bench.types import Message

__all__ = ["NavigateRule"]

_OPENING = re.compile(r"# (?:Question|Task)\n(?P<question>.*?)\n\n# Workspace\n(?P<tree>.*?)\n\n", re.DOTALL)
_HEADING = re.compile(r"^# .*\n", re.MULTILINE)
_ASKED_ON = re.compile(r" \(asked on .{1,60}\)$")
_FOUND = re.compile(r"^grep (?P<word>\S+): (?P<lines>\d+) lines?$", re.MULTILINE)
_CITED = re.compile(r" \[([^\[\]]+)\]$")
_REF = re.compile(r"(?P<stem>[A-Za-z]{0,3}\d*:?)(?P<number>\d+)")
_WORD = re.compile(r"[^\W_]+")
_NOTE = re.compile(r"([\w.-]+) \((\d+)\)")
_TASK = re.compile(r"\b(?:task|goal)\b[^:]*: ", re.IGNORECASE)
_COMMON_LINES = 20
_GREPPED, _TAKEN = 5, 12
_LIKELY = 0.1
"""The share of the best line's points that another must have."""


class NavigateRule:
    """Role ``navigate``: greps, then one selection of what they found, and the end."""

    role = "navigate"
    header = build_system(1).split("\n", 1)[0]

    def reply(self, messages: Sequence[Message]) -> str:
        skills = find_skills(messages[0].content, self.role)
        opening = _OPENING.match(messages[1].content)
        tree = opening["tree"] if opening else ""
        question, is_task = _read_question(opening["question"] if opening else "")
        words = _order_words(question, tree, skills)
        if len(messages) == 2:
            greps = [f"grep {word}" for word in words[: _GREPPED if "several" in skills else 1]]
            takes = ["select notes/places.md"] if "places" in skills and " places (" in tree else []
            return "\n".join(filter(None, [skills.describe(), *takes, *greps])) or "done"
        if len(messages) > 4:
            return "done"
        hits = list_hits(messages[3].content, find_now(messages[1].content))
        lines = {found["word"]: int(found["lines"]) for found in _FOUND.finditer(messages[3].content)}
        return _select(hits, lines, words, skills, newest_first=is_task or "latest" in skills)


def _read_question(question: str) -> tuple[str, bool]:
    """Return what is asked, and whether it is a task: of that only what follows the colon of its line counts."""
    question = _HEADING.sub("", question)
    for line in question.splitlines():
        if found := _TASK.search(line):
            return line[found.end() :], True
    return _ASKED_ON.sub("", question), False


def _order_words(question: str, tree: str, skills: Followed) -> list[str]:
    """Return the roots of the content words: as they come, or those first that are likely to be rare.

    Names and numbers are rare, then long words; the names of notes with many lines are common.
    """
    common = {name for name, lines in _NOTE.findall(tree) if int(lines) >= _COMMON_LINES}
    ranks: dict[str, tuple[bool, bool, int, int]] = {}
    for at, match in enumerate(_WORD.finditer(question)):
        word = match[0]
        if word.lower() in SMALL_WORDS or (len(word) < 2 and not word.isdigit()):
            continue
        is_name = word[0].isdigit() or (word[0].isupper() and at > 0)
        rank = (word.lower() in common, not is_name, -len(word), at)
        ranks.setdefault(strip_ending(word), rank if "rarest" in skills else (False, False, 0, -at))
    return sorted(ranks, key=ranks.__getitem__)


def _select(
    hits: dict[str, str], lines: dict[str, int], words: Sequence[str], skills: Followed, *, newest_first: bool
) -> str:
    """Return the selection of the best hits, and the end. ``lines``: how many each word has."""
    in_notes = {address: text for address, text in hits.items() if ".md:" in address}
    hits = hits if "turns" in skills else in_notes or hits
    points: dict[str, float] = {}
    for address, text in hits.items():
        held = [word for word in words if word in text.lower()]
        points[address] = round(sum(1 / (lines.get(word) or 1) if "rarest" in skills else 1 for word in held), 6)
    order = list(hits)
    best = sorted(hits, key=lambda one: (-points[one], -order.index(one) if newest_first else order.index(one)))
    likely = [address for address in best if points[address] >= _LIKELY * points[best[0]]]
    chosen = [one for address in likely[: _TAKEN if "enough" in skills else 1] for one in _widen(address, hits, skills)]
    return f"select {', '.join(dict.fromkeys(chosen))}\ndone" if chosen else "done"


def _widen(address: str, hits: dict[str, str], skills: Followed) -> Iterator[str]:
    """Yield an address, and the turns behind and around it that the skills ask for."""
    yield address
    cited = _CITED.search(hits[address])
    refs = [ref.strip() for ref in cited[1].split(",")] if cited else [address]
    for ref in refs:
        if "turns" in skills and cited:
            yield ref
        if "neighbours" in skills and (found := _REF.fullmatch(ref)):
            number = int(found["number"])
            yield from (f"{found['stem']}{n}" for n in (number - 1, number + 1) if n > 0)
