"""``bench train``: let a strategy train weights on the conversations of a run, those of the training side alone."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from bench.store.printing import say

__all__ = ["train"]


def train(
    *,
    folder: Annotated[Path, Argument(help="A run of the strategy on the conversations.", metavar="DIR")],
    strategy: Annotated[str, Option("-s", "--strategy", help="One of the run (default: the only one that can).")] = "",
    learn_split: Annotated[str, Option(help="Train on the conversations of this split.")] = "",
    learn_policy: Annotated[str, Option(help="Train on a part of them, e.g. seven-three.")] = "",
    settings: Annotated[Path | None, Option(help="TOML file with the model and the numbers of the training.")] = None,
    out: Annotated[Path, Option("-o", "--out", help="Where to write; the same one goes on.")] = Path("trained"),
) -> int:
    """Train the weights of a strategy's own model, such as a navigator, on recorded conversations with evidence."""
    from bench.runner.training import TrainingPlan, train_on_run  # noqa: PLC0415

    made = train_on_run(TrainingPlan(folder, strategy, learn_split, learn_policy, settings), out)
    say(f"trained {made.strategy} on {made.questions} questions of {', '.join(made.tasks)}; {out}", sys.stdout)
    if made.left_out:
        say(f"left out, not on the training side: {', '.join(made.left_out)}", sys.stdout)
    return 0
