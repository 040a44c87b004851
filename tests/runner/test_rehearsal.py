"""Rehearsals: a learner plays the training tasks with what it has learned so far; paid for once, counted, resumable."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bench import registry
from bench.agents import default_agent, render
from bench.cli.table import TableOptions, format_table
from bench.config import LearnConfig, RunConfig
from bench.errors import BudgetStop, ModelError, StoreError
from bench.models.offline.reader import OfflineReader
from bench.protocols import Kit, Param, Strategy
from bench.runner.artifacts import read_artifact
from bench.runner.batch import run
from bench.runner.concealment import conceal
from bench.runner.curve import run_curve
from bench.runner.forecast import Forecast, Line, from_offline, from_pilot
from bench.runner.resolve import resolve_run
from bench.store.ledger_queries import sum_spending
from bench.store.read import read_trials
from bench.types import Artifact, Context, EndReason, Event, EventKind, Query, Score, Shape, Trial

QUESTION = RunConfig(
    suites=("toy:houses=8",), strategies=("wider",), learn=LearnConfig(attempts=2), steps=12, embedder="hash", workers=1
)
LEARNED = Path("artifacts") / "toy_houses=8" / "wider"
SEEN: list[tuple[str, list[Trial]]] = []
"""What each call of a learner got: the text of its artifact, and the trials."""


class Window:
    """Shows as many events as its artifact says, at first none."""

    def __init__(self, kit: Kit):
        self._k = int(kit.artifact.files.get("k.txt", "0"))
        self._events: list[Event] = []

    def observe(self, event: Event) -> None:
        if event.kind not in (EventKind.GOAL, EventKind.SESSION_END):
            self._events.append(event)

    def recall(self, query: Query) -> Context:
        events = [event for event in self._events if event.ref != query.ref][-self._k :] if self._k else []
        return Context(render(events), tuple(event.ref for event in events))


def widen(trials: Sequence[Trial], kit: Kit) -> Artifact:
    """Ask for the width twice, and keep the one with which most tasks are won."""
    SEEN.append(("", list(trials)))
    if kit.rehearse is None:
        return Artifact({"k.txt": "1"})
    found: dict[str, int] = {}
    for k in ("0", "0", "40"):
        kit.embedder.embed([f"a call of the learner before {k}"])
        own = kit.rehearse(Artifact({"k.txt": k}))
        SEEN.append((k, list(own)))
        found[k] = sum(trial.end is EndReason.WON for trial in own)
    return Artifact({"k.txt": max(found, key=lambda k: found[k])})


WIDER = Strategy("wider-v1", default_agent(Window), widen, params=(Param("n", 0, "nothing"),), source="a test")


@pytest.fixture(autouse=True)
def wider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.builtin.STRATEGIES, "wider", f"{__name__}:WIDER")
    SEEN.clear()


def ask(**fields: object) -> RunConfig:
    return QUESTION.model_copy(update=fields)


def play(folder: Path, config: RunConfig = QUESTION) -> None:
    run(config, folder, root=folder)


def list_rehearsals(folder: Path) -> list[Path]:
    return sorted((folder / "collect").glob("wider-*"))


def read_files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_each_artifact_is_rehearsed_once_on_the_training_tasks_alone(tmp_path: Path) -> None:
    play(tmp_path)
    collected = {trial.key.task for trial in read_trials(tmp_path / "collect" / "full-history")}
    assert len(list_rehearsals(tmp_path)) == 2
    for folder in list_rehearsals(tmp_path):
        trials = read_trials(folder)
        assert {trial.key.task for trial in trials} == collected
        assert {(trial.key.attempt, trial.key.strategy) for trial in trials} == {(1, "wider")}
        assert {call.phase for trial in trials for call in trial.calls} == {"gather"}
    evaluated = {trial.key.task for trial in read_trials(tmp_path, where="attempt > 0")}
    assert (len(collected), evaluated & collected) == (4, set())


def test_learner_gets_rehearsed_trials_concealed_and_chooses_by_them(tmp_path: Path) -> None:
    play(tmp_path)
    (_, given), (_, none), (_, again), (_, whole) = SEEN
    assert again == none
    tasks = {f"task-{n:04d}" for n in range(1, 5)}
    assert {trial.key.task for trial in none} == {trial.key.task for trial in given} == tasks
    assert all(trial.items == () and trial.calls == () and trial.key.strategy == "" for trial in [*none, *whole])
    assert {step.decision.context.text for trial in none for step in trial.steps} == {""}
    won = [sum(t.end is EndReason.WON for t in trials if t.key.attempt == 1) for trials in (none, whole, given)]
    assert won[0] < won[1] == won[2]
    assert read_artifact(tmp_path / LEARNED).artifact.files == {"k.txt": "40"}


def test_rehearsals_are_part_of_the_costs_and_said_in_the_table(tmp_path: Path) -> None:
    play(tmp_path)
    about = read_artifact(tmp_path / LEARNED).about
    assert (about.trials, about.rehearsed) == (6, 8)  # what is collected is tried twice
    folders = [tmp_path / "collect" / "full-history", *list_rehearsals(tmp_path)]
    assert about.costs.gather_tokens == sum(sum_spending(folder).tokens for folder in folders)
    assert "; 8 more by itself)" in " ".join(format_table([tmp_path], TableOptions("md")).split())
    (row,) = json.loads(format_table([tmp_path], TableOptions("json")))
    assert row["marks"] == []


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_stopped_rehearsal_goes_on_where_it_was(tmp_path: Path, share: float) -> None:
    play(tmp_path / "whole")
    whole = [tmp_path / "whole", *sorted((tmp_path / "whole" / "collect").iterdir())]
    spent = [sum_spending(folder).tokens for folder in whole]
    with pytest.raises(BudgetStop):
        play(tmp_path / "run", ask(max_tokens=int(share * sum(spent))))
    play(tmp_path / "run")
    assert [sum_spending(tmp_path / "run" / folder.relative_to(tmp_path / "whole")).tokens for folder in whole] == spent
    assert read_files(tmp_path / "run" / "artifacts") == read_files(tmp_path / "whole" / "artifacts")


def test_rehearsal_of_one_suite_leaves_the_others_alone(tmp_path: Path) -> None:
    play(tmp_path, ask(suites=("toy:houses=8", "toy-talk")))
    suites = [{trial.key.suite for trial in read_trials(folder)} for folder in list_rehearsals(tmp_path)]
    assert sorted(map(sorted, suites)) == [["toy-talk"], ["toy-talk"], ["toy:houses=8"], ["toy:houses=8"]]


def test_learner_is_told_which_answers_were_right(tmp_path: Path) -> None:
    play(tmp_path, ask(suites=("toy-talk",), learn=LearnConfig(policy="seven-three")))
    right = {k: [step.observation.won for trial in trials for step in trial.steps] for k, trials in SEEN[1:]}
    full = [step.observation.won for trial in SEEN[0][1] for step in trial.steps]
    assert right["40"] == full
    assert 0 < sum(right["0"]) < sum(full)  # without a memory only what nobody told is answered right
    trial = read_trials(tmp_path / "collect" / "full-history", Shape.CONVERSATION)[0]
    marks = [item.scores[0].value for item in trial.items]
    assert [step.observation.won for step in conceal(trial).steps] == [mark == 1.0 for mark in marks]
    assert sum(mark == 1.0 for mark in marks) > 0


@pytest.mark.parametrize(("value", "right"), [(0.49, False), (0.5, True), (None, False)])
def test_answer_is_right_from_half_of_the_main_score_on(tmp_path: Path, value: float | None, right: bool) -> None:
    play(tmp_path, ask(suites=("toy-talk",), learn=LearnConfig(policy="seven-three")))
    trial = read_trials(tmp_path / "collect" / "full-history", Shape.CONVERSATION)[0]
    items = tuple(replace(item, scores=(Score("f1", value), Score("other", 1.0))) for item in trial.items)
    assert {step.observation.won for step in conceal(replace(trial, items=items)).steps} == {right}
    assert {step.observation.won for step in conceal(replace(trial, items=())).steps} == {False}


def test_stream_has_no_rehearsals(tmp_path: Path) -> None:
    play(tmp_path, ask(learn=None, stream=4))
    assert [len(trials) for _, trials in SEEN] == [4]
    assert not (tmp_path / "collect").exists()


def test_curve_rehearses_on_as_many_tasks_as_are_learned_from(tmp_path: Path) -> None:
    run_curve(resolve_run(QUESTION, tmp_path), [2], tmp_path)
    assert [len({trial.key.task for trial in trials}) for _, trials in SEEN] == [4] * 4 + [2] * 4
    assert read_artifact(tmp_path / "curve" / "learned-2" / "toy_houses=8" / "wider").about.rehearsed == 4


def test_rehearsal_without_all_scores_stops_the_stage_and_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = OfflineReader.chat

    def fail(self: OfflineReader, *args: object, **more: object) -> object:
        if SEEN:  # the learner has begun
            raise ModelError("no answer")
        return chat(self, *args, **more)  # type: ignore[arg-type]

    with monkeypatch.context() as broken:
        broken.setattr(OfflineReader, "chat", fail)
        with pytest.raises(StoreError, match="expected a complete rehearsal, got 4 trials without a score"):
            play(tmp_path)
    play(tmp_path)
    assert read_artifact(tmp_path / LEARNED).about.rehearsed == 8


def find_rehearsals(found: Forecast) -> Line:
    return next(line for line in found.lines if (line.phase, line.strategy) == ("gather", "wider"))


def test_forecast_has_the_rehearsals_of_the_run(tmp_path: Path) -> None:
    found = from_offline(QUESTION, tmp_path, 99, {})
    play(tmp_path / "run")
    spent = [sum_spending(folder) for folder in list_rehearsals(tmp_path / "run")]
    line = find_rehearsals(found)
    assert (line.trials, line.sampled) == (2 * 4, 2 * 4)  # two widths, each on the four training tasks
    assert line.calls is not None
    assert line.calls.likely == sum(one.calls for one in spent)
    assert line.prompt_tokens is not None
    assert line.completion_tokens is not None
    assert line.prompt_tokens.likely + line.completion_tokens.likely == sum(one.tokens for one in spent)
    told = find_rehearsals(from_pilot(QUESTION, tmp_path, tmp_path / "run", {}))
    assert told.calls is not None
    assert told.calls.likely == line.calls.likely
    few = find_rehearsals(from_offline(QUESTION, tmp_path, 2, {}))
    assert (few.trials, few.sampled) == (2 * 4, 2 * 2)
