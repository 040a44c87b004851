"""A prompt of learning that does not fit the model's window: who, what it showed, what helps, and what is kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from bench.config import LearnConfig, RunConfig
from bench.errors import ContextOverflow, StoreError
from bench.models.offline.reader import OfflineReader
from bench.models.scripted import ScriptedSource
from bench.models.tokenizers import count_tokens
from bench.registry import offline_rules, resolve_strategy
from bench.runner import build
from bench.runner.batch import Outcome, run
from bench.runner.overflow import describe_overflow
from bench.store.database import Store
from bench.store.ledger_queries import sum_spending
from bench.types import Message
from tests.baselines.learners import make_trial

QUESTION = RunConfig(
    suites=("toy:houses=8",),
    strategies=("exprag", "awm"),
    model="remote/fake",
    learn=LearnConfig(),
    embedder="hash",
    workers=1,
)

Play = Callable[..., Outcome]


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Play with a model that takes prompts of learning up to so many tokens."""

    def call(window: int, name: str = "run", **fields: object) -> Outcome:
        def reply(messages: Sequence[Message], role: str, _number: int) -> str:
            tokens = sum(count_tokens(message.content) for message in messages)
            if role == "distill" and tokens > window:
                raise ContextOverflow(f"prompt: expected at most {window} tokens, got {tokens}")
            return OfflineReader(offline_rules()).chat(messages, role=role).text

        monkeypatch.setattr(build, "load_source", lambda _name, _options: ScriptedSource(reply, 0.01))
        return run(QUESTION.model_copy(update=fields), tmp_path / name, root=tmp_path)

    return call


def list_attempts(message: str) -> list[str]:
    return [part.partition(" (attempt ")[0].rpartition(" ")[2] for part in message.split(", ") if "(attempt " in part]


def test_error_names_the_learner_what_it_showed_and_what_helps(play: Play, tmp_path: Path) -> None:
    with pytest.raises(StoreError) as raised:
        play(1_000)
    message = str(raised.value)
    assert message.startswith("learn: awm on toy:houses=8: expected a prompt that fits the model's window, got one of")
    assert "(prompt: expected at most 1000 tokens, got " in message
    assert "let awm show less in a call (its parameters: batch, most), take a model with a larger window" in message
    assert "or leave awm out" in message
    assert f"a new folder that {tmp_path / 'run' / 'collect'} is copied into gathers nothing again" in message
    with Store(tmp_path / "run" / "collect" / "full-history") as store:
        assert set(list_attempts(message)) == {row.key.task for row in store.trials()}


def test_what_was_gathered_and_learned_before_is_kept(play: Play, tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        play(1_000)
    assert (tmp_path / "run" / "artifacts" / "toy_houses=8" / "exprag" / "manifest.toml").is_file()
    given = {"artifacts": (str(tmp_path / "run" / "artifacts"),), "strategies": ("exprag",)}
    assert play(1_000, "given", **given).unscored == 0
    assert not (tmp_path / "given" / "collect").exists()


def test_calls_before_the_one_that_does_not_fit_are_paid_for_once(play: Play, tmp_path: Path) -> None:
    batches = {"strategies": ("awm:batch=1",)}
    messages = []
    for _ in range(2):
        with pytest.raises(StoreError, match=r"shorten the attempts \(--steps\)") as raised:
            play(640, **batches)
        messages.append(str(raised.value))
    assert messages[0] == messages[1]
    assert len(list_attempts(messages[0])) == 1
    spent = sum_spending(tmp_path / "run")
    with Store(tmp_path / "run") as store:
        (row,) = store.trials()
        calls = store.calls(row.key)
    assert [call.status for call in calls] == [*["ok"] * (len(calls) - 1), "overflow"]
    assert spent.calls == len(calls) > 1  # a second try made none of them again


def test_collection_that_is_copied_into_a_new_folder_is_not_played_again(play: Play, tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        play(1_000)
    shutil.copytree(tmp_path / "run" / "collect", tmp_path / "new" / "collect")
    spent = sum_spending(tmp_path / "new" / "collect" / "full-history")
    assert play(1_000, "new", strategies=("exprag", "awm:batch=1")).unscored == 0
    assert sum_spending(tmp_path / "new" / "collect" / "full-history") == spent


def test_many_attempts_are_counted_and_a_part_of_one_is_none() -> None:
    trials = [make_trial(f"t{n}", "Go.", ("look", f"A hall {n}."), ("go", f"A room {n}."), won=False) for n in range(8)]
    texts = "\n".join(step.observation.text for trial in trials[:7] for step in trial.steps)
    full = ContextOverflow("too long", (Message("user", f"{texts}\nA hall 7."),))
    message = describe_overflow(resolve_strategy("exprag"), full, trials, len)
    assert "showing t0 (attempt 1, 2 steps)" in message
    assert "t4 (attempt 1, 2 steps) and 2 more (too long)" in message
    assert "t7" not in message
    assert "showing no attempt as a whole" in describe_overflow(
        resolve_strategy("exprag"), ContextOverflow("too long"), trials, len
    )
