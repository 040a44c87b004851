"""``bench view``: the report of runs at an address of this machine, kept up to date while they go on."""

from __future__ import annotations

import hashlib
import json
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from bench.cli.report_extras import ExtrasReader
from bench.errors import BenchError
from bench.models.openai_api.format import BadRequest
from bench.models.openai_api.http_server import HttpRequest, HttpResponse, LoopbackServer
from bench.report.page.document import write_document
from bench.report.page.packing import pack
from bench.report.page.report import Report
from bench.report.page.trials import name_trial
from bench.runner.stopping import catch_signals
from bench.store.printing import say
from bench.store.read import read_trials, reading_run
from bench.store.rows import KEY_COLUMNS, PLANNED, read_key

__all__ = ["LiveReport", "view_command"]

_REST = 3.0
"""How many times as long as reading took runs are left alone afterwards."""
_HTML = {"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store"}


def view_command(folders: Sequence[Path], port: int, reference: str | None) -> int:
    """Print the address on stdout as soon as it answers, then serve until Ctrl-C. Raises: UsageError, StoreError."""
    with (
        catch_signals(says=False) as stop,
        closing(LiveReport(folders, reference)) as report,
        closing(LoopbackServer(report.answer, port)) as server,
    ):
        print(server.address, flush=True)
        say(f"view: {report.title}; Ctrl-C ends it")
        stop.wait()
    return 0


@dataclass(frozen=True, slots=True)
class _State:
    """The parts of the page at one moment."""

    version: str
    parts: dict[str, Any]
    ended: int
    planned: int


class LiveReport:
    """Answers the page's requests from runs that may still be going on; reads them again when they have changed.

    Raises: StoreError, UsageError as ``Report`` does.
    """

    def __init__(self, folders: Sequence[Path], reference: str | None = None):
        self._folders, self._reference = tuple(folders), reference
        self._reader = ExtrasReader(folders, most=sys.maxsize)
        self._lock = threading.Lock()
        self._rests_until = 0.0
        self._mark = self._read_mark()
        self._report, self._state = self._read()

    @property
    def title(self) -> str:
        return self._report.title

    def answer(self, request: HttpRequest) -> HttpResponse:
        """Answer one request. Raises: BadRequest."""
        if request.method != "GET":
            raise BadRequest(f"view: expected a GET, got {request.method}", 405)
        where, _, what = request.path.removeprefix("/").partition("/")
        try:
            if not where:
                return self._answer_page()
            if where == "part" and what in (state := self._refresh()).parts:
                return HttpResponse({"part": state.parts[what]})
            if where == "changes":
                return self._answer_changes(what)
            if where == "trial":
                return HttpResponse({"trial": self._find_trial(what)})
        except BenchError as cause:  # the run is being moved, or was deleted
            raise BadRequest(str(cause), 503) from cause
        raise BadRequest(f"view: expected a page of the report, got {request.path[:100]!r}", 404)

    def _answer_page(self) -> HttpResponse:
        state = self._refresh()
        blocks = iter([("overview", pack(state.parts["overview"]))])
        return HttpResponse({}, headers=_HTML, content="".join(write_document(self.title, blocks, live=True)).encode())

    def _answer_changes(self, version: str) -> HttpResponse:
        state = self._refresh()
        parts = state.parts if version and version != state.version else {}
        return HttpResponse({"version": state.version, "parts": parts, "ended": state.ended, "planned": state.planned})

    def _refresh(self) -> _State:
        """Return the present state. Runs that have not changed are not read again; nor are others while somebody is
        reading them, or has just done so and took long: statistics of a large run must not cost the run its core."""
        if monotonic() < self._rests_until or not self._lock.acquire(blocking=False):
            return self._state
        try:
            if (mark := self._read_mark()) != self._mark:
                began = monotonic()
                self._report, self._state = self._read()
                self._mark = mark
                self._rests_until = monotonic() + _REST * (monotonic() - began)
        finally:
            self._lock.release()
        return self._state

    def _read_mark(self) -> tuple[tuple[Any, ...], ...]:
        """Return what changes when a trial ends: how many there are of each status."""
        return tuple(mark for folder in self._folders for mark in self._count(folder))

    def _count(self, folder: Path) -> Iterator[tuple[Any, ...]]:
        with reading_run(folder) as db:
            query = "SELECT status, COUNT(*), SUM(wall_s) FROM trials WHERE attempt > 0 GROUP BY status ORDER BY status"
            yield from [(str(folder), *row) for row in db.execute(query)]

    def _read(self) -> tuple[Report, _State]:
        report = Report(self._folders, self._reference, self._reader.extras)
        parts = {"overview": report.read_overview(), **dict(report.read_parts())}
        version = hashlib.sha256(json.dumps(parts, sort_keys=True, default=list).encode()).hexdigest()[:16]
        counts = [(status, n) for _, status, n, _ in self._read_mark()]
        planned = sum(n for status, n in counts if status == PLANNED)
        return report, _State(version, parts, sum(n for _, n in counts) - planned, planned)

    def _find_trial(self, name: str) -> dict[str, Any] | None:
        """Return the trial of that name, None if it has not ended or is not there."""
        for folder in self._folders:
            with reading_run(folder) as db:
                columns = ",".join(KEY_COLUMNS)
                found = [
                    row["id"]
                    for row in db.execute(f"SELECT id,{columns} FROM trials WHERE attempt > 0")
                    if name_trial(folder.name, read_key(row)) == name
                ]
            if found:
                trials = read_trials(folder, where="id = ?", args=[str(found[0])])
                return next(iter(self._report.describe(folder, trials)), None)
        return None

    def close(self) -> None:
        """Close what was opened to read the extras."""
        self._reader.close()
