"""``bench judge``: the verdicts of a judge on calibration answers."""

from __future__ import annotations

import sys

from bench.cli.console import width
from bench.errors import unknown_name
from bench.report.formats import Grid, Section, to_markdown, to_rich
from bench.runner.build import load_judge
from bench.scoring.judge_probes import ProbeReport, Rate, probe_judge

__all__ = ["judge_command"]

_FORMATS = ("rich", "md", "json")


def judge_command(model: str, style: str) -> int:
    """Measure and print. Returns 1 if some reply was no verdict. Raises: UsageError, ModelError."""
    if style not in _FORMATS:
        raise unknown_name("judge", f"--format {'|'.join(_FORMATS)}", style, _FORMATS)
    source = load_judge(model)
    try:
        report = probe_judge(source.model(0))
    finally:
        source.close()
    print(_render(report, style), end="")
    return int(any(rate.no_verdict for rate in report.rates))


def _render(report: ProbeReport, style: str) -> str:
    if style == "json":
        return report.to_json() + "\n"
    lines = tuple(_to_line(rate) for rate in report.rates)
    plain = (False,) * len(lines)
    tokens = "not reported" if report.tokens is None else f"{report.tokens:,}"
    notes = (
        "accepted: graded CORRECT. vague: an answer that fits almost anything. A judge worth having accepts what is "
        "right and nothing else.",
        f"Cases and rubrics are this project's own; digest {report.rubrics}. Tokens spent: {tokens}.",
    )
    header = ("answers", "should be", "n", "accepted", "accepted %", "no verdict")
    left = (True, True, False, False, False, False)
    grid = Grid(header, left, (0,) * 6, (Section(f"judge {report.judge}", lines, plain, plain),), notes)
    return to_markdown(grid) if style == "md" else to_rich(grid, width=width(), color=sys.stdout.isatty())


def _to_line(rate: Rate) -> tuple[str, ...]:
    expected = "accepted" if rate.right_ones else "refused"
    share = f"{100 * rate.accepted / rate.n:.1f}"
    return (rate.kind, expected, str(rate.n), str(rate.accepted), share, str(rate.no_verdict))
