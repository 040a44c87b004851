"""What a reader may look at: a reply without its think blocks, as lines that know whether they stand in a fence."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from bench.replies.json_scan import find_json

__all__ = ["Line", "Visible", "clean", "hide_thoughts", "join_lines", "show_lines", "split_lines"]

_TAG = re.compile(
    r"<\s?(?P<close>/?)\s?(?i:think|thinking|thoughts?|reasoning|reflection|scratchpad)\s?>|\[(?P<shut>/?)THINK\]"
)
_SPACES = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2007": " ", "\x00": "", "\ufeff": "", "\u200b": ""})
_END_TOKEN = re.compile(r"<\|\w{1,30}\|>|</s>")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LANGUAGE = re.compile(r"[\w+#.-]{0,20}")
_JSON_LINE = re.compile(r"^[ \t]{0,20}(?=\{|\[\s*[\[{\"])", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Visible:
    """A reply in two parts. ``cut``: it ends within a think block that never closes."""

    text: str
    thought: str = ""
    cut: bool = False


class Line(NamedTuple):
    """One stripped line; ``fence`` counts the fences from 1, 0 = in none."""

    text: str
    fence: int = 0


def clean(text: str) -> str:
    """Return the text with one kind of line end and of space, without end tokens and what cannot be stored."""
    return _SURROGATE.sub("\ufffd", _END_TOKEN.sub("", "\n".join(text.splitlines()).translate(_SPACES)))


def hide_thoughts(text: str) -> Visible:
    """Take the think blocks out of a cleaned reply; a closing tag alone ends a thought that the prompt began."""
    shown: list[str] = []
    hidden: list[str] = []
    start, inside = 0, False
    for tag in _TAG.finditer(text):
        if tag["close"] or tag["shut"]:
            if not inside:
                hidden += shown
                shown.clear()
            hidden.append(text[start : tag.start()])
            start, inside = tag.end(), False
        elif not inside:
            shown.append(text[start : tag.start()])
            start, inside = tag.end(), True
    (hidden if inside else shown).append(text[start:])
    thought = "\n".join(part for piece in hidden if (part := piece.strip()))
    return Visible("\n".join(part for piece in shown if (part := piece.strip())), thought, inside)


def show_lines(text: str) -> list[Line]:
    """Return the lines of a reply without its think blocks."""
    return split_lines(hide_thoughts(clean(text)).text)


def split_lines(text: str) -> list[Line]:
    """Return the lines without the marks of their fences; an object of JSON becomes one line."""
    lines: list[Line] = []
    fence, inside = 0, False
    for line in map(str.strip, _join_json(text).split("\n")):
        if "```" not in line and not line.startswith("~~~"):
            lines.append(Line(line, fence if inside else 0))
            continue
        before, _, after = line.partition("~~~" if line.startswith("~~~") else "```")
        after = after.lstrip("`~")
        if inside:
            lines += [Line(before.strip(), fence)] if before.strip() else []
            inside = False
            lines += [Line(after.strip())] if after.strip() else []
        elif "```" in after:
            # A fence within one line: around a whole line it is one, else it quotes a value.
            whole = not before and after.endswith("```")
            fence += whole
            lines.append(Line(after.strip("` "), fence) if whole else Line(line))
        else:
            lines += [Line(before.strip())] if before.strip() else []
            fence, inside = fence + 1, True
            lines += [] if _LANGUAGE.fullmatch(after.strip()) else [Line(after.strip(), fence)]
    return lines


def join_lines(lines: Iterable[Line]) -> str:
    """Return the lines as a text that ``split_lines`` takes apart again: what stood in a fence stands in one."""
    parts: list[str] = []
    for fence, within in groupby(lines, key=lambda line: line.fence):
        texts = [line.text for line in within]
        parts += ["```", *texts, "```"] if fence else texts
    return "\n".join(parts)


def _join_json(text: str) -> str:
    """Put each JSON value that begins a line on one line, so that no label is found within it."""
    pieces, end = [], 0
    for begin, loose in find_json(text, _JSON_LINE):
        pieces += [text[end:begin], text[begin : loose.end].replace("\n", " ")]
        end = loose.end
    return "".join([*pieces, text[end:]])
