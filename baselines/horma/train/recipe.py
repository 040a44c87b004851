"""The toy recipe: a tiny model, from random weights to a navigator in a minute or two on one CPU core.

First it imitates a walk that writes valid commands, which gives it the grammar; then it is trained with the reward.
It is compared on tasks that it has not seen: with itself before, and with the rows that the strategy has without a
model, ``navigator=random`` and ``navigator=grep``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from baselines.horma.navigators import GrepNavigator, Navigator, RandomNavigator
from baselines.horma.train.environment import NavQuestion, Outcome
from baselines.horma.train.imitation import Imitation, imitate
from baselines.horma.train.policy import Policy
from baselines.horma.train.records import UpdateLog
from baselines.horma.train.saving import save_navigator
from baselines.horma.train.settings import TrainSettings
from baselines.horma.train.tiny import Shape, TinyModel
from baselines.horma.train.toy import make_questions
from baselines.horma.train.trainer import Trainer, sample_searches
from baselines.horma.train.walk import Search, ToyWalk, search
from baselines.horma.train.words import WordCodec

__all__ = ["TOY", "ToyRow", "ToySize", "build_tiny", "compare", "train_toy"]

TOY = TrainSettings(
    updates=60, questions=8, searches=8, learning_rate=2e-3, max_grad_norm=0.1, scale=False, reply_tokens=8, window=400
)
"""Unscaled advantages: at the end searches are nearly alike, and their small differences must stay small."""


@dataclass(frozen=True, slots=True)
class ToySize:
    """How many tasks there are on each side."""

    train: int = 400
    test: int = 200


@dataclass(frozen=True, slots=True)
class ToyRow:
    """One navigator on one held-out task."""

    navigator: str
    seed: int
    task: str
    group: str
    jaccard: float
    replies: int
    refused: int


def build_tiny(questions: Sequence[NavQuestion], seed: int) -> Policy:
    """Return a tiny model of random weights, whose words are those of these searches."""
    found = [_walk(question, f"words|{question.id}") for question in questions]
    codec = WordCodec.of([*(text for one in found for text in one.texts), "#"])
    torch.manual_seed(seed)
    return Policy(TinyModel(Shape(len(codec))), codec)


def train_toy(
    settings: TrainSettings,
    size: ToySize = ToySize(),
    folder: Path | None = None,
    report: Callable[[UpdateLog], None] = lambda _log: None,
) -> tuple[list[UpdateLog], list[ToyRow]]:
    """Train one tiny navigator; return its log, and how it does on held-out tasks before and after.

    With a folder, the training goes on from the checkpoint there, and the navigator is saved in ``navigator``.
    """
    train, test = make_questions("train", size.train), make_questions("test", size.test)
    policy = build_tiny(train, settings.seed)
    imitate(policy, train, _walk, Imitation(seed=settings.seed))
    rows = _test("imitated", policy, test, settings)
    trainer = Trainer(policy, train, settings)
    trainer.train(folder, report)
    rows += _test("trained", policy, test, settings)
    if folder is not None:
        save_navigator(policy, folder / "navigator", settings)
    return trainer.log, rows


def compare(seed: int, size: ToySize = ToySize()) -> list[ToyRow]:
    """Return the rows without a model on the held-out tasks: a random walk and greps by rule, and the walk imitated."""
    builders: dict[str, Callable[[str], Navigator]] = {
        "random": lambda name: RandomNavigator(None, name),
        "grep": lambda _name: GrepNavigator(),
        "walk": ToyWalk,
    }
    questions = make_questions("test", size.test)
    return [
        _make_row(kind, seed, question, search(question, build(f"{kind}|{seed}|{question.id}")).outcome)
        for kind, build in builders.items()
        for question in questions
    ]


def _walk(question: NavQuestion, seed: str) -> Search:
    return search(question, ToyWalk(seed))


def _test(name: str, policy: Policy, questions: Sequence[NavQuestion], settings: TrainSettings) -> list[ToyRow]:
    found = sample_searches(policy, questions, settings)
    return [_make_row(name, settings.seed, one.question, one.outcome) for one in found]


def _make_row(name: str, seed: int, question: NavQuestion, outcome: Outcome) -> ToyRow:
    return ToyRow(name, seed, question.id, question.group, outcome.jaccard, outcome.replies, outcome.refused)
