"""``bench train``: HORMA's navigator, a chat model with adapters, trained on the workspaces of recorded conversations.

The workspaces are those that the manager has made in the run; they stay as they are. Torch is imported when training
begins, and no sooner.

Source: HORMA (arXiv 2606.11680): the retriever alone is trained, by GRPO on evidence overlap. Questions with a false
premise are trained on as well, with the turns that their file cites, where the false answer comes from: a navigator
cannot tell them before it looks, and those turns show that the premise is false. ``skip_groups`` leaves groups out.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Any

from baselines.horma.memory import HormaMemory
from baselines.horma.train.environment import NavQuestion
from baselines.horma.trained import INSTALL, find_missing_package
from bench.errors import UsageError, unknown_name
from bench.protocols import Training

__all__ = ["list_questions", "train"]

_TABLES = ("model", "train", "data")


def train(training: Training) -> None:
    """Train a navigator and leave it in the folder. Raises: UsageError for settings that do not fit; StoreError."""
    if missing := find_missing_package("chat"):
        raise UsageError(f"train: expected the extra 'train', got no package {missing}; {INSTALL}")
    for name in training.settings:
        if name not in _TABLES:
            raise unknown_name("train", "a table of settings", name, _TABLES)
    skipped = _read_skipped(training.settings.get("data", {}))
    trained_on, held_out = list_questions(training, skipped)
    import_module("baselines.horma.train.chat_recipe").train_chat(training, trained_on, held_out)


def list_questions(
    training: Training, skipped: frozenset[str] = frozenset()
) -> tuple[list[NavQuestion], list[NavQuestion]]:
    """Return the questions to train on, and those of the last conversation, to watch the training by.

    Raises: UsageError if nothing is left to train on.
    """
    cut = max(1, len(training.tasks) - 1)
    sides: tuple[list[NavQuestion], list[NavQuestion]] = ([], [])
    for at, task in enumerate(training.tasks):
        memory = task.memory
        assert isinstance(memory, HormaMemory)
        sides[at >= cut].extend(
            NavQuestion(
                f"{task.name}/{question.query.step:04d}",
                partial(memory.begin, question.query),
                question.evidence,
                question.group,
                memory.instructions,
            )
            for question in task.questions
            if question.group not in skipped
        )
    if not sides[0]:
        raise UsageError("train: expected questions to train on, got none; skip fewer groups")
    return sides


def _read_skipped(table: Mapping[str, Any]) -> frozenset[str]:
    for name in table:
        if name != "skip_groups":
            raise unknown_name("train", "a setting of the table data", name, ("skip_groups",))
    skipped = table.get("skip_groups", [])
    if not isinstance(skipped, list) or not all(isinstance(one, str) for one in skipped):
        raise UsageError(f'train: expected skip_groups as a list of texts, got {skipped!r}; write ["adversarial"]')
    return frozenset(skipped)
