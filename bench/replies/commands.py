"""Commands to a tool, one a line: ``grep ferry``, ``- open: ann/work``, ``**done**``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.replies.labels import THOUGHT, make_label
from bench.replies.marks import close_marks, peel
from bench.replies.visible import Line, show_lines

__all__ = ["Block", "Command", "read_blocks", "read_commands"]

_BEFORE = r"(?P<before>[\s>*_`#$\"'•+–—-]{0,12}(?:\(?\d{1,3}[.):]\s{0,4})?[*_`\"']{0,4})"
_OPTION = re.compile(r"--?[A-Za-z][\w-]{0,30}(?:=\S{0,80})?(?:\s+|$)")
_LABEL = make_label(
    *("Command", "Commands", "Operation", "Operations", "Action", "Actions", "Next step"),
    *("Answer", "Reply", "Response", "Output", "Result", "Summary"),
)
"""What may stand in front of the first command on its line."""
_SPAN = re.compile(r"`(?P<text>[^`\n]{1,400})`")
_MOST_WORDS = 4
"""Words behind the name in a line without a colon that ends like a sentence and is a command all the same; half as
many where it begins like one too."""


@dataclass(frozen=True, slots=True)
class Command:
    """``name`` as it was asked for, what follows it, and the options taken out of that, such as ``-i``."""

    name: str
    text: str = ""
    options: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the text without quotes around them."""
        return tuple(bare for word in self.text.split() if (bare := word.strip("\"'“”‘’`,")))


@dataclass(frozen=True, slots=True)
class Block:
    """A command and the lines below it, up to the next one: stripped, without empty ones."""

    command: Command
    lines: tuple[str, ...] = ()


def read_commands(text: str, names: Sequence[str]) -> tuple[Command, ...]:
    """Return the commands of a reply in order; a sentence that begins with a name is none.

    Where no line is one: the only name in backticks within prose, or a name alone behind the last sentence.
    """
    grammar = _Grammar(names)
    lines = [line for line in show_lines(text) if line.text and not THOUGHT.match(line.text)]
    found = [command for line in lines if (command := grammar.read_line(line))]
    return tuple(found or (grammar.read_prose(lines) if lines else []))


def read_blocks(text: str, names: Sequence[str], begins: Callable[[Command], bool]) -> tuple[Block, ...]:
    """Return the commands of a reply in order, each with the lines below it; what stands above the first is left out.

    ``begins``: True for a command that begins a block. Another stays a line of the block it stands in, so that
    ``- write to Ann`` below a heading of its own is no command.
    """
    grammar = _Grammar(names)
    blocks: list[tuple[Command, list[str]]] = []
    for line in show_lines(text):
        if not line.text or (not blocks and THOUGHT.match(line.text)):
            continue
        command = grammar.read_line(line)
        if command and begins(command):
            blocks.append((command, []))
        elif blocks:
            blocks[-1][1].append(line.text)
    return tuple(Block(command, tuple(lines)) for command, lines in blocks)


class _Grammar:
    """The names of commands, and the ways to write one on a line."""

    def __init__(self, names: Sequence[str]):
        self._known = {name.lower(): name for name in names}
        self._core = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        self._start = re.compile(
            rf"{_BEFORE}(?P<name>{self._core})(?![\w/])[*_`\"']{{0,3}}(?P<colon>\s?[:\uff1a])?(?P<rest>.*)", re.I | re.S
        )

    def read_line(self, line: Line) -> Command | None:
        """Return the command that a line is, None if it is none."""
        labelled = _LABEL.match(line.text)
        hit = self._start.match(labelled.rest if labelled else line.text)
        if not hit:
            return None
        rest = hit["rest"].strip()
        is_marked = bool(hit["colon"] or labelled or line.fence or line.text.startswith("`"))
        most = _MOST_WORDS // 2 if hit["name"][:1].isupper() else _MOST_WORDS
        is_sentence = rest.endswith((".", "!", "?", ":")) and len(rest.split(None, most)) > most
        if rest[:1] in (",", ";") or (is_sentence and not is_marked):
            return None
        return _command(self._known[hit["name"].lower()], close_marks(rest.strip(), hit["before"]))

    def read_prose(self, lines: Sequence[Line]) -> list[Command]:
        """Return the only command in backticks, or the name alone behind the last sentence."""
        spans = [
            hit for line in lines for span in _SPAN.finditer(line.text) if (hit := self._start.match(span["text"]))
        ]
        end = rf"[.!?:]\s+[*_`]{{0,3}}(?P<name>{self._core})(?P<rest>[*_`.]{{0,4}})$"
        last = re.search(end, lines[-1].text, re.I)
        hits = spans if len(spans) == 1 else [last] if last else []
        return [_command(self._known[hit["name"].lower()], hit["rest"].strip(" *_`")) for hit in hits]


def _command(name: str, rest: str) -> Command:
    options: list[str] = []
    while option := _OPTION.match(rest):
        options.append(option.group().strip())
        rest = rest[option.end() :]
    if not rest.startswith(('"', "'", "“")):
        rest, _ = peel(rest)
    # A stop ends a sentence that stands between bars; elsewhere it ends the command.
    return Command(name, rest if "|" in rest or rest.endswith("...") else rest.rstrip(" .;!"), tuple(options))
