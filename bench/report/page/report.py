"""A report of runs: the parts of the page by name, and the texts of all trials in pieces. Knows no HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import __version__
from bench.report.formats import round_all
from bench.report.items import prepare, split_blocks
from bench.report.page.about import describe_fingerprints, describe_runs
from bench.report.page.grid import Trials, describe_grid
from bench.report.page.leaderboard import describe_metrics, describe_sections
from bench.report.page.ledger import sum_ledger
from bench.report.page.packing import to_text
from bench.report.page.planes import describe_planes
from bench.report.page.trials import Reference, describe_trial
from bench.report.table import Selection, build_table
from bench.store.dataframe import read_items
from bench.store.read import read_trials, reading_run
from bench.types import Trial, TrialKey

__all__ = ["Extras", "Report"]

Record = dict[str, Any]
Files = Sequence[tuple[str, str]]

REFERENCE = "full-history"
_BATCH = 32
_PIECE_CHARACTERS = 400_000
"""Of JSON in one piece: small enough to be unpacked between two frames of the screen."""


def _no_references(_folder: Path, _key: TrialKey) -> Mapping[str, Reference]:
    return {}


def _no_workspaces(_folder: Path, trials: Sequence[Trial]) -> Sequence[Files]:
    return [()] * len(trials)


@dataclass(frozen=True, slots=True)
class Extras:
    """What is shown beside the records of the runs themselves."""

    references: Callable[[Path, TrialKey], Mapping[str, Reference]] = _no_references
    """The right answers to the questions of a trial."""
    workspaces: Callable[[Path, Sequence[Trial]], Sequence[Files]] = _no_workspaces
    """The files that the memory of each trial kept."""
    artifacts: Sequence[Record] = field(default_factory=tuple)
    """What strategies learned, as text."""


class Report:
    """Everything that one page shows of some runs.

    Raises: StoreError for a folder that is no run, UsageError for an unknown reference strategy or what no table takes.
    """

    def __init__(self, folders: Sequence[Path], reference: str | None = None, extras: Extras = Extras()):
        self.folders, self.extras = tuple(folders), extras
        self._frame = read_items(self.folders)
        self._blocks = split_blocks(prepare(self._frame))
        against = reference or (REFERENCE if REFERENCE in set(self._frame["strategy"]) else None)
        self._table = build_table(self._frame, reference=against, selection=Selection(by_group=True, timing=True))

    @property
    def title(self) -> str:
        """What the page is called: its runs."""
        return ", ".join(dict.fromkeys(folder.resolve().name for folder in self.folders))

    def read_overview(self) -> Record:
        """Return what the page shows first: the leaderboards."""
        parts = {"metrics": describe_metrics(self._table), "sections": describe_sections(self._table)}
        return {"title": self.title, "version": __version__, **round_all(parts)}

    def read_parts(self) -> Iterator[tuple[str, Any]]:
        """Yield the name and the content of each further part, but for the texts of trials."""
        yield "planes", round_all(describe_planes(self._frame, self._table))
        yield "tasks", self.read_tasks()
        yield "ledger", round_all(sum_ledger(self.folders))
        fingerprints = [describe_fingerprints(block) for block in self._blocks]
        about = {"runs": describe_runs(self.folders), "fingerprints": fingerprints, "artifacts": self.extras.artifacts}
        yield "about", about

    def read_tasks(self) -> Record:
        """Return the grids of tasks and strategies, and the list of trials."""
        trials = Trials(self._frame)
        grids = [describe_grid(block, trials) for block in self._blocks]
        return {"trials": trials.records, "grids": round_all(grids)}

    def read_pieces(self) -> Iterator[tuple[list[str], str]]:
        """Yield the trials that have ended, some at a time: their ids, and a list of them as JSON."""
        ids, texts, size = list[str](), list[str](), 0
        for record in self._read_trials():
            text = to_text(record)
            if texts and size + len(text) > _PIECE_CHARACTERS:
                yield ids, f"[{','.join(texts)}]"
                ids, texts, size = [], [], 0
            ids.append(record["id"])
            texts.append(text)
            size += len(text)
        if texts:
            yield ids, f"[{','.join(texts)}]"

    def _read_trials(self) -> Iterator[Record]:
        for folder in self.folders:
            with reading_run(folder) as db:
                last = int(db.execute("SELECT COALESCE(MAX(id), 0) FROM trials").fetchone()[0])
            for low in range(1, last + 1, _BATCH):
                where, args = "attempt > 0 AND id BETWEEN ? AND ?", [str(low), str(low + _BATCH - 1)]
                yield from self.describe(folder, read_trials(folder, where=where, args=args))

    def describe(self, folder: Path, trials: Sequence[Trial]) -> Iterable[Record]:
        """Yield the records of some trials of a run."""
        extras = self.extras
        for trial, kept in zip(trials, extras.workspaces(folder, trials), strict=True):
            record = describe_trial(folder.name, trial, extras.references(folder, trial.key))
            yield record | ({"workspace": kept} if kept else {})
