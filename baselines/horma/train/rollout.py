"""Plays searches side by side: the policy replies to all that are still going on, the environments answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from baselines.horma.train.environment import NavEnv, NavQuestion, Penalties
from baselines.horma.train.policy import Policy
from baselines.horma.train.records import Rollout
from baselines.horma.train.transcript import Transcript

__all__ = ["Sampling", "play", "split_rows"]


@dataclass(frozen=True, slots=True)
class Sampling:
    """How replies are drawn, and how long they and a search may be."""

    temperature: float
    reply_tokens: int
    window: int
    rows: int = 0
    penalties: Penalties = Penalties()


def play(
    policy: Policy, questions: Sequence[NavQuestion], sampling: Sampling, rng: torch.Generator | None = None
) -> list[Rollout]:
    """Play one search for each question, in their order; a question may be there several times."""
    envs = [NavEnv(sampling.penalties) for _ in questions]
    transcripts = [Transcript() for _ in questions]
    for env, transcript, question in zip(envs, transcripts, questions, strict=True):
        transcript.read(policy.codec.open(env.reset(question), question.instructions))
    going_on = [at for at, one in enumerate(transcripts) if len(one) + sampling.reply_tokens <= sampling.window]
    while going_on:
        replies = [
            reply
            for part in split_rows(going_on, sampling.rows)
            for reply in policy.sample(
                [transcripts[at].ids for at in part], sampling.reply_tokens, sampling.temperature, rng
            )
        ]
        going_on = [
            at
            for at, reply in zip(going_on, replies, strict=True)
            if _continue(policy, envs[at], transcripts[at], reply, sampling)
        ]
    return [
        Rollout(question, transcript, env.outcome())
        for question, transcript, env in zip(questions, transcripts, envs, strict=True)
    ]


def split_rows(places: Sequence[int], rows: int) -> list[Sequence[int]]:
    """Return the places of searches in parts of at most ``rows``, which go through the model at once; 0 = in one."""
    most = rows or max(1, len(places))
    return [places[start : start + most] for start in range(0, len(places), most)]


def _continue(policy: Policy, env: NavEnv, transcript: Transcript, reply: list[int], sampling: Sampling) -> bool:
    """Carry out one reply; return whether another may follow."""
    transcript.write(reply)
    observation, done = env.step(policy.codec.decode(reply))
    if done:
        return False
    shown = policy.codec.follow(reply, observation)
    if len(transcript) + len(shown) + sampling.reply_tokens > sampling.window:
        return False
    transcript.read(shown)
    return True
