"""The rules of the offline model, each found by the role of a call and the header of its prompt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from bench.errors import UsageError
from bench.protocols import OfflineRule
from bench.types import Message

__all__ = ["RuleTable", "read_header"]

_SENTENCE_END = re.compile(r"[.!?](?=\s|$)| —|\n")


class RuleTable:
    """A rule for each pair of role and header."""

    def __init__(self, rules: Iterable[OfflineRule]):
        """Raises: UsageError if two rules have the same role and header."""
        self._rules: dict[tuple[str, str], OfflineRule] = {}
        for rule in rules:
            key = rule.role, read_header(rule.header)
            if key in self._rules:
                raise UsageError(
                    f"offline rules: expected one rule for role {key[0]!r} and a prompt that begins {key[1]!r}, got "
                    f"{_class_path(self._rules[key])} and {_class_path(rule)}; change the role or the header of one"
                )
            self._rules[key] = rule

    def find(self, messages: Sequence[Message], role: str) -> OfflineRule | None:
        """Return the rule of the first header that is known for this role; None if there is none.

        Almost always that is the header of the first message. A frame may also stand in a later paragraph, below what
        an agent library says first, so the rest is searched too.
        """
        found = (self._rules.get((role, header)) for header in _iterate_headers(messages))
        return next((rule for rule in found if rule), None)

    def find_roles(self, messages: Sequence[Message]) -> tuple[str, ...]:
        """Return the roles of the first header that is known for any role, sorted; empty if none is.

        For a call that comes without its role, as every call over HTTP does.
        """
        roles: dict[str, set[str]] = {}
        for role, header in self._rules:
            roles.setdefault(header, set()).add(role)
        found = (roles.get(header) for header in _iterate_headers(messages))
        return tuple(sorted(next((one for one in found if one), ())))


def read_header(prompt: str) -> str:
    """Return the first sentence of a prompt, up to a dash in it, without the mark that ends it."""
    text = prompt.strip()
    end = _SENTENCE_END.search(text)
    return text[: end.start()] if end else text


def _iterate_headers(messages: Iterable[Message]) -> Iterator[str]:
    for message in messages:
        for paragraph in message.content.split("\n\n"):
            yield read_header(paragraph)


def _class_path(rule: OfflineRule) -> str:
    return f"{type(rule).__module__}.{type(rule).__qualname__}"
