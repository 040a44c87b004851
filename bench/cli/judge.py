"""``bench judge``: the verdicts of a judge on calibration answers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.cli.console import width
from bench.errors import unknown_name
from bench.models.options import is_offline
from bench.protocols import HasStop
from bench.report.formats import Grid, Section, to_markdown, to_rich
from bench.runner.build import load_judge
from bench.runner.stopping import catch_signals
from bench.scoring.judge_probes import ProbeReport, Rate, kinds, probe_judge
from bench.store.printing import escape_json

__all__ = ["JudgeOptions", "judge_command"]

_FORMATS = ("rich", "md", "json")
_HEADER = ("answers", "should be", "n", "right", "wrong", "no verdict", "accepted %", "what it is")
_LEFT = (True, True, *(False,) * 5, True)
_WEIGHTS = (*(0,) * 7, 1)
_REMOTE_WORKERS = 8
_LINE_EVERY = 25
"""Graded answers between two lines of progress where there is no terminal."""


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """The options of ``bench judge``."""

    style: str = "rich"
    workers: int = 0
    """Answers graded at once; 0 = 8 for a remote judge, 1 in this process."""
    endpoint: Path | None = None


def judge_command(model: str, options: JudgeOptions) -> int:
    """Measure and print. Returns 1 if some reply was no verdict. Raises: UsageError, ModelError, Interrupted."""
    if options.style not in _FORMATS:
        raise unknown_name("judge", f"--format {'|'.join(_FORMATS)}", options.style, _FORMATS)
    source = load_judge(model, options.endpoint)
    try:
        workers = options.workers or source.workers or (_REMOTE_WORKERS if source.remote else 1)
        with catch_signals() as stop:
            if isinstance(source, HasStop):
                stop.add(source.stop)
            report = probe_judge(source.model(0), workers, _show_progress)
    finally:
        source.close()
    print(_render(report, options.style), end="")
    return int(any(rate.no_verdict for rate in report.rates))


def _show_progress(done: int, total: int) -> None:
    live, last = sys.stderr.isatty(), done == total
    if live or last or done % _LINE_EVERY == 0:
        print(f"judge: {done}/{total} answers graded", end="\r" if live and not last else "\n", file=sys.stderr)
        sys.stderr.flush()


def _render(report: ProbeReport, style: str) -> str:
    if style == "json":
        return escape_json(report.to_json()) + "\n"
    tokens = "not reported" if report.tokens is None else f"{report.tokens:,}"
    notes = (
        "right, wrong: verdicts that are, or are not, what the rubrics say. accepted: graded CORRECT. A judge worth "
        "having accepts what is right and nothing else.",
        f"Cases and rubrics are this project's own; digest {report.rubrics}. Tokens spent: {tokens}.",
    )
    name = f"judge {report.judge}" + (", offline (rule-based)" if is_offline(report.judge) else "")
    sections = (
        _make_section(name, [rate for rate in report.rates if not rate.fine]),
        _make_section(f"{name}, close to the line", [rate for rate in report.rates if rate.fine]),
    )
    grid = Grid(_HEADER, _LEFT, _WEIGHTS, sections, notes)
    return to_markdown(grid) if style == "md" else to_rich(grid, width=width(), color=sys.stdout.isatty())


def _make_section(title: str, rates: Sequence[Rate]) -> Section:
    n = sum(rate.n for rate in rates)
    sound, silent = sum(rate.as_expected for rate in rates), sum(rate.no_verdict for rate in rates)
    total = ("all", "", str(n), str(sound), str(n - sound - silent), str(silent), "", "")
    lines = (*map(_to_line, rates), total)
    plain = (False,) * len(lines)
    return Section(title, lines, plain, (*plain[1:], True))


def _to_line(rate: Rate) -> tuple[str, ...]:
    expected = "accepted" if rate.right_ones else "refused"
    wrong = rate.n - rate.as_expected - rate.no_verdict
    share = f"{100 * rate.accepted / rate.n:.1f}"
    what = next(kind.description for kind in kinds() if kind.name == rate.kind)
    return (rate.kind, expected, str(rate.n), str(rate.as_expected), str(wrong), str(rate.no_verdict), share, what)
