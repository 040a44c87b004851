"""The offline player over real HTTP: the scores and counts of a run in this process, and errors for unknown prompts."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from bench.config import RunConfig
from bench.models.offline.rule_table import read_header
from bench.models.openai_api.offline_server import OfflineServer
from bench.registry import load_source, offline_rules
from bench.runner.batch import run
from bench.store.read import read_trials
from bench.types import Message, Trial

CLIENT_SIDE = ("context_tokens", "answer_tokens", "cost_usd")
"""Scores that the client's own tokenizer and price list make."""
RUBRIC = "You grade one answer to a question about a long conversation."


@pytest.fixture(scope="module")
def server() -> Iterator[OfflineServer]:
    with OfflineServer() as server:
        yield server


def ask(server: OfflineServer, text: str, **more: object) -> tuple[int, Any]:
    messages = [{"role": "system", "content": text}, {"role": "user", "content": "Hello."}]
    body, kind = (
        json.dumps({"model": "offline", "messages": messages, **more}).encode(),
        {"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(urllib.request.Request(f"{server.url}/chat/completions", body, kind)) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, json.load(refused)


def read_scores(folder: Path) -> Mapping[tuple[str, str], Any]:
    def outcome(trial: Trial) -> Any:
        counts = [(call.usage.prompt, call.usage.completion, call.reply) for call in trial.calls]
        scores = [{score.name: score.value for score in item.scores} for item in trial.items]
        same = [{name: value for name, value in one.items() if not name.startswith(CLIENT_SIDE)} for one in scores]
        return trial.status, same, counts

    return {(trial.key.strategy, trial.key.task): outcome(trial) for trial in read_trials(folder)}


@pytest.mark.parametrize(
    ("suite", "strategies"),
    [
        ("toy", ("window", "hiagent", "fold", "generic-agent", "summary", "acon-untrained")),
        ("toy-talk", ("a-mem", "files-grep", "bm25")),
    ],
)
def test_run_over_http_has_the_scores_and_tokens_of_the_process(
    server: OfflineServer, tmp_path: Path, suite: str, strategies: tuple[str, ...]
) -> None:
    settings: dict[str, Any] = {"suites": (suite,), "strategies": strategies, "limit": 2}
    here = run(RunConfig(**settings), tmp_path / "here")
    there = run(RunConfig(**settings, model="openai/offline", base_url=server.url), tmp_path / "there")
    assert here.done == there.done > 0
    assert read_scores(here.folder) == read_scores(there.folder)


def test_strategies_that_count_tokens_have_the_success_of_the_process(server: OfflineServer, tmp_path: Path) -> None:
    # What fits into their contexts is counted by the tokenizer of the model's name, so their tokens may differ.
    settings: dict[str, Any] = {"suites": ("toy-talk",), "strategies": ("mem0", "generic-agent-dialogue"), "limit": 1}
    here = run(RunConfig(**settings), tmp_path / "here")
    there = run(RunConfig(**settings, model="openai/offline", base_url=server.url), tmp_path / "there")
    found = [
        {key: [one["success"] for one in scores] for key, (_, scores, _) in read_scores(done.folder).items()}
        for done in (here, there)
    ]
    assert found[0] == found[1]
    assert len(found[0]) == 2


def test_reply_has_the_counts_of_the_process_and_no_sampling(server: OfflineServer) -> None:
    prompt = (Message("system", RUBRIC), Message("user", "Hello."))
    here = load_source("offline/reader").model(0).chat(prompt, role="judge")
    status, body = ask(server, RUBRIC, temperature=1.0, seed=7)
    assert (status, body["choices"][0]["message"]["content"], body["model"]) == (200, here.text, "offline")
    assert (body["usage"]["prompt_tokens"], body["usage"]["completion_tokens"]) == (
        here.usage.prompt,
        here.usage.completion,
    )


def test_unknown_prompt_is_an_error_400_that_says_what_is_known(server: OfflineServer) -> None:
    status, body = ask(server, "You are a pirate.")
    assert status == 400
    assert "begins as those of one role, got 'You are a pirate.' of none" in body["error"]["message"]


def test_no_header_belongs_to_two_roles() -> None:
    roles: dict[str, set[str]] = {}
    for rule in offline_rules():
        if hasattr(rule, "header"):
            roles.setdefault(read_header(rule.header), set()).add(rule.role)
    assert roles
    assert [header for header, found in roles.items() if len(found) > 1] == []
