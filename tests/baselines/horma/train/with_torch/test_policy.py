"""A model as a policy: what it samples is what it says it sampled, whatever stands beside it in a batch."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import torch

from baselines.horma.train.policy import Policy
from baselines.horma.train.transcript import Transcript
from baselines.horma.train.words import WordCodec
from bench.types import Message
from tests.baselines.horma.train.with_torch.models import WORDS, load_model, make_policy, save_chat_model

PREFIXES = ([2, 5, 6, 3], [2, 7, 3], [2, 5, 8, 9, 10, 11, 3])


def make_causal(tmp_path: Path) -> Policy:
    """Return a model of the library transformers, with the tiny codec."""
    return Policy(load_model(save_chat_model(tmp_path)), WordCodec(WORDS))


@pytest.mark.parametrize("kind", ["tiny", "transformers"])
def test_greedy_replies_are_those_of_the_model_without_cache_and_without_batch(kind: str, tmp_path: Path) -> None:
    policy = make_policy(layers=2) if kind == "tiny" else make_causal(tmp_path)
    for prefix, reply in zip(PREFIXES, policy.sample(PREFIXES, 6, 0.0, None), strict=True):
        ids = list(prefix)
        for token in reply:
            with torch.no_grad():
                out = policy.model(
                    input_ids=torch.tensor([ids]), attention_mask=torch.ones(1, len(ids), dtype=torch.long)
                )
            assert token == int(out.logits[0, -1].argmax())
            ids.append(token)
        assert len(reply) == 6 or reply[-1] in policy.codec.stops


@pytest.mark.parametrize("kind", ["tiny", "transformers"])
def test_logprobs_do_not_depend_on_the_rows_beside(kind: str, tmp_path: Path) -> None:
    policy = make_policy(layers=2) if kind == "tiny" else make_causal(tmp_path)
    transcripts = [Transcript() for _ in PREFIXES]
    for transcript, prefix in zip(transcripts, PREFIXES, strict=True):
        transcript.read(prefix)
        transcript.write([6, 8, 4])
    together = policy.logprobs(transcripts, 1.0)
    alone = torch.cat([policy.logprobs([one], 1.0) for one in transcripts])
    assert torch.allclose(together, alone, atol=1e-5)


def test_samples_are_drawn_as_often_as_they_are_likely_and_repeat_with_a_seed() -> None:
    policy = make_policy()
    prefix = PREFIXES[0]
    rng = torch.Generator().manual_seed(1)
    drawn = Counter(reply[0] for reply in policy.sample([prefix] * 4000, 1, 0.7, rng))
    transcript = Transcript()
    transcript.read(prefix)
    token, count = drawn.most_common(1)[0]
    transcript.write([token])
    assert count / 4000 == pytest.approx(policy.logprobs([transcript], 0.7).exp().item(), abs=0.03)
    first, again = (policy.sample([prefix] * 5, 4, 1.0, torch.Generator().manual_seed(7)) for _ in range(2))
    assert first == again


def test_recorded_messages_are_encoded_as_the_search_was() -> None:
    policy = make_policy()
    codec, transcript = policy.codec, Transcript()
    transcript.read(codec.open("question a"))
    for reply, shown in (("look a", "seen a"), ("select b", "what?")):
        written = codec.encode_reply(reply)
        transcript.write(written)
        transcript.read(codec.follow(written, shown))
    messages = [("system", "be quick"), ("user", "question a"), ("assistant", "look a"), ("user", "seen a")]
    messages += [("assistant", "select b"), ("user", "what?")]
    assert policy.encode([Message(role, text) for role, text in messages]) == transcript.ids
