"""Arguments and options of commands. Imports nothing heavy: ``bench --help`` reads this file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from bench.cli.complete import complete_strategy, complete_suite

__all__ = [
    "CheckedName",
    "CheckedSplit",
    "CheckedSuite",
    "Control",
    "CostAxis",
    "DataAction",
    "DataName",
    "First",
    "Folder",
    "Folders",
    "Learned",
    "Out",
    "Port",
    "Score",
    "Second",
    "Served",
    "SuccessAxis",
    "Suites",
    "Targets",
    "Workspace",
]

Targets = Annotated[
    list[str],
    Argument(help="Suites, a run.toml, or a run folder to continue.", autocompletion=complete_suite),
]
CheckedName = Annotated[
    str,
    Argument(
        help="A strategy, e.g. window:k=3.", metavar="STRATEGY", show_default=False, autocompletion=complete_strategy
    ),
]
CheckedSuite = Annotated[
    str,
    Option(
        "--suite", help="A suite in its place, e.g. locomo:ask=20.", show_default=False, autocompletion=complete_suite
    ),
]
CheckedSplit = Annotated[str, Option("--split", help="Of --suite; else the first that needs no download.")]
Suites = Annotated[list[str] | None, Argument(help="Suites.", autocompletion=complete_suite)]
CostAxis = Annotated[str, Option("-x", help="Cost axis, e.g. tokens or context_tokens_mean.")]
SuccessAxis = Annotated[str, Option("-y", help="Success axis, e.g. success or success_at_20.")]
Folder = Annotated[Path, Argument(help="A run folder.", metavar="DIR")]
First = Annotated[str, Argument(help="A strategy.", metavar="A")]
Second = Annotated[str, Argument(help="Another strategy.", metavar="B")]
Score = Annotated[str, Option("--metric", help="Any score, e.g. success, progress, tokens_total.")]
Folders = Annotated[list[Path], Argument(help="Run folders.", metavar="DIR...", show_default=False)]
Learned = Annotated[Path | None, Option("--from", help="What was learned before.", metavar="DIR", show_default=False)]
Control = Annotated[str, Option(help="Make a control of what was learned before: placebo, shuffled or swapped.")]
DataAction = Annotated[str, Argument(help="get, check or where.")]
DataName = Annotated[str | None, Argument(help="A suite, or prompts (the papers' own); without one, all.")]
Served = Annotated[str, Argument(help="offline/reader, local/smollm2-135m, or local/ and a .gguf file.")]
Port = Annotated[int, Option(help="0 = any free port.")]
Out = Annotated[Path | None, Option("-o", "--out", help="Where to write.", show_default=False)]
Workspace = Annotated[Path | None, Option(help="Write the files that its memory kept to a new folder.", metavar="DIR")]
