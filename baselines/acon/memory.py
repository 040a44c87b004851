"""ACON's memory: the compressed history and the events since, long ones shortened. Knows no suite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from baselines.shared.budget import find_room
from baselines.shared.condensed import Condensed
from baselines.shared.reach import list_shown
from baselines.shared.summarizer import Summarizer, describe_lengths, tell_limit
from bench.agents import render
from bench.protocols import Kit
from bench.types import Context, Event, EventKind, Message, Query

__all__ = ["Acon", "Compressor", "read_guideline"]

_HERE = Path(__file__).parent


def read_guideline(kind: str, files: Mapping[str, str]) -> str:
    """Return the guideline of a kind of compression: that of an artifact, else the one that stands in this folder."""
    name = f"{kind}_guideline.txt"
    return (files.get(name) or (_HERE / name).read_text(encoding="utf-8")).strip()


class Compressor:
    """One kind of compression: its prompt, its guideline, its length."""

    def __init__(self, kit: Kit, kind: str, limit_tokens: int):
        self._count = kit.budget.count
        self.summarizer = Summarizer(kit, "compress", limit_tokens)
        guideline = read_guideline(kind, kit.artifact.files)
        prompt = (_HERE / f"compress_{kind}.txt").read_text(encoding="utf-8")
        self._system = f"{tell_limit(prompt.strip(), limit_tokens)}\n\nGuideline:\n{guideline}"

    def compress(self, request: str, replaced: str) -> str:
        """Return the text that takes the place of ``replaced``; empty if it would be no shorter."""
        if self.summarizer.limit_tokens < 1:
            return ""
        text = self.summarizer.ask((Message("system", self._system), Message("user", request)))
        return text if self._count(text) < self._count(replaced) else ""


class Acon:
    """The compressed history, and the events since with long ones shortened."""

    def __init__(self, kit: Kit):
        self._kit = kit
        self._count = kit.budget.count
        number = kit.params.number
        room = find_room(kit)
        self._trigger = number("history") * room
        self._long_tokens = number("observation") * room
        self._history_compressor = Compressor(kit, "history", int(number("share") * room))
        self._observation_compressor = Compressor(kit, "observation", int(number("share") * self._long_tokens))
        self._next_try = 0.0  # tokens shown; after a refusal
        self._goal = ""
        self._past = Condensed("History, compressed")
        self._events: list[Event] = []

    def describe_lengths(self) -> tuple[str, ...]:
        """Return the notes about compressions that were too long; none if none was."""
        return describe_lengths(self._history_compressor.summarizer, self._observation_compressor.summarizer)

    def observe(self, event: Event) -> None:
        """Keep the event, shortened if it is long, and compress the history if it is long (a call for each)."""
        if event.kind is EventKind.GOAL:
            self._goal = event.text
        if event.kind in (EventKind.GOAL, EventKind.SESSION_END):
            return
        self._events.append(self._shorten(event))
        if event.kind is not EventKind.ACTION:  # an action's observation is still to come
            self._compress()

    def recall(self, query: Query) -> Context:
        """Return the compressed history and what came since, the oldest left out where it does not fit. Read-only."""
        return self._past.build_context(self._events, query, self._count)

    def reach(self) -> frozenset[str]:
        """Return the refs of all that is shown, whatever the query."""
        return list_shown(self, self._kit)

    def _shorten(self, event: Event) -> Event:
        if event.kind is EventKind.ACTION or self._count(event.text) <= self._long_tokens:
            return event
        request = f"{self._render_task()}\n\n# Text\n{event.text}"
        short = " ".join(self._observation_compressor.compress(request, event.text).split())
        return replace(event, text=short) if short else event

    def _compress(self) -> None:
        newest = self._events[-1]
        past = self._events[:-1] if newest.kind is EventKind.OBSERVATION else self._events
        used = self._count(self._past.render(past))
        old = [event for event in past if event.step < newest.step] if len(past) < len(self._events) else past[:-1]
        if used < max(self._trigger, self._next_try) or not old:
            return
        parts = [self._render_task()] + [f"# History so far\n{self._past.text}"] * bool(self._past.text)
        history = self._history_compressor.compress(
            "\n\n".join([*parts, f"# Events since\n{render(old)}"]), self._past.render(old)
        )
        if not history:
            self._next_try = 1.25 * used
            return
        self._next_try = 0.0
        refs = (*self._past.refs, *(event.ref for event in old))
        self._past = replace(self._past, text=history, refs=refs)
        self._events = self._events[len(old) :]

    def _render_task(self) -> str:
        return f"# Task\n{self._goal or 'Questions about it will be asked later.'}"
