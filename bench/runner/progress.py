"""What a run shows while it works: a live line with rich on a terminal, plain lines elsewhere. Always on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TextIO

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from bench.store.database import Spending
from bench.store.printing import make_line, say
from bench.types import Trial

__all__ = [
    "HeadedProgress",
    "LastingProgress",
    "LiveProgress",
    "NoProgress",
    "PlainProgress",
    "RunProgress",
    "Tally",
    "choose_progress",
]


@dataclass(slots=True)
class Tally:
    """Counts of a run so far."""

    total: int = 0
    done: int = 0
    running: int = 0
    failed: int = 0
    """Unscored: an outage, not an agent's failure."""
    spent: Spending = Spending()
    notices: tuple[str, ...] = ()
    """What a user must be told of the data."""

    def line(self) -> str:
        tokens, usd = self.spent.tokens, self.spent.cost_usd
        cost = "cost unknown" if usd is None else f"${usd:.2f}"
        failed = f", {self.failed} unscored" if self.failed else ""
        return f"{self.done}/{self.total} done, {self.running} running{failed}, {tokens:,} tokens, {cost}"


class RunProgress(Protocol):
    """Shows the progress of a run. Called under one lock."""

    def begin(self, tally: Tally) -> None: ...

    def update(self, tally: Tally, trial: Trial | None) -> None: ...

    def end(self, tally: Tally) -> None: ...


class NoProgress:
    """Prints nothing: for tests and for runs inside other programs."""

    def begin(self, tally: Tally) -> None:
        pass

    def update(self, tally: Tally, trial: Trial | None) -> None:
        pass

    def end(self, tally: Tally) -> None:
        pass


class PlainProgress:
    """A line every few seconds, and one for each unscored trial."""

    def __init__(self, out: TextIO, every_s: float = 10.0, clock: Callable[[], float] = time.monotonic):
        self._out, self._every_s, self._clock = out, every_s, clock
        self._began = self._last = clock()
        self._already = 0

    def begin(self, tally: Tally) -> None:
        self._began = self._last = self._clock()
        self._already = tally.done
        self._print(f"run: {tally.total} trials, {tally.done} already done")

    def update(self, tally: Tally, trial: Trial | None) -> None:
        if trial is not None and not trial.status.scored:
            self._print(f"run: {trial.key.strategy} on {trial.key.task}: {trial.status.value}: {trial.error}")
        now = self._clock()
        if now - self._last >= self._every_s:
            self._last = now
            self._print(f"run: {tally.line()}, {self._estimate_left(tally, now)}")

    def _estimate_left(self, tally: Tally, now: float) -> str:
        fresh = tally.done - self._already
        if not fresh:
            return "time left unknown"
        left_s = (now - self._began) / fresh * (tally.total - tally.done)
        return f"{int(left_s // 60)}:{int(left_s % 60):02d} left"

    def end(self, tally: Tally) -> None:
        self._print(f"run: {tally.line()} in {self._clock() - self._began:.1f} s")

    def _print(self, line: str) -> None:
        say(line, self._out)


class HeadedProgress:
    """Prints lines on stderr before the progress of a run begins: when its question is known to be right.

    The notices about its data follow, each once, in however many parts it is played.
    """

    def __init__(self, lines: Sequence[str], inner: RunProgress):
        self._lines, self._inner = lines, inner
        self._told: set[str] = set()

    def begin(self, tally: Tally) -> None:
        notices = [f"run: data: {notice}" for notice in tally.notices if notice not in self._told]
        self._told |= {*tally.notices}
        for line in (*self._lines, *notices):
            say(line)
        self._inner.begin(tally)

    def update(self, tally: Tally, trial: Trial | None) -> None:
        self._inner.update(tally, trial)

    def end(self, tally: Tally) -> None:
        self._inner.end(tally)


class LastingProgress:
    """Shows what is played in several parts as one run: it begins with the first, and ends when it is closed."""

    def __init__(self, inner: RunProgress):
        self._inner = inner
        self._last: Tally | None = None

    def begin(self, tally: Tally) -> None:
        if self._last is None:
            self._inner.begin(tally)
        self._last = tally

    def update(self, tally: Tally, trial: Trial | None) -> None:
        self._inner.update(tally, trial)

    def end(self, tally: Tally) -> None:
        self._last = tally

    def close(self) -> None:
        """End what was begun."""
        if self._last is not None:
            self._inner.end(self._last)


class LiveProgress:
    """One live bar."""

    def __init__(self, console: Console):
        self._bar = Progress(
            TextColumn("[bold]run"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("[dim]{task.fields[state]}"),
            TimeRemainingColumn(),
            console=console,
        )
        self._task = self._bar.add_task("run", state="")

    def begin(self, tally: Tally) -> None:
        self._bar.start()
        self._show(tally)

    def update(self, tally: Tally, trial: Trial | None) -> None:
        if trial is not None and not trial.status.scored:
            message = escape(make_line(f"{trial.key.strategy} on {trial.key.task}: {trial.error}"))
            self._bar.console.print(f"[yellow]{trial.status.value}[/] {message}", highlight=False, emoji=False)
        self._show(tally)

    def end(self, tally: Tally) -> None:
        self._show(tally)
        self._bar.stop()

    def _show(self, tally: Tally) -> None:
        state = tally.line().partition(", ")[2]
        self._bar.update(self._task, total=tally.total, completed=tally.done, state=state)


def choose_progress(out: TextIO | None = None) -> RunProgress:
    """Return the progress display that suits a stream (default: stderr)."""
    out = out or sys.stderr
    return LiveProgress(Console(file=out)) if out.isatty() else PlainProgress(out)
