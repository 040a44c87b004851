"""The recipe for a chat model of 0.1 to 4 billion weights: LoRA, checkpoints, a log, the navigator at the end.

Written for one GPU and never run on one: on a CPU it is tested with a random model of two layers.
"""

from __future__ import annotations

from collections.abc import Sequence

from baselines.horma.train.chat import ModelSettings, build_chat
from baselines.horma.train.environment import NavQuestion
from baselines.horma.train.records import UpdateLog, summarize, write_rows
from baselines.horma.train.saving import save_navigator
from baselines.horma.train.settings import TrainSettings, read_table
from baselines.horma.train.trainer import Trainer, sample_searches
from bench.protocols import Training

__all__ = ["train_chat"]


def train_chat(training: Training, questions: Sequence[NavQuestion], held_out: Sequence[NavQuestion]) -> None:
    """Train, and leave the navigator, ``curve.csv`` and ``held_out.csv`` in the folder; go on from a checkpoint there.

    Raises: UsageError for settings that do not fit; StoreError.
    """
    about = read_table(ModelSettings, training.settings.get("model", {}))
    settings = read_table(TrainSettings, training.settings.get("train", {}))
    policy = build_chat(about, settings.seed)
    trainer = Trainer(policy, questions, settings)
    rows = [summarize("before", sample_searches(policy, held_out, settings))] if held_out else []
    trainer.train(training.folder, lambda log: training.report(_describe(log)))
    rows += [summarize("after", sample_searches(policy, held_out, settings))] if held_out else []
    write_rows(trainer.log, training.folder / "curve.csv")
    if rows:
        write_rows(rows, training.folder / "held_out.csv")
    save_navigator(policy, training.folder, settings, about.revision)


def _describe(log: UpdateLog) -> str:
    return f"update {log.update}: reward {log.reward:.3f}, {log.replies:.1f} replies, {log.flat_questions:.2f} flat"
