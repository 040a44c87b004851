"""Which lines of the notes may concern new turns: what a manager must see to mend a line instead of adding another."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from baselines.horma.notes import Note
from baselines.horma.paths import SUFFIX
from baselines.horma.raw_logs import RawTurn
from baselines.shared.extractive import SMALL_WORDS, strip_ending

__all__ = ["render_related"]

_WORD = re.compile(r"[^\W_]+(?: \d{1,3}\b)?")
"""A word, or a thing with its number: ``desk 1`` is not ``desk 2``."""
_FEWEST_LETTERS = 3
_LINE_CHARS = 300
_LIKELY = 0.1
"""The share of the best line's points that another must have."""


def render_related(
    notes: Sequence[Note], turns: Iterable[RawTurn], task: str, tokens: int, count: Callable[[str], int]
) -> str:
    """Return the lines that share names and other words with some turns or with the task, below their files and behind
    their numbers.

    The name of its file is part of a line. A shared word counts the more, the fewer lines have it; of equals the line
    further down comes first. At most so many tokens; empty if no line shares a word.
    """
    lines = {(note.path, number): line for note in notes for number, line in enumerate(note.lines, start=1)}
    roots = {at: _list_roots(f"{_name(at[0])}. {line.text}") for at, line in lines.items()}
    texts = [task, *(f"{turn.event.speaker}. {turn.event.text}" for turn in turns)]
    wanted = {root for text in texts for root in _list_roots(text)}
    lines_with = Counter(root for held in roots.values() for root in held)
    points = {at: round(sum(1 / lines_with[root] for root in held & wanted), 6) for at, held in roots.items()}
    least = _LIKELY * max(points.values(), default=0)
    likely = [at for at, score in points.items() if score and score >= least]
    shown, used = dict[tuple[str, int], str](), 0
    for at in sorted(likely, key=lambda at: (-points[at], at[0], -at[1])):
        text = f"#{at[1]} {str(lines[at])[:_LINE_CHARS]}"
        used += count(text)
        if used > tokens:
            break
        shown[at] = text
    paths = sorted({path for path, _ in shown})
    return "\n".join(line for path in paths for line in (path, *(shown[at] for at in sorted(shown) if at[0] == path)))


def _name(path: str) -> str:
    return re.sub(r"[_.-]+", " ", path.removesuffix(SUFFIX).rpartition("/")[2])


def _list_roots(text: str) -> frozenset[str]:
    """Return the content words of a text without their endings."""
    words = (word for word in _WORD.findall(text.lower()) if word.partition(" ")[0] not in SMALL_WORDS)
    return frozenset(strip_ending(word) for word in words if len(word) >= _FEWEST_LETTERS)
