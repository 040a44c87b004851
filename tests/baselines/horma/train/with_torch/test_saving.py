"""Navigators on disk, and one of them in a run: its calls are in the ledger, and a resumed run needs no weights."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from baselines.horma.train.policy import Policy
from baselines.horma.train.saving import load_policy, save_navigator
from baselines.horma.train.settings import TrainSettings
from baselines.horma.train.words import WordCodec
from baselines.horma.trained import TrainedModel, check_trained
from bench.errors import UsageError
from bench.store.read import read_trials
from bench.types import Message, Shape
from tests.baselines.horma.train.with_torch.models import make_policy
from tests.conftest import RunBench

SETTINGS = TrainSettings(reply_tokens=5, window=60)
MESSAGES = [Message("system", "navigate"), Message("user", "question a")]


def save(folder: Path, policy: Policy | None = None) -> Policy:
    policy = policy or make_policy()
    save_navigator(policy, folder, SETTINGS)
    return policy


def test_saved_navigator_replies_as_before(tmp_path: Path) -> None:
    policy = save(tmp_path)
    manifest = check_trained(tmp_path)
    assert (manifest.kind, manifest.rows) == ("tiny", len(WordCodec(())) + 10)
    loaded = load_policy(tmp_path, manifest)
    prefixes = [[2, 5, 6, 3], [2, 7, 3]]
    assert loaded.sample(prefixes, 8, 0.0, None) == policy.sample(prefixes, 8, 0.0, None)


def test_words_with_ends_of_lines_survive(tmp_path: Path) -> None:
    codec = WordCodec(("\n", "lamp", "\\"))
    policy = make_policy()
    policy.model.shape = policy.model.shape.__class__(len(codec), 16, 2, 1)
    policy.model.words = torch.nn.Embedding(len(codec), 16)
    save(tmp_path, Policy(policy.model, codec))
    found = load_policy(tmp_path, check_trained(tmp_path)).codec
    assert isinstance(found, WordCodec)
    assert found.words == codec.words


def test_weights_for_another_vocabulary_are_refused(tmp_path: Path) -> None:
    save(tmp_path)
    manifest = check_trained(tmp_path)
    other = make_policy()
    other.codec = WordCodec(("one", "word"))
    save(tmp_path / "other", other)
    (tmp_path / "vocabulary.txt").write_text((tmp_path / "other" / "vocabulary.txt").read_text())
    with pytest.raises(UsageError, match=r"expected weights for the 7 tokens of .*vocabulary.txt, got weights for 15"):
        load_policy(tmp_path, manifest)


def test_trained_model_replies_by_the_messages_alone_and_counts_its_tokens(tmp_path: Path) -> None:
    policy = save(tmp_path)
    model = TrainedModel(tmp_path)
    first, again = (model.chat(MESSAGES, role="navigate") for _ in range(2))
    assert first == again
    assert first.text
    prompt = policy.encode(MESSAGES)
    assert (first.usage.prompt, first.cost_usd) == (len(prompt), 0.0)
    assert first.usage.completion is not None
    assert 1 <= first.usage.completion <= 5
    assert model.chat(MESSAGES, role="navigate", max_tokens=1).usage.completion == 1


def test_prompt_without_room_ends_the_search(tmp_path: Path) -> None:
    save(tmp_path)
    long = [MESSAGES[0], Message("user", "question " * 70)]
    assert TrainedModel(tmp_path).chat(long, role="navigate").text == "done"


def test_reply_without_a_word_is_no_fault_of_the_model(tmp_path: Path) -> None:
    policy = make_policy()
    with torch.no_grad():  # the end of a reply is always likeliest
        policy.model.words.weight.zero_()
        policy.model.words.weight[4] = 0.0
    save(tmp_path, policy)
    assert TrainedModel(tmp_path).chat(MESSAGES, role="navigate").text == "(no reply)"


def test_run_uses_the_navigator_and_resumes_without_it(bench: RunBench, tmp_path: Path) -> None:
    save(tmp_path / "navigator")
    words = ("run", "toy-talk", "-s", "horma-untrained:navigator=navigator", "-o", "out")
    first = bench(*words)
    assert first.code == 0, first.err
    trials = read_trials(tmp_path / "out", Shape.CONVERSATION)
    calls = [call for trial in trials for call in trial.calls if call.role == "navigate"]
    assert calls
    answers = [call for trial in trials for call in trial.calls if call.role == "answer"]
    assert {call.model.split("/")[0] for call in answers} == {"offline"}
    entries = dict(trials[0].fingerprint.entries)
    assert len(entries["row.navigator"]) == 16
    # Everything is recorded: the same command calls nothing.
    assert bench(*words).out == first.out
    assert bench("show", "out", trials[0].key.task, "--tree").code == 0
