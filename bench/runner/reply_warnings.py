"""The warnings at the end of a run: strategies whose replies could not be read, or whose reply format was not used."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from bench.store.printing import format_trial, make_printable
from bench.store.reading_counts import ReadingCounts, UnreadableReply, count_readings

__all__ = ["find_reply_warnings"]

_MOST_UNREADABLE = 0.05
"""The share of unreadable replies up to which nothing is said."""
_MOST_CHARACTERS = 80


def find_reply_warnings(folder: Path, with_dialect: Collection[str]) -> list[str]:
    """Return a line for each strategy whose scores say less than they seem to, sorted by strategy.

    ``with_dialect``: names of the strategies that add a reply format of their own to the prompt.
    """
    return [
        f"{strategy}: {warning}"
        for strategy, counts in sorted(count_readings(folder).items())
        for warning in _find_warnings(folder, counts, has_dialect=strategy in with_dialect)
    ]


def _find_warnings(folder: Path, counts: ReadingCounts, *, has_dialect: bool) -> Iterator[str]:
    if counts.example and counts.unreadable > _MOST_UNREADABLE * counts.replies:
        yield (
            f"{counts.unreadable:,} of {counts.replies:,} replies held no readable action or answer, e.g. "
            f"{_quote(counts.example.text)} ({_name_command(folder, counts.example)})"
        )
    if has_dialect and not counts.dialect_lines:
        yield (
            f"no line of its own reply format in {counts.decisions:,} decisions: the model did not use it, so its "
            "scores are not those of the method"
        )


def _quote(text: str) -> str:
    """Return the begin of a reply on one line, without what a terminal would obey."""
    line = " ".join(text[: 10 * _MOST_CHARACTERS].split())
    shown = make_printable(line[:_MOST_CHARACTERS])
    return f'"{shown}…"' if len(line) > _MOST_CHARACTERS else f'"{shown}"'


def _name_command(folder: Path, reply: UnreadableReply) -> str:
    key = reply.key
    return f"bench show {folder} {format_trial(key.strategy, key.task, key.seed)} --step {reply.step}"
