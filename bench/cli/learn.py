"""``bench learn``: the learning stage of a run alone, and controls of what was learned."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.markup import escape

from bench.cli.console import screen
from bench.cli.options import RunOptions
from bench.cli.run import choose_folder, describe_sampling, read_learning_question
from bench.cli.show_artifact import print_head
from bench.errors import UsageError
from bench.runner.artifacts import find_artifacts, read_artifact, write_artifact
from bench.runner.batch import learn_resolved
from bench.runner.collecting import name_folder
from bench.runner.controls import CONTROLS, list_texts, make_control
from bench.runner.evaluating import list_folders
from bench.runner.progress import HeadedProgress, choose_progress

__all__ = ["control_command", "learn_command"]


def learn_command(targets: Sequence[str], options: RunOptions, out: Path | None) -> int:
    """Learn, and print each artifact with its folder. Returns 0; 1 if an artifact is empty.

    Raises: UsageError, StoreError, BudgetStop, Interrupted.
    """
    question = read_learning_question(targets, options)
    if not any(one.strategy.learn for one in question.strategies):
        names = ", ".join(one.label for one in question.strategies)
        raise UsageError(f"learn: expected a strategy that learns, got {names}; see `bench list strategies`")
    folder = choose_folder(Path(targets[0]), question.config, out)
    made = learn_resolved(question, folder, HeadedProgress(describe_sampling(question), choose_progress()))
    console = screen()
    for where, one in zip(list_folders(question.config, folder), made, strict=False):
        print_head(console, one)
        if not list_texts(one.artifact):
            console.print(f"[yellow]nothing was learned: {escape(one.about.gathered)}[/]")
        console.print(escape(f"{where}\n"))
    return 0 if all(list_texts(one.artifact) for one in made) else 1


def control_command(source: Path | None, kind: str, out: Path | None) -> int:
    """Make controls of all artifacts at or below a folder, and print each with its folder. Returns 0.

    Raises: UsageError, StoreError.
    """
    if source is None or not kind or out is None:
        missing = [name for name, given in (("--from", source), ("--control", kind), ("-o", out)) if not given]
        raise UsageError(
            f"learn: expected --from DIR, --control and -o DIR together, got no {' and no '.join(missing)}; "
            f"controls are {', '.join(CONTROLS)}"
        )
    made = [make_control(read_artifact(folder), kind) for folder in find_artifacts(source)]
    console = screen()
    for one in made:
        where = out / name_folder(one.about.suite) / name_folder(one.about.label)
        write_artifact(one, where)
        print_head(console, one)
        console.print(escape(f"{where}\n"))
    return 0
