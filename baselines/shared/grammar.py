"""What strategies with a reply grammar of their own share."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from bench.replies import ReadReply

__all__ = ["cut_grammar", "read_notices"]


def cut_grammar(reply: ReadReply, grammar: re.Pattern[str]) -> ReadReply:
    """Return an action up to where the strategy's grammar begins in it, so that none of that reaches the world."""
    found = grammar.search(reply.value)
    if found is None:
        return reply
    value = reply.value[: found.start()].rstrip(" ,;:-<*_`\"'")
    return replace(reply, value=value, repairs=(*reply.repairs, "grammar-in-action") if value else ())


def read_notices(path: Path) -> dict[str, str]:
    """Return the notices of a text file by name: one a line, ``name = text``."""
    pairs = (line.partition("=") for line in path.read_text(encoding="utf-8").strip().splitlines())
    return {name.strip(): text.strip() for name, _, text in pairs}
