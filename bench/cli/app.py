"""The command line: reads words, imports what the one command needs, turns errors into exit codes.

Commands live in ``bench.commands``. They are imported inside the functions here, and nowhere else, so that
``bench --help`` answers at once.
"""

# ruff: noqa: PLC0415
from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from bench import __version__
from bench.errors import BenchError, BudgetStop, Interrupted, nearest
from bench.secrets import scrub

__all__ = ["app", "main"]

app = typer.Typer(
    name="bench",
    help="Run agent-memory strategies on shared tasks and compare them honestly.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)

Folders = Annotated[list[Path], typer.Argument(help="Run folders.", metavar="DIR...", show_default=False)]
Out = Annotated[Path | None, typer.Option("-o", "--out", help="Where to write.", show_default=False)]


# The flags of a question: what `bench run` answers and `bench forecast` estimates.
Rows = Annotated[list[str], typer.Option("-s", "--strategies", help="Rows, e.g. window:k=5,bm25.")]
Model = Annotated[str | None, typer.Option("-m", "--model", help="Default offline/reader.")]
Judge = Annotated[str | None, typer.Option(help="Grades answers: MODEL, or MODEL@http://host/v1.")]
BaseUrl = Annotated[str | None, typer.Option(help="Address of an OpenAI-compatible endpoint.")]
Temperature = Annotated[float | None, typer.Option(help="Sent as it is; without it, not sent.")]
TopP = Annotated[float | None, typer.Option(help="Sent as it is; without it, not sent.")]
ModelSeed = Annotated[int | None, typer.Option(help="Sent plus the trial's seed; without it, not sent.")]
AllowUnsupported = Annotated[
    bool | None, typer.Option("--allow-unsupported", help="Leave out parameters the provider does not know.")
]
Endpoint = Annotated[str | None, typer.Option(help="TOML file with limits and dated prices.")]
Cache = Annotated[str | None, typer.Option(help="off, read or read-write: replies shared between runs.")]
Embedder = Annotated[str | None, typer.Option(help="Default hash.")]
Split = Annotated[str | None, typer.Option(help="Default: the suite's own.")]
Limit = Annotated[int | None, typer.Option(help="Tasks per suite, in turn from each group.")]
Seeds = Annotated[str | None, typer.Option(help="E.g. 0,1,2.")]
Steps = Annotated[int | None, typer.Option(help="Step cap of an episode.")]
BudgetTokens = Annotated[int | None, typer.Option(help="The most a context may be long.")]
TaskWallS = Annotated[float | None, typer.Option(help="Seconds after which a task is left unscored.")]
Workers = Annotated[int | None, typer.Option(help="A far model: calls at once (16); else trials at once (cores).")]
MaxUsd = Annotated[float | None, typer.Option(help="Stop cleanly when this much is spent.")]
MaxTokens = Annotated[int | None, typer.Option(help="Stop cleanly at this many tokens.")]


@app.command()
def run(
    targets: Annotated[list[str], typer.Argument(help="Suites, a run.toml, or a run folder to go on with.")],
    strategies: Rows = [],  # noqa: B006
    model: Model = None,
    judge: Judge = None,
    base_url: BaseUrl = None,
    temperature: Temperature = None,
    top_p: TopP = None,
    model_seed: ModelSeed = None,
    allow_unsupported: AllowUnsupported = None,
    endpoint: Endpoint = None,
    cache: Cache = None,
    embedder: Embedder = None,
    split: Split = None,
    limit: Limit = None,
    seeds: Seeds = None,
    steps: Steps = None,
    budget_tokens: BudgetTokens = None,
    task_wall_s: TaskWallS = None,
    workers: Workers = None,
    max_usd: MaxUsd = None,
    max_tokens: MaxTokens = None,
    out: Out = None,
) -> int:
    """Play suites with strategies; the same command goes on where it stopped."""
    from bench.cli.run import RunOptions, run_command

    options = RunOptions(
        strategies, model, judge, base_url, temperature, top_p, model_seed, allow_unsupported, endpoint, cache,
        embedder, split, limit, seeds, steps, budget_tokens, task_wall_s, workers, max_usd, max_tokens,
    )  # fmt: skip
    return run_command(targets, options, out)


@app.command()
def forecast(
    targets: Annotated[list[str], typer.Argument(help="Suites, a run.toml, or a run folder.")],
    strategies: Rows = [],  # noqa: B006
    model: Model = None,
    judge: Judge = None,
    base_url: BaseUrl = None,
    temperature: Temperature = None,
    top_p: TopP = None,
    model_seed: ModelSeed = None,
    allow_unsupported: AllowUnsupported = None,
    endpoint: Endpoint = None,
    cache: Cache = None,
    embedder: Embedder = None,
    split: Split = None,
    limit: Limit = None,
    seeds: Seeds = None,
    steps: Steps = None,
    budget_tokens: BudgetTokens = None,
    task_wall_s: TaskWallS = None,
    workers: Workers = None,
    max_usd: MaxUsd = None,
    max_tokens: MaxTokens = None,
    pilot: Annotated[int, typer.Option(help="Tasks of each suite that the offline model plays.")] = 8,
    source: Annotated[Path | None, typer.Option("--from", help="A pilot run of the model.", metavar="DIR")] = None,
    style: Annotated[str, typer.Option("--format", help="rich, md or json.")] = "rich",
) -> None:
    """Say how many calls, tokens and dollars a run would take; takes the flags of `bench run`, needs no key."""
    from bench.cli.forecast import ForecastOptions, forecast_command
    from bench.cli.run import RunOptions

    options = RunOptions(
        strategies, model, judge, base_url, temperature, top_p, model_seed, allow_unsupported, endpoint, cache,
        embedder, split, limit, seeds, steps, budget_tokens, task_wall_s, workers, max_usd, max_tokens,
    )  # fmt: skip
    forecast_command(targets, options, ForecastOptions(pilot, source, style))


@app.command()
def table(
    folders: Folders,
    by: Annotated[str, typer.Option(help="group: a row per task type too.")] = "",
    style: Annotated[str, typer.Option("--format", help="rich, md, csv, latex or json.")] = "rich",
    timing: Annotated[bool, typer.Option("--timing", help="Show wall times.")] = False,
    reference: Annotated[str | None, typer.Option(help="Row to test against; default full-history.")] = None,
    notes: Annotated[bool, typer.Option("--notes", help="Print the definition of every column.")] = False,
) -> None:
    """Print the result table of one or more runs."""
    from bench.cli.table import TableOptions, table_command

    table_command(folders, TableOptions(style, by, timing, reference, notes))


@app.command()
def compare(
    folder: Annotated[Path, typer.Argument(help="A run folder.", metavar="DIR")],
    first: Annotated[str, typer.Argument(help="A row.", metavar="A")],
    second: Annotated[str, typer.Argument(help="Another row.", metavar="B")],
    metric: Annotated[str, typer.Option(help="Any score, e.g. success, progress, tokens_total.")] = "success",
) -> None:
    """Compare two rows task by task, with tests and effect sizes."""
    from bench.cli.table import compare_command

    compare_command(folder, first, second, metric)


@app.command()
def frontier(
    folders: Folders,
    x: Annotated[str, typer.Option("-x", help="Cost axis, e.g. tokens or context_tokens_mean.")] = "tokens",
    y: Annotated[str, typer.Option("-y", help="Success axis.")] = "success",
    out: Out = None,
) -> None:
    """Draw tokens against success (PNG, SVG or PDF) and print the numbers."""
    from bench.cli.frontier import frontier_command

    frontier_command(folders, x, y, out)


@app.command()
def show(
    folder: Annotated[Path, typer.Argument(help="A run folder.", metavar="DIR")],
    trial: Annotated[str | None, typer.Argument(help="STRATEGY@TASK, or part of a task.")] = None,
    step: Annotated[int, typer.Option(help="Only this step, with its context.")] = 0,
    context: Annotated[bool, typer.Option("--context", help="Show each step's context.")] = False,
) -> None:
    """Read a trial step by step; without a name, list the trials."""
    from bench.cli.show import show_command

    show_command(folder, trial, step=step, context=context)


@app.command()
def export(
    folders: Folders,
    to: Annotated[str, typer.Option(help="csv, jsonl or parquet.")] = "csv",
    columns: Annotated[str, typer.Option(help="Scores to keep, with commas; default all.")] = "",
    timing: Annotated[bool, typer.Option("--timing", help="Wall times too.")] = False,
    out: Out = None,
) -> None:
    """Write every scored item of runs as one row."""
    from bench.cli.export import export_command

    export_command(folders, to, [name for name in columns.split(",") if name], out, timing)


@app.command("list")
def list_(kind: Annotated[str, typer.Argument(help="suites, strategies, models or embedders.")]) -> None:
    """List what there is."""
    from bench.cli.list_check import list_command

    list_command(kind)


@app.command()
def check(strategy: Annotated[str, typer.Argument(help="A strategy, with parameters if you like.")]) -> int:
    """Check that a strategy keeps the rules (conformance)."""
    from bench.cli.list_check import check_command

    return check_command(strategy)


@app.command("judge")
def judge_(
    model: Annotated[str, typer.Argument(help="The model that would judge: MODEL, or MODEL@http://host/v1.")],
    style: Annotated[str, typer.Option("--format", help="rich, md or json.")] = "rich",
) -> int:
    """Put answers of known worth to a judge and count what it accepts."""
    from bench.cli.judge import judge_command

    return judge_command(model, style)


@app.command()
def data(
    action: Annotated[str, typer.Argument(help="get, check or where.")],
    name: Annotated[str | None, typer.Argument(help="A suite; without one, all.")] = None,
) -> int:
    """Download benchmark data, verify what is on disk, or say where it lies."""
    from bench.cli.data import data_command

    return data_command(action, name)


@app.command()
def cache(
    action: Annotated[str, typer.Argument(help="where, stats, export or import.")],
    file: Annotated[Path | None, typer.Argument(help="A cassette, e.g. table.jsonl.gz.", show_default=False)] = None,
    run: Annotated[Path | None, typer.Option("--run", help="Export only what this run asked.", metavar="DIR")] = None,
) -> None:
    """Replies kept for other runs: where, how many, and cassettes that others can replay without a key."""
    from bench.cli.cache import cache_command

    cache_command(action, file, run)


@app.command()
def serve(
    model: Annotated[str, typer.Argument(help="local/smollm2-135m, or local/ and the path of a .gguf file.")],
    port: Annotated[int, typer.Option(help="0 = any free one.")] = 0,
) -> int:
    """Put a local model behind an OpenAI-compatible address on this machine."""
    from bench.cli.serve import serve_command

    return serve_command(model, port)


@app.command()
def proxy(
    upstream: Annotated[str, typer.Option("--upstream", help="The model that answers, as for `bench run -m`.")],
    base_url: Annotated[str, typer.Option(help="Address of the upstream endpoint.")] = "",
    embedder: Annotated[str, typer.Option(help="Answers requests for embeddings.")] = "hash",
    out: Annotated[Path, typer.Option("-o", "--out", help="The ledger, one call a line.")] = Path("calls.jsonl"),
    port: Annotated[int, typer.Option(help="0 = any free one.")] = 0,
    leave_out: Annotated[list[str], typer.Option(help="A parameter to ignore, e.g. response_format.")] = [],  # noqa: B006
) -> int:
    """Meter the model calls of any program that takes an OpenAI base URL."""
    from bench.cli.proxy import ProxyOptions, proxy_command
    from bench.models.options import ModelOptions

    return proxy_command(ProxyOptions(upstream, ModelOptions(base_url), embedder, out, port, leave_out))


@app.command()
def doctor() -> int:
    """Say what this machine can run and what is missing."""
    from bench.cli.doctor import doctor_command

    return doctor_command()


@app.command()
def demo(out: Out = None) -> int:
    """Every suite in small with every strategy, offline, in under two minutes."""
    from bench.cli.demo import demo_command

    return demo_command(out)


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        print(f"memfrontier {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line. Exit codes: 0 done, 1 finished with unscored trials or broken rules, 2 wrong usage or
    unusable folder, 3 stopped by budget, 130 interrupted."""
    try:
        code = app(standalone_mode=False, prog_name="bench")
    except (BudgetStop, Interrupted) as stop:
        _leave(str(stop), 3 if isinstance(stop, BudgetStop) else 130)
    except BenchError as error:
        _leave(str(error), 2)
    except KeyboardInterrupt:
        _leave("interrupted", 130)
    except Exception as error:
        # typer brings its own copy of click or uses the installed one; both name a usage error's text the same way.
        if not (hasattr(error, "format_message") and hasattr(error, "exit_code")):
            _leave(traceback.format_exc(), 1)
        _leave(_wrong_usage(error.format_message() + _given(error.__cause__)), 2)
    else:
        sys.exit(code if isinstance(code, int) else 0)


def _leave(message: str, code: int) -> NoReturn:
    print(f"bench: {scrub(message)}", file=sys.stderr)
    sys.exit(code)


def _given(cause: BaseException | None) -> str:
    """Return the word that an option could not take: typer has it from pydantic and does not print it."""
    errors = getattr(cause, "errors", None)
    found = errors() if callable(errors) else []
    return f", got {found[0]['input']!r}" if found else ""


def _wrong_usage(message: str) -> str:
    """Return one line: what was wrong, and the nearest command or where help is."""
    known = [command.name or command.callback.__name__ for command in app.registered_commands if command.callback]
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    if word in known:
        return f"{message.rstrip('.')}; see `bench {word} --help`"
    close = nearest(word, known)
    hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(sorted(known))}"
    return f"expected a command, got {word!r}; {hint}"
