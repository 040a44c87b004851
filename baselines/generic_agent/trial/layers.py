"""GenericAgent's memory across tasks, as one trial sees it: an index that is always in view, and files read on demand.

The files are the artifact's: ``l1.txt`` (rules and pointers that were written down), ``l2/*``, ``l3/*``, ``l4/*``.
Within a trial they are read-only; how they grow comes from learning. The index stays at 30 lines and 1 000 tokens
whatever the layers hold, because a pointer stands for a class of names and not for a file: when there are too many
classes, a whole layer is one line. Names are keys of the artifact; nothing is looked up on disk.
Source: GenericAgent, Technical Report V1.0 (L1 invariant: an entry says only that a kind of knowledge exists).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["INDEX_LINES", "INDEX_TOKENS", "File", "Layers"]

INDEX_LINES = 30
INDEX_TOKENS = 1000
_LISTED = 30
"""Names that a listing shows."""
_LINE_CHARS = 1280
"""A file's line is shown up to here."""
_LAYERS = ("l2", "l3", "l4")
_PROCEDURE = Path(__file__).with_name("procedure.txt")


@dataclass(frozen=True, slots=True)
class File:
    """What a read brought: the name it goes by, and its text."""

    name: str
    text: str


class Layers:
    """The index, and the files by name."""

    def __init__(self, files: Mapping[str, str], count: Callable[[str], int]):
        self._files = {name: files[name] for name in sorted(files) if name.partition("/")[0] in _LAYERS}
        self.index = _build_index(files.get("l1.txt", ""), self._files, count)
        """Lines, at most ``INDEX_LINES`` of at most ``INDEX_TOKENS`` tokens together."""

    @property
    def layer_names(self) -> tuple[str, ...]:
        """What can be asked for without knowing a file's name."""
        layers = {name.partition("/")[0] for name in self._files}
        return ("l0", *(layer for layer in _LAYERS if layer in layers))

    def read(self, name: str) -> File | None:
        """Return the file, or the names that begin so; None if there is neither."""
        name = name.strip(" \"'`").removesuffix("*").lower()
        if name.removesuffix(".txt") == "l0":
            return File("l0", _PROCEDURE.read_text(encoding="utf-8").strip())
        for known, text in self._files.items():
            if known.lower() in (name, f"{name}.txt"):
                return File(known, "\n".join(line[:_LINE_CHARS] for line in text.strip().splitlines()))
        found = [known for known in self._files if known.lower().startswith(name)] if name[:2] in _LAYERS else []
        return File(name, _list_names(found)) if found else None


def _list_names(names: Sequence[str]) -> str:
    more = len(names) - _LISTED
    shown = "; ".join(names[:_LISTED])
    return f"{shown}; and {more} more, name the first letters to see them" if more > 0 else shown


def _build_index(rules_text: str, files: Iterable[str], count: Callable[[str], int]) -> tuple[str, ...]:
    """Return the written lines and a pointer for every class of files that they do not name."""
    lines = [" ".join(line.split()) for line in rules_text.splitlines() if line.strip()]
    unnamed = [name for name in files if name not in rules_text]
    layer_pointers = _count_classes(name.partition("/")[0] for name in unnamed)
    for pointers in (_count_classes(map(_read_class, unnamed)), layer_pointers):
        if _fits([*lines, *pointers], count):
            return (*lines, *pointers)
    # The written lines alone are too long, or nearly: the first of them stay, and one pointer a layer.
    while lines and not _fits([*lines, *layer_pointers], count):
        lines.pop()
    return (*lines, *layer_pointers)


def _fits(lines: Sequence[str], count: Callable[[str], int]) -> bool:
    return len(lines) <= INDEX_LINES and count("\n".join(lines)) <= INDEX_TOKENS


def _read_class(name: str) -> str:
    """Return layer and first word: ``l3/heat-egg.txt`` is of class ``l3/heat``."""
    layer, _, rest = name.partition("/")
    return f"{layer}/{re.split(r'[^A-Za-z0-9]', rest, maxsplit=1)[0][:40]}"


def _count_classes(classes: Iterable[str]) -> list[str]:
    return [f"{name}*: {n} file{'s' * (n > 1)}" for name, n in sorted(Counter(classes).items())]
