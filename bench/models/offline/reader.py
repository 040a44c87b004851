"""``offline/reader``: a model made of rules that see the messages of the call and nothing else.

It measures what a context holds for its tokens; it is never an LLM result. The rules come from outside: each suite
brings the acting or answering rules of its frame, each strategy those of its own further roles. This file knows
neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from bench.errors import ModelError, StrategyError, boundary
from bench.models.offline.rule_table import RuleTable
from bench.models.tokenizers import count_tokens, split_tokens
from bench.protocols import OfflineDialect, OfflineRule
from bench.types import Message, Reply, Usage, UsageSource

__all__ = ["NAME", "OfflineReader"]

NAME = "offline/reader"


class OfflineReader:
    """Answers by the rule for the role and the prompt of a call. Deterministic; keeps nothing between calls."""

    def __init__(self, rules: Sequence[OfflineRule | OfflineDialect], name: str = NAME):
        """Raises: UsageError if two rules have the same role and header."""
        self._name, self._count = name, len(rules)
        self._dialects = tuple(rule for rule in rules if isinstance(rule, OfflineDialect))
        self._rules = RuleTable(rule for rule in rules if not isinstance(rule, OfflineDialect))

    @property
    def name(self) -> str:
        return self._name

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        """Return the rule's reply, cut at ``stop`` and ``max_tokens`` as a real model's would be.

        Raises: StrategyError if no rule understands the call, ModelError if a rule breaks.
        """
        prompt = tuple(messages)
        with boundary(ModelError, f"{self._name}: rule for role {role!r}"):
            text = self._reply(role, self._dialects, prompt)
        text, finish = _cut(text, max_tokens, stop)
        usage = Usage(
            prompt=sum(count_tokens(message.content) for message in prompt),
            completion=count_tokens(text),
            source=UsageSource.OFFLINE,
        )
        return Reply(text, usage, cost_usd=0.0, finish=finish)

    def find_role(self, messages: Sequence[Message]) -> str:
        """Return the role that a prompt was written for: of its rule, or else of the dialect in it.

        Raises: StrategyError if there is no such role, or more than one.
        """
        dialects = (dialect.role for dialect in self._dialects if _uses_dialect(messages, dialect))
        roles = self._rules.find_roles(messages) or tuple(sorted(set(dialects)))
        if len(roles) != 1:
            raise StrategyError(
                f"{self._name}: expected a prompt that begins as those of one role, got {_start(messages)!r} of "
                f"{' and '.join(roles) or 'none'} among {self._count} rules; it knows the prompts of the suites and "
                "strategies here, and no others"
            )
        return roles[0]

    def _reply(self, role: str, dialects: tuple[OfflineDialect, ...], messages: Sequence[Message]) -> str:
        """Return the reply of the dialect in use, which may ask the suite's rule, or else of the rule itself."""
        for at, dialect in enumerate(dialects):
            if dialect.role == role and _uses_dialect(messages, dialect):
                return dialect.reply_with(messages, partial(self._reply, role, dialects[at + 1 :]))
        rule = self._rules.find(messages, role)
        if rule is None:
            raise StrategyError(
                f"{self._name}: expected a rule for role {role!r} and a prompt that begins {_start(messages)!r}, got "
                f"none among {self._count}; add an OfflineRule for role {role!r} in offline.py of the strategy or "
                "suite that makes this call, or run it with another model"
            )
        return rule.reply(messages)


def _start(messages: Sequence[Message]) -> str:
    return messages[0].content.split("\n", 1)[0][:60] if messages else ""


def _uses_dialect(messages: Sequence[Message], dialect: OfflineDialect) -> bool:
    return any(message.role == "system" and dialect.block in message.content for message in messages)


def _cut(text: str, max_tokens: int | None, stop: Sequence[str]) -> tuple[str, str]:
    """Return the text up to the first stop sequence and within the length, and why it ended."""
    ends = [at for mark in stop if mark and (at := text.find(mark)) >= 0]
    text = text[: min(ends, default=len(text))]
    if max_tokens is not None and len(pieces := split_tokens(text)) > max_tokens:
        return "".join(pieces[:max_tokens]), "length"
    return text, "stop"
