"""The files, and the search that the model makes through them by command. Knows no suite."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from baselines.files_grep.commands import Command, Malformed, parse
from baselines.files_grep.files import File, Files, Found, Place
from bench.agents import render, render_event
from bench.protocols import Kit
from bench.types import Context, Event, EventKind, Message, Phase, Query, Shape

__all__ = ["MOST_ROUNDS", "FilesMemory"]

_SYSTEM = (Path(__file__).parent / "navigate.txt").read_text(encoding="utf-8").strip()
_NAMES_TASK = re.compile(r"\b(?:task|goal)\b", re.IGNORECASE)
_COMMAND_TOKENS = 60
_RANKED = 50
_SPEAKERS = 8
MOST_ROUNDS = 30


@dataclass(frozen=True, slots=True)
class _Search:
    """What one search has found: lines in the order in which they were first shown, and what went wrong."""

    seen: tuple[Place, ...] = ()
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class _Result:
    """What a command shows, and the lines it shows it of."""

    text: str
    places: tuple[Place, ...] = ()


class FilesMemory:
    """The files, and what each query found in them."""

    def __init__(self, kit: Kit):
        self._kit = kit
        self._rounds, self._lines = kit.params.integer("rounds"), kit.params.integer("lines")
        self._chars = kit.params.integer("chars")
        self._system = _SYSTEM.replace("{lines}", str(self._lines)).replace("{rounds}", str(self._rounds))
        self._files = Files()
        self._searches: dict[_Asked, _Search] = {}

    def observe(self, event: Event) -> None:
        """Write the event down; no call."""
        if event.kind not in (EventKind.GOAL, EventKind.SESSION_END):
            self._files.write(event)

    def recall(self, query: Query) -> Context:
        """Return the lines that the model's search shows, as far as they fit. Read-only but for cached searches."""
        seen = self.search(query).seen
        shown = self._fitting(seen, query.budget_tokens)
        events = self._events(shown)
        return Context(
            render(events),
            tuple(event.ref for event in events),
            truncated=len(shown) < len(seen),
            ranking=tuple(self._files.event(place).ref for place in seen[:_RANKED]),
        )

    def search(self, query: Query) -> _Search:
        """Let the model look through the files, once for each query and state of the files."""
        asked = _Asked(_query_text(query), query.ref, len(self._files))
        if asked not in self._searches:
            with self._kit.phase(Phase.READ):
                self._searches[asked] = self._navigate(asked) if len(self._files) else _Search()
        return self._searches[asked]

    def _navigate(self, asked: _Asked) -> _Search:
        seen: dict[Place, None] = {}
        messages = [Message("system", self._system), Message("user", self._opening(asked.text))]
        round_, retried = 0, False
        while round_ < self._rounds:
            said = self._kit.model.chat(tuple(messages), role="navigate", max_tokens=_COMMAND_TOKENS).text
            try:
                command = parse(said)
            except Malformed as fault:
                if retried:
                    return _Search(tuple(seen), f"unreadable: {fault}")
                retried = True
                again = f"That is no command: {fault}. Reply with one command and nothing else."
                messages += [Message("assistant", said), Message("user", again)]
                continue
            if command.verb == "done":
                break
            round_ += 1
            result = self._run(command, asked.hidden)
            seen.update(dict.fromkeys(result.places))
            left = self._rounds - round_
            messages += [Message("assistant", said), Message("user", f"{result.text}\n\nCommands left: {left}")]
        return _Search(tuple(seen))

    def _opening(self, text: str) -> str:
        files = self._files.listing()
        first, last = files[0], files[-1]
        span = _named(first) if len(files) == 1 else f"{len(files)}, from {_named(first)} to {_named(last)}"
        speakers = self._files.speakers()
        people = f"\nSpeakers: {', '.join(speakers[:_SPEAKERS])}" if speakers else ""
        return f"# Question\n{text}\n\n# Files\n{span}{people}"

    def _run(self, command: Command, hidden: str) -> _Result:
        if command.verb == "list":
            return self._listed(command.file)
        if command.verb == "grep":
            found = self._files.grep(command.words, self._lines, hidden)
            return self._shown(f"grep {' '.join(command.words)}", found, command.words)
        last = min(command.last, command.first + self._lines - 1)
        lines = self._files.read(command.file, command.first, last, hidden)
        if lines is None:
            return _Result(f"There is no file {command.file}.")
        return self._shown(f"read {command.file} {command.first} {last}", lines, ())

    def _listed(self, start: str) -> _Result:
        files = self._files.listing()
        names = [file.name for file in files]
        if start and start not in names:
            return _Result(f"There is no file {start}.")
        rest = files[names.index(start) if start else 0 :]
        more = f"\nand {len(rest) - self._lines} more, from {rest[self._lines].name}" if len(rest) > self._lines else ""
        return _Result("\n".join(map(_named, rest[: self._lines])) + more)

    def _shown(self, what: str, found: Found, words: Sequence[str]) -> _Result:
        """Return the lines with file and number, each cut around the first of the words."""
        total = f"{found.total} lines hold that" if words else f"the file has {found.total} lines"
        head = f"{what}: {total}, {len(found.places)} shown"
        lines = [f"{place.file}:{place.number}: {self._cut(place, words)}" for place in found.places]
        return _Result("\n".join([head, *lines]), found.places)

    def _cut(self, place: Place, words: Sequence[str]) -> str:
        text = " ".join(render_event(self._files.event(place)).split())
        if len(text) <= self._chars:
            return text
        ats = [at for word in words if (at := text.lower().find(word.lower())) >= 0]
        start = max(0, min(min(ats, default=0) - self._chars // 2, len(text) - self._chars))
        end = start + self._chars
        return f"{'… ' * (start > 0)}{text[start:end].strip()}{' …' * (end < len(text))}"

    def _fitting(self, seen: Sequence[Place], budget_tokens: int | None) -> Sequence[Place]:
        if budget_tokens is None:
            return seen
        shown: list[Place] = []
        for place in seen:
            if self._kit.budget.count(render(self._events([*shown, place]))) <= budget_tokens:
                shown.append(place)
        return shown

    def _events(self, places: Sequence[Place]) -> list[Event]:
        return [self._files.event(place) for place in sorted(places, key=lambda place: place.at)]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What makes a search itself: the text, the event that is shown anyway, and how much had been written."""

    text: str
    hidden: str
    lines: int


def _named(file: File) -> str:
    about = ", ".join(part for part in (file.date, f"{file.lines} lines") if part)
    return f"{file.name} ({about})"


def _query_text(query: Query) -> str:
    if query.shape is Shape.CONVERSATION:
        return query.goal
    paragraphs = [part for part in re.split(r"\n\s*\n", query.goal) if part.strip()]
    task = [part for part in paragraphs if _NAMES_TASK.search(part)] or paragraphs
    return "\n".join([*task, query.text])
