"""What ``bench grade`` does: grade answers again and print all judges of a run, or compute its scores again."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from bench.cli.console import width
from bench.cli.table import end_line
from bench.errors import UsageError, unknown_name
from bench.report.judges import FORMATS, compare_judges, render_judges
from bench.report.judges_of_run import name_judges, read_judged
from bench.report.moved import render_moved
from bench.runner.grade_batch import GradeRequest
from bench.runner.progress import choose_progress
from bench.runner.regrading import grade_run, list_grades
from bench.runner.rescoring import rescore_run
from bench.store.printing import say

__all__ = ["GradeOptions", "grade_command"]

_CACHES = ("off", "read", "read-write")


@dataclass(frozen=True, slots=True)
class GradeOptions:
    """The options of ``bench grade``."""

    judges: tuple[str, ...] = ()
    """None = the scores are computed again."""
    show: bool = False
    rubrics: Path | None = None
    endpoint: Path | None = None
    cache: str = "off"
    workers: int = 0
    max_usd: float = 0.0
    max_tokens: int = 0
    style: str = "rich"
    out: Path | None = None


def grade_command(folder: Path, options: GradeOptions) -> int:
    """Grade and print. Returns 1 if some answer has no verdict. Raises: UsageError, StoreError, what stops a run."""
    if options.style not in FORMATS:
        raise unknown_name("grade", "a format", options.style, FORMATS)
    if options.cache not in _CACHES:
        raise unknown_name("grade", "--cache", options.cache, _CACHES)
    if options.show and options.judges:
        raise UsageError("grade: expected --judge or --show, got both; leave out --show to grade")
    if not options.judges and not options.show:
        again = rescore_run(folder)
        print(end_line(render_moved(again, options.style, width=width(), color=sys.stdout.isatty())), end="")
        return 0
    code = max([_grade(folder, judge, options) for judge in options.judges], default=0)
    found = [judged for where in (folder, *list_grades(folder, options.out)) for judged in read_judged(where)]
    if not found:
        raise UsageError(f"grade: expected answers that a judge has graded, got none in {folder}; add --judge MODEL")
    report = compare_judges(name_judges(found, folder))
    print(end_line(render_judges(report, options.style, width=width(), color=sys.stdout.isatty())), end="")
    return code


def _grade(folder: Path, judge: str, options: GradeOptions) -> int:
    request = GradeRequest(
        judge, options.endpoint, options.rubrics, options.cache, options.workers, options.max_usd, options.max_tokens
    )
    done = grade_run(folder, request, choose_progress(), options.out)
    say(f"grade: recorded in {done.folder}")
    if done.unscored:
        say(
            f"grade: {done.unscored} conversations with answers that {judge} did not grade; the same command asks again"
        )
    return int(done.unscored > 0)
