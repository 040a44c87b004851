"""Is an output harmless, and what it claims to be? Each check returns what is wrong, empty if nothing is."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from xml.etree import ElementTree

__all__ = ["CHECKS", "find_controls"]

_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")
_NUMBER = re.compile(r"[+-]?[\d.,]+([eE][+-]?\d+)?%?")
_RAW_LINK = re.compile(r"(?<!\\)\[[^\]\\]*\]\(http")
_RAW_TAG = re.compile(r"(?<!\\)<(script|img)", re.IGNORECASE)
_COMMANDS_OF_LATEX = re.compile(r"(?<!\\)\\(input|include|write|end\{tabular\}(?=.*\\end\{tabular\}))")


def find_controls(text: str, *, terminal: bool) -> str:
    """Return the first control character; on a terminal also one that turns the direction of what follows."""
    for at, char in enumerate(text):
        kind = unicodedata.category(char)
        if (kind in ("Cc", "Cs") and char not in "\n\t") or (terminal and char in _BIDI):
            return f"a raw {char.encode('unicode_escape').decode()} in {text[max(0, at - 20) : at + 10]!r}"
    return ""


def _check_terminal(text: str) -> str:
    return find_controls(text, terminal=True)


def _check_csv(text: str) -> str:
    try:
        rows = list(csv.reader(io.StringIO(text), strict=True))
    except csv.Error as cause:
        return f"no CSV: {cause}"
    widths = {len(row) for row in rows if row}
    if len(widths) > 1:
        return f"CSV rows of {sorted(widths)} cells"
    for cell in (cell for row in rows[1:] for cell in row):
        if cell.lstrip()[:1] in ("=", "+", "-", "@") and not _NUMBER.fullmatch(cell) and cell not in ("-", "–"):
            return f"a CSV cell that is a formula: {cell[:60]!r}"
    return find_controls(text, terminal=False)


def _check_json(text: str) -> str:
    return _check_each_json([text])


def _check_jsonl(text: str) -> str:
    return _check_each_json(text.removesuffix("\n").split("\n"))


def _check_each_json(texts: list[str]) -> str:
    for one in texts:
        try:
            json.loads(one)
        except ValueError as cause:
            return f"no JSON: {cause} in {one[:80]!r}"
    return next(filter(None, (find_controls(one, terminal=False) for one in texts)), "")


def _check_markdown(text: str) -> str:
    before = 0
    for line in text.split("\n"):
        pipes = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        if before and pipes and pipes != before:
            return f"a Markdown row of {pipes} bars after one of {before}: {line[:80]!r}"
        before = pipes
    for pattern, what in ((_RAW_LINK, "a link"), (_RAW_TAG, "a tag")):
        if found := pattern.search(text):
            return f"{what} in Markdown: {text[found.start() : found.start() + 40]!r}"
    return find_controls(text, terminal=False)


def _check_latex(text: str) -> str:
    plain = re.sub(r"(?<!\\)%.*", "", text.replace("\\\\", ""))
    bare = re.sub(r"\\[{}&%$#_]", "", plain)
    if bare.count("{") != bare.count("}"):
        return f"LaTeX with {bare.count('{')} braces opened and {bare.count('}')} closed"
    if found := _COMMANDS_OF_LATEX.search(plain):
        return f"a LaTeX command: {plain[found.start() : found.start() + 40]!r}"
    widths = {
        line.count("&") for line in bare.split("\n") if "&" in line and not line.lstrip().startswith("\\multicolumn")
    }
    if len(widths) > 3:  # a header, its groups, the rows
        return f"LaTeX rows of {sorted(widths)} columns"
    if found := re.search(r"[#$^]", re.sub(r"\$[^$\n]{0,30}\$", "", re.sub(r"\\\^", "", bare))):
        return f"a bare {found.group()} in LaTeX"
    return find_controls(text, terminal=False)


def _check_svg(text: str) -> str:
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as cause:
        return f"no XML: {cause}"
    for node in root.iter():
        name = node.tag.rpartition("}")[2]
        if name in ("script", "image", "foreignObject") or any(key.lower().startswith("on") for key in node.attrib):
            return f"an element of code in SVG: {name}"
        if any(key.endswith("href") and not value.startswith("#") for key, value in node.attrib.items()):
            return f"a link in SVG: {node.attrib}"
    return find_controls(text, terminal=False)


CHECKS: Mapping[str, Callable[[str], str]] = {
    "rich": _check_terminal, "text": _check_terminal, "csv": _check_csv, "json": _check_json, "jsonl": _check_jsonl,
    "md": _check_markdown, "latex": _check_latex, "svg": _check_svg,
}  # fmt: skip
