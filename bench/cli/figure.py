"""``bench frontier``, ``bench errors`` and ``bench figure`` as commands: their flags. Imports nothing heavy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from bench.cli import arguments as args

__all__ = ["errors", "figure", "frontier"]

Outs = Annotated[
    list[Path] | None,
    Option("-o", "--out", help="A .png, .svg or .pdf to draw, or a .csv for the numbers; may be repeated."),
]
Rows = Annotated[str, Option("--rows", help="Only these strategies, with commas.")]
Title = Annotated[str | None, Option(help="Instead of the heading; '' = none.", show_default=False)]
Size = Annotated[str, Option(help="single or double (columns of a paper), or WIDTHxHEIGHT in inches.")]
Highlight = Annotated[str, Option(help="Draw these strategies in another colour, with commas.")]
Dark = Annotated[bool, Option("--dark", help="On a dark ground.")]
Style = Annotated[str, Option("--format", help="What is printed: rich or csv.")]


def frontier(
    *, folders: args.Folders, x: args.CostAxis = "tokens", y: args.SuccessAxis = "success", out: Outs = None,
    rows: Rows = "", title: Title = None, size: Size = "", highlight: Highlight = "", dark: Dark = False,
    build_cost: Annotated[str, Option(help="on: what learning took is part of tokens, or cost; off: it is not.")] = "",
    overlay: Annotated[bool, Option("--overlay", help="Draw the second of two runs over the first.")] = False,
    style: Annotated[str, Option("--format", help="What is printed: rich, md, csv, latex or json.")] = "rich",
) -> None:  # fmt: skip
    """Draw tokens against success, or any two metrics, and print the numbers."""
    from bench.cli.drawing import FigureOptions  # noqa: PLC0415
    from bench.cli.frontier import FrontierOptions, frontier_command  # noqa: PLC0415

    options = FigureOptions(out or [], rows, title, size, highlight, dark, style)
    frontier_command(folders, FrontierOptions(x, y, build_cost, overlay), options)


def errors(
    *, folders: args.Folders, out: Outs = None, rows: Rows = "", title: Title = None, size: Size = "",
    highlight: Highlight = "", dark: Dark = False, style: Style = "rich",
) -> None:  # fmt: skip
    """Draw why questions or decisions failed and print the numbers."""
    from bench.cli.drawing import FigureOptions, KindOptions, figure_command  # noqa: PLC0415

    options = FigureOptions(out or [], rows, title, size, highlight, dark, style)
    figure_command("errors", folders, KindOptions(), options)


def figure(
    *,
    kind: Annotated[
        str,
        Argument(
            help="progress, executability, success-by-cap, learning, tokens, errors or differences.", metavar="KIND"
        ),
    ],
    folders: args.Folders, out: Outs = None, rows: Rows = "", title: Title = None, size: Size = "",
    highlight: Highlight = "", dark: Dark = False, style: Style = "rich",
    metric: Annotated[str, Option("-y", "--metric", help="Of differences and learning: any score.")] = "success",
    every: Annotated[int, Option(help="Of curves by step: a point, or a window, every so many steps.")] = 5,
) -> None:  # fmt: skip
    """Draw a figure of runs and print its numbers."""
    from bench.cli.drawing import FigureOptions, KindOptions, figure_command  # noqa: PLC0415

    options = FigureOptions(out or [], rows, title, size, highlight, dark, style)
    figure_command(kind, folders, KindOptions(metric, every), options)
