"""Free text such as a summary or a sentence of advice: without what chat models put around it, and cut where a sentence
ends."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from bench.replies.labels import make_label
from bench.replies.marks import ITEM, peel
from bench.replies.value import ReadReply
from bench.replies.visible import clean, hide_thoughts

__all__ = ["read_text", "strip_label", "trim_to_sentence"]

_PREAMBLE = re.compile(
    r"\W{0,6}(?:(?:sure|certainly|of course|okay|ok|absolutely|got it|understood)\b[^\n]{0,120}[:.!]"
    r"|(?:here(?:['’]s| is| are)|below (?:is|are)|the following is|this is)\b[^\n]{0,120}:)\W{0,6}",
    re.IGNORECASE,
)
_NOUN = (
    r"(?:(?:the|my|your|a|an|updated?|new|running|rolling|compressed|condensed|short|brief|final|current|combined"
    r"|one[- ]line|concise)\s)*"
    r"(?:summary|account|history|notes?|memory|text|result|output|reply|outcome|line|record|reflections?|guidelines?"
    r"|cheat ?sheet)"
    r"(?:\s(?:so far|(?:of|for) (?:the |this )?[\w-]{1,20}))?"
)
_TITLE = re.compile(_NOUN, re.IGNORECASE)
_ANNOUNCED = re.compile(rf"(?:here(?:['’]s| is| are)|this is)\s{_NOUN}[*_]{{0,3}}:[*_]{{0,3}}\s+(?=\S)", re.IGNORECASE)
"""An announcement on the line that it announces."""
_POSTAMBLE = re.compile(
    r"(?:let me know|i hope this|feel free|would you like|if you (?:need|would|want))\b.{0,200}", re.I
)
_FENCE = re.compile(r"(?:```|~~~)[^\n`]{0,20}\n(?P<text>.*?)\n?\s{0,8}(?:```|~~~)", re.DOTALL)
_LOST = " …"
"""Stands where the end of a text is missing."""
_END = re.compile(r"(?<!\b\d)(?<!\b\d\d)[.!?…。！？][\"'”’)\]*_]{0,4}(?=\s|$)|[。！？]|(?<=\S)(?=\n)")


def read_text(text: str) -> ReadReply:
    """Return the free text of a reply, without think blocks, a fence around it, an announcement or a title."""
    reply = hide_thoughts(clean(text))
    value, repairs = reply.text.strip(), ["think-block"] if reply.thought or reply.cut else []
    for _ in range(3):
        before = value
        if found := _FENCE.fullmatch(value):
            value, repairs = found["text"].strip(), [*repairs, "fence"]
        first, _, below = value.partition("\n")
        if below.strip() and _PREAMBLE.fullmatch(first.strip()):
            value, repairs = below.strip(), [*repairs, "preamble"]
        elif below.strip() and _is_heading(first.strip(), below):
            value, repairs = below.strip(), [*repairs, "heading"]
        elif (label := re.match(r"[*_#\s]{0,8}([\w ]{1,40})[*_]{0,3}:[*_]{0,3}\s", first)) and _TITLE.fullmatch(
            label[1]
        ):
            value, repairs = value[label.end() :].strip(), [*repairs, "heading"]
        elif announced := _ANNOUNCED.match(value):
            value, repairs = value[announced.end() :].strip(), [*repairs, "preamble"]
        above, _, last = value.rpartition("\n")
        if above.strip() and _POSTAMBLE.fullmatch(last):
            value, repairs = above.strip(), [*repairs, "postamble"]
        if value == before:
            break
    value = "" if not any(char.isalnum() for char in value[:10_000]) and len(value) < 10_000 else value
    sure = bool(value) and not reply.cut
    names = tuple(dict.fromkeys(repairs)) if value else ()
    return replace(ReadReply(value, names, sure), thought=reply.thought, cut=reply.cut)


def _is_heading(line: str, below: str) -> bool:
    """Whether a line is a title: marked as one, or nothing but words for a summary."""
    bare = line.strip("#*_ ").rstrip(":").strip("*_ ")
    if line.startswith("#") or _TITLE.fullmatch(bare):
        return True
    is_bold = line.startswith("**") and line.endswith("**") and not bare.endswith((".", "!", "?"))
    return is_bold and ":" not in line and below.startswith("\n") and len(bare.split()) <= 8


def strip_label(text: str, *names: str) -> str:
    """Return a short text of a reply without the mark of a list, a label such as ``Step 2:`` and marks around it."""
    value = peel(text)[0]
    item = ITEM.fullmatch(value)
    value = item["text"] if item else value
    labelled = make_label(*names).match(value)
    return peel(labelled.rest if labelled else value)[0]


def trim_to_sentence(text: str, limit_tokens: int, count: Callable[[str], int], *, cut: bool = False) -> str:
    """Return as many whole sentences of a text, from its start, as fit; whole words if not even one does.

    What lost its end is marked with `` …``, which counts. ``cut``: the text is known to end in the middle, so its last
    piece goes even where all would fit.
    """
    if not cut and count(text) <= limit_tokens:
        return text
    words = [found.end() for found in re.finditer(r"\S+", text)]
    for places in ([found.end() for found in _END.finditer(text)], words[:-1] if cut else words):
        low, high = 0, len(places)
        while low < high:
            middle = (low + high + 1) // 2
            fits = count(text[: places[middle - 1]] + _LOST) <= limit_tokens
            low, high = (middle, high) if fits else (low, middle - 1)
        if low:
            return text[: places[low - 1]] + _LOST
    return text + _LOST if text and cut and count(text + _LOST) <= limit_tokens else ""
