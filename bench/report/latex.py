"""Grids of text to LaTeX tables for a paper: booktabs rules, a caption, a label, marks, columns aligned at the point.

Needs booktabs and graphicx alone, any engine and any font encoding. A table that is wider than a column of text is a
``table*``; one that is wider than the page is made smaller, and only then. Knows no metric and no statistics.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bench.report.emphasis import Emphasis
from bench.report.formats import Grid, Section, fit_columns, measure
from bench.store.printing import make_line

__all__ = ["escape_latex", "to_latex"]

_PAGE, _COLUMN = 100, 50
"""Characters of a table that fit the width of a page in footnote size, and a column of a page with two."""
_LONGEST, _TAIL = 48, 14
"""Characters of a name, and how many of them are its end."""
_LETTERS = {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}"} | {
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "−": "$-$",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "→": r"$\rightarrow$",
    "°": r"$^\circ$",
    "†": r"$^\dagger$",
    "‡": r"$^\ddagger$",
    "\ufffd": "?",
}
_LAST_ASCII, _FIRST_LETTER, _LAST_LETTER = "~", "À", "ž"
_RARE = "ÐÞðþĄąĐđĘęĦħĮįĸĿŀŉŊŋŦŧŲų"
"""Letters between these two that the usual font encoding (OT1) lacks."""
_WORD = re.compile(r".{1,24}")
"""As much of a word as a line has room for."""
_INTERVAL = re.compile(r"(.+?) (\[.+\])")
_GROUP = "group"


@dataclass(frozen=True, slots=True)
class _Place:
    """One column that is printed. ``split``: its intervals stand in a column of their own, so that values align."""

    index: int
    left: bool
    split: bool
    marked: bool


def to_latex(grids: Sequence[Grid]) -> str:
    """Return one table a section; the notes of a grid stand as comments, or below each table that has no caption."""
    parts = [r"% needs \usepackage{booktabs,graphicx}"]
    labels: list[str] = []
    for grid in map(_shorten_names, grids):
        keep, gone = (range(len(grid.header)), []) if grid.whole else fit_columns(grid, _PAGE)
        for section in grid.sections:
            labels.append(_write_label(section.title, labels))
            parts += _write_table(grid, section, keep, labels[-1])
        if gone:
            parts.append(
                f"% Left out, for they do not fit a page: {', '.join(map(make_line, gone))}; --columns shows any."
            )
        parts += [f"% {make_line(note)}" for note in grid.notes if any(one.caption for one in grid.sections)]
    return "\n".join(parts) + "\n"


def _write_table(grid: Grid, section: Section, keep: Sequence[int], label: str) -> list[str]:
    places = [_place(grid, section, index) for index in keep]
    size = measure(replace(grid, sections=(section,)), keep)
    kind = "table*" if size > _COLUMN else "table"
    title = section.title.replace(" · ", ", ")
    caption = f"{title}. {section.caption}" if section.caption else title
    below = [] if section.caption else [r"\par\smallskip\footnotesize\raggedright", *map(_escape_words, grid.notes)]
    spec = "".join("l" if place.left else r"r@{\,}l" if place.split else "r" for place in places)
    return [
        rf"\begin{{{kind}}}",
        r"\centering",
        rf"\caption{{{_escape_words(caption)}}}",
        rf"\label{{{label}}}",
        r"\par\smallskip",
        r"\footnotesize\setlength{\tabcolsep}{4pt}",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{@{{}}{spec}@{{}}}}",
        r"\toprule",
        _join([_write_header(grid, place) for place in places]),
        r"\midrule",
        *_write_lines(grid, section, places),
        r"\bottomrule",
        r"\end{tabular}}",
        *below,
        rf"\end{{{kind}}}",
    ]


def _place(grid: Grid, section: Section, index: int) -> _Place:
    cells = [line[index] for line in section.lines]
    left = grid.left[index]
    marked = any(marks[index] for marks in section.marks)
    return _Place(index, left, not left and any(_INTERVAL.fullmatch(cell) for cell in cells), marked)


def _write_lines(grid: Grid, section: Section, places: Sequence[_Place]) -> list[str]:
    """Return the lines, with some room between the groups of tasks."""
    group = grid.header.index(_GROUP) if _GROUP in grid.header else None
    out: list[str] = []
    for at, line in enumerate(section.lines):
        if group is not None and at and line[group] != section.lines[at - 1][group]:
            out.append(r"\addlinespace")
        out.append(_join([_write_cell(section, at, place) for place in places]))
    return out


def _write_header(grid: Grid, place: _Place) -> str:
    lines = list(map(escape_latex, grid.break_header(grid.header[place.index])))
    stack = r" \\ ".join(lines)
    text = rf"\shortstack[{'l' if place.left else 'r'}]{{{stack}}}" if len(lines) > 1 else stack
    return rf"\multicolumn{{2}}{{c}}{{{text}}}" if place.split else text


def _write_cell(section: Section, at: int, place: _Place) -> str:
    text = section.lines[at][place.index]
    emphasis = section.emphasis[at][place.index] if section.emphasis else Emphasis.NONE
    mark = escape_latex(section.marks[at][place.index]) if section.marks else ""
    found = _INTERVAL.fullmatch(text) if place.split else None
    value = escape_latex(found[1] if found else text)
    if emphasis is Emphasis.BEST:
        value = rf"\textbf{{{value}}}"
    elif emphasis is Emphasis.SECOND:
        value = rf"\underline{{{value}}}"
    if place.split:
        room = rf"\makebox[0.6em][l]{{{mark}}}" if place.marked else ""
        return f"{value} & {room}" + (rf"{{\scriptsize {escape_latex(found[2])}}}" if found else "")
    # A mark has no width of its own, so that numbers stay aligned.
    return value + (mark if place.left else rf"\rlap{{{mark}}}" if mark else "")


def _join(cells: Sequence[str]) -> str:
    """Return a line of a table. After the end of a line LaTeX takes a star or a bracket for an argument of it."""
    guard = "{}" if cells[0].startswith(("[", "*")) else ""
    return guard + " & ".join(cells) + r" \\"


def _write_label(title: str, taken: Sequence[str]) -> str:
    plain = unicodedata.normalize("NFKD", title.lower())[: 4 * _LONGEST]
    name = "tab:" + (re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_LONGEST].strip("-") or "results")
    return name if name not in taken else f"{name}-{len(taken) + 1}"


def _shorten_names(grid: Grid) -> Grid:
    """Return the grid with cells and headers that leave the others some room."""
    sections = tuple(
        replace(one, title=_shorten(one.title, 2 * _LONGEST), lines=tuple(tuple(map(_shorten, ln)) for ln in one.lines))
        for one in grid.sections
    )
    return replace(grid, header=tuple(map(_shorten, grid.header)), sections=sections)


def _shorten(text: str, longest: int = _LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - _TAIL - 1]}…{text[-_TAIL:]}"


def _escape_words(text: str) -> str:
    """Return a text in which a long word may be broken."""
    words = ([escape_latex(piece) for piece in _WORD.findall(word)] for word in make_line(text).split(" "))
    return " ".join(map(r"\hspace{0pt}".join, words))


def escape_latex(text: str) -> str:
    """Return a text as LaTeX prints it; a letter that no usual font has is named by its number."""
    return "".join(map(_escape_letter, unicodedata.normalize("NFC", make_line(text))))


def _escape_letter(letter: str) -> str:
    if letter in _LETTERS:
        return _LETTERS[letter]
    if letter <= _LAST_ASCII or (_FIRST_LETTER <= letter <= _LAST_LETTER and letter not in _RARE):
        return letter
    return f"U+{ord(letter):04X}" if letter.isprintable() and not letter.isspace() else " "
