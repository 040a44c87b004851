"""Which raw turns a text cites: ``moved to Oslo [D1:3, D1:5]``. Knows what turns there are."""

from __future__ import annotations

import re

from baselines.horma.raw_logs import RawLogs

__all__ = ["cut_sources", "find_refs"]

_BRACKETS = re.compile(r"\s*[\[(]([^\[\]()]{1,2000})[\])]")
_LEAD = re.compile(r"^\s*(?:(?:sources?|refs?|references?|turns?|from|see|cf)\b[.:]?\s*)+", re.IGNORECASE)
_BETWEEN = re.compile(r"(?:[,;&\s]|\band\b)+")
_REF_LIKE = re.compile(r"[A-Za-z]{1,3}\d{1,6}(?::\d{1,6})?(?:[-–][A-Za-z]{0,3}\d{1,6}(?::\d{1,6})?)?")
"""What is meant as a turn even if there is none of that name."""


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
