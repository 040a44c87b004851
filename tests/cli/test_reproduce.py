"""``bench reproduce`` on the command line: the comparison, the plan, what it refuses, and a replay without a model."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bench.models.offline.reader import OfflineReader
from bench.models.scripted import ScriptedSource
from bench.registry import offline_rules
from bench.runner import build
from bench.store.ledger_queries import sum_spending
from bench.types import Message
from tests.conftest import RunBench
from tests.papers.conftest import NUMBERS, RECIPE, write_numbers


@pytest.fixture
def recipe(bench: RunBench, tmp_path: Path) -> str:
    """A paper about the toy suites, in the folder that commands are called from."""
    assert bench
    write_numbers(tmp_path / "mine.csv")
    (tmp_path / "mine.toml").write_text(RECIPE)
    return "mine.toml"


def test_reproduce_prints_measured_beside_published(bench: RunBench, recipe: str, tmp_path: Path) -> None:
    done = bench("reproduce", recipe, "-o", "runs/mine", "--format", "json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["offline"] is True
    rows = {(row["strategy"], row["tasks"], row["metric"]): row for row in found["rows"]}
    first = rows["full_history", "toy/all", "success_rate"]
    assert (first["published_value"], first["measured"], first["difference"]) == (90, 100, 10)
    assert (first["n"], first["model"], first["published_model"]) == (4, "offline/reader", "gpt-0")
    assert first["measured_low"] < 100 == first["measured_high"]
    share = rows["window (k=2)", "toy/all", "context_pct"]
    assert 0 < share["measured"] < 100
    test = rows["window (k=2;t=steps)", "toy/all", "w"]
    assert (test["n"], test["measured_low"]) == (4, None)
    missing = rows["oracle", "toy/all", "success_rate"]
    assert (missing["measured"], missing["why_not"]) == (None, "nobody knows the future")
    assert rows["full_history", "toy_talk/all", "judge_accuracy"]["measured"] is not None
    ours = rows["window:k=2", "toy_talk/all", "success"]
    assert (ours["published_value"], ours["difference"]) == (None, None)
    assert (tmp_path / "runs/mine/houses/run.toml").exists()


def test_reproduce_runs_only_what_is_missing(bench: RunBench, recipe: str) -> None:
    first = bench("reproduce", recipe, "-o", "runs/mine")
    again = bench("reproduce", recipe, "-o", "runs/mine")
    assert first.out == again.out
    assert "8 trials, 8 already done" in again.err
    other = bench("reproduce", recipe, "-o", "runs/mine", "--steps", "5")
    assert other.code == 2
    assert "expected the question it was made for, got another (steps: 0 -> 5)" in other.err
    assert len(other.err.splitlines()[-1]) < 400


def test_limits_hold_for_all_runs_together(bench: RunBench, recipe: str) -> None:
    assert bench("reproduce", recipe, "-o", "free").code == 0
    houses, talks = (sum_spending(Path("free") / name).tokens for name in ("houses", "talks"))
    assert houses
    assert talks
    stopped = bench("reproduce", recipe, "-o", "limited", "--max-tokens", str(max(houses, talks) + 1))
    assert stopped.code == 3, stopped.err
    spent = sum(sum_spending(Path("limited") / name).tokens for name in ("houses", "talks"))
    assert houses <= spent < houses + talks
    done = bench("reproduce", recipe, "-o", "limited", "--max-tokens", str(houses + talks + 1))
    assert done.code == 0, done.err


def test_reproduce_shares_a_folder_with_bench_run(bench: RunBench, recipe: str) -> None:
    assert bench("reproduce", recipe).code == 0
    assert "8 trials, 8 already done" in bench("run", "toy:houses=4", "-s", "full-history,window:k=2").err


@pytest.mark.parametrize("style", ["rich", "md", "latex"])
def test_comparison_says_what_it_is(style: str, bench: RunBench, recipe: str) -> None:
    done = bench("reproduce", recipe, "--limit", "2", "--format", style)
    text = " ".join(done.out.replace("\\_", "_").replace("\\textgreater{}", ">").split())
    for said in (
        "Measured beside published", "Published, not measured", "Measured, not published", "a dry exercise",
        "not measured: nobody knows the future", "Model of the paper: gpt-0; measured with offline/reader",
        "Differs: the paper has larger houses", "limit: 0 -> 2", "never ranked",
    ):  # fmt: skip
        assert said in text
    # A number stands as it was printed, whatever the decimals of ours.
    assert "12.5" in text


def test_comparison_as_csv_has_a_line_for_each_number(bench: RunBench, recipe: str) -> None:
    done = bench("reproduce", recipe, "--limit", "1", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert sum(row["published_value"] != "" for row in rows) == 7
    assert all(row["published_value"] or row["measured"] for row in rows)


def test_dry_run_prints_commands_and_a_forecast_and_runs_nothing(bench: RunBench, recipe: str, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    done = bench("reproduce", recipe, "--dry-run", "-m", "openai/gpt-4o", "-o", "there")
    assert done.code == 0, done.err
    assert "bench run toy:houses=4 -s full-history,window:k=2 -m openai/gpt-4o -o there/houses" in done.out
    assert "openai/gpt-4o: low / likely / high" in done.out
    assert "some numbers need a judge: add --judge (the paper's is gpt-0)" in done.out
    assert "not measured (1): nobody knows the future" in done.out
    assert sorted(tmp_path.iterdir()) == before
    plan = json.loads(bench("reproduce", recipe, "--dry-run", "--format", "json").out)
    assert {line["suite"] for line in plan["forecast"]} == {"houses", "talks"}
    assert bench("reproduce", recipe, "--dry-run", "--format", "md").out.startswith("# mine: Whole history")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("hiagent/tabel1",), "did you mean hiagent/table1"),
        (("nobody/table1",), "expected a table of `bench list papers` or a recipe.toml, got 'nobody/table1'"),
        (("gone.toml",), "expected a TOML file, got nothing there"),
        (("mine.toml", "--format", "pdf"), "expected a format, got 'pdf'"),
        (("mine.toml", "--dry-run", "--format", "csv"), "expected a format, got 'csv'"),
        (("mine.toml", "-s", "mem0"), "expected a strategy of the recipe, got 'mem0'"),
        (("mine.toml", "--cassette", "gone.jsonl", "-m", "x/y"), "expected a file, got nothing at gone.jsonl"),
        (("hiagent/table2", "--limit", "1"), "expected the file"),
        (("mem0/locomo", "--limit", "1"), "fetch it with: bench data get prompts"),
    ],
)  # fmt: skip
def test_reproduce_refuses_in_one_line_before_any_work(
    words: tuple[str, ...], said: str, bench: RunBench, recipe: str, tmp_path: Path
) -> None:
    assert recipe
    refused = bench("reproduce", *words)
    assert (refused.code, refused.out) == (2, "")
    assert said in refused.err.splitlines()[-1]
    assert not (tmp_path / "runs").exists()


def test_reproduce_without_the_columns_of_a_csv_says_which(bench: RunBench, recipe: str, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("paper,table,value\nmine,Table 1,5\n")
    refused = bench("reproduce", recipe)
    assert refused.code == 2
    assert "got none named benchmark, subset, model" in refused.err
    write_numbers(tmp_path / "mine.csv", (NUMBERS[0],))
    assert bench("reproduce", recipe, "--limit", "1").code == 0


def test_run_without_its_data_is_left_out_and_named(bench: RunBench, recipe: str, tmp_path: Path) -> None:
    text = RECIPE.replace('suites = ["toy-talk:talks=1"]', 'suites = ["locomo:ask=2"]')
    (tmp_path / recipe).write_text(text)
    done = bench("reproduce", recipe, "--limit", "1", "--format", "json")
    assert done.code == 0, done.err
    assert "reproduce: talks left out: locomo: expected" in done.err
    rows = {row["tasks"]: row for row in json.loads(done.out)["rows"]}
    assert "locomo: expected" in rows["toy_talk/all"]["why_not"]
    plan = bench("reproduce", recipe, "--dry-run").out
    assert "no forecast of talks: locomo: expected" in plan


def test_list_papers_says_what_can_be_measured(bench: RunBench) -> None:
    papers = {one["table"]: one for one in json.loads(bench("list", "papers", "--format", "json").out)}
    assert len(papers) == 23
    table = papers["hiagent/table1"]
    assert (table["numbers"], table["measured"], table["runnable"]) == (41, 41, "in part")
    assert "Zork" in table["not_measured"]
    assert papers["h2r/table2"]["runnable"] == "yes"
    assert "BUTLER is a trained policy" in papers["react/alfworld"]["not_measured"]
    assert "hiagent/wilcoxon" in bench("list", "papers").out


def read(messages: Sequence[Message], role: str, number: int) -> str:
    """What the offline model would say, and a remark that no two calls share."""
    return f"{OfflineReader(offline_rules()).chat(messages, role=role).text}\nThis is call {number}."


class Unplugged(ScriptedSource):
    """An endpoint that is not there."""

    def model(self, _seed: int) -> Any:
        raise AssertionError("expected no call for a model")


def test_cassette_makes_the_comparison_again_without_a_model(
    bench: RunBench, recipe: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The judge must reply with a verdict alone, so nobody judges here.
    sources = {"source": ScriptedSource(read)}
    monkeypatch.setattr(build, "load_source", lambda _name, _options: sources["source"])
    monkeypatch.setenv("BENCH_CACHE", str(tmp_path / "cache"))
    words = ("reproduce", recipe, "-m", "remote/fake", "--limit", "2", "--format", "csv")
    first = bench(*words, "--cache", "read-write", "-o", "recorded")
    assert first.code == 0, first.err
    assert bench("cache", "export", "all.jsonl.gz").code == 0

    sources["source"] = Unplugged(read)
    monkeypatch.setenv("BENCH_CACHE", str(tmp_path / "empty"))
    again = bench(*words, "--cassette", "all.jsonl.gz", "-o", "replayed")
    assert (again.code, again.out) == (0, first.out), again.err
    assert os.environ["BENCH_CACHE"] == str(tmp_path / "empty")
    assert not (tmp_path / "empty").exists()

    missing = bench(*words, "--cassette", "all.jsonl.gz", "-o", "other", "--seeds", "3")
    assert missing.code == 2
    assert "expected" in missing.err.splitlines()[-1]
    nameless = bench("reproduce", recipe, "--cassette", "all.jsonl.gz")
    assert nameless.code == 2
    assert "expected -m beside --cassette" in nameless.err
    assert "remote/fake" in nameless.err
