"""An endpoint that refuses every call: the run stops after a few equal answers, says why in one line, and resumes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from adapters.toy.offline.rules import RULES
from bench.store.read import read_trials
from bench.types import Message, Status
from tests.servers.openai_server import Answer, FakeOpenAI, ReceivedRequest, completion, error, usage

REFUSALS = {
    "wrong-key": (error(401, "Incorrect API key provided"), "auth", "check the key in OPENAI_API_KEY"),
    "no-right": (error(403, "Your account may not use this model"), "auth", "check the key in OPENAI_API_KEY"),
    "no-model": (error(404, "The model `toy` does not exist"), "not-found", "check the model's name and the base URL"),
    "no-credit": (error(402, "Payment required"), "quota", "the account has no credit left; raise it, then resume"),
    "quota": (
        error(429, "You exceeded your current quota", "insufficient_quota"),
        "quota",
        "the account has no credit left; raise it, then resume",
    ),
}


def play_rules(request: ReceivedRequest) -> Answer:
    messages = [Message(m["role"], m["content"]) for m in request.body["messages"]]
    return completion(next(rule for rule in RULES if rule.role == "act").reply(messages), usage(10, 2))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    with FakeOpenAI(play_rules) as running:
        yield running


def words(server: FakeOpenAI, workers: int) -> tuple[str, ...]:
    return ("run", "toy:houses=20", "-s", "no-memory,window", "-m", "openai/toy", "--base-url", server.url,
            "--workers", str(workers), "-o", "run")  # fmt: skip


@pytest.mark.parametrize("what", REFUSALS)
@pytest.mark.parametrize("workers", [1, 8])
def test_run_stops_after_a_few_equal_answers_with_one_line(
    server: FakeOpenAI, tmp_path: Path, bench: Any, what: str, workers: int
) -> None:
    refusal, status, hint = REFUSALS[what]
    server.script = lambda _request: refusal
    done = bench(*words(server, workers))
    assert (done.code, done.out) == (2, "")
    assert 3 <= len(server.requests) < 3 + 2 * workers  # no more than were under way
    said = [line for line in done.err.splitlines() if status in line]
    assert len(said) == 1
    assert said[0].startswith(f"bench: run: openai/toy: expected a reply, got {status} after 1 try (")
    assert said[0].endswith(
        f"{hint} (every call is answered like this: the run stopped, the same command goes on from here)"
    )
    server.script = play_rules
    assert bench(*words(server, workers)).code == 0
    assert {trial.status for trial in read_trials(tmp_path / "run")} == {Status.DONE}


def test_run_goes_on_where_some_calls_are_answered(server: FakeOpenAI, tmp_path: Path, bench: Any) -> None:
    refusal = error(403, "not this one")
    server.script = lambda request: refusal if request.number % 9 == 0 else play_rules(request)
    done = bench(*words(server, 1))
    assert done.code == 1
    trials = read_trials(tmp_path / "run")
    failed = [trial for trial in trials if trial.status is Status.MODEL_ERROR]
    assert 3 < len(failed) < len(trials) == 40
    last = done.err.splitlines()[-2:]
    assert last[0].startswith(f"run: model-error in {len(failed)} trials, the first is ")
    assert last[1] == f"run: {len(failed)} trials unscored; the same command retries them"
