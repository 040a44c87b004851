"""Forecasts of gathering and learning: exact where all was seen, to the caps where nobody can know, or unknown."""

from __future__ import annotations

import shutil
import sqlite3
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from bench import registry
from bench.config import LearnConfig, RunConfig
from bench.protocols import Kit, Strategy
from bench.runner.batch import run
from bench.runner.forecast import Forecast, Line, from_offline, from_pilot
from bench.runner.forecast_learning import count_stream
from bench.types import Artifact, Message, Trial, Usage

QUESTION = RunConfig(
    suites=("toy:houses=8",),
    strategies=("full-history", "expel", "awm"),
    learn=LearnConfig(attempts=3, collectors=("reflexion", "window:k=1")),
    steps=12,
    embedder="hash",
    workers=2,
)
ALL = 99


def price(usage: Usage) -> float:
    return (usage.prompt or 0) + 2.0 * (usage.completion or 0)


PRICES = {"offline/reader": price}


def read_ledger(run_folder: Path) -> dict[tuple[str, str], tuple[float, float, float]]:
    """Calls, prompt and completion tokens by phase and strategy, as a run and its collections recorded them."""
    found: dict[tuple[str, str], tuple[float, float, float]] = {}
    for folder in (run_folder, *(run_folder / "collect").glob("*")):
        db = sqlite3.connect(folder / "run.sqlite")
        rows = db.execute(
            "SELECT t.attempt, strategy, COUNT(*), SUM(prompt), SUM(completion) FROM calls c JOIN trials t "
            "ON t.id = c.trial WHERE role != 'embed' GROUP BY t.attempt, strategy"
        ).fetchall()
        db.close()
        for attempt, strategy, *amounts in rows:
            phase = "gather" if folder != run_folder else "evaluate" if attempt else "learn"
            before = found.get((phase, strategy), (0.0, 0.0, 0.0))
            found[phase, strategy] = tuple(a + b for a, b in zip(before, amounts, strict=True))  # type: ignore[assignment]
    return found


def read_lines(found: Forecast) -> dict[tuple[str, str], Line]:
    return {(line.phase, line.strategy): line for line in found.lines}


def list_likely(line: Line) -> tuple[float, ...]:
    return tuple(span.likely for span in (line.calls, line.prompt_tokens, line.completion_tokens) if span)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "run"
    run(QUESTION, folder, root=folder)
    return folder


def test_full_sample_forecasts_every_phase_exactly(whole: Path, tmp_path: Path) -> None:
    found = read_lines(from_offline(QUESTION, tmp_path, ALL, PRICES))
    assert {place: list_likely(line) for place, line in found.items()} == read_ledger(whole)
    assert [phase for phase, _ in found] == ["gather"] * 2 + ["learn"] * 2 + ["evaluate"] * 3
    for line in found.values():
        assert line.cost_usd is not None
        assert line.cost_usd.likely == line.prompt_tokens.likely + 2 * line.completion_tokens.likely  # type: ignore[union-attr]
        assert line.sampled == line.trials
    assert list(tmp_path.iterdir()) == []


def test_full_pilot_is_every_phase_of_the_forecast(whole: Path) -> None:
    found = from_pilot(QUESTION, whole.parent, whole, PRICES)
    assert {place: list_likely(line) for place, line in read_lines(found).items()} == read_ledger(whole)
    assert not any("nothing of" in note for note in found.notes)


def test_sample_is_scaled_to_the_training_tasks_and_the_trials_read(tmp_path: Path) -> None:
    config = QUESTION.model_copy(update={"suites": ("toy:houses=40",), "strategies": ("awm:batch=1",)})
    run(config, tmp_path / "run", root=tmp_path)
    truth, found = read_ledger(tmp_path / "run"), read_lines(from_offline(config, tmp_path, 5, PRICES))
    assert found["gather", "reflexion"].sampled == 5
    assert found["gather", "reflexion"].trials == 20
    for place, line in found.items():
        assert line.calls is not None
        assert 0.4 < line.calls.likely / truth[place][0] < 2.5
    learn = found["learn", "awm:batch=1"]
    assert learn.calls is not None
    assert learn.trials > learn.sampled
    assert learn.calls.low == learn.calls.likely == learn.calls.high


def test_upper_bound_of_gathering_is_every_attempt_at_its_cap(tmp_path: Path) -> None:
    learn = LearnConfig(attempts=3, rounds=2, collectors=("full-history",))
    found = read_lines(from_offline(QUESTION.model_copy(update={"learn": learn}), tmp_path, ALL, PRICES))
    gather, read = found["gather", "full-history"], found["learn", "expel"]
    assert gather.calls is not None
    assert (gather.trials, gather.sampled) == (8, 4)
    assert gather.calls.high == 8 * 3 * 12
    assert read.prompt_tokens is not None
    assert read.prompt_tokens.high > read.prompt_tokens.likely  # the attempts that it reads are longer, too


