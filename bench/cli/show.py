"""``bench show``: read one trial step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bench.cli.console import screen
from bench.cli.show_artifact import show_artifact
from bench.cli.show_find import find_by_question, find_trial
from bench.cli.show_workspace import show_files
from bench.errors import UsageError
from bench.report.evidence_text import describe_evidence
from bench.report.role_models import describe_role_models
from bench.runner.artifacts import MANIFEST
from bench.scoring.metric_names import list_metrics
from bench.store.dataframe import read_items
from bench.store.printing import format_trial, make_printable
from bench.store.trial_names import name_trial
from bench.types import Call, CallStatus, Item, Reading, Role, Step, Trial, read_role_models

__all__ = ["ShowOptions", "show_command"]

_MOST_LINES, _MOST_CHARACTERS = 60, 4000


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """What to show of a trial."""

    step: int = 0
    """Only this one; 0 = all."""
    context: bool = False
    workspace: Path | None = None
    """Write the files of its memory there instead."""
    tree: bool = False
    """List the files of its memory instead."""
    first: bool = False
    """Of several trials that the name fits, or of all, the first."""


def show_command(folder: Path, name: str | None, options: ShowOptions = ShowOptions()) -> None:
    """Print a list of trials, or one: ``name`` is ``STRATEGY@TASK``, with ``#SEED`` where that is not 0 and
    ``#SEED:ATTEMPT`` for a later attempt, the beginning of it, or any part of it that fits one trial;
    ``STRATEGY@QUESTION`` is one question.

    Raises: UsageError, StoreError.
    """
    console, wants_files = screen(), bool(options.workspace or options.tree)
    if wants_files and ((name is None and not options.first) or (folder / MANIFEST).is_file()):
        raise UsageError("show: expected a trial of a run for --workspace or --tree, got none; name STRATEGY@TASK")
    if (folder / MANIFEST).is_file():
        show_artifact(console, folder, name)
        return
    if name is None and not options.first:
        _list_trials(console, folder)
        return
    name = name or ""
    strategy, _, item = name.rpartition("@")  # a model's name, part of a strategy's label, may hold an @
    by_question = find_by_question(folder, strategy, item)
    trial = by_question or find_trial(folder, name, first=options.first)
    if wants_files:
        show_files(console, folder, trial, to=options.workspace, tree=options.tree)
        return
    step = [one.id for one in by_question.items].index(item) + 1 if by_question else options.step
    _show_steps(console, trial, step, context=options.context)


def _show_steps(console: Console, trial: Trial, step: int, *, context: bool) -> None:
    chosen = [one for one in trial.steps if step in (0, one.index)]
    if step and not chosen:
        raise UsageError(f"show: expected a step from 1 to {len(trial.steps)}, got {step}; leave --step out to see all")
    _print_head(console, trial)
    questions = trial.items if any(one.id != trial.key.task for one in trial.items) else ()
    for one in chosen:
        calls = [call for call in trial.calls if call.step == one.index and call.role != Role.EMBED]
        lines = [_format_call(call, trial) for call in calls]
        _print_step(console, one, lines if context or step == one.index else None)
        asked = questions[one.index - 1] if one.index <= len(questions) else None
        about = (_describe_item(asked) if asked else "", describe_evidence(one, asked))
        for line in filter(None, about):
            console.print(f"     [dim]{escape(line)}[/]")


def _describe_item(item: Item) -> str:
    """Return the main scores of a question."""
    values = {score.name: score.value for score in item.scores}
    scores = [f"{name} {_format_mean(value, 3)}" for name in _list_brief() if (value := values.get(name)) is not None]
    return f"{item.id} ({item.group}): {', '.join(scores)}"


def _list_brief() -> list[str]:
    return [metric.name for metric in list_metrics() if metric.brief]


def _list_trials(console: Console, folder: Path) -> None:
    key = ["suite", "strategy", "task", "seed", "attempt"]
    items = read_items([folder])
    if "success" in items:  # a conversation has as many scores as questions
        items["success"] = items.groupby(key)["success"].transform("mean")
    frame = items.drop_duplicates(key)
    grid = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("trial", "status", "end", "steps", "success"):
        grid.add_column(name, justify="right" if name in ("steps", "success") else "left", overflow="fold")
    for row in frame.head(_MOST_LINES).to_dict("records"):
        grid.add_row(
            escape(format_trial(row["strategy"], row["task"], row["seed"], row["attempt"])),
            escape(str(row["status"])),
            escape(str(row["end"])),
            *(_format_number(row.get(name)) for name in ("steps", "success")),
        )
    console.print(grid)
    if len(frame) > _MOST_LINES:
        console.print(
            f"[dim]… {len(frame) - _MOST_LINES} more; name one: bench show {escape(str(folder))} STRATEGY@TASK[/]"
        )


def _format_number(value: object) -> str:
    return "" if not isinstance(value, float) or value != value else _format_mean(value, 6)


def _format_mean(mean: float, digits: int = 4) -> str:
    return f"{mean:,.0f}" if abs(mean) >= 1000 else f"{mean:.{digits}g}"


def _print_head(console: Console, trial: Trial) -> None:
    key = trial.key
    about = f"{key.suite} {key.split}  model {key.model} seed {key.seed}"
    console.print(f"[bold]{escape(name_trial(trial.key))}[/]  {escape(about)}")
    means = {name: _average(trial, name) for name in _list_brief()}
    scores = "  ".join(f"{name} {_format_mean(mean)}" for name, mean in means.items() if mean is not None)
    many = f"  means of {len(trial.items)} questions:" if len(trial.items) > 1 else ""
    console.print(f"{trial.status.value}, {trial.end.value}{many}  {scores}")
    if trial.error:
        console.print(f"[red]{escape(trial.error)}[/]")
    fields = dict(trial.fingerprint.entries)
    if by_role := read_role_models(fields):
        console.print(f"[dim]{escape(describe_role_models(key.strategy, key.model, by_role))}[/]")
    if learned := fields.get("row.learned"):
        console.print(f"[dim]learned from {escape(learned)}[/]")
    console.print(f"\n{escape(trial.opening)}\n")
    for number, text in enumerate(trial.feedback, start=1):
        console.print(f"[magenta]after attempt {number}: {escape(_shorten(text))}[/]\n")


def _average(trial: Trial, name: str) -> float | None:
    found = [score.value for item in trial.items for score in item.scores if score.name == name]
    known = [value for value in found if value is not None]
    return sum(known) / len(known) if known else None


def _print_step(console: Console, step: Step, calls: Sequence[str] | None) -> None:
    for line in _format_step(step, calls):
        console.print(line)


def _format_step(step: Step, calls: Sequence[str] | None) -> Iterator[str]:
    """Yield the lines of a step; ``calls``: those to show, with the context; None = neither."""
    got = step.observation
    if calls is not None and step.decision.context.text:
        yield f"[dim]context, {step.context_tokens} tokens, from {escape(', '.join(step.decision.context.refs))}:[/]"
        yield f"[dim]{escape(step.decision.context.text)}[/]"
    yield from calls or ()
    question = "" if got.text or not step.stimulus.text else f"[cyan]{escape(step.stimulus.text)}[/]\n     "
    thought = step.decision.reading.thought
    mark = f"  [cyan](thought, {'free' if thought == 'free' else 'a step'})[/]" if thought else ""
    mark += "" if got.valid else f"  [yellow]({escape(got.invalid_reason or 'invalid')})[/]"
    yield f"[bold]{step.index:>3}[/]  {question}[green]> {escape(_shorten(step.decision.text))}[/]{mark}"
    if reading := _describe_reading(step.decision.reading):
        yield f"     [yellow]{escape(reading)}[/]"
    for note in _join_notes(step.decision.notes):
        yield f"     [magenta]{escape(note)}[/]"
    if got.text:
        yield f"     {escape(got.text)}  [dim]progress {got.progress:.2f}, context {step.context_tokens}[/]"


def _join_notes(notes: Sequence[str]) -> Iterator[str]:
    """Yield the notes, those of one word and kind that follow each other on one line."""

    def find_kind(note: str) -> str:
        kind, _, text = note.partition(": ")
        return kind if text and " " not in text else ""

    for kind, group in groupby(notes, find_kind):
        found = list(group)
        yield from [f"{kind}: {', '.join(note.partition(': ')[2] for note in found)}"] if kind else found


def _format_call(call: Call, trial: Trial) -> str:
    """Return the line of a call; its model is named where that is not the acting one."""
    usage = call.usage
    counts = "+".join("?" if count is None else str(count) for count in (usage.prompt, usage.completion))
    status = "" if call.status is CallStatus.OK else f", {call.status.value}"
    other = "" if call.model == trial.key.model else f" by {call.model}"
    head = f"call {call.index} {call.role}{other}, {counts} tokens, finish {call.finish}{status}:"
    return f"[dim]{escape(head)} {escape(_shorten(call.reply))}[/]"


def _describe_reading(reading: Reading) -> str:
    """Return how the replies of a decision were read; empty if they were in the plain form."""
    parts = [
        "asked again" if reading.asked_again else "",
        "unreadable" if reading.unreadable else "",
        "cut at the reply limit" if reading.cut else "",
        f"repaired: {', '.join(reading.repairs)}" if reading.repairs else "",
        f"own format: {', '.join(reading.dialect)}" if reading.dialect else "",
    ]
    return "; ".join(filter(None, parts))


def _shorten(text: str) -> str:
    """Return a model's text without what a terminal would obey, and without the end of a very long one."""
    more = f"… {len(text) - _MOST_CHARACTERS:,} more characters" if len(text) > _MOST_CHARACTERS else ""
    return make_printable(text[:_MOST_CHARACTERS]) + more
