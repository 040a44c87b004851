"""Reads a reply in GenericAgent's dialect: a summary, key info to keep, and an action or the wish to read a file.

Strict and anchored to lines, so that nothing of the dialect can be taken for an action. As for every strategy, the
action is what follows the label on the first such line, else the first line that says something; what stands below it
is ignored, because a model that goes on to invent observations has decided already. A tag that is not closed ends with
its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["ParsedReply", "read_reply"]

_TAG = r"<\s*/?\s*summary[^>\n]*>?"
_BLOCK = re.compile(r"^[ \t]*<\s*summary\b[^>\n]*>(?P<text>.*?)<\s*/\s*summary\b[^>\n]*>", re.I | re.M | re.S)
_OPEN = re.compile(r"^[ \t]*<\s*summary\b[^>\n]*>(?P<text>[^\n]*)$", re.I | re.M)
_TAGS = re.compile(_TAG, re.I)
_SUMMARY_LINE = re.compile(r"\W*summary\W*:(?P<text>.*)", re.I)
_CHECKPOINT = re.compile(r"\W{0,4}checkpoint\b\s*(?P<bracket>\()?(?P<text>.*)", re.I | re.S)
_READ = re.compile(r"\W{0,4}read\s*\((?P<name>[^()]*)", re.I)
_LEAK = re.compile(rf"{_TAG}|</?\s*key[_ ]?info|key_info|summary\s*:|checkpoint\s*[(:]|read\s*\(", re.I)
_MAX_NAME = 120


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """What a reply says. ``key_info`` and ``read`` are None where it asks for neither; they may be empty."""

    summary: str = ""
    action: str = ""
    key_info: str | None = None
    read: str | None = None


def read_reply(text: str, label: str) -> ParsedReply:
    """Return what the reply says; without a summary of its own, the reply itself stands for one."""
    summary, rest = _take_summary("\n".join(text.splitlines()))
    lines = [line.strip() for line in rest.split("\n")]
    has_label = any(_has_label(line, label) for line in lines)
    key_info: str | None = None
    action, read = "", None
    for line in _join_checkpoints(lines, label):
        content = _strip_label(line, label)
        if found := _CHECKPOINT.fullmatch(content):
            key_info = _read_argument(found["text"]) if found["bracket"] else key_info or ""
        elif found := _SUMMARY_LINE.fullmatch(content):
            summary = summary or found["text"].strip()
        elif (found := _READ.match(content)) and (_has_label(line, label) or not has_label):
            read = found["name"].strip()[:_MAX_NAME]
            break
        elif content and (_has_label(line, label) or not has_label):
            action = _cut_leak(content)
            break
    if not summary:
        summary = " ".join(part for line in lines if (part := _cut_leak(_strip_label(line, label))))
    return ParsedReply(" ".join(summary.split()), action, key_info, read)


def _take_summary(text: str) -> tuple[str, str]:
    """Return what the summary tags hold, the last that holds something, and the text without any tag."""
    found: list[tuple[int, str]] = []

    def take(match: re.Match[str]) -> str:
        found.append((len(found), _TAGS.sub(" ", match["text"]).strip()))
        return ""

    text = _OPEN.sub(take, _BLOCK.sub(take, text))
    summaries = [inside for _, inside in found if inside]
    # A line that begins with a stray tag is not an action behind it; a tag further on is cut off with what follows.
    text = re.sub(rf"^(?:[ \t]*{_TAG})+", "", text, flags=re.I | re.M)
    return (summaries[-1] if summaries else "", text)


def _join_checkpoints(lines: Sequence[str], label: str) -> Iterator[str]:
    """Yield the lines; a checkpoint whose bracket is open takes what follows, up to its end or a labelled line."""
    pending: list[str] = []
    for line in lines:
        if pending and _has_label(line, label):
            yield " ".join(pending)
            pending = []
        if pending:
            pending.append(line)
        elif (found := _CHECKPOINT.fullmatch(_strip_label(line, label))) and found["bracket"] and ")" not in line:
            pending = [line]
        else:
            yield line
        if pending and line.endswith(")"):
            yield " ".join(pending)
            pending = []
    if pending:
        yield " ".join(pending)


def _read_argument(text: str) -> str:
    """Return what stands before the bracket that closes, or all of it."""
    inside, bracket, _ = text.rpartition(")")
    return " ".join((inside if bracket else text).split())


def _cut_leak(action: str) -> str:
    leak = _LEAK.search(action)
    return action[: leak.start()].rstrip(" ,;:-<") if leak else action


def _has_label(line: str, label: str) -> bool:
    return bool(label) and line.lower().startswith(label.lower())


def _strip_label(line: str, label: str) -> str:
    while _has_label(line, label):
        line = line[len(label) :].strip()
    return line