def test_learners_are_evaluated_with_what_they_learned_from_the_sample(tmp_path: Path) -> None:
    learned = read_lines(from_offline(QUESTION, tmp_path, 3, PRICES))["evaluate", "expel"]
    plain = read_lines(from_offline(QUESTION, tmp_path, 3, PRICES))["evaluate", "full-history"]
    assert learned.prompt_tokens is not None
    assert plain.prompt_tokens is not None
    assert learned.prompt_tokens.likely > 1.5 * plain.prompt_tokens.likely


def test_model_that_a_collector_names_is_played_offline_and_priced_by_its_name(tmp_path: Path) -> None:
    learn = LearnConfig(collectors=("mem0:writer_model=openai/gpt-5",))
    config = QUESTION.model_copy(update={"learn": learn, "strategies": ("exprag",), "steps": 4})
    names = ("offline/reader", "openai/gpt-5")
    free, paid = (
        read_lines(from_offline(config, tmp_path, 2, dict.fromkeys(given, price))) for given in (names[:1], names)
    )
    collector = ("gather", "mem0:writer_model=openai/gpt-5")
    assert free[collector].cost_usd is None
    assert paid[collector].cost_usd is not None
    assert free["evaluate", "exprag"].cost_usd is not None


def test_artifact_that_is_given_takes_no_gathering_and_no_learning(whole: Path, tmp_path: Path) -> None:
    given = QUESTION.model_copy(update={"artifacts": (str(whole / "artifacts"),)})
    found = read_lines(from_offline(given, tmp_path, 2, PRICES))
    assert {phase for phase, _ in found} == {"evaluate"}


def test_rehearsals_of_a_learner_are_gathered_by_itself(tmp_path: Path) -> None:
    config = QUESTION.model_copy(update={"strategies": ("horma",), "learn": LearnConfig()})
    found = from_offline(config, tmp_path, 2, PRICES)
    gathered = [place for place in read_lines(found) if "gather" in place]
    assert gathered == [("gather", "full-history"), ("gather", "horma")]
    assert any("(rehearsals) has a line of its own" in note for note in found.notes)


def test_stream_learns_from_all_tasks_before_each_block(tmp_path: Path) -> None:
    config = QUESTION.model_copy(update={"learn": None, "stream": 3, "seeds": (0, 1), "strategies": ("exprag", "awm")})
    assert count_stream(config, 8) == 2 * (3 + 6)
    found = from_offline(config, tmp_path, 4, PRICES)
    line = read_lines(found)["learn", "awm"]
    assert (line.trials, line.sampled) == (18, 4)
    assert {phase for phase, _ in read_lines(found)} == {"learn", "evaluate"}
    assert any("evaluated with empty memories" in note for note in found.notes)


def test_pilot_of_a_stream_counts_the_trials_that_were_read(tmp_path: Path) -> None:
    config = QUESTION.model_copy(update={"learn": None, "stream": 2, "strategies": ("awm:batch=1",)})
    run(config, tmp_path / "pilot", root=tmp_path)
    line = read_lines(from_pilot(config, tmp_path, tmp_path / "pilot", PRICES))["learn", "awm:batch=1"]
    assert (line.trials, line.sampled) == (2 + 4 + 6, 2 + 4 + 6)
    assert list_likely(line) == read_ledger(tmp_path / "pilot")["learn", "awm:batch=1"]


def test_pilot_without_a_collection_leaves_gathering_and_learning_unknown(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "pilot")
    shutil.rmtree(tmp_path / "pilot" / "collect")
    found = from_pilot(QUESTION, tmp_path, tmp_path / "pilot", PRICES)
    unknown = [place for place, line in read_lines(found).items() if line.calls is None]
    assert unknown == [
        ("gather", "reflexion"), ("gather", "window:k=1"), ("learn", "expel"), ("learn", "awm"),
    ]  # fmt: skip
    assert any(note.startswith("The pilot has nothing of: gather reflexion, gather window:k=1") for note in found.notes)


def ask_for_advice(_trials: Sequence[Trial], kit: Kit) -> Artifact:
    return Artifact({"a.txt": kit.model.chat((Message("user", "Any advice?"),), role="acme/advise").text})


def test_learner_that_fails_offline_is_unknown_and_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exprag = registry.load_strategy("exprag")
    made = Strategy("mine-v1", exprag.build, ask_for_advice, params=exprag.params, source="a test")
    monkeypatch.setitem(globals(), "MINE", made)
    monkeypatch.setitem(registry.builtin.STRATEGIES, "mine", f"{__name__}:MINE")
    found = from_offline(QUESTION.model_copy(update={"strategies": ("mine", "exprag")}), tmp_path, 2, PRICES)
    lines = read_lines(found)
    assert lines["learn", "mine"].calls is None
    assert lines["learn", "exprag"].calls is not None
    assert lines["evaluate", "mine"].calls is not None
    assert any(note.startswith("mine: left out trials that failed offline") for note in found.notes)
    assert Counter(phase for phase, _ in lines) == {"gather": 2, "learn": 2, "evaluate": 2}
