r"""The right-hand sides of text rules: literal text, ``#symbol#``, ``{expression | query}`` and ``[{...}]`` lists.

Source: ``textworld.envs.pddl.textgen`` of textworld 1.7.0, rebuilt from its grammar with the faults that shape texts:
blanks at the start of a line are dropped, and everything after a character that fits no symbol is lost silently. Knows
no facts and derives no text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

__all__ = ["Expression", "Listing", "Node", "Substitution", "Symbol", "Text", "parse"]

_LINE_START = re.compile(r"(//.*|\s*)\n?")
_TABS = re.compile(r"\t+")
_TAG = re.compile(r"[\w()/!<>\-\s,.]+")
_QUERY = re.compile(r"[^;|{}\n\[\]#]+")
_STATEMENT = re.compile(r"[^|\[\]{}\n<>]+")
_LITERAL = re.compile(r'[^;|"<>\[\]#{}]*')
_BAR = re.compile(r"\s*\|\s*")


@dataclass(frozen=True, slots=True)
class Text:
    """Literal text."""

    text: str


@dataclass(frozen=True, slots=True)
class Symbol:
    """The name of another rule."""

    name: str


@dataclass(frozen=True, slots=True)
class Expression:
    """Something to compute from the bound variables."""

    source: str


@dataclass(frozen=True, slots=True)
class Substitution:
    """An expression or symbol that is written once for each answer to its query; once if the query is empty."""

    body: Symbol | Expression
    query: str


@dataclass(frozen=True, slots=True)
class Listing:
    """The answers to a query as an enumeration."""

    item: Substitution


Node: TypeAlias = Text | Symbol | Substitution | Listing


@lru_cache(maxsize=4096)
def parse(text: str) -> tuple[Node, ...]:
    """Return the symbols of a right-hand side."""
    nodes: list[Node] = []
    at = _skip(text, 0)
    while True:
        start = at
        node, at = _parse_node(text, at)
        if at == start and nodes:
            return tuple(nodes)
        nodes.append(node)
        if at == start:
            return tuple(nodes)


def _parse_node(text: str, at: int) -> tuple[Node, int]:
    """Return the symbol at a position and where it ends. Any text starts with one, if only an empty literal."""
    for read in (_parse_listing, _parse_substitution, _parse_symbol):
        found = read(text, at)
        if found is not None:
            return found
    start = _skip(text, at)
    if text.startswith('"', start):
        literal = _LITERAL.match(text, start + 1)
        end = _skip(text, literal.end()) if literal else -1
        if literal and text.startswith('"', end):
            return Text(literal.group()), end + 1
    literal = _LITERAL.match(text, start)
    assert literal is not None
    return Text(literal.group()), literal.end()


def _parse_listing(text: str, at: int) -> tuple[Node, int] | None:
    at = _skip(text, at)
    if not text.startswith("[", at):
        return None
    found = _parse_substitution(text, at + 1)
    if found is None:
        return None
    item, at = found
    at = _skip(text, at)
    return (Listing(item), at + 1) if text.startswith("]", at) else None


def _parse_substitution(text: str, at: int) -> tuple[Substitution, int] | None:
    at = _skip(text, at)
    if not text.startswith("{", at):
        return None
    body = _parse_symbol(text, at + 1) or _parse_expression(text, at + 1)
    if body is None:
        return None
    expression, at = body
    query = ""
    bar = _BAR.match(text, at)
    if bar is not None:
        query_text = _QUERY.match(text, _skip(text, bar.end()))
        if query_text is not None:
            query, at = query_text.group(), query_text.end()
    at = _skip(text, at)
    return (Substitution(expression, query), at + 1) if text.startswith("}", at) else None


def _parse_symbol(text: str, at: int) -> tuple[Symbol, int] | None:
    at = _skip(text, at)
    if not text.startswith("#", at):
        return None
    tag = _TAG.match(text, _skip(text, at + 1))
    if tag is None:
        return None
    at = _skip(text, tag.end())
    return (Symbol(tag.group()), at + 1) if text.startswith("#", at) else None


def _parse_expression(text: str, at: int) -> tuple[Expression, int] | None:
    found = _STATEMENT.match(text, _skip(text, at))
    return (Expression(found.group()), found.end()) if found else None


def _skip(text: str, at: int) -> int:
    """Move over what separates tokens: tabs and, at the start of a line, all blanks and a // comment."""
    while True:
        start = at
        while at == 0 or text[at - 1 : at] == "\n":
            found = _LINE_START.match(text, at)
            if found is None or found.end() == at:
                break
            at = found.end()
        tabs = _TABS.match(text, at)
        at = tabs.end() if tabs else at
        if at == start:
            return at
