"""The loss against values computed by hand, and its gradient: none at what the model was only shown."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from baselines.horma.train.loss import clipped_loss, pick_logprobs
from baselines.horma.train.transcript import Transcript
from tests.baselines.horma.train.with_torch.models import make_policy

CLIP = (0.2, 0.3)


def loss(ratios: list[float], advantages: list[float], weights: list[float]) -> float:
    old = torch.full((len(ratios),), -2.0)
    new = old + torch.tensor(ratios).log()
    return float(clipped_loss(new, old, torch.tensor(advantages), torch.tensor(weights), CLIP))


def test_loss_is_the_one_computed_by_hand() -> None:
    # min(1 * 2, 1 * 2) = 2; min(1.5 * 1, 1.3 * 1) = 1.3; min(0.5 * -1, 0.8 * -1) = -0.8; min(1.5 * -1, 1.3 * -1) = -1.5
    assert loss([1.0, 1.5, 0.5, 1.5], [2.0, 1.0, -1.0, -1.0], [0.1, 0.2, 0.3, 0.4]) == pytest.approx(
        -(0.1 * 2 + 0.2 * 1.3 - 0.3 * 0.8 - 0.4 * 1.5), abs=1e-5
    )


@pytest.mark.parametrize(("ratio", "advantage", "moves"), [(1.5, 1.0, False), (1.5, -1.0, True), (0.5, -1.0, False)])
def test_clip_stops_the_gradient_where_it_has_gone_far_enough(ratio: float, advantage: float, moves: bool) -> None:
    old = torch.tensor([-2.0])
    new = (old + math.log(ratio)).requires_grad_()
    clipped_loss(new, old, torch.tensor([advantage]), torch.ones(1), CLIP).backward()
    assert new.grad is not None
    assert bool(new.grad[0] != 0) == moves


def test_gradient_at_ratio_one_is_minus_weight_times_advantage() -> None:
    old = torch.tensor([-1.0, -3.0])
    new = old.clone().requires_grad_()
    clipped_loss(new, old, torch.tensor([2.0, -0.5]), torch.tensor([0.25, 0.5]), CLIP).backward()
    assert new.grad is not None
    assert new.grad.tolist() == pytest.approx([-0.5, 0.25])


def test_logprobs_are_picked_for_written_tokens_at_the_place_before_them() -> None:
    logits = torch.log(torch.tensor([[[0.5, 0.25, 0.25], [0.1, 0.2, 0.7], [0.8, 0.1, 0.1]]]))
    ids = torch.tensor([[0, 1, 2]])
    by_model = torch.tensor([[False, True, True]])
    found = pick_logprobs(logits, ids, by_model, 1.0)
    assert found.exp().tolist() == pytest.approx([0.25, 0.7])
    # At temperature 0.5 the chances are squared: 0.49 / (0.01 + 0.04 + 0.49).
    assert pick_logprobs(logits, ids, by_model, 0.5).exp().tolist()[1] == pytest.approx(0.49 / 0.54)


def test_gradient_of_logits_is_zero_wherever_the_next_token_was_only_shown() -> None:
    torch.manual_seed(0)
    logits = torch.randn(2, 5, 7, requires_grad=True)
    ids = torch.randint(0, 7, (2, 5))
    by_model = torch.tensor([[False, True, False, True, True], [False, False, True, False, False]])
    new = pick_logprobs(logits, ids, by_model, 1.0)
    clipped_loss(new, new.detach() - 0.1, torch.ones(len(new)), torch.ones(len(new)), CLIP).backward()
    assert logits.grad is not None
    moved = (logits.grad != 0).any(-1)
    assert moved.tolist() == [[True, False, True, True, False], [False, True, False, False, False]]


def test_no_gradient_reaches_the_logits_about_shown_tokens_through_a_model() -> None:
    policy, kept = make_policy(), list[Any]()

    def keep(_module: object, _given: object, out: Any) -> None:
        out.logits.retain_grad()
        kept.append(out.logits)

    policy.model.register_forward_hook(keep)
    transcripts = [Transcript(), Transcript()]
    for transcript, reply in zip(transcripts, ("select a", "look"), strict=True):
        transcript.read(policy.codec.open("question"))
        written = policy.codec.encode_reply(reply)
        transcript.write(written)
        transcript.read(policy.codec.follow(written, "seen a"))
        transcript.write(policy.codec.encode_reply("done"))
    new = policy.logprobs(transcripts, 1.0)
    assert len(new) == sum(one.written for one in transcripts)
    clipped_loss(new, new.detach(), torch.linspace(-1, 1, len(new)) + 2, torch.ones(len(new)), CLIP).backward()
    for row, transcript in enumerate(transcripts):
        wanted = [*transcript.by_model[1:], False]
        found = (kept[0].grad[row] != 0).any(-1).tolist()
        assert found == wanted + [False] * (len(found) - len(wanted))
