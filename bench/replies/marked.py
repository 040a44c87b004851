"""What a dialect puts above the action: labelled lines such as ``Subgoal: ...``, and tags such as ``<summary>``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.replies.labels import THOUGHT, WORLD, Label, make_label
from bench.replies.marks import peel
from bench.replies.visible import Line, clean, hide_thoughts, join_lines, show_lines

__all__ = ["Lines", "Tag", "read_lines", "read_tag"]

_SHORT = 12
"""Words of a phrase."""
_LONE_MARK = re.compile(r"^[*_`]{1,2}\n")
"""The second half of marks around a tag, on the line that the tag leaves."""


@dataclass(frozen=True, slots=True)
class Lines:
    """The values by name, empty where there is none, and the reply without those lines."""

    values: Mapping[str, str]
    rest: str

    def __getitem__(self, name: str) -> str:
        return self.values[name]


@dataclass(frozen=True, slots=True)
class Tag:
    """What a tag holds, None where the reply has no such tag, and the reply without it."""

    text: str | None
    rest: str


def read_lines(text: str, labels: Mapping[str, Sequence[str]], action: str = "Action:") -> Lines:
    """Return what stands behind the labels above the first action; of several lines of one name the last.

    ``labels``: name -> spellings. A value may stand on the next line, and the action behind it on the same one.
    """
    known = {name: make_label(*spellings) for name, spellings in labels.items()}
    end = make_label(action)
    values, rest, pending = dict.fromkeys(known, ""), list[Line](), ""
    lines = show_lines(text)
    for at, (line, fence) in enumerate(lines):
        acts = end.match(line)
        name, value = _match(acts.rest if acts else line, known)
        if not name and ((acts and acts.rest) or WORLD.match(line)):
            rest += [Line(_split(line, list(known.values()))[0], fence), *lines[at + 1 :]]
            break
        if not name and pending and line and not acts and not THOUGHT.match(line):
            name, value = pending, line
        if not name:
            rest.append(Line(line, fence))
            continue
        value, behind = _split(value, [end])
        rest += [Line(behind, fence)] if behind else []
        value = _tidy(value)
        values[name], pending = value or values[name], "" if value else name
        if behind:
            rest += lines[at + 1 :]
            break
    return Lines(values, text if rest == lines else join_lines(rest))


def _tidy(value: str) -> str:
    """Return a value without marks; the full stop goes where it ends a phrase, not a sentence among others."""
    value = peel(value.strip(" ,;|("))[0].rstrip(" ;,|")
    is_phrase = len(value.split()) <= _SHORT and not re.search(r"[.!?]\s", value)
    return value.rstrip(" .;,|") if is_phrase else value


def _match(line: str, known: Mapping[str, Label]) -> tuple[str, str]:
    for name, label in known.items():
        if found := label.match(line):
            return name, found.rest
    return "", ""


def _split(line: str, labels: Sequence[Label]) -> tuple[str, str]:
    """Return what stands before the first of the labels that follows within a line, and the rest from there on."""
    places = [found.start() for label in labels if (found := label.within.search(line))]
    return (line[: min(places)].strip(), line[min(places) :].strip()) if places else (line, "")


def read_tag(text: str, name: str) -> Tag:
    """Return what ``<name>...</name>`` holds: of several the last; one that is not closed ends with its line."""
    shown = hide_thoughts(clean(text)).text
    core = rf"<\s?(?P<close>/?)\s?{re.escape(name)}\b[^<>\n]{{0,80}}>"
    tag = re.compile(rf"(?P<mark>[*_`]{{1,3}})?{core}(?(mark)(?P=mark)|)", re.IGNORECASE)
    marks = list(tag.finditer(shown))
    held, rest, end = list[str](), list[str](), 0
    for place, mark in enumerate(marks):
        if mark.start() < end:
            continue
        rest.append(shown[end : mark.start()])
        end = mark.end()
        following = marks[place + 1] if place + 1 < len(marks) else None
        if mark["close"]:
            continue
        if following and following["close"]:
            held.append(shown[end : following.start()])
            end = following.end()
        else:
            line_end = shown.find("\n", end)
            stop = len(shown) if line_end < 0 else line_end
            held.append(shown[end:stop])
            end = stop
    rest.append(shown[end:])
    found = [text for part in held if (text := peel(part)[0])]
    lines = [line for part in rest if (line := _LONE_MARK.sub("", f"{part.strip()}\n").strip())]
    return Tag(found[-1] if found else "" if held else None, "\n".join(lines))
