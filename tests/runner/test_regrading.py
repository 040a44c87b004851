"""Stored answers graded again: by other judges, with other rubrics, stopped and resumed; the run stays as it was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from bench.config import RunConfig
from bench.errors import BudgetStop, StoreError, UsageError
from bench.models.cache.store import MissingReplyError
from bench.runner.batch import run
from bench.runner.grade_batch import GradeRequest
from bench.runner.progress import NoProgress
from bench.runner.regrading import grade_run, list_grades
from bench.runner.rescoring import rescore_run
from bench.scoring.judge_probes import probes
from bench.store.database import DATABASE, Store
from bench.store.dataframe import read_items
from bench.store.ledger_queries import list_reasons, sum_spending
from bench.store.read import read_trials
from bench.types import Shape
from tests.servers.openai_server import FakeOpenAI, ReceivedRequest, completion, error, usage

KEY = ["strategy", "task", "item"]
ANSWERS = 2 * 6 * 6
PROBES = len(probes())


@pytest.fixture(autouse=True)
def key_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played") / "run"
    run(
        RunConfig(suites=("toy-talk",), strategies=("full-history", "window"), workers=1, judge="offline/reader"),
        folder,
    )
    return folder


def digest(folder: Path) -> str:
    return hashlib.sha256((folder / DATABASE).read_bytes()).hexdigest()


def ask(judge: str, **fields: object) -> GradeRequest:
    return GradeRequest(judge, **fields)  # type: ignore[arg-type]


def accept_all(_request: ReceivedRequest) -> object:
    return completion("CORRECT", usage(100, 1))


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(accept_all) as found:  # type: ignore[arg-type]
        yield found


def test_same_judge_gives_the_same_scores_and_the_run_stays_as_it_was(played: Path, tmp_path: Path) -> None:
    before = digest(played)
    done = grade_run(played, ask("offline/reader"), NoProgress(), tmp_path)
    assert digest(played) == before
    assert (done.total, done.unscored) == (12, 0)
    old, new = (read_items([folder]).set_index(KEY) for folder in (played, done.folder))
    scores = [name for name in old if old[name].dtype == float and not str(name).startswith("wall_harness")]
    pd.testing.assert_frame_equal(old[scores], new[scores])
    assert sum_spending(done.folder).calls > ANSWERS


def test_another_judge_is_kept_beside_and_only_its_calls_are_paid(
    played: Path, tmp_path: Path, server: FakeOpenAI
) -> None:
    done = grade_run(played, ask(f"openai/kind@{server.url}"), NoProgress(), tmp_path)
    items = read_items([done.folder])
    assert list_grades(played, tmp_path) == [done.folder]
    assert done.folder.name.startswith("openai-kind-")
    assert items["judge_accuracy"].tolist() == [1.0] * ANSWERS
    assert json.loads(items["fingerprint"][0])["env.judge"] == "openai/kind"
    assert "openai/kind" in json.loads(items["fingerprint"][0])["row.judge_probes"]
    assert len(server.requests) == ANSWERS + PROBES
    assert items["tokens_total"].sum() == read_items([played])["tokens_total"].sum()
    assert items["tokens_judge"].tolist() == [101.0] * ANSWERS
    trial = read_trials(done.folder, Shape.CONVERSATION, "attempt > 0")[0]
    assert {call.phase for call in trial.calls} == {"judge"}


def test_answer_without_a_verdict_is_no_zero_and_is_asked_for_again(
    played: Path, tmp_path: Path, server: FakeOpenAI
) -> None:
    def silent_about_one(request: ReceivedRequest) -> object:
        text = json.dumps(request.body)
        return completion("hm", usage(9, 1)) if "Cleo" in text and "Right answer" in text else accept_all(request)

    server.script = silent_about_one  # type: ignore[assignment]
    judge = ask(f"openai/shy@{server.url}")
    first = grade_run(played, judge, NoProgress(), tmp_path)
    failed = list_reasons(first.folder, "no verdict")
    assert first.unscored > 0
    assert failed
    items = read_items([first.folder])
    assert int(items["judge_accuracy"].isna().sum()) == len(failed)
    assert set(items["status"]) == {"done"}
    asked = len(server.requests)
    server.script = accept_all  # type: ignore[assignment]
    again = grade_run(played, judge, NoProgress(), tmp_path)
    assert again.unscored == 0
    assert len(server.requests) == asked + len(failed)
    assert read_items([again.folder])["judge_accuracy"].sum() == ANSWERS


def test_limit_stops_the_judge_and_the_same_request_goes_on(played: Path, tmp_path: Path, server: FakeOpenAI) -> None:
    url = f"openai/kind@{server.url}"
    with pytest.raises(BudgetStop):
        grade_run(played, ask(url, max_tokens=101 * (PROBES + 10), workers=1), NoProgress(), tmp_path)
    stopped = len(server.requests)
    assert PROBES + 10 <= stopped <= PROBES + 12
    grade_run(played, ask(url, workers=1), NoProgress(), tmp_path)
    assert len(server.requests) == ANSWERS + PROBES


def test_judge_that_fails_leaves_conversations_unscored(played: Path, tmp_path: Path, server: FakeOpenAI) -> None:
    def fail_late(request: ReceivedRequest) -> object:
        return accept_all(request) if request.number <= PROBES else error(400, "no such thing")

    server.script = fail_late  # type: ignore[assignment]
    done = grade_run(played, ask(f"openai/kind@{server.url}"), NoProgress(), tmp_path)
    assert done.unscored == 12
    items = read_items([done.folder])
    assert not items["scored"].any()
    server.script = accept_all  # type: ignore[assignment]
    assert grade_run(played, ask(f"openai/kind@{server.url}"), NoProgress(), tmp_path).unscored == 0


def test_other_rubrics_have_a_folder_of_their_own(played: Path, tmp_path: Path, server: FakeOpenAI) -> None:
    mild = tmp_path / "mild"
    mild.mkdir()
    (mild / "answer.txt").write_text("Anything goes.", encoding="utf-8")
    judge = f"openai/kind@{server.url}"
    first = grade_run(played, ask(judge), NoProgress(), tmp_path / "out")
    assert not any("Anything goes." in json.dumps(request.body) for request in server.requests)
    second = grade_run(played, ask(judge, rubrics=mild), NoProgress(), tmp_path / "out")
    assert first.folder != second.folder
    assert any("Anything goes." in json.dumps(request.body) for request in server.requests)
    (mild / "anwser.txt").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match=r"got anwser\.txt"):
        grade_run(played, ask(judge, rubrics=mild), NoProgress(), tmp_path / "out")
    with pytest.raises(UsageError, match="got none"):
        grade_run(played, ask(judge, rubrics=tmp_path), NoProgress(), tmp_path / "out")


def test_replies_of_a_cassette_are_enough_and_a_missing_one_is_named(
    played: Path, tmp_path: Path, server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    judge = f"openai/kind@{server.url}"
    with pytest.raises((MissingReplyError, StoreError)):
        grade_run(played, ask(judge, cache="read"), NoProgress(), tmp_path / "none")
    grade_run(played, ask(judge, cache="read-write"), NoProgress(), tmp_path / "first")
    asked = len(server.requests)
    with pytest.raises(MissingReplyError, match="grade: full-history on"):
        grade_run(played, ask(f"openai/other@{server.url}", cache="read"), NoProgress(), tmp_path / "other")
    done = grade_run(played, ask(judge, cache="read"), NoProgress(), tmp_path / "second")
    assert read_items([done.folder])["judge_accuracy"].sum() == ANSWERS
    assert len(server.requests) == asked


def test_run_that_cannot_be_graded_is_refused(played: Path, tmp_path: Path) -> None:
    run(RunConfig(suites=("toy:houses=1",), strategies=("window",), workers=1), tmp_path / "episodes")
    with pytest.raises(UsageError, match="expected answers of conversations, got none"):
        grade_run(tmp_path / "episodes", ask("offline/reader"), NoProgress())
    with pytest.raises(UsageError, match="expected a model, got 'offline/raeder'"):
        grade_run(played, ask("offline/raeder"), NoProgress(), tmp_path)
    with pytest.raises(StoreError, match=r"expected run\.sqlite"):
        grade_run(tmp_path, ask("offline/reader"), NoProgress())
    with Store(tmp_path / "newer") as store:
        store.set_meta("schema", "9")
    with pytest.raises(StoreError, match="schema"):
        grade_run(tmp_path / "newer", ask("offline/reader"), NoProgress())
    with Store(tmp_path / "bare"):
        pass
    with pytest.raises(StoreError, match="without its question"):
        grade_run(tmp_path / "bare", ask("offline/reader"), NoProgress())
    assert not (tmp_path / "bare" / "grades").exists()


def test_scores_computed_again_are_those_recorded(played: Path, tmp_path: Path) -> None:
    again = rescore_run(played)
    assert (again.trials, again.items, again.moved) == (12, ANSWERS, ())
    run(RunConfig(suites=("toy:houses=3",), strategies=("window", "full-history"), workers=1), tmp_path)
    assert rescore_run(tmp_path).items == 6
    assert not rescore_run(tmp_path).moved


def test_score_that_was_recorded_otherwise_is_said_to_move(tmp_path: Path) -> None:
    run(RunConfig(suites=("toy:houses=3",), strategies=("window",), workers=1), tmp_path)
    with Store(tmp_path) as store, store._transaction() as db:
        db.execute("UPDATE items SET scores = json_set(scores, '$.steps', 3.5, '$.gone', 1)")
        db.execute("UPDATE items SET scores = json_remove(scores, '$.repairs')")
    found = {one.metric: one for one in rescore_run(tmp_path).moved}
    assert sorted(found) == ["gone", "repairs", "steps"]
    assert (found["gone"].before, found["gone"].after) == (1.0, None)
    assert (found["repairs"].before, found["repairs"].after, found["repairs"].items) == (None, 0.0, 3)
    assert found["steps"].before == 3.5
