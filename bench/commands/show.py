"""``bench show``: read one trial with one's own eyes, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bench.commands.screen import screen
from bench.errors import UsageError, nearest
from bench.store.frames import read_items
from bench.store.reader import read_trials
from bench.types import Step, Trial

__all__ = ["show_command"]

_SHOWN = 60


def show_command(folder: Path, wanted: str | None, *, step: int = 0, context: bool = False) -> None:
    """Print a list of trials, or one: ``wanted`` is ``STRATEGY@TASK``, with ``#SEED`` where
    that is not 0, or any part of it that fits one trial.

    Raises: UsageError, StoreError.
    """
    console = screen()
    if wanted is None:
        _list(console, folder)
        return
    trial = _find(folder, wanted)
    _head(console, trial)
    for one in trial.steps:
        if step in (0, one.index):
            _step(console, one, context=context or step == one.index)


def _name(strategy: object, task: object, seed: object) -> str:
    return f"{strategy}@{task}#{seed}" if seed else f"{strategy}@{task}"


def name_of(trial: Trial) -> str:
    return _name(trial.key.strategy, trial.key.task, trial.key.seed)


def _list(console: Console, folder: Path) -> None:
    frame = read_items([folder]).drop_duplicates(["suite", "strategy", "task", "seed", "attempt"])
    grid = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("trial", "status", "end", "steps", "success"):
        grid.add_column(name, justify="right" if name in ("steps", "success") else "left", overflow="fold")
    for row in frame.head(_SHOWN).to_dict("records"):
        grid.add_row(
            escape(_name(row["strategy"], row["task"], row["seed"])),
            str(row["status"]),
            str(row["end"]),
            *(_whole(row.get(name)) for name in ("steps", "success")),
        )
    console.print(grid)
    if len(frame) > _SHOWN:
        console.print(f"[dim]… {len(frame) - _SHOWN} more; name one: bench show {folder} STRATEGY@TASK[/]")


def _whole(value: object) -> str:
    return "" if not isinstance(value, float) or value != value else f"{value:g}"


def _find(folder: Path, wanted: str) -> Trial:
    """Return the one trial whose name contains ``wanted``; an exact name wins."""
    strategy, at, task = wanted.partition("#")[0].partition("@")
    where, args = ("strategy = ? AND task LIKE ?", [strategy, f"%{task}%"]) if at else ("task LIKE ?", [f"%{wanted}%"])
    found = read_trials(folder, where=where, args=args)
    exact = [trial for trial in found if name_of(trial) == wanted]
    if len(exact or found) == 1:
        return (exact or found)[0]
    names = sorted({name_of(trial) for trial in found})
    if names:
        raise UsageError(f"show: expected one trial, got {len(names)} for {wanted!r}; e.g. {', '.join(names[:4])}")
    known = sorted({_name(row.strategy, row.task, row.seed) for row in read_items([folder]).itertuples()})
    close = nearest(wanted, known) or known[:3]
    raise UsageError(f"show: expected a trial, got {wanted!r}; did you mean {' or '.join(close)}?")


def _head(console: Console, trial: Trial) -> None:
    key = trial.key
    console.print(
        f"[bold]{escape(name_of(trial))}[/]  {escape(key.suite)} {key.split}  model {key.model} seed {key.seed}"
    )
    scores = {score.name: score.value for item in trial.items[:1] for score in item.scores}
    told = "  ".join(
        f"{name} {scores[name]:g}" for name in ("success", "progress", "steps", "calls", "tokens_total")
        if scores.get(name) is not None
    )  # fmt: skip
    console.print(f"{trial.status.value}, {trial.end.value}  {told}")
    if trial.error:
        console.print(f"[red]{escape(trial.error)}[/]")
    console.print(f"\n{escape(trial.opening)}\n")


def _step(console: Console, step: Step, *, context: bool) -> None:
    for line in _lines(step, context=context):
        console.print(line)


def _lines(step: Step, *, context: bool) -> Iterator[str]:
    got = step.observation
    if context and step.decision.context.text:
        yield f"[dim]context, {step.context_tokens} tokens, from {', '.join(step.decision.context.refs)}:[/]"
        yield f"[dim]{escape(step.decision.context.text)}[/]"
    asked = "" if got.text or not step.stimulus.text else f"[cyan]{escape(step.stimulus.text)}[/]\n     "
    mark = "" if got.valid else f"  [yellow]({got.invalid_reason or 'invalid'})[/]"
    yield f"[bold]{step.index:>3}[/]  {asked}[green]> {escape(step.decision.text)}[/]{mark}"
    for note in step.decision.notes:
        yield f"     [magenta]{escape(note)}[/]"
    if got.text:
        yield f"     {escape(got.text)}  [dim]progress {got.progress:.2f}, context {step.context_tokens}[/]"
