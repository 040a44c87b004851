"""Forecasts: exact where everything was seen, in bounds where it was not, and to the caps where nobody can know."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import registry
from bench.agents import default_agent
from bench.config import RunConfig
from bench.errors import UsageError
from bench.models.offline.reader import OfflineReader
from bench.models.scripted import ScriptedSource
from bench.protocols import Kit, Strategy
from bench.registry import offline_rules
from bench.runner import build
from bench.runner.batch import run
from bench.runner.forecast import Forecast, Line, Span, from_offline, from_pilot
from bench.runner.forecast_lines import _scale
from bench.runner.forecast_sample import extend_prompts
from bench.types import Attempt, CallStatus, Context, Event, Message, Query, Reply, Usage

MAX_TOKENS = 512


def config(**fields: object) -> RunConfig:
    given = {"suites": ["toy:houses=8"], "strategies": ["window:k=3", "full-history"], "model": "openai/gpt-4o",
             "embedder": "hash"}  # fmt: skip
    return RunConfig.model_validate({**given, **fields})


def price(usage: Usage) -> float:
    """A dollar a token of a prompt, two a token of a reply."""
    return (usage.prompt or 0) + 2.0 * (usage.completion or 0)


PRICES = {"openai/gpt-4o": price}


def ledger(folder: Path) -> dict[str, tuple[float, ...]]:
    """Calls, prompt and completion tokens and cost by strategy, as a run recorded them."""
    db = sqlite3.connect(folder / "run.sqlite")
    rows = db.execute(
        "SELECT strategy, SUM(c.status = 'ok'), SUM(prompt), SUM(completion), SUM(cost_usd) FROM calls c "
        "JOIN trials t ON t.id = c.trial WHERE role != 'embed' GROUP BY strategy"
    ).fetchall()
    db.close()
    return {row[0]: tuple(map(float, row[1:])) for row in rows}


def by_strategy(found: Forecast) -> dict[str, Line]:
    return {line.strategy: line for line in found.lines}


def likely(*spans: Span | None) -> tuple[float, ...]:
    assert all(span is not None and span.low <= span.likely <= span.high for span in spans)
    return tuple(span.likely for span in spans if span is not None)


def test_full_sample_is_forecast_exactly(tmp_path: Path) -> None:
    asked = config(suites=["toy:houses=8", "toy-talk"], limit=4, strategies=["window:k=3"])
    found = from_offline(asked, tmp_path, 4, PRICES)
    run(asked.model_copy(update={"model": "offline/reader"}), tmp_path / "run", root=tmp_path)
    calls, prompt, completion, _ = ledger(tmp_path / "run")["window:k=3"]
    total = [0.0] * 4
    for line in found.lines:
        assert (line.trials, line.sampled) == (4, 4)
        spans = (line.calls, line.prompt_tokens, line.completion_tokens, line.cost_usd)
        assert all(span is not None and span.low == span.likely for span in spans)
        total = [before + now for before, now in zip(total, likely(*spans), strict=True)]
    assert total == [calls, prompt, completion, prompt + 2 * completion]


def test_the_upper_bound_is_every_episode_at_its_cap_and_every_reply_as_long_as_it_may_be(tmp_path: Path) -> None:
    found = by_strategy(from_offline(config(steps=12), tmp_path, 8, PRICES))
    for line in found.values():
        assert line.calls is not None
        assert line.completion_tokens is not None
        assert line.calls.high == 8 * 12
        assert line.completion_tokens.high == 8 * 12 * MAX_TOKENS
    window, full = found["window:k=3"].prompt_tokens, found["full-history"].prompt_tokens
    assert window is not None
    assert full is not None
    assert window.high < full.high  # what forgets does not grow


def test_a_sample_is_scaled_to_tasks_times_seeds_and_its_bounds_hold_the_truth(tmp_path: Path) -> None:
    asked = config(suites=["toy:houses=40"], seeds=[0, 1])
    found = by_strategy(from_offline(asked, tmp_path, 8, {}))
    run(asked.model_copy(update={"model": "offline/reader"}), tmp_path / "run", root=tmp_path)
    for strategy, (calls, prompt, _, _) in ledger(tmp_path / "run").items():
        line = found[strategy]
        assert (line.trials, line.sampled, line.cost_usd) == (80, 8, None)
        assert line.calls is not None
        assert line.prompt_tokens is not None
        assert line.calls.low < calls < line.calls.high
        assert line.prompt_tokens.low < prompt < line.prompt_tokens.high
        assert 0.5 < line.calls.likely / calls < 2
    assert by_strategy(from_offline(asked, tmp_path, 8, {})) == found  # nothing of it is by chance


def test_no_key_no_network_and_no_paid_embedder_is_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    asked = config(strategies=["embedding"], embedder="litellm/openai/text-embedding-3-small", cache="read", limit=2)
    found = from_offline(asked, tmp_path, 2, {})
    assert "Embedding calls of litellm/openai/text-embedding-3-small are not in these numbers." in found.notes
    assert (found.model, found.lines[0].sampled) == ("openai/gpt-4o", 2)
    assert list(tmp_path.iterdir()) == []


class _Summarising:
    """A memory that makes a call for which the offline model has no rule."""

    def __init__(self, kit: Kit):
        self._kit = kit

    def observe(self, event: Event) -> None:
        self._kit.model.chat((Message("user", event.text),), role="acme/summarize")

    def recall(self, _query: Query) -> Context:
        return Context()


def test_strategy_that_fails_offline_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("summarising")
    module.STRATEGY = Strategy("summarising-v1", default_agent(_Summarising))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "summarising", module)
    monkeypatch.setitem(registry.builtin.STRATEGIES, "summarising", "summarising:STRATEGY")
    found = from_offline(config(strategies=["summarising", "window"], limit=2), tmp_path, 2, PRICES)
    lines = by_strategy(found)
    assert lines["summarising"] == Line("toy:houses=8", "summarising", 2, 0)
    assert lines["window"].calls is not None
    assert any("summarising: left out trials that failed offline: " in note for note in found.notes)


Pilot = Callable[..., Path]


@pytest.fixture
def pilot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pilot:
    """Make a pilot run of a priced model, each of whose calls is tried twice."""

    class Retried(ScriptedSource):
        def chat(self, messages: Sequence[Message], **given: object) -> Reply:  # type: ignore[override]
            reply = super().chat(messages, **given)  # type: ignore[arg-type]
            failed = Attempt(CallStatus.SERVER_ERROR, cost_usd=0.5)
            return Reply(reply.text, reply.usage, reply.cost_usd, reply.price_date, attempts=(failed,))

    def make(**fields: object) -> Path:
        far = Retried(
            lambda messages, role, _: OfflineReader(offline_rules()).chat(messages, role=role).text,
            0.25,
            "openai/gpt-4o",
        )
        with monkeypatch.context() as patched:
            patched.setattr(build, "load_source", lambda _name, _options: far)
            run(config(**fields), tmp_path / "pilot", root=tmp_path)
        return tmp_path / "pilot"

    return make


def test_full_pilot_is_forecast_exactly(tmp_path: Path, pilot: Pilot) -> None:
    folder = pilot()
    paid, priced = (by_strategy(from_pilot(config(), tmp_path, folder, of)) for of in ({}, PRICES))
    for strategy, (calls, prompt, completion, cost) in ledger(folder).items():
        for line in (paid[strategy], priced[strategy]):
            assert likely(line.calls, line.prompt_tokens, line.completion_tokens) == (calls, prompt, completion)
        assert cost == 0.75 * calls
        assert likely(paid[strategy].cost_usd) == (cost,)
        assert likely(priced[strategy].cost_usd) == (prompt + 2 * completion + 0.5 * calls,)


def test_a_pilot_of_some_tasks_is_scale(tmp_path: Path, pilot: Pilot) -> None:
    folder = pilot(limit=4)
    line = by_strategy(from_pilot(config(suites=["toy:houses=8"], seeds=[0, 1]), tmp_path, folder, {}))["full-history"]
    (calls, _, _, cost) = ledger(folder)["full-history"]
    assert (line.trials, line.sampled) == (16, 4)
    assert likely(line.calls, line.cost_usd) == (4 * calls, 4 * cost)
    assert line.calls is not None
    assert line.calls.low < line.calls.likely < line.calls.high


def test_pilot_of_other_settings_is_rejected_or_noted(tmp_path: Path, pilot: Pilot) -> None:
    folder = pilot(limit=2, strategies=["window:k=3"], steps=9)
    with pytest.raises(
        UsageError, match=r"finished trials of window:k=4 on toy:houses=8 .*got none; it has window:k=3"
    ):
        from_pilot(config(strategies=["window:k=4"]), tmp_path, folder, {})
    with pytest.raises(UsageError, match=r"with openai/gpt-5 in .*got none; it has none at all of these"):
        from_pilot(config(strategies=["window:k=3"], model="openai/gpt-5"), tmp_path, folder, {})
    found = from_pilot(config(strategies=["window:k=3"]), tmp_path, folder, {})
    assert "The pilot was made otherwise: steps: 9 -> 0." in found.notes


def test_a_pilot_that_was_replayed_has_no_price_of_its_own(
    tmp_path: Path, pilot: Pilot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCH_CACHE", str(tmp_path / "cache"))
    pilot(limit=2, cache="read-write").rename(tmp_path / "paid")
    replayed = pilot(limit=2, cache="read-write")
    asked = config(limit=2)
    assert all(line.cost_usd is None for line in from_pilot(asked, tmp_path, replayed, {}).lines)
    assert all(line.cost_usd is not None for line in from_pilot(asked, tmp_path, replayed, PRICES).lines)


@given(st.lists(st.floats(1, 1e4), min_size=1, max_size=30), st.integers(1, 30))
def test_further_prompts_never_shrink(prompts: list[float], more: int) -> None:
    grown = extend_prompts(prompts, 1.0, more)
    assert len(grown) == more
    assert grown == sorted(grown)
    assert grown[0] >= sum(prompts) / len(prompts) - 1e-6


def test_prompts_grow_along_their_line() -> None:
    assert extend_prompts([10.0, 20.0, 30.0, 40.0], 1.0, 3) == pytest.approx([50, 60, 70])
    assert extend_prompts([10.0, 15.0, 20.0, 25.0, 30.0, 35.0], 2.0, 2) == pytest.approx([45, 55])  # two calls a step
    assert extend_prompts([9.0, 8.0], 1.0, 2) == [9.0, 9.0]


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=9), st.integers(1, 200))
def test_a_total_holds_what_was_seen(values: list[float], trials: int) -> None:
    span = _scale(values, trials, 1)
    seen = sum(values[:trials])
    assert seen - 1e-6 <= span.low <= span.likely + 1e-3
    assert span.likely <= span.high + 1e-3
    if trials <= len(values):
        assert span.low == span.high == pytest.approx(seen)
