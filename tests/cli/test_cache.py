"""Whole runs over a cache: the same command twice costs nothing, a cassette makes the same table without a model, and
``bench cache`` says what it does."""

from __future__ import annotations

import json
import shutil
import socket
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from bench.cli.cache import cache_command
from bench.config import RunConfig
from bench.errors import StoreError, UsageError
from bench.models.offline.reader import OfflineReader
from bench.models.scripted import ScriptedSource
from bench.registry import offline_rules
from bench.report.table import build_table, render_table
from bench.runner import build
from bench.runner.batch import Outcome, run
from bench.store.dataframe import read_items
from bench.types import Message

ROWS = ("no-memory", "window:k=3", "embedding")


def read(messages: Sequence[Message], role: str, number: int) -> str:
    """What the offline model would say, and a remark that no two calls share."""
    return f"{OfflineReader(offline_rules()).chat(messages, role=role).text}\nThis is call {number}."


class Unplugged(ScriptedSource):
    """An endpoint that is not there."""

    def __init__(self) -> None:
        super().__init__(read)

    def model(self, _seed: int) -> Any:
        raise AssertionError("expected no call for a model")


Play = Callable[..., Outcome]


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Run the toy suites with a source that is given, with the cache in ``tmp_path / "cache"``."""
    monkeypatch.setenv("BENCH_CACHE", str(tmp_path / "cache"))

    def call(source: ScriptedSource, name: str, **fields: object) -> Outcome:
        monkeypatch.setattr(build, "load_source", lambda _name, _options: source)
        given = {
            "suites": ["toy:houses=6", "toy-talk"], "strategies": ROWS, "model": "remote/fake", "limit": 3,
            "seeds": [0, 1], "workers": 4, "cache": "read-write", **fields,
        }  # fmt: skip
        return run(RunConfig.model_validate(given), tmp_path / name, root=tmp_path)

    return call


PAID = ("cost_usd", "wall_")


def unpaid_table(folder: Path) -> list[dict[str, object]]:
    """The table in JSON without what may differ between a run and its replay: cost and clocks."""
    rows = json.loads(render_table(build_table(read_items([folder]), reference="no-memory"), "json"))
    return [{name: value for name, value in row.items() if not name.startswith(PAID)} for row in rows]


def column(folder: Path, what: str) -> list[object]:
    db = sqlite3.connect(folder / "run.sqlite")
    try:
        return [row[0] for row in db.execute(f"SELECT {what} FROM calls ORDER BY trial, call, attempt")]
    finally:
        db.close()


@pytest.fixture
def first(play: Play, tmp_path: Path) -> Path:
    source = ScriptedSource(read)
    assert play(source, "first") == Outcome(tmp_path / "first", 36, 0, 36)
    assert source.calls > 100
    return tmp_path / "first"


def test_cached_run_costs_nothing_and_gives_the_same_table(play: Play, first: Path, tmp_path: Path) -> None:
    source = ScriptedSource(read)
    play(source, "second")
    assert source.calls == 0
    assert unpaid_table(tmp_path / "second") == unpaid_table(first)
    assert column(tmp_path / "second", "reply") == column(first, "reply")
    chats = "role != 'embed'"
    assert set(column(tmp_path / "second", f"CASE WHEN {chats} THEN usage_source END")) == {"replay", None}
    assert set(column(tmp_path / "second", "cost_usd")) == {0.0}
    spent = column(first, "cost_usd")
    assert 0.01 in spent


def test_resumed_run_keeps_its_table_in_every_cache_mode(play: Play, first: Path) -> None:
    before = render_table(build_table(read_items([first]), reference="no-memory"), "md")
    source = ScriptedSource(read)
    for mode in ("read-write", "read", "off"):
        play(source, "first", cache=mode)
        assert render_table(build_table(read_items([first]), reference="no-memory"), "md") == before
    assert source.calls == 0


def test_equal_calls_of_two_strategies_are_paid_once(play: Play, tmp_path: Path) -> None:
    source = ScriptedSource(read)
    play(source, "one", strategies=["window:k=3"], suites=["toy:houses=6"], seeds=[0])
    paid = source.calls
    # The first prompts of an episode, when nothing is forgotten yet, are those of the whole history.
    play(source, "two", strategies=["full-history"], suites=["toy:houses=6"], seeds=[0], workers=1)
    calls = len(column(tmp_path / "two", "1"))
    assert 3 <= calls - (source.calls - paid) < calls
    replayed = column(tmp_path / "two", "usage_source").count("replay")
    assert replayed == calls - (source.calls - paid)


def test_cache_read_needs_no_model_and_no_network(
    play: Play, first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unplugged(*_: object, **__: object) -> socket.socket:
        raise OSError("the cable is out")

    monkeypatch.setattr(socket, "socket", unplugged)
    play(Unplugged(), "offline", cache="read")
    assert unpaid_table(tmp_path / "offline") == unpaid_table(first)


@pytest.mark.usefixtures("first")
def test_missing_reply_ends_a_read_run_which_can_be_resumed_with_calls(play: Play, tmp_path: Path) -> None:
    message = r"(no-memory|window:k=3|embedding) on house-00\d, step \d+: cache: expected a cached reply, got none for "
    with pytest.raises(StoreError, match=message + r".*but to other prompts; run with --cache read-write"):
        play(Unplugged(), "more", cache="read", limit=6, suites=["toy:houses=6"])
    assert "model-error" not in set(read_items([tmp_path / "more"])["status"])
    source = ScriptedSource(read)
    assert play(source, "more", limit=6, suites=["toy:houses=6"]) == Outcome(tmp_path / "more", 36, 0, 36)
    assert 0 < source.calls < len(column(tmp_path / "more", "1"))


def test_worker_processes_share_the_cache_and_stop_at_a_missing_reply(
    tmp_path: Path, bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("run", "pddl", "--split", "generated", "--limit", "2", "-s", "window,no-memory", "--workers")
    monkeypatch.setenv("BENCH_CACHE", str(tmp_path / "cache"))
    refused = bench(*words, "1", "--cache", "read", "-o", "none")
    assert refused.code == 2
    assert "got nothing there; run with --cache read-write first" in refused.err
    whole = bench(*words, "2", "--cache", "read-write", "-o", "whole")
    again = bench(*words, "1", "--cache", "read", "-o", "again")
    assert (whole.code, again.code, again.out) == (0, 0, whole.out)
    more = bench(*words, "1", "--cache", "read", "--seeds", "0,1", "-o", "more")
    assert more.code == 2
    assert "has the same request for seed 0, sample 0 but not for seed 1, sample 0" in more.err
    assert "Traceback" not in more.err


def test_imported_cassette_remakes_the_table_without_a_model(
    play: Play, first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    play(ScriptedSource(read), "stranger", strategies=["full-history"])  # the requests of another run stay out
    cassette = tmp_path / "table.jsonl.gz"
    cache_command("export", cassette, first)
    output = capsys.readouterr().out
    assert f"{len(set(column(first, 'reply')) - {''})} replies in {cassette}" in output
    monkeypatch.setenv("BENCH_CACHE", str(tmp_path / "elsewhere"))
    cache_command("import", cassette, None)
    cache_command("import", cassette, None)
    assert capsys.readouterr().out.count(" 0 of them new in ") == 1
    monkeypatch.setattr(build, "load_source", lambda _name, _options: Unplugged())
    again = Unplugged()
    play_offline = RunConfig.model_validate(
        {"suites": ["toy:houses=6", "toy-talk"], "strategies": ROWS, "model": "remote/fake", "limit": 3,
         "seeds": [0, 1], "cache": "read"}
    )  # fmt: skip
    run(play_offline, tmp_path / "remade", root=tmp_path)
    assert again.calls == 0
    assert unpaid_table(tmp_path / "remade") == unpaid_table(first)
    cache_command("export", tmp_path / "again.jsonl.gz", tmp_path / "remade")
    assert (tmp_path / "again.jsonl.gz").read_bytes() == cassette.read_bytes()


@pytest.mark.usefixtures("first")
def test_edited_cassette_is_refused_and_imports_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cassette = tmp_path / "t.jsonl"
    cache_command("export", cassette, None)
    lines = cassette.read_text().splitlines()
    lines[-1] = lines[-1].replace("This is call", "This was call")
    cassette.write_text("\n".join(lines) + "\n")
    shutil.rmtree(tmp_path / "cache")
    with pytest.raises(UsageError, match=rf"t\.jsonl, line {len(lines)}: expected the content it was sealed with"):
        cache_command("import", cassette, None)
    cache_command("where", None, None)
    assert "(not there yet)" in capsys.readouterr().out


@pytest.mark.usefixtures("first")
def test_uncached_run_cannot_be_exported(play: Play, tmp_path: Path) -> None:
    play(ScriptedSource(read), "unkept", cache="off", suites=["toy:houses=9"], seeds=[5])
    with pytest.raises(
        UsageError, match=r"expected all [\d,]+ replies of .*unkept in .*, got [\d,]+ less; make the run"
    ):
        cache_command("export", tmp_path / "t.jsonl", tmp_path / "unkept")
    assert not (tmp_path / "t.jsonl").exists()


@pytest.mark.parametrize("there", [False, True])
def test_stats_of_an_empty_cache_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], there: bool
) -> None:
    monkeypatch.setenv("BENCH_CACHE", str(tmp_path))
    if there:
        (tmp_path / "replies.sqlite").touch()
    cache_command("stats", None, None)
    assert capsys.readouterr().out.startswith(f"0 replies in {tmp_path / 'replies.sqlite'}")


def test_cache_command_prints_and_checks_its_arguments(
    first: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cache_command("where", None, None)
    cache_command("stats", None, None)
    where, *stats = capsys.readouterr().out.splitlines()
    assert where == str(tmp_path / "cache" / "replies.sqlite")
    assert any(line.startswith("remote/fake as scripted") for line in stats)
    assert stats[-1].endswith(f" MB in {where}")
    for action, file, folder, message in (
        ("imprt", None, None, "expected an action, got 'imprt'; did you mean import"),
        ("export", None, None, "cache export: expected a file, got none"),
        ("stats", tmp_path / "t", None, "cache stats: expected no file, got"),
        ("import", tmp_path / "t", first, "cache import: expected no --run, got"),
    ):
        with pytest.raises(UsageError, match=message):
            cache_command(action, file, folder)
