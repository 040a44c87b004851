"""Runs ended in the midst of their work, then given again until they are done: the record must be that of an unbroken
run, and over HTTP the ledger must be what the server has billed, but for calls in flight at a hard kill.

The moment is a number of calls in the ledger or of requests at the server, drawn by the seed: no clock.
"""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.faults.campaign.books import Bill, Books, add_up_ledger, write_endpoint
from tests.faults.campaign.command import last_frame, start
from tests.faults.campaign.deaths import make_strike, wait_for
from tests.faults.campaign.shapes import SHAPES, Shape, count_all_calls, find_damage, read_all
from tests.faults.campaign.tries import Found, Place, Try

__all__ = ["DEATHS", "play"]

DEATHS = ("SIGKILL", "SIGTERM", "SIGINT", "SIGINT twice", "worker", "server")
_HARD = ("SIGKILL", "SIGINT twice")
_CODES = {"SIGKILL": (-9,), "SIGTERM": (130, 143), "SIGINT": (130,), "SIGINT twice": (130, -2), "worker": (1,)}
_EXPECTED = "the record of an unbroken run, every paid call in the ledger once, no traceback"
_PATIENCE_S = 120.0
_CALLS_AT_ONCE = 3
_OPEN_CALLS = 2 * _CALLS_AT_ONCE
"""Two trials are played for each call at once: what the other one has just been told is not in the ledger yet."""


@dataclass
class Kill:
    """One try: which run, which death, when, and what has been seen so far."""

    shape: Shape
    death: str
    remote: bool
    share: float
    """The moment: this part of the calls of an unbroken run."""
    folder: Path
    by_folder: bool
    """Go on with ``bench run FOLDER``, not with the words of the first command."""
    group: bool
    """The signal goes to all processes, as a terminal sends it."""
    books: Books | None = None
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def run(self) -> Path:
        return self.folder / "run"

    @property
    def words(self) -> list[str]:
        words = ["run", *self.shape.words, "--workers", str(_CALLS_AT_ONCE if self.remote else 2)]
        if self.books is not None:
            judge = ["--judge", f"openai/toy@{self.books.url}"] if self.shape.judge else []
            words += ["-m", "openai/toy", "--base-url", self.books.url, "--endpoint", "endpoint.toml", *judge]
        elif self.shape.judge:
            words += ["--judge", "offline/reader"]
        return words

    def start(self, *, again: bool) -> subprocess.Popen[str]:
        if again and self.by_folder and (self.run / "run.toml").exists():
            return start(self.folder, "run", "run")
        return start(self.folder, *self.words, "-o", "run")


def play(one: Try, place: Place) -> Found:
    """Kill one run, then finish it."""
    kill = _draw(one, place)
    where = "HTTP" if kill.remote else "offline"
    variety = f"{kill.death}, {where}, {kill.shape.name}"
    about = f"{variety}, at {kill.share:.0%} of its calls"
    place.tell(variety, about)
    whole = place.share(f"whole-{kill.shape.name}-{where}", lambda folder: _play_whole(kill, folder))
    if (whole / "failed").exists():
        return Found(variety, about, "an unbroken run to compare with", (whole / "failed").read_text())
    got = _attack(kill, whole)
    return Found(variety, about, _EXPECTED, got, kill.counts)


