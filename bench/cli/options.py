"""The options of a run, declared once for all commands that take them.

Imports nothing heavy: ``bench --help`` reads this file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, TypeVar, get_type_hints

from typer import Option

from bench.cli.complete import complete_strategies

__all__ = ["RunOptions", "take_run_options"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The options of a run as given; None = not given. Each has the name of the ``RunConfig`` field that it sets; those
    that begin with ``learn_`` set fields of its ``learn``."""

    strategies: Annotated[
        list[str] | None,
        Option(
            "-s", "--strategies", help="Strategies with parameters, e.g. window:k=5,bm25.",
            autocompletion=complete_strategies,
        ),
    ] = None  # fmt: skip
    model: Annotated[
        str | None, Option("-m", "--model", help="Model that acts and answers (default: offline/reader).")
    ] = None
    judge: Annotated[str | None, Option(help="Model that grades answers: MODEL, or MODEL@http://host/v1.")] = None
    judge_endpoint: Annotated[
        str | None, Option(help="TOML file with limits, dated prices and key variable of the judge.")
    ] = None
    base_url: Annotated[str | None, Option(help="Address of an OpenAI-compatible endpoint.")] = None
    temperature: Annotated[
        str | None, Option(help="Sampling temperature (default: 0); provider = not sent, its default holds.")
    ] = None
    top_p: Annotated[float | None, Option(help="Nucleus sampling (default: the provider's).")] = None
    model_seed: Annotated[int | None, Option(help="Sampling seed; the trial's seed is added (default: not sent).")] = (
        None
    )
    allow_unsupported: Annotated[
        bool | None, Option("--allow-unsupported", help="Leave out parameters that the provider does not know.")
    ] = None
    endpoint: Annotated[str | None, Option(help="TOML file with rate limits and dated prices of the endpoint.")] = None
    cache: Annotated[str | None, Option(help="Share replies between runs: off, read, read-write (default: off).")] = (
        None
    )
    embedder: Annotated[
        str | None, Option(help="Embedding model of strategies that use one (default: minilm if installed, else hash).")
    ] = None
    split: Annotated[str | None, Option(help="Split of each suite (default: the suite's own).")] = None
    limit: Annotated[int | None, Option(help="Tasks per suite, taken in turn from each group (default: all).")] = None
    seeds: Annotated[str | None, Option(help="Seeds, e.g. 0,1,2: every task once per seed (default: 0).")] = None
    attempts: Annotated[int | None, Option(help="Play a task again until it is won, so often in all (default: 1).")] = (
        None
    )
    steps: Annotated[int | None, Option(help="Step cap of an episode (default: the suite's own).")] = None
    learn_policy: Annotated[
        str | None, Option(help="Learn from a part of the tasks and evaluate the rest, e.g. grouped-by-spec.")
    ] = None
    learn_split: Annotated[str | None, Option(help="Learn from this split and evaluate --split.")] = None
    learn_tasks: Annotated[int | None, Option(help="Training tasks per suite (default: all).")] = None
    learn_attempts: Annotated[int | None, Option(help="Attempts at a training task (default: 1).")] = None
    learn_collectors: Annotated[
        str | None, Option(help="Strategies that play the training tasks (default: full-history).")
    ] = None
    learn_every: Annotated[
        str | None, Option(help="attempt: learners are called after each training attempt (default: run, once).")
    ] = None
    stream: Annotated[
        int | None, Option(help="Learn anew from the trials so far after so many tasks, in the order of each seed.")
    ] = None
    artifacts: Annotated[
        list[str] | None, Option("--artifact", help="What was learned before (bench learn).", metavar="DIR")
    ] = None
    leak: Annotated[str | None, Option(help="official: learn from evaluated tasks too; marks the rows.")] = None
    allow_edited: Annotated[
        bool | None, Option("--allow-edited", help="Take artifacts changed by hand; marks the rows.")
    ] = None
    allow_foreign: Annotated[
        bool | None, Option("--allow-foreign", help="Take artifacts of another suite; marks the rows.")
    ] = None
    budget_tokens: Annotated[int | None, Option(help="Most tokens of a context (default: no limit).")] = None
    reply_tokens: Annotated[int | None, Option(help="Most tokens of a reply that acts (default: 512).")] = None
    answer_tokens: Annotated[int | None, Option(help="Most tokens of a reply that answers (default: 512).")] = None
    ask_again: Annotated[
        int | None, Option(help="Ask once more where a reply cannot be read: 0 or 1 (default: 1).")
    ] = None
    task_wall_s: Annotated[float | None, Option(help="Seconds after which a task stays unscored (default: never).")] = (
        None
    )
    workers: Annotated[
        int | None, Option(help="Trials at once (default: one per core); for a remote model calls at once (16).")
    ] = None
    max_usd: Annotated[float | None, Option(help="Stop cleanly when this many US dollars are spent.")] = None
    max_tokens: Annotated[int | None, Option(help="Stop cleanly after this many prompt and completion tokens.")] = None


def take_run_options(command: Callable[..., T]) -> Callable[..., T]:
    """Give a command the options of a run in the place of its parameter ``options``, which gets them as one record."""
    hints = get_type_hints(RunOptions, include_extras=True)

    @wraps(command)
    def call(**given: Any) -> T:
        options = RunOptions(**{name: given.pop(name) for name in hints})
        return command(options=options, **given)

    parameters: list[Parameter] = []
    for parameter in signature(command, eval_str=True).parameters.values():
        if parameter.name == "options":
            parameters += [
                Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name])
                for field in fields(RunOptions)
            ]
        else:
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY))
    # typer reads the options of a command from these two.
    call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return call
