"""What the page is given: the numbers of the table, the grid, the ledger and the texts of trials."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.cli.report_extras import ExtrasReader
from bench.report.page.grid import Trials
from bench.report.page.ledger import sum_ledger
from bench.report.page.report import Extras, Report
from bench.report.page.trials import describe_trial, name_trial
from bench.store.database import Store
from bench.store.dataframe import read_items
from bench.store.read import read_trials
from bench.types import (
    Call,
    CallStatus,
    Context,
    Decision,
    EndReason,
    Observation,
    Phase,
    Shape,
    Status,
    Step,
    Stimulus,
    Trial,
    TrialKey,
    Usage,
)
from tests.report.page.made_run import MadeRun, make_run

KEY = TrialKey("house", "test", "task", "no-memory", "offline/reader")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that no test changes."""
    return make_run(tmp_path_factory.mktemp("parts") / "made", MadeRun(tasks=4, seeds=2, planned=1, unscored=1))


@pytest.fixture(scope="module")
def report(run: Path) -> Report:
    return Report([run])


@pytest.fixture(scope="module")
def parts(report: Report) -> dict[str, Any]:
    return dict(report.read_parts())


def read_pieces(report: Report) -> Iterator[dict[str, Any]]:
    for ids, text in report.read_pieces():
        found = json.loads(text)
        assert [one["id"] for one in found] == ids
        yield from found


def test_overview_puts_unscored_rows_apart(report: Report) -> None:
    section = report.read_overview()["sections"][0]
    row = next(row for row in section["rows"] if row["group"] == "all")
    assert row["apart"] == "4 of 8 have no score"
    assert row["cells"]["n"][0].startswith("4/8")
    assert row["statuses"] == {"done": 4, "model-error": 2, "planned": 2}
    assert section["groups"] == ["clean", "heat", "pick"]


def test_overview_has_every_metric_with_a_value_and_its_definition(report: Report) -> None:
    overview = report.read_overview()
    cells = {name for row in overview["sections"][0]["rows"] for name in row["cells"]}
    assert {"success", "progress_at_5", "tokens_act", "calls"} <= set(overview["metrics"])
    assert cells - set(overview["metrics"]) == set(overview["sections"][0]["own"])
    assert all(one["definition"] for one in overview["metrics"].values())


def test_grid_averages_repeats_and_lists_their_trials(run: Path, parts: dict[str, Any]) -> None:
    trials, grid = parts["tasks"]["trials"], parts["tasks"]["grids"][0]
    items = read_items([run])
    for place, (task, _, group, step) in enumerate(grid["tasks"]):
        for column, strategy in enumerate(grid["strategies"]):
            mine = items[(items["task"] == task) & (items["strategy"] == strategy)]
            mean = mine[mine["scored"]]["success"].mean()
            shown = grid["scores"]["success"][place][column]
            assert shown == (None if mean != mean else pytest.approx(mean))
            found = [trials[number] for number in grid["cells"][task][column]]
            assert [(one[1], one[2], one[3]) for one in found] == [(strategy, task, 0), (strategy, task, 1)]
            assert (group, step) == (mine["group"].iloc[0], 0)


def test_pieces_hold_each_trial_that_has_ended(run: Path, report: Report) -> None:
    found = list(read_pieces(report))
    assert sorted(one["id"] for one in found) == sorted(name_trial("made", one.key) for one in read_trials(run))
    assert {one["status"] for one in found} == {"done", "model-error"}


def test_trials_are_named_alike_whenever_a_report_is_made(run: Path) -> None:
    first, again = (Trials(read_items([run])).records for _ in range(2))
    assert first == again
    assert len({one[0] for one in first}) == len(first)


def expand(steps: list[dict[str, Any]]) -> list[str]:
    """Read contexts as the page does."""
    before: list[str] = []
    texts = []
    for step in steps:
        same, *rest = step["context"]
        before = before[:same] + [line for text in rest for line in text.split("\n")]
        texts.append("\n".join(before))
    return texts


lines = st.lists(st.sampled_from(["a", "b", "", "> go", "seen"]), max_size=6).map("\n".join)


@given(st.lists(lines, max_size=6))
def test_contexts_come_back_as_they_were(contexts: list[str]) -> None:
    steps = tuple(
        Step(index, Stimulus(Shape.EPISODE, "", ""), Decision("go", context=Context(text)), Observation(""))
        for index, text in enumerate(contexts, start=1)
    )
    record = describe_trial("run", Trial(KEY, Status.DONE, EndReason.WON, steps=steps), {})
    assert expand(record.get("steps", [])) == contexts


def test_ledger_sums_are_unknown_where_a_call_is(tmp_path: Path) -> None:
    run = make_run(tmp_path / "made", MadeRun(tasks=1, strategies=("no-memory",), steps=3))
    call = Call(9, Phase.WRITE, "summarize", "big", "h", "text", Usage(prompt=7), cost_usd=0.5)
    with Store(run) as store:
        key = store.trials()[0].key
        store.commit_call(key, call)
        store.commit_call(key, replace(call, index=10, usage=Usage(prompt=3, completion=2)))
        store.commit_call(key, replace(call, index=11, status=CallStatus.TIMEOUT, usage=Usage()))
    act, kept, lost = sum_ledger([run])
    assert (act["phase"], act["calls"], act["completion"], act["usd"], act["wasted"]) == ("act", 3, 60, 0.0, False)
    assert (kept["called"], kept["prompt"], kept["completion"], kept["usd"]) == ("big", 10, None, 1.0)
    assert (lost["calls"], lost["prompt"], lost["wasted"]) == (1, None, True)


def test_fingerprints_are_shared_or_of_a_row(parts: dict[str, Any]) -> None:
    found = parts["about"]["fingerprints"][0]
    assert found["shared"] == {"env.suite": "house-v1"}
    assert found["own"]["no-memory"] == {"row.strategy": "no-memory"}


def test_extras_are_shown_where_they_are_there(run: Path) -> None:
    extras = Extras(
        references=lambda _folder, key: {key.task: ("the right one", "answer")},
        workspaces=lambda _folder, trials: [[("notes/a.md", "text\n")] for _ in trials],
        artifacts=[{"label": "expel"}],
    )
    report = Report([run], None, extras)
    trial = json.loads(next(report.read_pieces())[1])[-1]
    assert trial["items"][0]["reference"] == "the right one"
    assert trial["workspace"] == [["notes/a.md", "text\n"]]
    assert dict(report.read_parts())["about"]["artifacts"] == [{"label": "expel"}]


def test_extras_of_a_run_whose_question_is_gone_are_empty(run: Path) -> None:
    reader = ExtrasReader([run], most=3)  # it has no run.toml
    extras = reader.extras
    trials = read_trials(run)
    assert extras.references(run, trials[0].key) == {}
    assert extras.workspaces(run, trials) == [()] * len(trials)
    assert extras.artifacts == []
    reader.close()
