"""The stored answers of a finished run, graded again by another judge or with other rubrics; nothing is played.

The run is only read. What a judge says goes to a folder below it, ``grades/<judge>-<rubrics>``: a run folder like any
other, with its own ledger, which tables and exports read. Its trials hold scores and the judge's calls alone.
"""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

from bench.errors import UsageError
from bench.protocols import HasPrice, HasStop
from bench.registry import load_source
from bench.runner.build import refuse_unpriced
from bench.runner.grade_batch import GradeBatch, Graded, GradeRequest
from bench.runner.progress import RunProgress
from bench.runner.stopping import catch_signals
from bench.runner.stored_run import open_stored_run
from bench.scoring.judge import read_rubrics, rubrics_digest
from bench.store.database import DATABASE, Store

__all__ = ["GRADES", "grade_run", "list_grades", "name_grading"]

GRADES = "grades"
"""The folder of what was graded again, below that of the run."""


def list_grades(folder: Path, out: Path | None = None) -> list[Path]:
    """Return the folders of what was graded again of a run; ``out``: where they are, if not below it."""
    return sorted(path.parent for path in (out or folder / GRADES).glob(f"*/{DATABASE}"))


def grade_run(folder: Path, request: GradeRequest, progress: RunProgress, out: Path | None = None) -> Graded:
    """Grade the answers of a run; the same request goes on where it stopped.

    Raises: UsageError, StoreError, BudgetStop, EndpointStop, Interrupted.
    """
    fields = {
        "judge": request.judge, "judge_endpoint": str(request.endpoint or ""), "cache": request.cache,
        "workers": request.workers, "max_usd": request.max_usd, "max_tokens": request.max_tokens,
    }  # fmt: skip
    rubrics = read_rubrics(request.rubrics)
    with open_stored_run(folder, fields) as run:
        trials = run.list_trials(answers=True)
        if not trials:
            raise UsageError(
                f"grade: expected answers of conversations, got none in {folder}; an episode is won or not, without a "
                "judge"
            )
        choice = run.question.judge
        assert choice is not None
        source = load_source(choice.name, choice.options)
        with closing(source), catch_signals() as stop:
            if isinstance(source, HasStop):
                stop.add(source.stop)
            where = (out or folder / GRADES) / name_grading(source.name, rubrics_digest(rubrics))
            priced = not isinstance(source, HasPrice) or source.price_known
            refuse_unpriced("grade", request.max_usd, lambda: [] if priced else [source.name])
            with Store(where) as store:
                return GradeBatch(run, store, source, request, progress).play(trials, stop)


def name_grading(judge: str, digest: str) -> str:
    """Return the name of the folder of a judge with its rubrics."""
    return f"{re.sub(r'[^A-Za-z0-9._-]+', '-', judge).strip('-.')}-{digest[:8]}"
