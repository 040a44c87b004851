"""What strategies with a reply grammar of their own share."""

from __future__ import annotations

import re
from dataclasses import replace

from bench.replies import ReadReply

__all__ = ["cut_grammar"]


def cut_grammar(reply: ReadReply, grammar: re.Pattern[str]) -> ReadReply:
    """Return an action up to where the strategy's grammar begins in it, so that none of that reaches the world."""
    found = grammar.search(reply.value)
    if found is None:
        return reply
    value = reply.value[: found.start()].rstrip(" ,;:-<*_`\"'")
    return replace(reply, value=value, repairs=(*reply.repairs, "grammar-in-action") if value else ())
