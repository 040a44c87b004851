"""Imitation: a model writes what a navigator without weights has written, so that it knows the grammar before it is
trained with a reward. A chat model knows it from its instructions and needs none of this."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from baselines.horma.train.environment import NavQuestion
from baselines.horma.train.policy import Codec, Policy
from baselines.horma.train.transcript import Transcript
from baselines.horma.train.walk import Search

__all__ = ["Imitation", "imitate", "transcribe"]


@dataclass(frozen=True, slots=True)
class Imitation:
    """How long and how fast."""

    steps: int = 60
    searches: int = 24
    """Of one step."""
    learning_rate: float = 5e-3
    warmup: int = 10
    """Steps over which the learning rate rises."""
    seed: int = 0


def imitate(
    policy: Policy, questions: Sequence[NavQuestion], search: Callable[[NavQuestion, str], Search], settings: Imitation
) -> float:
    """Make the replies of searches likelier; return the last mean loss of a token in nats.

    ``search``: a question and a seed to a search; drawn anew at every step.
    """
    optimizer = torch.optim.AdamW(policy.model.parameters(), lr=settings.learning_rate, weight_decay=0.0)
    policy.model.train()
    last = 0.0
    for step in range(settings.steps):
        for group in optimizer.param_groups:
            group["lr"] = settings.learning_rate * min(1.0, (step + 1) / max(1, settings.warmup))
        name = f"imitate|{settings.seed}|{step}"
        drawn = random.Random(name).sample(list(questions), min(settings.searches, len(questions)))
        found = [search(one, f"{name}|{one.id}") for one in drawn]
        loss = -policy.logprobs([transcribe(policy.codec, one) for one in found], temperature=1.0).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(policy.model.parameters(), 1.0)
        optimizer.step()
        last = float(loss.detach())
    return last


def transcribe(codec: Codec, search: Search) -> Transcript:
    """Return a search as token ids with the replies marked as written."""
    transcript = Transcript()
    transcript.read(codec.open(search.texts[0]))
    last = len(search.texts) - 2
    for at in range(1, len(search.texts), 2):
        reply = codec.encode_reply(search.texts[at])
        transcript.write(reply)
        if at < last:
            transcript.read(codec.follow(reply, search.texts[at + 1]))
    return transcript
