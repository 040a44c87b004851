"""Counts what came of the tries, and writes the table: Markdown to read, CSV to compare."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from tests.faults.campaign.tries import Found, Try

__all__ = ["render_csv", "render_markdown", "render_totals"]

Ended = Sequence[tuple[Try, Found]]
_DIGITS = re.compile(r"\d+|0x[0-9a-f]+|/tmp/\S+")
_LONGEST = 300


def render_markdown(ended: Ended, options: str) -> str:
    """Return the page: a line a kind, a line a variety, a line for each distinct exception."""
    return "\n".join([
        "# Campaign: what the product survives", "",
        f"Made by `python -m tests.faults.campaign {options}`.".replace(" `.", "`."), "",
        *_render_kinds(ended), "", "## By variety", "", *_render_varieties(ended), "",
        "## Exceptions", "", *_render_exceptions(ended), "",
    ])  # fmt: skip


def render_totals(ended: Ended) -> str:
    """Return the first table alone, for the terminal."""
    return "\n".join(_render_kinds(ended))


def _render_kinds(ended: Ended) -> list[str]:
    lines = ["| kind | tried | survived | exceptions | counted |", "|---|---:|---:|---:|---|"]
    for kind, found in _group(ended, lambda one, _found: one.kind).items():
        sums: Counter[str] = Counter()
        for each in found:
            sums.update(each.counts)
        survived = sum(not each.got for each in found)
        counted = ", ".join(f"{name}: {count:,}" for name, count in sorted(sums.items()))
        lines.append(f"| {kind} | {len(found)} | {survived} | {len(found) - survived} | {counted} |")
    return lines


def _render_varieties(ended: Ended) -> list[str]:
    lines = ["| kind | variety | tried | survived |", "|---|---|---:|---:|"]
    for (kind, variety), found in sorted(_group(ended, lambda one, each: (one.kind, each.variety)).items()):
        lines.append(f"| {kind} | {_cell(variety)} | {len(found)} | {sum(not each.got for each in found)} |")
    return lines


def _render_exceptions(ended: Ended) -> list[str]:
    """One line for each kind of exception, with its shortest reproduction."""
    alike: dict[tuple[str, str], list[tuple[Try, Found]]] = defaultdict(list)
    for one, found in ended:
        if found.got:
            alike[one.kind, _DIGITS.sub("#", found.got)].append((one, found))
    if not alike:
        return ["None."]
    lines = ["| kind | times | what | expected | got | again with |", "|---|---:|---|---|---|---|"]
    for (kind, _), each in sorted(alike.items(), key=lambda item: (item[0][0], -len(item[1]), item[0][1])):
        one, found = min(each, key=lambda pair: (len(pair[1].reproduction), pair[0].number))
        lines.append(
            f"| {kind} | {len(each)} | {_cell(found.reproduction)} | {_cell(found.expected)} | {_cell(found.got)} | "
            f"`--only {kind} --seed {one.seed} --number {one.number}` |"
        )
    return lines


def render_csv(ended: Ended) -> str:
    """Return one line a try."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["kind", "seed", "number", "variety", "survived", "reproduction", "expected", "got"])
    for one, found in sorted(ended, key=lambda pair: (pair[0].kind, pair[0].number)):
        texts = [_plain(text) for text in (found.reproduction, found.expected, found.got)]
        writer.writerow([one.kind, one.seed, one.number, found.variety, int(not found.got), *texts])
    return out.getvalue()


def _group(ended: Ended, key):  # type: ignore[no-untyped-def]
    groups: dict[object, list[Found]] = defaultdict(list)
    for one, found in ended:
        groups[key(one, found)].append(found)
    return groups


def _plain(text: str) -> str:
    """Return a text on one line, with what no page should hold written as escapes."""
    shown = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 40]} ... {shown[-35:]}"


def _cell(text: str) -> str:
    return _plain(text).replace("|", "\\|").replace("<", "&lt;")
