"""What a reply in GenericAgent's dialect means: a summary, key info to keep, and an action or the wish to read a file.

The text is read by ``bench.replies``; nothing of the dialect can be taken for an action. What stands below the action
is ignored, because a model that goes on to invent observations has decided already.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from baselines.shared.grammar import cut_grammar
from bench.agents import read_value
from bench.replies import ReadReply, read_calls, read_lines, read_tag
from bench.types import Frame, Shape

__all__ = ["ParsedReply", "read_reply"]

_GRAMMAR = re.compile(
    r"<\s*/?\s*summary|^/summary|</?\s*key[_ ]?info|key_info|summary\s*:|checkpoint\s*[(:]|read\s*\(", re.IGNORECASE
)
_MAX_NAME = 120


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """What a reply says. ``key_info`` and ``read`` are None where it asks for neither; they may be empty."""

    summary: str = ""
    """Its own line, else what it thought and does."""
    reply: ReadReply = ReadReply()
    key_info: str | None = None
    read: str | None = None
    has_summary: bool = False

    @property
    def dialect(self) -> tuple[str, ...]:
        """The lines that were used; a summary alone, or key info without a text, is nothing to go on with."""
        calls = ("checkpoint",) * bool(self.key_info) + ("read",) * (self.read is not None)
        return ("summary",) * (self.has_summary and bool(self.reply.value or calls)) + calls


def read_reply(text: str, frame: Frame, *, may_read: bool = True) -> ParsedReply:
    """Return what the reply says; without ``may_read`` there is no file to ask for."""
    tag = read_tag(text, "summary")
    lines = read_lines(tag.rest if tag.text is not None else text, {"summary": ("summary",)}, frame.label)
    found = read_calls(lines.rest, ("checkpoint", "read") if may_read else ("checkpoint",), frame.label)
    key_info = read = None
    for call in found.calls:
        if call.name == "read":
            read = call.text[:_MAX_NAME]
            break
        key_info = call.text
    action = cut_grammar(read_value(found.rest, frame, Shape.EPISODE), _GRAMMAR)
    own = " ".join((tag.text or lines["summary"]).split())
    summary = own or " ".join(f"{action.thought} {action.value}".split())
    return ParsedReply(summary, action, key_info, read, bool(own))
