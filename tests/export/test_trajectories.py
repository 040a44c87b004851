"""Trajectories: every line fits the documented schema, holds what was recorded, and is the same in every run."""

from __future__ import annotations

import json
import re
import sqlite3
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from bench.config import RunConfig
from bench.export.trajectories import SCHEMA
from bench.runner.batch import run
from bench.store.read import read_trials
from tests.conftest import RunBench

DOCS = Path(__file__).parents[2] / "docs" / "trajectories.md"
TEXT = files("bench.export").joinpath("trajectory.schema.json").read_text(encoding="utf-8")
VALIDATOR = Draft202012Validator(json.loads(TEXT))


def export(bench: RunBench, folder: Path, *words: str) -> list[dict[str, Any]]:
    done = bench("export", str(folder), "--to", "trajectories", *words)
    assert (done.code, done.err) == (0, "")
    return [json.loads(line) for line in done.out.splitlines()]


@pytest.mark.parametrize("kind", ["played", "talked"])
def test_every_line_fits_the_schema(kind: str, bench: RunBench, request: pytest.FixtureRequest) -> None:
    lines = export(bench, request.getfixturevalue(kind))
    assert len(lines) == {"played": 12, "talked": 2}[kind]
    Draft202012Validator.check_schema(json.loads(TEXT))
    for line in lines:
        assert list(VALIDATOR.iter_errors(line)) == []
        assert line["schema"] == SCHEMA


def test_lines_hold_what_was_recorded_in_the_order_of_the_keys(bench: RunBench, played: Path) -> None:
    lines, trials = export(bench, played), read_trials(played)
    for line, trial in zip(lines, trials, strict=True):
        assert (line["task"], line["strategy"], line["shape"]) == (trial.key.task, trial.key.strategy, "episode")
        assert [step["action"] for step in line["steps"]] == [step.decision.text for step in trial.steps]
        assert [step["context"]["text"] for step in line["steps"]] == [one.decision.context.text for one in trial.steps]
        assert [call["reply"] for call in line["calls"]] == [call.reply for call in trial.calls]
        said = [message["content"] for message in line["messages"] if message["role"] == "user"]
        assert said == [trial.opening, *(step.observation.text for step in trial.steps)]


def test_conversation_has_its_questions_evidence_and_judge(bench: RunBench, talked: Path) -> None:
    refused, remembered = export(bench, talked)
    assert {call["phase"] for call in remembered["calls"]} == {"write", "act", "read", "judge"} - (
        set() if any(call["phase"] == "read" for call in remembered["calls"]) else {"read"}
    )
    assert [one["role"] for one in refused["messages"]] == ["user", "assistant"] * 6
    assert any(step["evidence"]["needed"] for step in remembered["steps"])
    assert all("judge_accuracy" in item["scores"] or "judge_adversarial" in item["scores"] for item in refused["items"])


def test_equal_runs_give_equal_lines_without_any_time(bench: RunBench, played: Path, tmp_path: Path) -> None:
    run(RunConfig(suites=("toy",), strategies=("window:k=2", "full-history"), limit=6, embedder="hash"), tmp_path / "b")
    one, other = (bench("export", str(folder), "--to", "trajectories").out for folder in (played, tmp_path / "b"))
    assert one == other
    assert not re.search(r'"[^"]*(?:wall|latency)[^"]*":', one)


def test_hostile_text_stays_text_and_what_is_no_number_is_null(bench: RunBench, played: Path, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.sqlite").write_bytes((played / "run.sqlite").read_bytes())
    with sqlite3.connect(tmp_path / "run" / "run.sqlite") as db:
        db.execute("UPDATE steps SET reply = ?, progress = 9e999", ("<script>\x1b[31m\u2028",))
    db.close()
    done = bench("export", "run", "--to", "trajectories")
    assert "\x1b" not in done.out
    for line in map(json.loads, done.out.splitlines()):
        assert list(VALIDATOR.iter_errors(line)) == []
        assert line["steps"][0]["reply"] == "<script>\x1b[31m\u2028"
        assert line["steps"][0]["observation"]["progress"] is None


@pytest.mark.parametrize("words", [("--columns", "success"), ("--timing",)])
@pytest.mark.parametrize("target", ["trajectories", "eee"])
def test_options_of_tables_are_refused(words: tuple[str, ...], target: str, bench: RunBench, played: Path) -> None:
    done = bench("export", str(played), "--to", target, *words, "-o", "x")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert f"export: expected no {words[0]} for {target}, which has no columns" in done.err


def test_page_names_every_field() -> None:
    page, schema = DOCS.read_text(encoding="utf-8"), json.loads(TEXT)
    parts = [schema, *(schema["properties"][name]["items"] for name in ("items", "messages", "steps", "calls"))]
    assert [name for part in parts for name in part["properties"] if f"`{name}`" not in page] == []
