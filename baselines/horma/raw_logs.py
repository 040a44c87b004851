"""The raw turns of a workspace: written once, by the harness, as they came."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from baselines.horma.dates import find_date
from baselines.horma.notes import Line, flatten
from baselines.horma.paths import RAW, SUFFIX
from bench.agents import render_event
from bench.types import Event, EventKind

__all__ = ["RawLogs", "RawTurn"]

_RANGE = re.compile(r"(?P<first>\S{1,60}?)\s?(?:-|–|\.\.|to\s)\s?(?P<last>\S{1,60})")


@dataclass(frozen=True, slots=True)
class RawTurn:
    """One event as it came: the unit of evidence."""

    event: Event
    order: int
    """Its place in time among all raw turns, from 0."""
    folder: str
    number: int
    """Its place in the folder, from 1."""
    line: Line
    """The turn on one line, as every prompt shows it."""

    @property
    def path(self) -> str:
        return f"{self.folder}/turn_{self.number:04d}.md"

    @property
    def time(self) -> str:
        """The date as the suite shows it; without one the session, or the step."""
        return self.event.time or f"{'session' if self.event.kind is EventKind.TURN else 'step'} {self.event.step}"

    def render(self) -> str:
        """Return the turn as a Markdown file: what is known about it, and the text as it was."""
        event = self.event
        head = {"ref": event.ref, "kind": event.kind.value, "time": self.time, "speaker": event.speaker}
        lines = [f"{name}: {flatten(value)}" for name, value in head.items() if value]
        return "\n".join(["---", *lines, "---", event.text, ""])


class RawLogs:
    """All raw turns, by ref and by folder: one folder for each session, or step of an episode."""

    def __init__(self) -> None:
        self._turns: dict[str, RawTurn] = {}
        self._folders: dict[str, list[RawTurn]] = {}
        self._names: dict[tuple[bool, int], str] = {}

    def write(self, event: Event) -> RawTurn:
        """Add a turn. Raises: ValueError if there is one of that ref already."""
        if event.ref in self._turns:
            raise ValueError(f"workspace: expected a new ref, got {event.ref!r} again; a raw turn is written once")
        part = (event.kind is EventKind.TURN, event.step)
        folder = self._names.setdefault(part, _name_folder(event))
        turns = self._folders.setdefault(folder, [])
        line = Line(flatten(render_event(event)), (event.ref,))
        turn = RawTurn(event, len(self._turns), folder, len(turns) + 1, line)
        turns.append(turn)
        self._turns[event.ref] = turn
        return turn

    @property
    def turns(self) -> tuple[RawTurn, ...]:
        """All turns in the order of time."""
        return tuple(self._turns.values())

    @property
    def refs(self) -> tuple[str, ...]:
        """The refs of all turns in the order of time."""
        return tuple(self._turns)

    @property
    def folders(self) -> tuple[str, ...]:
        """The paths of the folders, sorted."""
        return tuple(sorted(self._folders))

    def get(self, ref: str) -> RawTurn | None:
        """Return the turn of a ref, None if there is none."""
        return self._turns.get(ref)

    def list_folder(self, folder: str) -> tuple[RawTurn, ...]:
        """Return the turns of a folder in order; none if there is no such folder."""
        return tuple(self._folders.get(folder, ()))

    def find_path(self, path: str) -> RawTurn | None:
        """Return the turn at a clean path, None if there is none."""
        folder, _, name = path.rpartition("/")
        digits = name.removeprefix("turn_").removesuffix(SUFFIX)
        turns = self._folders.get(folder, [])
        at = int(digits) - 1 if digits.isdecimal() and len(digits) < 9 else -1
        return turns[at] if 0 <= at < len(turns) and turns[at].path == path else None

    def find_range(self, text: str) -> tuple[RawTurn, ...]:
        """Return the turns that ``D1:3``, ``D1:3-6`` or ``o2-o4`` stands for, in the order of time."""
        bare = text.strip(" []()`'\"")
        if turn := self._turns.get(bare):
            return (turn,)
        if not (ends := _RANGE.fullmatch(bare)) or not (first := self._turns.get(ends["first"])):
            return ()
        stem = ends["first"].rstrip("0123456789")
        last = self._turns.get(ends["last"]) or self._turns.get(f"{stem}{ends['last']}")
        return self.turns[first.order : last.order + 1] if last else ()

    def sort(self, refs: Iterable[str]) -> tuple[str, ...]:
        """Return refs of turns in the order of time, each once. Raises: KeyError."""
        return tuple(sorted(set(refs), key=lambda ref: self._turns[ref].order))

    def describe_span(self, refs: Sequence[str]) -> tuple[str, str]:
        """Return the times of the first and the last of these turns, as the suite shows them. Raises: KeyError."""
        ordered = self.sort(refs)
        return (self._turns[ordered[0]].time, self._turns[ordered[-1]].time) if ordered else ("", "")


def _name_folder(event: Event) -> str:
    """Return a folder whose name sorts as time goes: the session with its date, or the step."""
    if event.kind is not EventKind.TURN:
        return f"{RAW}/step_{event.step:03d}"
    day = find_date(event.time)
    return f"{RAW}/session_{event.step:03d}{f'_{day.isoformat()}' if day else ''}"
