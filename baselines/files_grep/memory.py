"""The files, and the search that the model makes through them by command. Knows no suite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from baselines.files_grep.commands import Command, parse
from baselines.files_grep.files import File, Files, FoundLines, Place
from baselines.shared.budget import select_fitting
from baselines.shared.units import build_query_text
from bench.agents import render, render_event
from bench.protocols import Kit
from bench.replies import ReplyError
from bench.types import Context, Event, EventKind, Message, Phase, Query, Shape

__all__ = ["MOST_ROUNDS", "FilesMemory"]

_SYSTEM = (Path(__file__).parent / "navigate.txt").read_text(encoding="utf-8").strip()
_COMMAND_TOKENS = 200
_RANKED = 50
_SPEAKERS = 8
MOST_ROUNDS = 30


@dataclass(frozen=True, slots=True)
class _Search:
    """What one search has found: lines in the order in which they were first shown, and what went wrong."""

    seen: tuple[Place, ...] = ()
    failure: str = ""


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
        self._searches: dict[_SearchKey, _Search] = {}

    def observe(self, event: Event) -> None:
        """Write the event down; no call."""
        if event.kind not in (EventKind.GOAL, EventKind.SESSION_END):
            self._files.write(event)

    def recall(self, query: Query) -> Context:
        """Return the lines that the model's search shows, as far as they fit. Read-only but for cached searches."""
        seen = self.search(query).seen
        shown = select_fitting(seen, query.budget_tokens, self._render, self._kit.budget.count)
        events = self._sort_events(shown)
        return Context(
            render(events),
            tuple(event.ref for event in events),
            truncated=len(shown) < len(seen),
            ranking=tuple(self._files.get_event(place).ref for place in seen[:_RANKED]),
        )

    def search(self, query: Query) -> _Search:
        """Let the model look through the files, once for each query and state of the files."""
        key = _SearchKey(_build_query_text(query), query.ref, len(self._files))
        if key not in self._searches:
            with self._kit.phase(Phase.READ):
                self._searches[key] = self._navigate(key) if len(self._files) else _Search()
        return self._searches[key]

    def _navigate(self, key: _SearchKey) -> _Search:
        seen: dict[Place, None] = {}
        messages = [Message("system", self._system), Message("user", self._build_opening(key.text))]
        round_, retried = 0, False
        while round_ < self._rounds:
            reply = self._kit.model.chat(tuple(messages), role="navigate", max_tokens=_COMMAND_TOKENS).text
            try:
                command = parse(reply)
            except ReplyError as fault:
                if retried:
                    return _Search(tuple(seen), f"unreadable: {fault}")
                retried = True
                correction = f"That is no command: {fault}. Reply with one command and nothing else."
                messages += [Message("assistant", reply), Message("user", correction)]
                continue
            if command.verb == "done":
                break
            round_ += 1
            result = self._run_command(command, key.hidden)
            seen.update(dict.fromkeys(result.places))
            left = self._rounds - round_
            messages += [Message("assistant", command.text), Message("user", f"{result.text}\n\nCommands left: {left}")]
        return _Search(tuple(seen))

    def _build_opening(self, text: str) -> str:
        files = self._files.list_files()
        first, last = files[0], files[-1]
        span = (
            _describe_file(first)
            if len(files) == 1
            else f"{len(files)}, from {_describe_file(first)} to {_describe_file(last)}"
        )
        speakers = self._files.list_speakers()
        people = f"\nSpeakers: {', '.join(speakers[:_SPEAKERS])}" if speakers else ""
        return f"# Question\n{text}\n\n# Files\n{span}{people}"

    def _run_command(self, command: Command, hidden: str) -> _Result:
        if command.verb == "list":
            return self._list_files(command.file)
        if command.verb == "grep":
            found = self._files.grep(command.words, self._lines, hidden)
            return self._format_lines(f"grep {' '.join(command.words)}", found, command.words)
        last = min(command.last, command.first + self._lines - 1)
        lines = self._files.read(command.file, command.first, last, hidden)
        if lines is None:
            return _Result(f"There is no file {command.file}.")
        return self._format_lines(f"read {command.file} {command.first} {last}", lines, ())

    def _list_files(self, start: str) -> _Result:
        files = self._files.list_files()
        names = [file.name for file in files]
        if start and start not in names:
            return _Result(f"There is no file {start}.")
        rest = files[names.index(start) if start else 0 :]
        more = f"\nand {len(rest) - self._lines} more, from {rest[self._lines].name}" if len(rest) > self._lines else ""
        return _Result("\n".join(map(_describe_file, rest[: self._lines])) + more)

    def _format_lines(self, what: str, found: FoundLines, words: Sequence[str]) -> _Result:
        """Return the lines with file and number, each cut around the first of the words."""
        total = f"{_count_lines(found.total)} found" if words else f"the file has {_count_lines(found.total)}"
        head = f"{what}: {total}, {len(found.places)} shown"
        lines = [f"{place.file}:{place.number}: {self._cut_line(place, words)}" for place in found.places]
        return _Result("\n".join([head, *lines]), found.places)

    def _cut_line(self, place: Place, words: Sequence[str]) -> str:
        text = " ".join(render_event(self._files.get_event(place)).split())
        if len(text) <= self._chars:
            return text
        ats = [at for word in words if (at := text.lower().find(word.lower())) >= 0]
        start = max(0, min(min(ats, default=0) - self._chars // 2, len(text) - self._chars))
        end = start + self._chars
        return f"{'… ' * (start > 0)}{text[start:end].strip()}{' …' * (end < len(text))}"

    def _render(self, places: Sequence[Place]) -> str:
        return render(self._sort_events(places))

    def _sort_events(self, places: Sequence[Place]) -> list[Event]:
        return [self._files.get_event(place) for place in sorted(places, key=lambda place: place.at)]


@dataclass(frozen=True, slots=True)
class _SearchKey:
    """What makes a search itself: the text, the event that is shown anyway, and how much had been written."""

    text: str
    hidden: str
    lines: int


def _count_lines(n: int) -> str:
    return f"{n} line{'s' * (n != 1)}"


def _describe_file(file: File) -> str:
    about = ", ".join(part for part in (file.date, _count_lines(file.lines)) if part)
    return f"{file.name} ({about})"


def _build_query_text(query: Query) -> str:
    """Return the question with its date, or what every retrieval strategy searches an episode for."""
    return query.goal if query.shape is Shape.CONVERSATION else build_query_text(query)
