"""``bench report`` and ``bench view``: their options. What they do is imported when one of them is called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from bench.cli import arguments as args

__all__ = ["report", "view"]

Reference = Annotated[str | None, Option(help="Strategy to test against (default: full-history).")]


def report(
    folders: args.Folders,
    out: Annotated[Path, Option("-o", "--out", help="The HTML file.")] = Path("report.html"),
    reference: Reference = None,
    workspaces: Annotated[int, Option(min=0, help="Trials of each strategy whose memory's files are shown.")] = 8,
) -> None:
    """Write one HTML file of runs: tables, figures and every step of every trial; it opens without a network."""
    from bench.cli.report_file import report_command  # noqa: PLC0415

    report_command(folders, out, reference, workspaces)


def view(folders: args.Folders, port: args.Port = 0, reference: Reference = None) -> int:
    """Serve the report of runs on this machine and keep it up to date while they go on, until Ctrl-C."""
    from bench.cli.view import view_command  # noqa: PLC0415

    return view_command(folders, port, reference)
