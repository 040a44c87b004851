"""The command line. A command's module is imported inside its function, so that ``bench --help`` answers at once."""

# ruff: noqa: PLC0415
from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bench import __version__
from bench.cli import arguments as args
from bench.cli.board import board
from bench.cli.figure import errors, figure, frontier
from bench.cli.grade import grade
from bench.cli.looking import cache, check, list_, show
from bench.cli.new import new
from bench.cli.options import RunOptions, take_run_options
from bench.cli.report import report, view
from bench.cli.reproduce import reproduce
from bench.cli.table_flags import table
from bench.cli.train import train
from bench.cli.usage import run_app

__all__ = ["app", "main"]

app = typer.Typer(
    name="bench", help="Run agent-memory strategies on shared tasks and compare them honestly.", no_args_is_help=True,
    rich_markup_mode="rich", pretty_exceptions_enable=False,
)  # fmt: skip


@take_run_options
def run(*, targets: args.Targets, options: RunOptions, out: args.Out = None) -> int:
    """Play suites with strategies; the same command continues where it stopped."""
    from bench.cli.run import run_command

    return run_command(targets, options, out)


@take_run_options
def learn(
    *, targets: args.Suites = None, options: RunOptions, source: args.Learned = None, control: args.Control = "",
    out: args.Out = None) -> int:  # fmt: skip
    """Let strategies learn from training tasks, without evaluating them; takes the options of `bench run`."""
    from bench.cli.learn import control_command, learn_command

    return control_command(source, control, out) if source or control else learn_command(targets or [], options, out)


@take_run_options
def curve(
    *,
    targets: args.Targets,
    options: RunOptions,
    tasks: Annotated[str, typer.Option(help="Numbers of training tasks, e.g. 6,12,24,all.")],
    y: args.SuccessAxis = "success",
    figure: Annotated[Path | None, typer.Option(help="Draw it, in a PNG, SVG or PDF.", show_default=False)] = None,
    style: Annotated[str, typer.Option("--format", help="rich, md, csv or json.")] = "rich",
    out: args.Out = None,
) -> int:
    """Evaluate learners after fewer and more training tasks of one collection; takes the options of `bench run`."""
    from bench.cli.curve import CurveOptions, curve_command

    return curve_command(targets, options, CurveOptions(tasks, y, figure, style), out)


@take_run_options
def forecast(
    *,
    targets: args.Targets,
    options: RunOptions,
    pilot: Annotated[int, typer.Option(help="Tasks of each suite that the offline model plays.")] = 8,
    source: Annotated[Path | None, typer.Option("--from", help="A pilot run of the model.", metavar="DIR")] = None,
    style: Annotated[str, typer.Option("--format", help="rich, md or json.")] = "rich",
) -> None:
    """Estimate the calls, tokens and dollars of a run; takes the options of `bench run`, needs no key."""
    from bench.cli.forecast import ForecastOptions, forecast_command

    forecast_command(targets, options, ForecastOptions(pilot, source, style))


def compare(folder: args.Folder, first: args.First, second: args.Second, metric: args.Score = "success") -> None:
    """Compare two strategies task by task, with tests and effect sizes."""
    from bench.cli.table import compare_command

    compare_command(folder, first, second, metric)


def export(
    folders: args.Folders,
    to: Annotated[str, typer.Option(help="What to write; docs/commands.md lists the formats.")] = "csv",
    columns: Annotated[str, typer.Option(help="Scores to export, with commas (default: all).")] = "",
    timing: Annotated[bool, typer.Option("--timing", help="Wall times too.")] = False,
    out: args.Out = None,
) -> None:
    """Write one line for every scored item of runs."""
    from bench.cli.export import export_command

    export_command(folders, to, [name for name in columns.split(",") if name], out, timing)


def judge_(
    model: Annotated[str, typer.Argument(help="The model to test as judge: MODEL, or MODEL@http://host/v1.")],
    style: Annotated[str, typer.Option("--format", help="rich, md or json.")] = "rich",
    workers: Annotated[int, typer.Option(min=0, help="Answers at once (default: 8 if remote, else 1).")] = 0,
    endpoint: Annotated[Path | None, typer.Option(help="TOML file with the judge's limits, prices and key.")] = None,
) -> int:
    """Give a judge calibration answers, right and wrong ones, and count what it accepts."""
    from bench.cli.judge import JudgeOptions, judge_command

    return judge_command(model, JudgeOptions(style, workers, endpoint))


def data(action: args.DataAction, name: args.DataName = None) -> int:
    """Download benchmark data, verify what is on disk, or print where it is."""
    from bench.cli.data import data_command

    return data_command(action, name)


def serve(model: args.Served, port: args.Port = 0) -> int:
    """Serve a local model or the offline player at an OpenAI-compatible address on this machine."""
    from bench.cli.serve import serve_command

    return serve_command(model, port)


def proxy(
    upstream: Annotated[str, typer.Option("--upstream", help="The model that answers, as for `bench run -m`.")],
    base_url: Annotated[str, typer.Option(help="Address of the upstream endpoint.")] = "",
    embedder: Annotated[str, typer.Option(help="Answers requests for embeddings.")] = "hash",
    out: Annotated[Path, typer.Option("-o", "--out", help="The ledger, one call a line.")] = Path("calls.jsonl"),
    port: args.Port = 0,
    leave_out: Annotated[list[str], typer.Option(help="A request parameter to ignore, e.g. response_format.")] = [],  # noqa: B006
) -> int:
    """Meter the model calls of any program that takes an OpenAI base URL."""
    from bench.cli.proxy import ProxyOptions, proxy_command
    from bench.models.options import ModelOptions

    return proxy_command(ProxyOptions(upstream, ModelOptions(base_url), embedder, out, port, leave_out))


def doctor() -> int:
    """Print what this machine can run and what is missing."""
    from bench.cli.doctor import doctor_command

    return doctor_command()


def demo(out: args.Out = None) -> int:
    """Play a small part of four suites offline, in about a minute: tables, a figure, and what to try next."""
    from bench.cli.demo import demo_command

    return demo_command(out)


_PANELS = {
    "Play": (run, learn, curve, reproduce, grade, forecast, train),
    "Results": (table, compare, frontier, errors, figure, show, report, view, export, board),
    "Strategies and suites": (list_, check, new),
    "Models and data": (judge_, data, cache, serve, proxy),
    "This machine": (demo, doctor),
}
for _panel, _commands in _PANELS.items():
    for _command in _commands:
        app.command(_command.__name__.rstrip("_"), rich_help_panel=_panel)(_command)


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        print(f"memfrontier {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line and end the process."""
    run_app(app)
