"""``bench forecast`` on the command line: its formats, its prices, and what it refuses."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from bench.cli.forecast import find_prices
from bench.config import RunConfig
from bench.runner.resolve import resolve_run
from bench.types import Usage

WORDS = ("forecast", "toy:houses=4", "toy-talk", "-s", "window:k=3,full-history", "--limit", "3", "--pilot", "2")
PRICES = """
[prices]
date = "2026-11-30"
input = 100
output = 1000
"""


def test_json_has_a_row_for_each_strategy_and_one_for_all(bench: Any) -> None:
    done = bench(*WORDS, "--format", "json")
    assert (done.code, done.err) == (0, "forecast: playing 2 tasks of each suite offline\n")
    found = json.loads(done.out)
    assert found["model"] == "offline/reader"
    assert found["basis"] == "the offline model's counts on 2 tasks of each suite, scaled to the plan"
    rows = found["rows"]
    assert [(row["suite"], row["strategy"], row["trials"], row["sampled"]) for row in rows] == [
        ("toy:houses=4", "window:k=3", 3, 2),
        ("toy:houses=4", "full-history", 3, 2),
        ("toy-talk", "window:k=3", 3, 2),
        ("toy-talk", "full-history", 3, 2),
        ("all", "all", 12, 8),
    ]
    for name in ("calls", "prompt_tokens", "completion_tokens", "cost_usd"):
        for end in ("low", "likely", "high"):
            assert rows[-1][name][end] == pytest.approx(sum(row[name][end] for row in rows[:-1]))
    assert rows[-1]["cost_usd"]["high"] == 0.0  # the offline model is free


def test_tables_say_what_they_rest_on(bench: Any) -> None:
    shown, marked = bench(*WORDS).out, bench(*WORDS, "--format", "md").out
    for text in (shown, marked):
        assert "offline/reader: low / likely / high" in text
        assert "Based on the offline model's counts on 2 tasks of each suite" in text
        assert "every reply fills its max_tokens" in " ".join(text.split())
    assert "| suite | strategy | trials | seen | calls | prompt tokens | completion tokens | US$ |" in marked
    assert "0.00 / 0.00 / 0.00" in marked


def test_a_price_file_prices_the_forecast_and_without_one_the_cost_is_unknown(bench: Any, tmp_path: Path) -> None:
    (tmp_path / "endpoint.toml").write_text(PRICES)
    words = (*WORDS, "-m", "hosted_vllm/any", "--base-url", "http://127.0.0.1:9/v1", "--format", "json")
    (*_, total) = json.loads(bench(*words, "--endpoint", "endpoint.toml").out)["rows"]
    tokens = total["prompt_tokens"]["likely"], total["completion_tokens"]["likely"]
    assert total["cost_usd"]["likely"] == pytest.approx((tokens[0] * 100 + tokens[1] * 1000) / 1e6)
    unpriced = json.loads(bench(*words).out)
    assert unpriced["rows"][-1]["cost_usd"] is None
    assert any("US$: price unknown" in note for note in unpriced["notes"])


def test_prices_come_from_the_file_then_from_the_library_and_never_for_an_address_of_one_s_own(tmp_path: Path) -> None:
    def of(**fields: object) -> float | None:
        question = resolve_run(RunConfig.model_validate({"suites": ["toy"], "strategies": ["window"], **fields}))
        price = find_prices(question).get(question.config.model)
        return None if price is None else price(Usage(prompt=10**6, completion=10**6))

    (tmp_path / "endpoint.toml").write_text(PRICES)
    assert of() == 0.0
    assert of(model="local/smollm2-135m") == 0.0
    assert of(model="openai/gpt-4o", base_url="http://host/v1") is None
    assert of(model="acme/unheard-of") is None
    assert of(model="openai/gpt-4o", endpoint=str(tmp_path / "endpoint.toml")) == 1100.0
    known = find_spec("litellm") is not None
    assert of(model="openai/gpt-4o") == (12.5 if known else None)


def test_phases_have_a_column_where_something_is_learned(bench: Any) -> None:
    words = ("forecast", "toy:houses=8", "-s", "full-history,exprag", "--learn-policy", "half-random", "--pilot", "2")
    text = bench(*words, "--format", "md").out
    assert "| suite | phase | strategy | trials | seen |" in text
    assert [line.split(" | ")[1:3] for line in text.splitlines() if line.startswith("| toy")] == [
        ["gather", "full-history"], ["learn", "exprag"], ["evaluate", "full-history"], ["evaluate", "exprag"],
    ]  # fmt: skip
    rows = json.loads(bench(*words, "--format", "json").out)["rows"]
    assert [row["phase"] for row in rows] == ["gather", "learn", "evaluate", "evaluate", "all"]
    assert rows[-1]["calls"]["likely"] == pytest.approx(sum(row["calls"]["likely"] for row in rows[:-1]))


def test_a_run_is_its_own_pilot(bench: Any) -> None:
    assert bench("run", "toy:houses=4", "-s", "window:k=3", "--limit", "2", "-o", "pilot").code == 0
    done = bench("forecast", "toy:houses=4", "-s", "window:k=3", "--from", "pilot", "--format", "json")
    assert done.err == ""
    found = json.loads(done.out)
    assert found["basis"] == "the pilot run pilot with offline/reader, scaled to the plan"
    assert [(row["trials"], row["sampled"]) for row in found["rows"]] == [(4, 2)]
    assert bench("forecast", "pilot", "--pilot", "1").code == 0  # a run folder is a question too


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--format", "cvs"), "forecast: expected a format, got 'cvs'"),
        (("--pilot", "0"), "forecast: expected --pilot of at least 1 task, got 0"),
        (("--from", "nowhere"), "run folder: expected run.sqlite in it, got nowhere"),
        (("-s", "windw"), "strategy: expected a strategy, got 'windw'; did you mean window?"),
        (("--split", "none"), "expected a split, got 'none'"),
    ],
)
def test_refusals_are_one_line(words: tuple[str, ...], said: str, bench: Any) -> None:
    refused = bench("forecast", "toy", *words)
    assert refused.code == 2
    assert said in refused.err.splitlines()[-1]
    assert refused.out == ""
