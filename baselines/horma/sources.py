"""Which raw turns a text cites: ``moved to Oslo [D1:3, D1:5]``, and whether they exist."""

from __future__ import annotations

import re
from collections.abc import Iterable

from baselines.horma.notes import Line, flatten
from baselines.horma.raw_logs import RawLogs
from baselines.horma.refusals import Refusal, RefusalKind

__all__ = ["check_lines", "cut_sources", "find_refs"]

_BRACKETS = re.compile(r"\s*[\[(]([^\[\]()]{1,2000})[\])]")
_LEAD = re.compile(r"^\s*(?:(?:sources?|refs?|references?|turns?|from|see|cf)\b[.:]?\s*)+", re.IGNORECASE)
_BETWEEN = re.compile(r"(?:[,;&\s]|\band\b)+")
_REF_LIKE = re.compile(r"[A-Za-z]{1,3}\d{1,6}(?::\d{1,6})?(?:[-–][A-Za-z]{0,3}\d{1,6}(?::\d{1,6})?)?")
"""What is meant as a turn even if there is none of that name."""
_NAMED, _QUOTED = 5, 60
"""Refs that a message names, and characters of a line that it quotes."""


def find_refs(text: str, raw: RawLogs) -> tuple[str, ...]:
    """Return the refs that a list names, ranges as all that lie between; what is no turn stays as it was written."""
    whole = raw.find_range(text)
    if whole:
        return tuple(turn.event.ref for turn in whole)
    found = list[str]()
    for word in filter(None, _BETWEEN.split(_LEAD.sub("", text))):
        bare = word.strip("[]()`*\"'.")
        found += [turn.event.ref for turn in raw.find_range(bare)] or [bare]
    return tuple(dict.fromkeys(filter(None, found)))


def cut_sources(text: str, raw: RawLogs) -> tuple[str, tuple[str, ...]]:
    """Return a line without the brackets that hold turns alone, and the refs in them.

    A bracket holds turns if it names one that there is, or nothing but words that look like turns.
    """
    cited = list[str]()

    def take(bracket: re.Match[str]) -> str:
        refs = find_refs(bracket[1], raw)
        known = [ref for ref in refs if raw.get(ref)]
        if not refs or not all(ref in known or _REF_LIKE.fullmatch(ref) for ref in refs):
            return bracket[0]
        cited.extend(refs)
        return ""

    rest = _BRACKETS.sub(take, text)
    return (re.sub(r"\s+([.,;])", r"\1", rest).strip() if cited else text), tuple(dict.fromkeys(cited))


def check_lines(
    lines: Iterable[Line], raw: RawLogs, most_chars: int, inherited: Iterable[str] = ()
) -> tuple[Line, ...]:
    """Return lines of a note with sources that exist, in the order of time; one without its own gets ``inherited``.

    Raises: Refusal if there is no line, one that rests on no turn or on one that does not exist, or one too long.
    """
    inherited = tuple(inherited)
    cleaned = [(text, line.sources or inherited) for line in lines if (text := flatten(line.text))]
    if not cleaned:
        raise Refusal(RefusalKind.EMPTY, "a note needs at least one line")
    unknown = sorted({ref for _, refs in cleaned for ref in refs if raw.get(ref) is None})
    if unknown:
        named = ", ".join(ascii(ref[:20]) for ref in unknown[:_NAMED])
        raise Refusal(RefusalKind.UNKNOWN_SOURCE, f"there is no turn {named}; cite turns that you were shown")
    if bare := next((text for text, refs in cleaned if not refs), ""):
        raise Refusal(RefusalKind.NO_SOURCE, f"no turn is cited for {bare[:_QUOTED]!a}")
    if any(len(text) > most_chars for text, _ in cleaned):
        raise Refusal(RefusalKind.TOO_LONG, f"a line has at most {most_chars} characters")
    return tuple(Line(text, raw.sort(refs)) for text, refs in cleaned)
