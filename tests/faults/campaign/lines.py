"""Fuzzed command lines, made of the real options. Whatever a user types, a command ends with 0, 1 or 2, without a
traceback; 2 comes with one line that begins with ``bench:``; nothing is written outside the folder it was called in.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable, Sequence

from tests.faults.campaign.command import call, describe_badness
from tests.faults.campaign.guard import refuse_ports, take_strays
from tests.faults.campaign.line_words import draw_line
from tests.faults.campaign.sound import copy_sound
from tests.faults.campaign.tries import Found, Place, Try

__all__ = ["play", "shrink"]

_EXPECTED = "exit 0, 1 or 2, no traceback, for 2 one line `bench: ...`, nothing written elsewhere"
_BUDGETS = ("--max-usd", "--max-tokens")


def play(one: Try, place: Place) -> Found:
    """Type one line; if it is not survived, find the shortest that is not survived in the same way."""
    words = draw_line(one.rng)
    variety = words[0] if words and words[0].isalpha() else "(no command)"
    place.tell(variety, _show(words))
    got = _try(words, place)
    if got:
        words = shrink(words, lambda fewer: _try(fewer, place) == got)
    return Found(variety, _show(words), _EXPECTED, got)


def _show(words: Sequence[str]) -> str:
    return shlex.join(["bench", *words])


def _try(words: Sequence[str], place: Place) -> str:
    """Return what was wrong with the end of a command."""
    folder = copy_sound(place)
    take_strays()
    try:
        with refuse_ports():  # `bench serve` and `bench proxy` would stay
            done = call(folder, *words)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    codes = (0, 1, 2, 3) if any(word in _BUDGETS for word in words) else (0, 1, 2)
    if said := describe_badness(done, codes):
        return said
    strays = take_strays()
    return f"written outside: {strays[0]}" if strays else ""


def shrink(words: list[str], fails: Callable[[list[str]], bool], most: int = 30) -> list[str]:
    """Return fewer words that fail in the same way: pairs and single words are left out one after the other."""
    for size in (2, 1):
        at = len(words) - size
        while at > 0 and most > 0:
            fewer = words[:at] + words[at + size :]
            most -= 1
            if fails(fewer):
                words = fewer
            at -= 1
            at = min(at, len(words) - size)
    return words
