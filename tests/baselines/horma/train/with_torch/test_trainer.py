"""The trainer: it makes better replies likelier, repeats itself, and goes on where it was stopped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest
import torch

from baselines.horma.train.advantages import LossKind
from baselines.horma.train.environment import NavQuestion
from baselines.horma.train.policy import Policy
from baselines.horma.train.records import Rollout, UpdateLog
from baselines.horma.train.rollout import Sampling, play
from baselines.horma.train.settings import TrainSettings
from baselines.horma.train.trainer import CHECKPOINT, Trainer, sample_searches
from bench.errors import StoreError
from tests.baselines.horma.train.sessions import NamingSession, ScriptedSession
from tests.baselines.horma.train.with_torch.models import make_policy

QUESTIONS = [NavQuestion(f"q{n}", lambda: NamingSession("question", turns=2), ("a",)) for n in range(4)]
SETTINGS = TrainSettings(
    updates=6, questions=2, searches=8, learning_rate=1e-2, reply_tokens=3, window=40, checkpoint_every=2, seed=3
)


def run(settings: TrainSettings, folder: Path | None = None, stop_after: int = 99) -> tuple[Policy, list[UpdateLog]]:
    policy = make_policy()
    trainer = Trainer(policy, QUESTIONS, settings)

    def report(log: UpdateLog) -> None:
        if log.update == stop_after:
            raise KeyboardInterrupt

    if stop_after < settings.updates:
        with pytest.raises(KeyboardInterrupt):
            trainer.train(folder, report)
    else:
        trainer.train(folder, report)
    return policy, trainer.log


def flatten(policy: Policy) -> list[float]:
    return torch.cat([one.detach().flatten() for one in policy.model.parameters()]).tolist()


@pytest.mark.parametrize("settings", [SETTINGS, replace(SETTINGS, passes=2, loss=LossKind.GRPO, warmup=3)])
def test_killed_training_goes_on_to_the_same_numbers(settings: TrainSettings, tmp_path: Path) -> None:
    whole, log = run(settings)
    run(settings, tmp_path, stop_after=5)  # the last checkpoint is that of update 4
    resumed, resumed_log = run(settings, tmp_path)
    assert resumed_log == log
    assert flatten(resumed) == flatten(whole)
    assert len({one.reward for one in log}) > 1
    assert not (tmp_path / f"{CHECKPOINT}.part").exists()


def test_training_that_is_done_is_not_done_again_and_may_be_made_longer(tmp_path: Path) -> None:
    done, log = run(SETTINGS, tmp_path)
    again, same = run(SETTINGS, tmp_path)
    assert (same, flatten(again)) == (log, flatten(done))
    _, longer = run(replace(SETTINGS, updates=8), tmp_path)
    assert longer[:6] == log
    assert len(longer) == 8


@pytest.mark.parametrize("other", [replace(SETTINGS, seed=4), replace(SETTINGS, searches=4)])
def test_checkpoint_of_another_training_is_refused(other: TrainSettings, tmp_path: Path) -> None:
    run(replace(SETTINGS, updates=2), tmp_path)
    with pytest.raises(StoreError, match="expected a checkpoint of these settings, questions and weights"):
        Trainer(make_policy(), QUESTIONS, other).train(tmp_path)
    with pytest.raises(StoreError, match="got another's; choose another folder"):
        Trainer(make_policy(), QUESTIONS[:2], SETTINGS).train(tmp_path)
    with pytest.raises(StoreError):
        Trainer(make_policy(width=32), QUESTIONS, SETTINGS).train(tmp_path)


def test_seeds_lead_elsewhere() -> None:
    assert run(SETTINGS)[1] != run(replace(SETTINGS, seed=4))[1]


@pytest.mark.parametrize("loss", list(LossKind))
def test_one_update_makes_the_better_reply_likelier(loss: LossKind) -> None:
    settings = replace(SETTINGS, updates=1, searches=32, loss=loss, reply_tokens=2)
    policy = make_policy()
    trainer = Trainer(policy, QUESTIONS, settings)
    batch = [QUESTIONS[0]] * 64
    rollouts = play(policy, batch, Sampling(1.0, 2, 40), torch.Generator().manual_seed(0))
    assert len({one.outcome.reward for one in rollouts}) > 1
    before = compare_replies(policy, rollouts)
    trainer.update(0)
    assert compare_replies(policy, rollouts) > before


def compare_replies(policy: Policy, rollouts: Sequence[Rollout]) -> float:
    """Return how much likelier, in nats, a reply of the better rollouts is than one of the others."""
    better, others = list[float](), list[float]()
    for one in rollouts:
        with torch.no_grad():
            total = float(policy.logprobs([one.transcript], 1.0).sum())
        (better if one.outcome.reward else others).append(total)
    return fmean(better) - fmean(others)


def test_batch_in_parts_has_the_same_gradient() -> None:
    whole, parts = make_policy(), make_policy()
    rollouts = play(whole, [QUESTIONS[0]] * 16, Sampling(1.0, 3, 40), torch.Generator().manual_seed(0))
    advantages = [float(at % 3 - 1) for at in range(16)]
    for policy, rows in ((whole, 0), (parts, 3)):
        settings = replace(SETTINGS, rows=rows, max_grad_norm=1e9)
        _loss, norm = Trainer(policy, QUESTIONS, settings)._learn(rollouts, advantages, 0)
        assert norm > 0
    assert flatten(parts) == pytest.approx(flatten(whole), abs=1e-6)


def test_batch_of_equal_rewards_moves_no_weight() -> None:
    policy = make_policy()
    before = flatten(policy)
    nothing = [NavQuestion("q", lambda: ScriptedSession(known=()), ())]
    log = Trainer(policy, nothing, replace(SETTINGS, updates=1)).update(0)
    assert (flatten(policy) == before, log.flat_questions, log.grad_norm, log.reward) == (True, 1.0, 0.0, 1.0)


def test_search_longer_than_the_window_is_cut_off_and_counted() -> None:
    policy = make_policy()
    long = [NavQuestion("q", lambda: NamingSession("question a", turns=50), ("a",))]
    log = Trainer(policy, long, replace(SETTINGS, window=16, updates=1)).update(0)
    assert log.cut_off > 0
    found = sample_searches(policy, long * 3, replace(SETTINGS, window=16))
    assert all(len(one.transcript) <= 16 for one in found)
    no_room = [NavQuestion("q", lambda: ScriptedSession("question " * 40), ("a",))]
    assert sample_searches(policy, no_room, SETTINGS)[0].outcome.replies == 0
    assert Trainer(policy, no_room, replace(SETTINGS, updates=1)).update(0).tokens == 0
