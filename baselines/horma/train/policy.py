"""A causal language model as a policy: samples replies to growing transcripts, and says how likely they were.

Any model of the library ``transformers``, from a random one of twenty thousand weights to a chat model with adapters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import torch

from baselines.horma.train.loss import pick_logprobs
from baselines.horma.train.transcript import Transcript
from bench.types import Message

__all__ = ["Codec", "Policy"]


class Codec(Protocol):
    """Texts to ids: whole openings and observations, and replies back to texts."""

    @property
    def pad(self) -> int: ...

    @property
    def stops(self) -> frozenset[int]: ...

    def open(self, opening: str, instructions: str = "") -> list[int]: ...

    def follow(self, reply: Sequence[int], observation: str) -> list[int]: ...

    def encode_reply(self, text: str) -> list[int]: ...

    def decode(self, ids: Sequence[int]) -> str: ...


class Policy:
    """The model, its codec and the device they are on."""

    def __init__(self, model: Any, codec: Codec, device: str = "cpu"):
        self.model, self.codec, self.device = model.to(device), codec, device

    def sample(
        self, prefixes: Sequence[Sequence[int]], most_tokens: int, temperature: float, rng: torch.Generator | None
    ) -> list[list[int]]:
        """Return one reply for each prefix, of 1 to ``most_tokens`` ids, the stop included where there is one.

        Temperature 0 takes the likeliest token; then ``rng`` is not used.
        """
        self.model.eval()
        replies: list[list[int]] = [[] for _ in prefixes]
        ids, mask = self._pad_left(prefixes)
        places = (mask.cumsum(-1) - 1).clamp(min=0)
        cache, running = None, [True] * len(prefixes)
        with torch.no_grad():
            for _ in range(most_tokens):
                out = self.model(
                    input_ids=ids,
                    attention_mask=mask,
                    position_ids=places,
                    cache=cache,
                    use_cache=True,
                    logits_to_keep=1,
                )
                chosen = _choose(out.logits[:, -1], temperature, rng)
                for at, token in enumerate(chosen.tolist()):
                    if running[at]:
                        replies[at].append(token)
                        running[at] = token not in self.codec.stops
                if not any(running):
                    break
                cache, ids, places = out.cache, chosen.unsqueeze(-1), places[:, -1:] + 1
                mask = torch.cat([mask, mask.new_ones(len(prefixes), 1)], dim=-1)
        return replies

    def logprobs(self, transcripts: Sequence[Transcript], temperature: float) -> torch.Tensor:
        """Return the log-probability of each token the model wrote, transcript after transcript, with gradient."""
        length = max(map(len, transcripts))
        shape = (len(transcripts), length)
        ids = torch.full(shape, self.codec.pad, dtype=torch.long)
        mask, by_model = torch.zeros(shape, dtype=torch.long), torch.zeros(shape, dtype=torch.bool)
        for row, one in enumerate(transcripts):
            ids[row, : len(one)] = torch.tensor(one.ids)
            mask[row, : len(one)] = 1
            by_model[row, : len(one)] = torch.tensor(one.by_model)
        ids, mask, by_model = (tensor.to(self.device) for tensor in (ids, mask, by_model))
        logits = self.model(input_ids=ids, attention_mask=mask, use_cache=False).logits
        return pick_logprobs(logits, ids, by_model, temperature)

    def encode(self, messages: Sequence[Message]) -> list[int]:
        """Return the ids of a search that was recorded as messages: instructions, opening, reply, observation, ...

        For use after training: texts that were sampled are made into ids again here, as any server of a model does.
        """
        system, opening, *rest = messages
        ids = self.codec.open(opening.content, system.content)
        for reply, observation in zip(rest[::2], rest[1::2], strict=True):
            written = self.codec.encode_reply(reply.content)
            ids += [*written, *self.codec.follow(written, observation.content)]
        return ids

    def _pad_left(self, prefixes: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
        length = max(map(len, prefixes))
        rows = [[self.codec.pad] * (length - len(prefix)) + list(prefix) for prefix in prefixes]
        marks = [[0] * (length - len(prefix)) + [1] * len(prefix) for prefix in prefixes]
        return torch.tensor(rows, device=self.device), torch.tensor(marks, device=self.device)


def _choose(logits: torch.Tensor, temperature: float, rng: torch.Generator | None) -> torch.Tensor:
    if temperature == 0:
        return logits.argmax(-1)
    chances = torch.softmax(logits.float() / temperature, dim=-1)
    return torch.multinomial(chances, 1, generator=rng).squeeze(-1)
