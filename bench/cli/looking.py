"""The commands that look at what is there: ``show``, ``list``, ``check`` and ``cache``. Imports nothing heavy."""

# ruff: noqa: PLC0415
from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from bench.cli import arguments as args
from bench.cli.complete import complete_kind

__all__ = ["cache", "check", "list_", "show"]


def show(
    folder: Annotated[Path, Argument(help="A run folder, or that of an artifact.", metavar="DIR")],
    trial: Annotated[str | None, Argument(help="STRATEGY@TASK, its beginning or a part; or a file.")] = None,
    step: Annotated[int, Option(help="Only this step, with its context and calls.")] = 0,
    context: Annotated[bool, Option("--context", help="Show each step's context and model calls.")] = False,
    workspace: args.Workspace = None,
    tree: Annotated[bool, Option("--tree", help="List the files that its memory kept.")] = False,
    first: Annotated[bool, Option("--first", help="Of several trials that the name fits, the first.")] = False,
) -> None:
    """Read a trial step by step, or a file of an artifact; without a name, list them."""
    from bench.cli.show import ShowOptions, show_command

    show_command(folder, trial, ShowOptions(step, context, workspace, tree, first))


def list_(
    kind: Annotated[
        str, Argument(help="suites, strategies, models, embedders or papers.", autocompletion=complete_kind)
    ],
    style: Annotated[str, Option("--format", help="rich or json.")] = "rich",
) -> None:
    """List suites, strategies, models, embedders or papers."""
    from bench.cli.list_check import list_command

    list_command(kind, style)


def check(strategy: args.CheckedName = "", suite: args.CheckedSuite = "", split: args.CheckedSplit = "") -> int:
    """Check that a strategy, or a suite, obeys the rules (conformance)."""
    from bench.cli.list_check import check_command

    return check_command(strategy, suite, split)


def cache(
    action: Annotated[str, Argument(help="where, stats, export or import.")],
    file: Annotated[Path | None, Argument(help="A cassette, e.g. table.jsonl.gz.", show_default=False)] = None,
    run: Annotated[Path | None, Option(help="Export only what this run requested.", metavar="DIR")] = None,
) -> None:
    """Replies cached for other runs: where, how many, and cassettes that others can replay without a key."""
    from bench.cli.cache import cache_command

    cache_command(action, file, run)