def _draw(one: Try, place: Place) -> Kill:
    rng = one.rng
    # In turn, so that few tries meet every death and every shape.
    death = DEATHS[one.number % len(DEATHS)]
    remote = death == "server" or (death != "worker" and one.number // len(DEATHS) % 2 == 1)
    fitting = [shape for shape in SHAPES if not (shape.processes and remote)]
    shape = next(s for s in SHAPES if s.processes) if death == "worker" else rng.choice(fitting)
    return Kill(shape, death, remote, rng.uniform(0.02, 0.8), place.folder, rng.random() < 0.5, rng.random() < 0.5)


def _play_whole(kill: Kill, folder: Path) -> None:
    """Play the run without a death, and check that books and ledger agree at all."""
    calm = Kill(kill.shape, "", kill.remote, 0, folder, False, False)
    with _serving(calm):
        said = _finish(calm.start(again=False), (0,))
        if not said and calm.books is not None and (owed := _find_debt(calm)) != Bill():
            said = f"an unbroken run whose ledger differs from the books by {owed}"
        if said:
            (folder / "failed").write_text(said)


def _attack(kill: Kill, whole: Path) -> str:
    """Return all that was wrong: with the end of the run, with going on, with the record, with the books."""
    total, recorded = count_all_calls(whole / "run"), _read_whole(whole / "run")
    if kill.remote:
        total = add_up_ledger(whole / "run").calls  # the server sees no embedding
    with _serving(kill):
        said = [_kill_at(kill, max(1, int(total * kill.share)))]
        tries = 3 if kill.death in ("worker", "server") else 1
        again = ""
        for _ in range(tries):
            again = _finish(kill.start(again=True), (0,))
            if not again:
                break
        said += [f"given again: {again}"] if again else [find_damage(kill.run, recorded), _check_books(kill)]
    return "; ".join(filter(None, said))


@cache
def _read_whole(run: Path) -> dict[str, object]:
    return read_all(run)


class _serving:  # noqa: N801
    """The server of a remote run, for as long as the run is tried."""

    def __init__(self, kill: Kill):
        self._kill = kill

    def __enter__(self) -> None:
        if self._kill.remote:
            self._kill.books = Books()
            write_endpoint(self._kill.folder)

    def __exit__(self, *_: object) -> None:
        if self._kill.books is not None:
            self._kill.books.close()


def _kill_at(kill: Kill, calls: int) -> str:
    """Start the run, end it after so many calls, and return what was wrong with its end."""
    if kill.death == "server":
        return _kill_server(kill, calls)
    process = kill.start(again=False)
    strike = make_strike(kill.death, process.pid, group=kill.group)
    if kill.books is not None:
        # The server itself sends the signal while it answers: this very call is in flight.
        kill.books.before = lambda number: strike() if number == calls else None
    else:
        wait_for(process, lambda: count_all_calls(kill.run) >= calls)
        strike()
    said = _finish(process, (0, *_CODES[kill.death]))
    if process.returncode == 0:
        kill.counts["over before the kill"] = 1
    if said or kill.books is None:
        return said
    if kill.death in _HARD:
        return ""  # the server may still be at what it was asked: looked at in the end
    owed = _find_debt(kill)
    return "" if owed == Bill() else f"after the stop, books less ledger: {owed}"


def _kill_server(kill: Kill, calls: int) -> str:
    assert kill.books is not None
    books = kill.books
    books.before = lambda number: books.die() if number == calls else None
    process = kill.start(again=False)
    said = _finish(process, (0, 1, 2))
    if books.dead:
        books.revive()
    else:
        kill.counts["over before the kill"] = 1
    return said


def _check_books(kill: Kill) -> str:
    """Return how books and ledger differ at the end, beyond what was in flight at a hard kill."""
    if kill.books is None:
        return ""
    owed = _find_debt(kill)
    most = _OPEN_CALLS if kill.death in (*_HARD, "server") else 0
    if owed.calls:
        kill.counts["calls in flight at a hard kill, or the death of the server"] = owed.calls
    return "" if owed == Bill() or 0 < owed.calls <= most else f"at the end, books less ledger: {owed}"


def _find_debt(kill: Kill) -> Bill:
    assert kill.books is not None
    return kill.books.bill - add_up_ledger(kill.run)


def _finish(process: subprocess.Popen[str], codes: tuple[int, ...]) -> str:
    """Wait for the end; return what was wrong with it."""
    try:
        _, err = process.communicate(timeout=_PATIENCE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return f"no end after {_PATIENCE_S:g} s"
    if "Traceback (most recent call last)" in err:
        return f"exit {process.returncode}, {last_frame(err)}"
    if process.returncode not in codes:
        return f"exit {process.returncode}: {err.strip()[-300:]}"
    return ""
