"""Reads a teaching text into lessons, whoever wrote it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path

from adapters.shared.lessons.records import Lessons, PlaceCounts, Trajectory
from adapters.shared.lessons.shown import Shown
from adapters.shared.lessons.told import Told
from adapters.shared.lessons.trajectories import parse_text

__all__ = ["VERSION", "describe_reader", "read_lessons"]

VERSION = "1"


@cache
def describe_reader() -> str:
    """Return the version of this reader and a digest of its files: they decide what is learned."""
    files = sorted(path for path in Path(__file__).parent.iterdir() if path.suffix in (".py", ".txt"))
    content = b"".join(path.name.encode() + path.read_bytes() for path in files)
    return f"lessons {VERSION} {hashlib.sha256(content).hexdigest()[:12]}"


@lru_cache(maxsize=256)
def read_lessons(text: str, own: str = "") -> Lessons:
    """Return what ``text`` teaches, and ``own``, which is about earlier attempts at the same task.

    Each text is read once in a process.
    """
    parsed, parsed_own = parse_text(text.split("\n")), parse_text(own.split("\n"))
    shown, told, told_own = Shown(), Told(), Told(own=True)
    taught = [one for one in parsed.trajectories if shown.add(one)]
    n_prose = told.add(parsed.prose)
    attempts = Shown()
    taught += [one for one in parsed_own.trajectories if attempts.add(one) | shown.add(one)]
    n_prose += told_own.add(parsed_own.prose)
    n_lines = parsed.lines + parsed_own.lines
    return Lessons(
        trajectories=(*parsed.trajectories, *parsed_own.trajectories),
        prose=(*parsed.prose, *parsed_own.prose),
        recipes=(*reversed(shown.recipes), *reversed(told.recipes + told_own.recipes)),
        tools=_rank_tools(shown, (told, told_own)),
        failed_tools=_find_failed(shown, (told, told_own)),
        places=_count_places(shown, (told, told_own)),
        looks=dict(shown.looks),
        contents=dict(shown.contents),
        preferred=tuple(told_own.preferred + told.preferred),
        found=_merge_found(told_own, attempts),
        absent=_find_absent(told_own),
        lines=n_lines,
        understood=min(n_lines, n_prose + sum(map(_count_lines, taught))),
    )


def _count_lines(one: Trajectory) -> int:
    return bool(one.task) + len(one.acts) + sum(act.result is not None for act in one.acts)


def _rank_tools(shown: Shown, texts: Iterable[Told]) -> dict[str, tuple[str, ...]]:
    """Rank tools by how often they were shown, then told, then by which was told last."""
    keys: dict[tuple[str, str], tuple[int, int, int]] = {}
    for number, told in enumerate(texts):
        for pair in {*shown.tools, *told.tools}:
            count = told.tools[pair] - told.failed[pair]
            last = max((at for at, one in enumerate(told.latest) if one == pair), default=-1)
            before = keys.get(pair, (shown.tools[pair], 0, -1))
            keys[pair] = (before[0], before[1] + count, max(before[2], last + 10_000 * number if last >= 0 else -1))
    ranked = sorted((pair for pair, key in keys.items() if key[0] or key[1] > 0), key=lambda p: (*_negate(keys[p]), p))
    verbs = sorted({verb for verb, _ in ranked})
    return {verb: tuple(kind for one, kind in ranked if one == verb) for verb in verbs}


def _negate(key: tuple[int, int, int]) -> tuple[int, int, int]:
    return -key[0], -key[1], -key[2]


def _find_failed(shown: Shown, texts: Iterable[Told]) -> frozenset[tuple[str, str]]:
    """Return what never worked: an attempt that failed once and worked another time was made at a wrong moment."""
    failed = {*shown.failed}.union(*(told.failed for told in texts))
    return frozenset(pair for pair in failed if not shown.tools[pair])


def _count_places(shown: Shown, texts: Iterable[Told]) -> dict[str, dict[str, PlaceCounts]]:
    texts = tuple(texts)
    things = sorted({*shown.seen}.union(*(told.places for told in texts)))
    counts: dict[str, dict[str, PlaceCounts]] = {}
    for thing in things:
        told = sum((one.places[thing] for one in texts if thing in one.places), type(shown.looks)())
        seen = shown.seen.get(thing, type(shown.looks)())
        counts[thing] = {kind: PlaceCounts(seen[kind], told[kind]) for kind in dict.fromkeys((*seen, *told))}
    return counts


def _merge_found(told: Told, attempts: Shown) -> dict[str, tuple[str, ...]]:
    things = sorted({*told.found, *attempts.names})
    return {thing: tuple(dict.fromkeys((*told.found[thing], *attempts.names[thing]))) for thing in things}


def _find_absent(told: Told) -> frozenset[tuple[str, str]]:
    return frozenset(told.absent)
