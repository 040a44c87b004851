"""Names to things: what is built in, what a plug-in adds, how a wrong name is answered."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import plugins
from bench.errors import UsageError
from bench.plugins import Plugin, find_plugins
from bench.protocols import Strategy, SuiteSpec
from bench.registry import (
    load_embedder,
    load_source,
    load_strategy,
    load_suite,
    offline_rules,
    resolve_strategy,
    resolve_suite,
    split_names,
    strategy_names,
    suite_names,
)

WORD = st.text("abcdefghijklmnopqrstuvwxyz0123456789-./", min_size=1, max_size=8)
PAIR = st.builds("{}={}".format, WORD, WORD | st.builds("{}:{}".format, WORD, WORD))
NAME = WORD | st.builds(lambda base, pairs: f"{base}:{','.join(pairs)}", WORD, st.lists(PAIR, min_size=1, max_size=3))


@given(st.lists(NAME, max_size=5))
def test_split_names_is_the_inverse_of_joining(names: list[str]) -> None:
    assert split_names(",".join(names)) == names
    assert split_names(" , ".join(name.replace(",", " , ") for name in names)) == names


def test_split_names_keeps_parameters_with_their_name() -> None:
    assert split_names("window:k=5,bm25,hiagent:summary=last,retrieve=off") == [
        "window:k=5", "bm25", "hiagent:summary=last,retrieve=off",
    ]  # fmt: skip
    models = [
        "mem0:k=3,writer_model=ollama/llama3:8b",
        "files-grep:navigator_model=offline/novice:depth=1,k=2",
        "window:k=5",
    ]
    assert split_names(",".join(models)) == models
    assert split_names(",, ") == []
    assert split_names("k=5") == ["k=5"]


def test_every_built_in_loads_and_has_a_version() -> None:
    strategies = [load_strategy(name) for name in strategy_names()]
    suites = [load_suite(name) for name in suite_names()]
    assert all(isinstance(one, Strategy) and one.source for one in strategies)
    assert all(isinstance(one, SuiteSpec) and one.default_split in one.splits for one in suites)
    names = [one.name for one in strategies] + [one.name for one in suites]
    assert len(set(names)) == len(names)
    assert all(name.rpartition("-v")[2].isdigit() for name in names)
    assert {"no-memory", "full-history", "truncation", "window", "embedding", "bm25"} <= set(strategy_names())
    assert {"alfworld", "pddl", "toy", "toy-talk"} <= set(suite_names())


def test_resolve_normalizes_the_label() -> None:
    assert resolve_strategy("window").label == "window"
    assert resolve_strategy(" window : k = 05 ").label == "window:k=5"
    assert resolve_strategy("window:k=5").params.integer("k") == 5
    assert resolve_suite("toy:houses=3").label == "toy:houses=3"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("windw", "strategy: expected a strategy, got 'windw'; did you mean window"),
        ("window:kk=5", "strategy window: expected a parameter, got 'kk'; did you mean k"),
        ("window:k", "strategy 'window:k': expected name:key=value,key=value, got 'k'; write key=value"),
        ("window:k=", "expected name:key=value,key=value, got 'k='"),
        ("window:k=x", "strategy window: expected k=<int>, got 'x'"),
        ("", "strategy: expected a strategy, got ''"),
    ],
)
def test_resolve_strategy_rejects_wrong_name_or_parameter(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        resolve_strategy(text)


def test_wrong_suite_model_or_embedder_is_rejected_with_nearest_name() -> None:
    with pytest.raises(UsageError, match="expected a suite, got 'toyy'; did you mean toy"):
        resolve_suite("toyy")
    with pytest.raises(UsageError, match="suite toy: expected a parameter, got 'house'; did you mean houses"):
        resolve_suite("toy:house=3")
    with pytest.raises(UsageError, match="expected a model, got 'offline/readr'; did you mean offline/reader"):
        load_source("offline/readr")
    with pytest.raises(UsageError, match="expected an embedder, got 'hsh'; did you mean hash"):
        load_embedder("hsh")


def test_load_returns_new_named_models_and_embedders() -> None:
    assert load_source("offline/reader").name == "offline/reader"
    assert load_embedder("hash") is not load_embedder("hash")
    assert load_embedder("litellm/openai/text-embedding-3-small").name.endswith("openai/text-embedding-3-small")


def test_offline_rules_cover_the_suites() -> None:
    origins = {type(rule).__module__.split(".")[1] for rule in offline_rules()}
    assert {"alfworld", "pddl", "toy"} <= origins


@pytest.fixture
def plugged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A distribution that adds one strategy and tries to take the place of another."""
    (tmp_path / "acme_rows.py").write_text("from baselines.window import STRATEGY\nRULES = ()\n")
    info = tmp_path / "acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[memfrontier.strategies]\nacme-window = acme_rows:STRATEGY\nfull-history = acme_rows:STRATEGY\n"
        "[memfrontier.offline_rules]\nacme = acme_rows:RULES\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    find_plugins.cache_clear()
    yield
    find_plugins.cache_clear()
    sys.modules.pop("acme_rows", None)


@pytest.mark.usefixtures("plugged")
def test_plug_in_adds_strategy_and_cannot_replace_built_in() -> None:
    assert "acme-window" in strategy_names()
    assert resolve_strategy("acme-window:k=2").label == "acme-window:k=2"
    assert load_strategy("full-history").name.startswith("full-history")
    assert offline_rules()
    with pytest.raises(UsageError, match="did you mean acme-window"):
        load_strategy("acme-windo")


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("from bench.types import Exhibit", "bench.types: Exhibit is now JudgeCase"),
        ("from bench.types import Walls", "bench.types: Walls is now Timings"),
        ("from bench.protocols import Evident", "bench.protocols: Evident is now HasEvidence"),
    ],
)
def test_plugin_with_an_old_name_is_refused_with_the_new_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, line: str, hint: str
) -> None:
    (tmp_path / "old_plugin.py").write_text(line)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(plugins, "find_plugins", lambda _group: {"old": Plugin("old", "old_plugin:STRATEGY", "old 1")})
    with pytest.raises(UsageError, match=f"^old_plugin:STRATEGY: expected a name to import, .*{hint}"):
        resolve_strategy("old")
    sys.modules.pop("old_plugin", None)
