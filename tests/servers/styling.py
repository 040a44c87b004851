"""The offline player's replies, re-worded as chat models word theirs.

A reply to an acting or answering prompt gets the style itself, lines of a strategy's own grammar the marks of that
style. Replies to other prompts (summaries, JSON, commands) get a dress of their kind. What is re-worded is not cut at
the reply limit: room for thinking is a setting of an endpoint, and here it is the reading that is tried.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from bench.models.offline.reader import OfflineReader
from bench.types import Message, Reply, Role
from tests.replies.styles import STYLES, Style

__all__ = ["CachedReader", "StyledModel", "restyle"]

_VALUE = re.compile(r"^(?P<label>Action|Answer):[ ](?P<value>.*)\Z", re.MULTILINE | re.DOTALL)
_THOUGHT_END = re.compile(r".*</(?:think|thinking|reasoning)>\s*", re.DOTALL)
_SUBGOAL = re.compile(r"Subgoal: (?P<text>.*)")
_CALL = re.compile(r"(?P<name>\w+)\((?P<text>.*)\)")
_SUBGOAL_FORMS = (
    "**Subgoal:** {}", "Subgoal:\n{}", "Subgoal 2: {}", "Next sub-goal: {}", "Subgoal: {}", "**Subgoal: {}**",
    "- **Subgoal**: {}", "New Subgoal: {}.", "### Subgoal\n{}", "`Subgoal: {}`",
)  # fmt: skip
_CALL_FORMS = (
    "**{}({})**", "```\n{}({})\n```", "{}(\n  {}\n)", "`{}({})`", "**{}**({})", "**{}:** {}", "- **{}**({})", "{}: {}",
    "`{}`({})", "{}[{}]", "[{}({})]", "Call: {}({})", "<{0}>{1}</{0}>", "**Command:** {}({})", "{}({}) // as told",
)  # fmt: skip
"""Forms of a line of a strategy's own grammar; a style has one of them."""
_THINK = "<think>The reply has a fixed form.\nIt is short.</think>\n"

Dress = Callable[[str], str]


def _fence(name: str, above: str = "") -> Dress:
    return lambda text: f"{above}```{name}\n{text}\n```"


def _below(above: str, under: str = "") -> Dress:
    return lambda text: f"{above}{text}{under}"


def _each_line(template: str) -> Dress:
    return lambda text: "\n".join(template.replace("LINE", line) for line in text.splitlines())


def _number(text: str) -> str:
    return "\n".join(f"{at}. {line}" for at, line in enumerate(text.splitlines(), start=1))


_JSON: tuple[Dress, ...] = (
    _fence("json"),
    _fence("json", "Here is the JSON object:\n\n"),
    _below("Here is what I found:\n"),
    _fence("JSON"),
    _below("", "\n\nLet me know if you need anything else."),
    _below(_THINK),
    _fence(""),
)
_COMMANDS: tuple[Dress, ...] = (
    _each_line("- LINE"),
    _each_line("**LINE**"),
    _number,
    _fence(""),
    _below("I look for the rarest words first.\n\n"),
    _each_line("`LINE`"),
    _below(_THINK),
    _fence("text", "I look there.\n\n"),
)
_LISTS: tuple[Dress, ...] = (
    _each_line("- LINE"),
    _number,
    _fence(""),
    _below("Here are the lines:\n\n"),
    _each_line("* LINE"),
    _below(_THINK),
    _fence("text"),
)
_TEXTS: tuple[Dress, ...] = (
    _below("Here is the updated summary:\n\n"),
    _fence(""),
    _below("**Summary**\n\n"),
    _below("## Summary\n\n"),
    _below(_THINK),
    _below("Sure! Here is the summary:\n"),
    _below("**Summary:** "),
    _below("", "\n\nLet me know if you need anything else."),
)


def restyle(style: Style, role: str, text: str) -> str:
    """Return the plain reply ``text`` to a prompt of ``role`` in a style."""
    if style is STYLES[0] or (not style.command and role not in (Role.ACT, Role.ANSWER)):
        return text
    if role in (Role.ACT, Role.ANSWER):
        return _restyle_decision(style, text)
    dresses = _choose_dresses(role, text)
    return dresses[STYLES.index(style) % len(dresses)](text)


def _choose_dresses(role: str, text: str) -> Sequence[Dress]:
    if _is_json(text):
        return _JSON
    if role == "navigate":
        return _COMMANDS
    return _LISTS if role in ("extract", "update", "link", "keywords") else _TEXTS


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False


def _restyle_decision(style: Style, text: str) -> str:
    found = _VALUE.search(text)
    if found is None:
        return text
    reply = style.write(found["label"], found["value"])
    above = text[: found.start()].rstrip("\n")
    if not above or not style.command:
        return reply
    if style.name == "sentence of comment" and _SUBGOAL.fullmatch(above):
        return f"{above}. {reply}"
    lines = "\n".join(_restyle_line(style, line) for line in above.split("\n"))
    thought = _THOUGHT_END.match(reply)
    at = thought.end() if thought else 0
    return f"{reply[:at]}{lines}\n{reply[at:]}"


def _restyle_line(style: Style, line: str) -> str:
    """Return a line of a strategy's own grammar in the form of a style: sub-goals and calls; others stay."""
    at = STYLES.index(style)
    if found := _SUBGOAL.fullmatch(line):
        return _SUBGOAL_FORMS[at % len(_SUBGOAL_FORMS)].format(found["text"])
    if found := _CALL.fullmatch(line):
        return _CALL_FORMS[at % len(_CALL_FORMS)].format(found["name"], found["text"])
    return line


@dataclass(slots=True)
class CachedReader:
    """The offline player, which works out each reply once: a style changes the reply and not the prompt."""

    reader: OfflineReader
    replies: dict[object, Reply] = field(default_factory=dict)

    def chat(self, messages: Sequence[Message], role: str, max_tokens: int | None, stop: Sequence[str]) -> Reply:
        key = (tuple(messages), role, max_tokens, tuple(stop))
        if key not in self.replies:
            self.replies[key] = self.reader.chat(messages, role=role, max_tokens=max_tokens, stop=stop)
        return self.replies[key]


@dataclass(frozen=True, slots=True)
class StyledModel:
    """The offline player in a style."""

    reader: CachedReader
    style: Style

    @property
    def name(self) -> str:
        return "offline/reader"

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        reply = self.reader.chat(messages, role, max_tokens, stop)
        return replace(reply, text=restyle(self.style, role, reply.text))
