"""The Python interface, end to end on the toy suite: the same numbers, folders and errors as the command line."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import bench
from bench import api
from bench.api import RunFields
from bench.config import RunConfig
from bench.errors import UsageError
from bench.runner.batch import Outcome
from bench.store.database import Store

STRATEGIES = ("no-memory", "full-history", "window:k=2")


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> bench.Run:
    return bench.run("toy", STRATEGIES, limit=3, out=tmp_path_factory.mktemp("api") / "run")


def test_run_returns_folder_outcome_and_items(done: bench.Run) -> None:
    assert done.outcome == Outcome(done.folder, 9, 0, 9)
    assert len(done.items) == 9
    assert set(done.items["strategy"]) == set(STRATEGIES)
    assert done.items["success"].between(0, 1).all()


def test_run_warns_of_a_reply_format_that_was_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "find_reply_warnings", lambda folder, labels: [f"{folder.name} {sorted(labels)}"])
    with pytest.warns(UserWarning, match=r"run: out \['hiagent'\]") as found:
        run = bench.run("toy", ["hiagent", "window"], limit=1, out=tmp_path / "out")
    assert found[0].filename == __file__
    assert run.warnings == ("out ['hiagent']",)


def test_table_has_the_lines_of_the_command(done: bench.Run, bench_command: Any) -> None:
    for words, named in (((), {}), (("--by", "group"), {"by": "group"}), (("--reference", "no-memory"), {})):
        options: dict[str, str] = {"reference": "no-memory"} if "--reference" in words else dict(named)
        text = bench_command("table", str(done.folder), "--format", "json", *words).out
        expected = pd.DataFrame(json.loads(text))
        pd.testing.assert_frame_equal(bench.table(done, **options), expected)
    pd.testing.assert_frame_equal(bench.table([done.folder]), bench.table(str(done.folder)))


def test_compare_is_a_minus_b(done: bench.Run) -> None:
    (found,) = bench.compare(done, "full-history", "no-memory")
    assert (found.n_pairs, found.metric) == (3, "success")
    assert found.difference == found.mean_a - found.mean_b
    (tokens,) = bench.compare(done.folder, "no-memory", "full-history", "tokens_total")
    assert tokens.metric == "tokens_total"


def test_frontier_is_one_line_a_strategy(done: bench.Run) -> None:
    found = bench.frontier(done, x="tokens", y="success")
    assert sorted(found["strategy"]) == sorted(STRATEGIES)
    assert found["on_frontier"].any()


def test_run_goes_on_in_the_folder_of_the_same_command(bench_command: Any) -> None:
    again = bench.run(["toy"], "no-memory,window:k=2", limit=2)
    assert bench_command("run", "toy", "-s", "no-memory,window:k=2", "--limit", "2").code == 0
    assert list(Path("runs").iterdir()) == [again.folder]


def test_progress_is_reported_to_stderr_when_wanted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench.run("toy", "no-memory", limit=1, out=tmp_path / "a")
    assert capsys.readouterr() == ("", "")
    bench.run("toy", "no-memory", limit=1, out=tmp_path / "b", progress=True)
    assert capsys.readouterr().err.startswith("run: 1 trials, 0 already done")


@pytest.mark.parametrize(
    ("suite", "fields", "message"),
    [
        ("toy", {"limt": 3}, "run: expected a known field, got 'limt'; did you mean limit"),
        ("toy", {"limit": -1}, "run: expected limit to be valid, got -1"),
        ("tooy", {}, "suite: expected a suite, got 'tooy'; did you mean toy"),
    ],
)
def test_run_refuses_unknown_names_and_fields(suite: str, fields: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        bench.run(suite, "no-memory", out=tmp_path / "run", **fields)
    assert list(tmp_path.iterdir()) == []


def test_table_refuses_unknown_split(done: bench.Run) -> None:
    with pytest.raises(UsageError, match="expected by, got 'grp'; did you mean group"):
        bench.table(done, by="grp")


def test_curve_has_a_point_for_each_number_of_tasks_and_is_drawn(tmp_path: Path) -> None:
    runs = bench.curve("toy", ["no-memory", "exprag"], [2], limit=6, out=tmp_path / "curve")
    assert [run.folder for run in runs] == [tmp_path / "curve" / "curve" / "tasks-2", tmp_path / "curve"]
    points = bench.curve_points(runs)
    assert list(zip(points["strategy"], points["tasks"], strict=True)) == [
        ("no-memory", 0),
        ("exprag", 2),
        ("exprag", 10),
    ]
    assert points["build_tokens"].notna().tolist() == [False, True, True]
    assert bench.draw("curve", runs, tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_error_shares_add_up_to_one_and_are_drawn(tmp_path: Path) -> None:
    run = bench.run("toy-talk", ["full-history", "window:k=4"], limit=3, out=tmp_path / "run")
    shares = bench.error_shares(run).set_index("strategy")
    columns = ["succeeded", "construction", "retrieval", "reasoning"]
    assert shares[columns].sum(axis=1).round(9).tolist() == [1.0, 1.0]
    assert shares.loc["window:k=4", "construction"] > 0
    assert bench.draw("errors", run, tmp_path / "errors.svg").read_text().startswith("<?xml")


def test_draw_draws_a_frontier_and_refuses_what_it_cannot(done: bench.Run, tmp_path: Path) -> None:
    assert bench.draw("frontier", done, tmp_path / "frontier.pdf", x="calls").read_bytes().startswith(b"%PDF")
    with pytest.raises(UsageError, match="draw: expected a kind of figure, got 'frontir'; did you mean frontier"):
        bench.draw("frontir", done, tmp_path / "a.png")
    with pytest.raises(UsageError, match=r"expected a file ending in .png, .svg, .pdf, got 'a.gif'"):
        bench.draw("frontier", done, tmp_path / "a.gif")
    with pytest.raises(UsageError, match="expected at least one scored row that learned, got none"):
        bench.draw("curve", done, tmp_path / "a.png")


def test_fields_of_a_call_are_those_of_a_run_file() -> None:
    assert set(RunFields.__annotations__) | {"suites", "strategies", "model"} == set(RunConfig.model_fields)


def test_unknown_attribute_of_the_package_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'bench' has no attribute 'tabel'"):
        _ = bench.tabel  # type: ignore[attr-defined]


def test_documented_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, _, rest = (api.__doc__ or "").partition("::\n\n")
    code = textwrap.dedent(rest.partition("\nThese functions")[0])
    assert "bench.frontier(" in code
    exec(code, {})
    assert (tmp_path / "runs" / "first" / "run.sqlite").exists()


def test_run_goes_on_where_a_name_was_recorded_in_another_spelling(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    first = bench.run("toy", "window:k=5", limit=1, out=folder)
    path = folder / "run.toml"
    path.write_text(path.read_text().replace("window:k=5", "window: k = 05"))
    with Store(folder) as store:
        recorded = store.meta("question") or ""
        store.set_meta("question", recorded.replace("window:k=5", "window: k = 05"))
    assert bench.run("toy", "window:k=5", limit=1, out=folder).outcome == first.outcome
