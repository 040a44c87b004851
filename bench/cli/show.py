"""``bench show``: read one trial with one's own eyes, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bench.cli.console import screen
from bench.errors import UsageError, nearest
from bench.store.dataframe import read_items
from bench.store.read import read_trials
from bench.types import Item, Step, Trial

__all__ = ["show_command"]

_SHOWN = 60
_OF_A_QUESTION = (
    "success", "f1", "adversarial", "criteria", "abstention", "judge_accuracy", "judge_adversarial", "evidence_recall",
    "evidence_precision",
)  # fmt: skip


def show_command(folder: Path, wanted: str | None, *, step: int = 0, context: bool = False) -> None:
    """Print a list of trials, or one: ``wanted`` is ``STRATEGY@TASK``, with ``#SEED`` where
    that is not 0, or any part of it that fits one trial; ``STRATEGY@QUESTION`` is one question of a conversation.

    Raises: UsageError, StoreError.
    """
    console = screen()
    if wanted is None:
        _list(console, folder)
        return
    strategy, _, item = wanted.partition("@")
    asked = _asked(folder, strategy, item)
    trial = asked or _find(folder, wanted)
    if asked:
        step = [one.id for one in asked.items].index(item) + 1
    chosen = [one for one in trial.steps if step in (0, one.index)]
    if step and not chosen:
        raise UsageError(f"show: expected a step from 1 to {len(trial.steps)}, got {step}; leave --step out to see all")
    _head(console, trial)
    questions = trial.items if any(one.id != trial.key.task for one in trial.items) else ()
    for one in chosen:
        _step(console, one, context=context or step == one.index)
        if one.index <= len(questions):
            console.print(f"     [dim]{escape(_worth(questions[one.index - 1]))}[/]")


def _asked(folder: Path, strategy: str, item: str) -> Trial | None:
    """Return the conversation in which a strategy was asked the question of that name, None if there is none."""
    where = "strategy = ? AND task != ? AND id IN (SELECT trial FROM items WHERE item = ?)"
    found = read_trials(folder, where=where, args=[strategy, item, item]) if item else []
    first = [trial for trial in found if not trial.key.seed] or found
    # Of several suites with that question, none is meant more than another: the search says so.
    return first[0] if len(first) == 1 else _find(folder, f"{strategy}@{first[0].key.task}") if first else None


def _worth(item: Item) -> str:
    """Return what a question was worth, and what is known of its evidence."""
    scores = {score.name: score.value for score in item.scores}
    told = [f"{name} {scores[name]:.3g}" for name in _OF_A_QUESTION if scores.get(name) is not None]
    return f"{item.id} ({item.group}): {', '.join(told)}"


def _name(strategy: object, task: object, seed: object) -> str:
    return f"{strategy}@{task}#{seed}" if seed else f"{strategy}@{task}"


def name_of(trial: Trial) -> str:
    return _name(trial.key.strategy, trial.key.task, trial.key.seed)


def _list(console: Console, folder: Path) -> None:
    key = ["suite", "strategy", "task", "seed", "attempt"]
    items = read_items([folder])
    if "success" in items:  # a conversation has as many scores as questions
        items["success"] = items.groupby(key)["success"].transform("mean")
    frame = items.drop_duplicates(key)
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
    told = "  ".join(
        f"{name} {mean:.4g}" for name in ("success", "progress", "steps", "calls", "tokens_total")
        if (mean := _mean(trial, name)) is not None
    )  # fmt: skip
    many = f"  means of {len(trial.items)} questions:" if len(trial.items) > 1 else ""
    console.print(f"{trial.status.value}, {trial.end.value}{many}  {told}")
    if trial.error:
        console.print(f"[red]{escape(trial.error)}[/]")
    console.print(f"\n{escape(trial.opening)}\n")


def _mean(trial: Trial, name: str) -> float | None:
    found = [score.value for item in trial.items for score in item.scores if score.name == name]
    known = [value for value in found if value is not None]
    return sum(known) / len(known) if known else None


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
