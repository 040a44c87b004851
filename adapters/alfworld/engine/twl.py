"""The twl2 document inside a game file: actions with a command template and a feedback text, and blocks of text rules.

Source: ``textworld.envs.pddl.logic`` of textworld 1.7.0, rebuilt from its grammar. Knows neither PDDL nor how a text
rule is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench.errors import DataError

__all__ = ["Document", "Rule", "Wording", "read_document"]

_SPACE = re.compile(r"(?:\s+|#.*?$)*", re.MULTILINE)
_NAME = re.compile(r"[\w/-]+")
_LINE = re.compile(r'"[^"]*"')
_BLOCK = re.compile(r'"""(?:.|\n)*?"""')


@dataclass(frozen=True, slots=True)
class Rule:
    """One alternative of a text rule, not parsed yet."""

    text: str
    condition: str


@dataclass(frozen=True, slots=True)
class Wording:
    """The command template and the feedback text of one action."""

    template: str
    feedback: str


@dataclass(frozen=True, slots=True)
class Document:
    """A whole document; its texts are not parsed yet."""

    wordings: Mapping[str, Wording]
    """By action name in lower case."""
    rules: Mapping[str, tuple[Rule, ...]]


def read_document(text: str) -> Document:
    """Split a document. Raises DataError with the line where it stops making sense."""
    scanner = _Scanner(text)
    wordings: dict[str, Wording] = {}
    rules: dict[str, tuple[Rule, ...]] = {}
    while not scanner.at_end:
        if scanner.take("grammar"):
            rules.update(_parse_rules(scanner.field(_BLOCK)[3:-3], scanner))
            continue
        scanner.expect("action")
        name = scanner.match(_NAME, "an action's name")
        scanner.expect("{")
        fields: dict[str, str] = {}
        while not scanner.take("}"):
            key = scanner.match(_NAME, "template, feedback, pddl, grammar or '}'")
            if key not in ("template", "feedback", "pddl", "grammar") or key in fields:
                raise scanner.error("template, feedback, pddl or grammar, each once")
            fields[key] = scanner.field(_LINE if key in ("template", "feedback") else _BLOCK)
        if "template" not in fields or "feedback" not in fields:
            raise scanner.error(f"a template and a feedback for action {name}")
        wordings[name.lower()] = Wording(fields["template"][1:-1], fields["feedback"][1:-1])
        block = fields.get("grammar", '"""{}"""')[3:-3]
        lines = [line for line in block.split("\n") if not line.lstrip().startswith("#")]
        rules.update(_parse_rules("\n".join(lines), scanner))
    return Document(wordings, rules)


def _parse_rules(block: str, scanner: _Scanner) -> dict[str, tuple[Rule, ...]]:
    try:
        data: Any = json.loads(block)
        return {
            str(name): tuple(Rule(str(entry["rhs"]), str(entry.get("condition", ""))) for entry in entries)
            for name, entries in data.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError) as cause:
        raise scanner.error(
            f"a JSON object of text rules with an 'rhs' each ({type(cause).__name__}: {cause})"
        ) from None


class _Scanner:
    """Walks over the text, skipping blanks and comments between tokens."""

    def __init__(self, text: str):
        self._text = text
        self._at = 0
        self._skip()

    @property
    def at_end(self) -> bool:
        return self._at >= len(self._text)

    def take(self, token: str) -> bool:
        """Move past ``token`` if it is next."""
        if not self._text.startswith(token, self._at):
            return False
        self._move(self._at + len(token))
        return True

    def expect(self, token: str) -> None:
        if not self.take(token):
            raise self.error(repr(token))

    def match(self, pattern: re.Pattern[str], what: str) -> str:
        found = pattern.match(self._text, self._at)
        if found is None:
            raise self.error(what)
        self._move(found.end())
        return found.group()

    def field(self, pattern: re.Pattern[str]) -> str:
        """Read ``:: VALUE ;``."""
        self.expect("::")
        value = self.match(pattern, "a quoted text")
        self.expect(";")
        return value

    def error(self, what: str) -> DataError:
        line = self._text.count("\n", 0, self._at) + 1
        got = self._text[self._at : self._at + 40].split("\n")[0] or "the end of the text"
        return DataError(f"grammar, line {line}: expected {what}, got {got!r}; fetch the file again")

    def _move(self, at: int) -> None:
        self._at = at
        self._skip()

    def _skip(self) -> None:
        found = _SPACE.match(self._text, self._at)
        self._at = found.end() if found else self._at
