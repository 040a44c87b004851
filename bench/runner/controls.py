"""Controls of an artifact: the same strategy, files and lengths, with what was learned taken out or made wrong.

A gain that a control has too is no gain of what was learned. Knows no strategy and no suite: it reads lines, list
marks, labels and headings, and changes nothing that the digest of an artifact does not decide.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import cycle
from pathlib import Path

from bench.errors import UsageError, unknown_name
from bench.models.tokenizers import count_tokens
from bench.runner.artifacts import LearnedArtifact
from bench.types import Artifact

__all__ = ["CONTROLS", "list_texts", "make_control"]

_FOREIGN = Path(__file__).with_name("foreign.txt").read_text(encoding="utf-8").split()
_UNSHOWN = ("log", "vectors")
"""Folders of files that no prompt shows."""
_LINE = re.compile(
    r"(?P<head>\s*(?:(?:[-*•>]|\d+[.)]|\[\d+\])\s+)*(?:[A-Z][\w-]*(?: [\w-]+){0,2}: )?)"
    r"(?P<body>.*?)(?P<tail>\s*(?:\([^()]*\d\))?\s*)"
)
"""A line as its mark and label, its text, and a count in brackets."""
_HEADING = re.compile(r"^#+ .*$", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z]+\d*")
_SLOTS = tuple(
    re.compile(rf"\b{words}\s+([a-z]{{3,}}\d*)\b(?!\s+(?:of|that)\b)")
    for words in (r"with(?:\s+(?:a|an|the))?", r"(?:(?:in/on|in|on|at|from)(?:\s+(?:a|an|the))?|to\s+(?:a|an|the))")
)
"""Where a text names a tool, and where it names a place."""
_NO_NOUN = {
    "all", "any", "both", "each", "her", "his", "its", "nothing", "once", "one", "some", "that", "the", "them", "these",
    "this", "those", "what", "which",
}  # fmt: skip
_PAIRS = 2
"""Pairs of nouns that are exchanged in each slot."""


def list_texts(artifact: Artifact) -> dict[str, str]:
    """Return the files whose text a prompt can show, by name: neither vectors, nor logs, nor anything but ``.txt``."""
    return {
        name: text
        for name, text in sorted(artifact.files.items())
        if name.endswith(".txt") and name.partition("/")[0] not in _UNSHOWN
    }


def make_control(learned: LearnedArtifact, kind: str) -> LearnedArtifact:
    """Return the control of an artifact. The same artifact and kind always give the same one.

    Raises: UsageError for an unknown kind, a control, or an artifact that has nothing to change.
    """
    if kind not in CONTROLS:
        raise unknown_name("learn", "--control", kind, CONTROLS)
    if learned.about.control:
        raise UsageError(f"learn: expected an artifact as it was learned, got a {learned.about.control} control of one")
    made = CONTROLS[kind](learned.artifact, random.Random(f"{kind}|{learned.digest}"))
    if made.files == learned.artifact.files:
        raise UsageError(
            f"learn: expected something in the artifact of {learned.about.label} that {kind} changes, got nothing; "
            "take another control"
        )
    return LearnedArtifact(made, replace(learned.about, control=kind, origin=learned.digest))


def _write_placebo(artifact: Artifact, rng: random.Random) -> Artifact:
    """Put foreign text of the same length in the place of every line; headings, marks, labels and numbers stay."""
    filler = _Filler(rng.choice([at for at, word in enumerate(_FOREIGN, start=1) if word.endswith(".")]))
    return _change_texts(artifact, lambda text: "\n".join(map(filler.fill, text.split("\n"))))


class _Filler:
    """Foreign text, a piece for each line, so that all lines together have nearly as many tokens as before."""

    def __init__(self, start: int):
        self._words: Iterator[str] = cycle(_FOREIGN[start:] + _FOREIGN[:start])
        self._owed = 0

    def fill(self, line: str) -> str:
        parts = _LINE.fullmatch(line)
        assert parts is not None
        body = parts["body"]
        alone = not parts["head"].strip() and len(body.split()) == 1  # a value that a file's reader knows
        if alone or line.startswith("#") or not _WORD.search(body):
            return line
        self._owed += count_tokens(body)
        words: list[str] = []
        while not words or self._owed > 0:
            words.append(next(self._words))
            self._owed -= count_tokens(f" {words[-1]}")
        return f"{parts['head']}{' '.join(words)}{parts['tail']}"


def _shuffle(artifact: Artifact, rng: random.Random) -> Artifact:
    """Give every file the text, and the tasks it came from, of another of its folder."""
    files, sources = dict(artifact.files), dict(artifact.sources)
    folders: dict[str, list[str]] = {}
    for name in list_texts(artifact):
        folders.setdefault(name.rpartition("/")[0], []).append(name)
    for _, names in sorted(folders.items()):
        rng.shuffle(names)
        for name, other in zip(names, names[1:] + names[:1], strict=True):
            files[name] = artifact.files[other]
            sources[name] = artifact.sources.get(other, ())
    return Artifact(files, sources, artifact.tasks)


def _swap(artifact: Artifact, _rng: random.Random) -> Artifact:
    """Exchange the nouns that the texts name most often in one slot, the first with the second and so on."""
    swaps = _find_swaps("\n".join(list_texts(artifact).values()))
    return _change_texts(artifact, lambda text: _exchange(text, swaps))


def _find_swaps(text: str) -> dict[str, str]:
    """Return each noun with the one that takes its place. Words of headings make the form of a file and stay."""
    taken = {word for heading in _HEADING.findall(text) for word in heading.lower().split()} | _NO_NOUN
    swaps: dict[str, str] = {}
    for slot in _SLOTS:
        found = Counter(slot.findall(text))
        counts = Counter({word: n for word, n in found.items() if word[:-1] not in found})  # plurals follow
        ranked = sorted((word for word in counts if word not in taken), key=lambda word: (-counts[word], word))
        chosen = ranked[: 2 * _PAIRS]
        for first, second in zip(chosen[::2], chosen[1::2], strict=False):
            swaps |= {first: second, second: first}
        taken |= set(chosen)
    return swaps


def _exchange(text: str, swaps: Mapping[str, str]) -> str:
    def choose(found: re.Match[str]) -> str:
        word = found[0]
        if word in swaps:
            return swaps[word]
        return f"{swaps[word[:-1]]}s" if word.endswith("s") and word[:-1] in swaps else word

    return _WORD.sub(choose, text)


def _change_texts(artifact: Artifact, change: Callable[[str], str]) -> Artifact:
    return replace(
        artifact, files={**artifact.files, **{name: change(text) for name, text in list_texts(artifact).items()}}
    )


CONTROLS: Mapping[str, Callable[[Artifact, random.Random], Artifact]] = {
    "placebo": _write_placebo,
    "shuffled": _shuffle,
    "swapped": _swap,
}
"""Foreign text of the same length; the lessons of other tasks; nouns exchanged."""
