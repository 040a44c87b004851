"""The calibration of a run's judge: what it makes of answers that are known to be right or wrong."""

from __future__ import annotations

from bench.runner.build import RunContext
from bench.runner.resolve import count_parallel_calls
from bench.scoring.judge_probes import ProbeReport, probe_judge
from bench.store.database import Store
from bench.types import Fingerprint

__all__ = ["calibrate_judge"]

_PROBES = "judge-probes"


def calibrate_judge(context: RunContext, store: Store) -> Fingerprint:
    """Return how the judge graded the calibration answers: measured once in a run, before it grades anything.

    Without calls (``cache=read``) nothing can be measured, and nothing is claimed.
    """
    judge = context.judge_model()
    if judge is None or not context.has_answers or context.config.cache == "read":
        return Fingerprint()
    report = store.meta(_PROBES)
    if report is None:
        report = probe_judge(judge, _count_judge_calls(context)).to_json()
        store.set_meta(_PROBES, report)
    return Fingerprint((("row.judge_probes", ProbeReport.from_json(report).line),))


def _count_judge_calls(context: RunContext) -> int:
    """Return how many calibration answers the judge gets at once."""
    judge = context.sources.judge
    if judge is None or not judge.remote:
        return 1
    return judge.workers or count_parallel_calls(context.config)
