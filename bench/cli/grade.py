"""``bench grade``: the options; the work is in ``grading.py``, which is imported when it is needed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

__all__ = ["grade"]


def grade(
    *,
    folder: Annotated[Path, Argument(help="A run folder.", metavar="DIR")],
    judges: Annotated[str, Option("--judge", help="Models that grade its answers, with commas.")] = "",
    show: Annotated[bool, Option("--show", help="Print what was graded so far; call nothing.")] = False,
    rubrics: Annotated[Path | None, Option(help="A folder with rubrics in the place of ours.", metavar="DIR")] = None,
    endpoint: Annotated[Path | None, Option("--judge-endpoint", help="TOML file of the judges' endpoint.")] = None,
    cache: Annotated[str, Option(help="Share replies between runs: off, read or read-write.")] = "off",
    workers: Annotated[int, Option(min=0, help="Conversations at once (default: 16 if remote, else 1).")] = 0,
    max_usd: Annotated[float, Option(min=0, help="Stop when a judge has spent this much.")] = 0.0,
    max_tokens: Annotated[int, Option(min=0, help="Stop when a judge's ledger holds this many.")] = 0,
    style: Annotated[str, Option("--format", help="rich, md or json.")] = "rich",
    out: Annotated[Path | None, Option("-o", "--out", help="Where grades are kept (default: DIR/grades).")] = None,
) -> int:
    """Grade the stored answers of a run with other judges or rubrics; without a judge, compute its scores again."""
    from bench.cli.grading import GradeOptions, grade_command  # noqa: PLC0415

    names = tuple(name.strip() for name in judges.split(",") if name.strip())
    options = GradeOptions(names, show, rubrics, endpoint, cache, workers, max_usd, max_tokens, style, out)
    return grade_command(folder, options)
