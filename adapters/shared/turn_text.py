"""What a turn of a released file says, whatever kind of value it holds: the text to show, and what of it is not shown.

Files that look like a benchmark's own hold numbers, lists of parts, pictures and nothing at all where a text should be.
All that can be read is shown; the rest is named, so that no conversation is lost for one turn. Knows no suite.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

__all__ = ["UNKNOWN_SPEAKER", "Repair", "Spoken", "list_unknown", "read_spoken", "summarise", "to_line"]

UNKNOWN_SPEAKER = "Unknown"
"""Who speaks in a turn that does not say."""
_SHOWN_CHARS = 60
_MEANINGS = {
    "hidden": "not shown",
    "picture": "picture without a caption",
    "empty": "left out, since nothing was said",
    "speaker": "speaker unknown",
    "weekday": "weekday that contradicts its date",
}
_HALF = "half a character"
_NOTHING: tuple[object, ...] = (None, "", [], {})


@dataclass(frozen=True, slots=True)
class Repair:
    """One repair, or one thing that is not shown: its kind, its place in the file, the old value and the new one."""

    kind: str
    where: str
    was: str
    now: str


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a value says, in one line, and what of it is not shown."""

    text: str
    hidden: tuple[str, ...] = ()


def to_line(text: str) -> str:
    """Return the text as one line: a turn is one line of a prompt."""
    return " ".join(text.split())


def read_spoken(value: object) -> Spoken:
    """Return what a value of a JSON file says.

    A number or a truth value is shown as it is written, a list as its parts, a part with a ``text`` as that. Nothing
    says nothing. Any other record is not shown; half of a character that takes two (a lone surrogate) becomes ``�``.
    """
    hidden: list[str] = []
    text = to_line(" ".join(_read_parts(value, hidden)))
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return Spoken(whole, (*hidden, *([_HALF] if whole != text else [])))


def _read_parts(value: object, hidden: list[str]) -> Iterator[str]:
    """Yield the texts of a value, and add what is not shown to ``hidden``."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, list):
            waiting += reversed(part)
        elif isinstance(part, dict):
            if (text := part.get("text")) is not None:
                waiting.append(text)
            if rest := sorted(
                str(key) for key, held in part.items() if key not in ("text", "type") and held not in _NOTHING
            ):
                hidden.append(f"record with {', '.join(rest)}"[:_SHOWN_CHARS])
        elif part is not None:
            yield json.dumps(part)


def list_unknown(turn: Mapping[str, object], known: Collection[str]) -> tuple[str, ...]:
    """Return the fields of a turn that hold something and that nobody reads, sorted."""
    return tuple(sorted(name for name, held in turn.items() if name not in known and held not in _NOTHING))


def summarise(who: str, repairs: Iterable[Repair]) -> tuple[str, ...]:
    """Return one sentence for each kind of repair: how often, and the first place. Sorted by kind."""
    found = list(repairs)
    counts = Counter(one.kind for one in found)
    first = {one.kind: one for one in reversed(found)}
    return tuple(
        f"{who}: {_MEANINGS.get(kind, f'repaired ({kind})')}: {counts[kind]}, first {_describe(first[kind])}"
        for kind in sorted(counts)
    )


def _describe(one: Repair) -> str:
    was, now = (text if len(text) <= _SHOWN_CHARS else f"{text[: _SHOWN_CHARS - 1]}…" for text in (one.was, one.now))
    return f"{one.where}: {was!r}{f' became {now!r}' if now else ''}"
