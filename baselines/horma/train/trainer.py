"""GRPO: search several times for each question, compare these searches, make the better ones likelier.

Every random choice of an update is drawn from the seed and the number of that update alone, so a training that was
killed goes on from its last checkpoint to the same numbers.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from baselines.horma.train.advantages import compute_advantages, weigh_tokens
from baselines.horma.train.environment import NavQuestion
from baselines.horma.train.loss import clipped_loss
from baselines.horma.train.policy import Policy
from baselines.horma.train.records import Rollout, UpdateLog, describe_update
from baselines.horma.train.rollout import Sampling, play, split_rows
from baselines.horma.train.settings import TrainSettings
from bench.errors import StoreError

__all__ = ["CHECKPOINT", "Trainer", "sample_searches"]

CHECKPOINT = "checkpoint.pt"


class Trainer:
    """Trains the weights that require a gradient; the others stay as they are."""

    def __init__(self, policy: Policy, questions: Sequence[NavQuestion], settings: TrainSettings):
        self._policy, self._settings = policy, settings
        self._questions = sorted(questions, key=lambda one: one.id)
        self._weights = {name: one for name, one in policy.model.named_parameters() if one.requires_grad}
        self._optimizer = torch.optim.AdamW(list(self._weights.values()), lr=settings.learning_rate, weight_decay=0.0)
        self.log: list[UpdateLog] = []

    def train(self, folder: Path | None = None, report: Callable[[UpdateLog], None] = lambda _log: None) -> None:
        """Make the updates that are still to be made; with a folder, from its checkpoint on, and saving there.

        Raises: StoreError for a checkpoint of another training.
        """
        if folder is not None:
            self._load(folder)
        while len(self.log) < self._settings.updates:
            self.log.append(self.update(len(self.log)))
            report(self.log[-1])
            done = len(self.log)
            if folder is not None and (done % self._settings.checkpoint_every == 0 or done == self._settings.updates):
                self._save(folder)

    def update(self, number: int) -> UpdateLog:
        """Play one batch and learn from it."""
        rng = torch.Generator(self._policy.device).manual_seed(_seed(self._settings.seed, number))
        torch.manual_seed(_seed(self._settings.seed, number))  # dropout, where a model has it
        batch = [one for one in self._draw(number) for _ in range(self._settings.searches)]
        rollouts = play(self._policy, batch, _sampling(self._settings), rng)
        advantages = compute_advantages(
            [one.outcome.reward for one in rollouts], self._settings.searches, scale=self._settings.scale
        )
        loss, norm = self._learn(rollouts, advantages, number)
        return describe_update(number, rollouts, self._settings.searches, loss, norm)

    def _draw(self, number: int) -> list[NavQuestion]:
        """Return the questions of an update: without a repeat while there are enough."""
        chance = random.Random(_seed(self._settings.seed, number))
        wanted, drawn = self._settings.questions, list[NavQuestion]()
        while len(drawn) < wanted:
            drawn += chance.sample(self._questions, min(wanted - len(drawn), len(self._questions)))
        return drawn

    def _learn(self, rollouts: Sequence[Rollout], advantages: Sequence[float], number: int) -> tuple[float, float]:
        """Take the optimizer's steps on one batch; return the last loss and the norm of its gradient."""
        most = self._settings.window
        weights = weigh_tokens([one.transcript.written for one in rollouts], self._settings.loss, most)
        # A search that is as good as those beside it, or says nothing, moves nothing: the model need not see it.
        moving = [at for at, one in enumerate(rollouts) if advantages[at] and one.transcript.written]
        if not moving:
            return 0.0, 0.0
        parts = split_rows(moving, self._settings.rows)
        self._policy.model.train()
        self._set_rate(number)
        old: list[torch.Tensor] = []
        loss, norm = 0.0, 0.0
        for turn in range(self._settings.passes):
            self._optimizer.zero_grad(set_to_none=True)
            loss = 0.0
            for at, part in enumerate(parts):
                chosen = [rollouts[one] for one in part]
                new = self._policy.logprobs([one.transcript for one in chosen], self._settings.temperature)
                if turn == 0:
                    old.append(new.detach())
                value = clipped_loss(
                    new,
                    old[at],
                    self._spread([advantages[one] for one in part], chosen),
                    self._spread([weights[one] for one in part], chosen),
                    (self._settings.clip_low, self._settings.clip_high),
                )
                value.backward()
                loss += float(value.detach())
            norm = float(torch.nn.utils.clip_grad_norm_(self._weights.values(), self._settings.max_grad_norm))
            self._optimizer.step()
        return loss, norm

    def _spread(self, values: Sequence[float], rollouts: Sequence[Rollout]) -> torch.Tensor:
        """Return a value of each search at each token that the model wrote in it."""
        spread = [v for v, one in zip(values, rollouts, strict=True) for _ in range(one.transcript.written)]
        return torch.tensor(spread, device=self._policy.device)

    def _set_rate(self, number: int) -> None:
        risen = min(1.0, (number + 1) / self._settings.warmup) if self._settings.warmup else 1.0
        for group in self._optimizer.param_groups:
            group["lr"] = self._settings.learning_rate * risen

    def _save(self, folder: Path) -> None:
        """Write the checkpoint: whole or not at all."""
        folder.mkdir(parents=True, exist_ok=True)
        written = folder / f"{CHECKPOINT}.part"
        torch.save(
            {
                "training": self._identity,
                "log": [asdict(one) for one in self.log],
                "weights": {name: one.detach() for name, one in self._weights.items()},
                "optimizer": self._optimizer.state_dict(),
            },
            written,
        )
        written.replace(folder / CHECKPOINT)

    def _load(self, folder: Path) -> None:
        path = folder / CHECKPOINT
        if not path.exists():
            return
        found: dict[str, Any] = torch.load(path, map_location=self._policy.device, weights_only=True)
        if found["training"] != self._identity:
            raise StoreError(
                f"train: expected a checkpoint of these settings, questions and weights in {path}, got another's; "
                "choose another folder, or delete it to begin again"
            )
        with torch.no_grad():
            for name, one in self._weights.items():
                one.copy_(found["weights"][name])
        self._optimizer.load_state_dict(found["optimizer"])
        self.log = [UpdateLog(**entry) for entry in found["log"]]

    @property
    def _identity(self) -> str:
        """Settings, questions and the shapes of the weights, as 16 hex digits."""
        shapes = [(name, tuple(one.shape)) for name, one in self._weights.items()]
        asked = [(one.id, one.evidence) for one in self._questions]
        return hashlib.sha256(f"{self._settings.digest}|{asked}|{shapes}".encode()).hexdigest()[:16]


def sample_searches(policy: Policy, questions: Sequence[NavQuestion], settings: TrainSettings) -> list[Rollout]:
    """Navigate each question once, always by the likeliest token."""
    return play(policy, questions, _sampling(settings, temperature=0.0))


def _sampling(settings: TrainSettings, temperature: float | None = None) -> Sampling:
    return Sampling(
        settings.temperature if temperature is None else temperature,
        settings.reply_tokens,
        settings.window,
        settings.rows,
        settings.penalties,
    )


def _seed(seed: int, number: int) -> int:
    """Return a seed of 63 bits for one update."""
    return int.from_bytes(hashlib.sha256(f"train|{seed}|{number}".encode()).digest()[:8], "big") >> 1
