"""``bench reproduce``: measure a table of a paper, and print it beside the paper's own numbers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from bench.cli import arguments as args
from bench.cli.options import RunOptions, take_run_options

__all__ = ["ReproduceOptions", "reproduce"]

_PILOT = 2


@dataclass(frozen=True, slots=True)
class ReproduceOptions:
    """The flags that ``bench run`` does not have."""

    dry_run: bool = False
    pilot: int = _PILOT
    """Tasks of each suite that a forecast plays offline."""
    cassette: Path | None = None
    style: str = "rich"


@take_run_options
def reproduce(
    *,
    target: Annotated[str, Argument(help="A table of `bench list papers`, or a recipe.toml.", metavar="PAPER/TABLE")],
    options: RunOptions,
    dry_run: Annotated[bool, Option("--dry-run", help="Print the runs and a forecast; run nothing.")] = False,
    pilot: Annotated[int, Option(help="Tasks of each suite that the forecast plays offline.", min=1)] = _PILOT,
    cassette: Annotated[
        Path | None, Option(help="Replay the replies of a cassette; no model is called.", metavar="FILE")
    ] = None,
    style: Annotated[str, Option("--format", help="rich, md, csv, json or latex.")] = "rich",
    out: args.Out = None,
) -> int:
    """Measure a table of a paper, and print it beside the paper's own numbers; takes the options of `bench run`."""
    from bench.cli.reproducing import reproduce_command  # noqa: PLC0415

    return reproduce_command(target, options, ReproduceOptions(dry_run, pilot, cassette, style), out)
