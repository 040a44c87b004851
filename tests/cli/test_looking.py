"""``bench list, show, check, data, doctor``: what they print and how they leave."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.cli import doctor
from bench.cli.console import width
from bench.cli.data import data_specs
from bench.cli.list_check import KINDS
from bench.registry import strategy_names, suite_names
from bench.store.database import Store

RUN = ("run", "toy", "toy-talk", "-s", "full-history,window:k=2", "--limit", "2", "--seeds", "0,1", "-o", "out")


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("suites", suite_names()),
        ("strategies", strategy_names()),
        ("models", ["offline/reader"]),
        ("embedders", ["hash"]),
    ],
)
def test_list_names_what_there_is(bench: Any, kind: str, names: list[str]) -> None:
    done = bench("list", kind)
    assert (done.code, done.err) == (0, "")
    assert set(names) <= {line.split()[0] for line in done.out.splitlines()[1:] if line[:1].strip()}
    assert kind in KINDS


def test_list_shows_parameters_and_which_splits_need_no_download(bench: Any) -> None:
    suites = " ".join(bench("list", "suites").out.split())
    assert "houses*" in suites
    assert "generated*" in suites
    assert "agentboard," in suites
    assert "keep=" in bench("list", "strategies").out


@pytest.mark.parametrize("kind", KINDS)
def test_list_as_json_is_an_object_for_each(bench: Any, kind: str) -> None:
    done = bench("list", kind, "--format", "json")
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out)
    assert found
    assert all(set(KINDS[kind].columns) <= set(one) for one in found)


def test_list_as_json_has_the_values_themselves(bench: Any) -> None:
    suites = {one["suite"]: one for one in json.loads(bench("list", "suites", "--format", "json").out)}
    assert suites["pddl"]["splits"][:2] == ["agentboard", "generated"]
    assert suites["pddl"]["offline_splits"] == ["generated"]
    strategies = {one["strategy"]: one for one in json.loads(bench("list", "strategies", "--format", "json").out)}
    assert [strategies[name]["learns"] for name in ("window", "exprag")] == [False, True]
    (k,) = [one for one in strategies["window"]["parameters"] if one["name"] == "k"]
    assert (k["default"], k["choices"]) == ("5", [])


def test_list_refuses_another_format(bench: Any) -> None:
    done = bench("list", "suites", "--format", "jsn")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "expected a format, got 'jsn'; did you mean json" in done.err


def test_check_says_which_rules_are_kept(bench: Any) -> None:
    done = bench("check", "window:k=3")
    assert done.code == 0
    assert "window:k=3 (window-v" in done.out
    assert "broken" not in done.out
    kept, _, total = done.out.splitlines()[-1].partition(" of ")
    assert total.startswith(kept)


@pytest.fixture
def ran(bench: Any) -> Any:
    assert bench(*RUN).code == 0
    return bench


def test_show_lists_trials_then_reads_one(ran: Any) -> None:
    listed = ran("show", "out").out
    assert "window:k=2@house-000 " in listed
    assert "window:k=2@house-000#1" in listed
    done = ran("show", "out", "full-history@house-000")
    assert done.code == 0
    assert done.out.splitlines()[0].startswith("full-history@house-000  toy houses  model offline/reader seed 0")
    assert "done, won" in done.out
    assert "Your task is to: bring" in done.out
    assert "> " in done.out
    assert "context, " not in done.out.partition("\n\n")[0]


def test_show_takes_a_seed_a_step_and_the_context(ran: Any) -> None:
    done = ran("show", "out", "full-history@house-001#1", "--step", "3")
    assert done.out.splitlines()[0].endswith("seed 1")
    assert done.out.count("> ") == 1
    assert "tokens, from a1" in done.out
    every = ran("show", "out", "full-history@house-001#1", "--context")
    assert every.out.count("> ") > 3
    assert every.out.count("tokens, from ") > 2


def test_show_reads_a_conversation_too(ran: Any) -> None:
    done = ran("show", "out", "full-history@talk-00")
    assert "done, answered" in done.out
    assert "Which city does" in done.out


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("house-000", "expected one trial, got 4 for 'house-000'; e.g. full-history@house-000"),
        ("win", "got 8 for 'win'; e.g. window:k=2@house-000, window:k=2@house-000#1"),
        ("talk-00#1", "got 2 for 'talk-00#1'; e.g. full-history@talk-00#1, window:k=2@talk-00#1; --first"),
        ("full%", "expected a trial, got 'full%'"),
        ("full-history@hause-000", "got 'full-history@hause-000'; did you mean full-history@house-000"),
        ("zzz", "expected a trial, got 'zzz'; did you mean full-history@house-000"),
    ],
)
def test_show_says_what_it_could_have_shown(ran: Any, wanted: str, said: str) -> None:
    done = ran("show", "out", wanted)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err


@pytest.mark.parametrize(
    ("words", "opened"),
    [
        (["window:k=2@house-001#"], "window:k=2@house-001#1"),
        (["full-history@house-000"], "full-history@house-000"),
        (["full", "--first"], "full-history@house-000"),
        (["talk-01", "--first"], "full-history@talk-01"),
        (["--first"], "full-history@house-000"),
    ],
)
def test_show_takes_the_beginning_of_a_name_or_the_first(ran: Any, words: list[str], opened: str) -> None:
    done = ran("show", "out", *words)
    assert (done.code, done.out.partition("  ")[0]) == (0, opened)


def test_show_first_of_a_run_without_an_end_says_so(bench: Any, tmp_path: Path) -> None:
    Store(tmp_path / "empty").close()
    done = bench("show", "empty", "--first")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "expected a run with trials that have ended, got none in empty" in done.err


def test_data_says_where_it_lies_and_what_is_missing(bench: Any, tmp_path: Path) -> None:
    where = bench("data", "where")
    assert where.code == 0
    assert f"alfworld: {tmp_path / 'no-data'}" in where.out
    assert where.out.count("(not there)") == len(data_specs())
    check = bench("data", "check", "pddl")
    assert check.code == 1
    assert "pddl: " in check.out
    assert "files missing or altered under" in check.out
    assert "`bench data get pddl` fetches them" in check.out
    assert list(tmp_path.iterdir()) == []


def test_doctor_finds_what_is_there_and_what_is_not(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    done = bench("doctor")
    assert done.code == 0
    lines = {line.split()[1]: line.split()[0] for line in done.out.splitlines()[1:]}
    assert lines["python"] == lines["sqlite"] == "ok"
    assert "bench data get pddl" in done.out
    monkeypatch.setattr(sys, "version_info", (3, 10, 0))
    old = bench("doctor")
    assert old.code == 1
    assert "missing" in old.out


def test_only_what_is_needed_is_called_missing() -> None:
    found = list(doctor.list_findings())
    assert {one.name for one in found if one.needed} == {"python", "sqlite"}
    assert all(one.detail for one in found)


def test_a_file_gets_wide_lines() -> None:
    assert width() == 160
