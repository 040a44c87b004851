"""``offline/reader``: a model made of rules that see the messages of the call and nothing else.

It measures what a context kept per token; it is never an LLM result. The rules come from outside: each suite brings the
acting or answering rules of its frame, each strategy those of its own further roles. This file knows neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from bench.errors import ModelError, StrategyError, boundary
from bench.models.tokenizers import count_tokens, split_tokens
from bench.protocols import OfflineDialect, OfflineRule
from bench.types import Message, Reply, Usage, UsageSource

__all__ = ["NAME", "OfflineReader"]

NAME = "offline/reader"


class OfflineReader:
    """Answers by the first rule that understands the call. Deterministic; keeps nothing between calls."""

    def __init__(self, rules: Sequence[OfflineRule | OfflineDialect]):
        # A dialect wraps what a suite's rule says, so it is looked at first.
        self._rules = tuple(sorted(rules, key=lambda rule: not isinstance(rule, OfflineDialect)))

    @property
    def name(self) -> str:
        return NAME

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        """Return the rule's reply, cut at ``stop`` and ``max_tokens`` as a real model's would be.

        Raises: StrategyError if no rule understands the call, ModelError if a rule breaks.
        """
        given = tuple(messages)
        with boundary(ModelError, f"{NAME}: rule for role {role!r}"):
            text = self._reply(given, role, self._rules)
        text, finish = _cut(text, max_tokens, stop)
        usage = Usage(
            prompt=sum(count_tokens(message.content) for message in given),
            completion=count_tokens(text),
            source=UsageSource.OFFLINE,
        )
        return Reply(text, usage, cost_usd=0.0, finish=finish)

    def _reply(self, messages: tuple[Message, ...], role: str, rules: tuple[OfflineRule | OfflineDialect, ...]) -> str:
        """Return the reply of the first rule that understands the call; a dialect may ask those after it."""
        for at, rule in enumerate(rules):
            if not rule.matches(messages, role):
                continue
            if isinstance(rule, OfflineDialect):
                return rule.reply_with(messages, role, partial(self._ask, role, rules[at + 1 :]))
            return rule.reply(messages, role)
        start = messages[0].content.split("\n", 1)[0][:60] if messages else ""
        raise StrategyError(
            f"{NAME}: expected a rule for role {role!r} and a prompt that begins {start!r}, got none among "
            f"{len(self._rules)}; add an OfflineRule for role {role!r} in offline.py beside the strategy or suite "
            "that makes this call, or run it with another model"
        )

    def _ask(self, role: str, rules: tuple[OfflineRule | OfflineDialect, ...], messages: Sequence[Message]) -> str:
        return self._reply(tuple(messages), role, rules)


def _cut(text: str, max_tokens: int | None, stop: Sequence[str]) -> tuple[str, str]:
    """Return the text up to the first stop sequence and within the length, and why it ended."""
    ends = [at for mark in stop if mark and (at := text.find(mark)) >= 0]
    text = text[: min(ends, default=len(text))]
    if max_tokens is not None and len(pieces := split_tokens(text)) > max_tokens:
        return "".join(pieces[:max_tokens]), "length"
    return text, "stop"
