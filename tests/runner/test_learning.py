"""The learning stage: gathered once, learned once, frozen, never from an evaluated task or its twin, resumable."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bench import registry
from bench.agents import EXPERIENCE_HEADING
from bench.cli.table import TableOptions, format_table
from bench.config import LearnConfig, RunConfig
from bench.errors import BudgetStop, StoreError, UsageError
from bench.protocols import Kit, Strategy
from bench.runner.artifacts import LearnedArtifact, read_artifact, write_artifact
from bench.runner.batch import Batch, Outcome, learn_resolved, run
from bench.runner.controls import make_control
from bench.runner.resolve import resolve_run
from bench.store.dataframe import read_items
from bench.store.read import read_trials
from bench.types import Artifact, Message, Phase, Task, Trial

QUESTION = RunConfig(
    suites=("toy:houses=16",),
    strategies=("no-memory", "full-history", "exprag", "exprecent"),
    learn=LearnConfig(),
    embedder="hash",
    workers=2,
)
ARTIFACT = Path("artifacts") / "toy_houses=16" / "exprag"


def ask(**fields: object) -> RunConfig:
    return QUESTION.model_copy(update=fields)


def play(folder: Path, config: RunConfig = QUESTION) -> Outcome:
    return run(config, folder, root=folder)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    assert play(folder) == Outcome(folder, 32, 0, 32)
    return folder


def make_table(folder: Path) -> list[dict[str, object]]:
    rows = json.loads(format_table([folder], TableOptions("json")))
    return [{name: value for name, value in row.items() if not name.startswith("wall_")} for row in rows]


def list_calls(folder: Path) -> list[tuple[object, ...]]:
    with sqlite3.connect(folder / "run.sqlite") as db:
        key, of = "t.task, t.strategy, t.attempt", "JOIN trials t ON t.id = trial"
        return db.execute(
            f"SELECT {key}, phase, role, call, c.attempt, request_hash, reply FROM calls c {of} "
            f"ORDER BY {key}, call, c.attempt"
        ).fetchall()


def read_files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# --- what is played, and what is booked


def test_every_strategy_is_evaluated_on_the_side_that_nobody_learned_from(whole: Path) -> None:
    evaluated = set(read_items([whole])["task"])
    gathered = set(read_items([whole / "collect" / "full-history"])["task"])
    assert (len(evaluated), len(gathered), evaluated & gathered) == (8, 8, set())
    assert set(read_artifact(whole / ARTIFACT).artifact.tasks) == gathered


def test_collection_is_booked_as_gathering_and_learning_as_learning(whole: Path) -> None:
    gathered = {call[3] for call in list_calls(whole / "collect" / "full-history")}
    assert gathered == {Phase.GATHER.value}
    learned = {call[3] for call in list_calls(whole) if call[0] == "(learning)"}
    evaluated = {call[3] for call in list_calls(whole) if call[0] != "(learning)"}
    assert (learned, evaluated) == ({"learn"}, {"act", "write"})
    (row,) = make_table(whole / "collect" / "full-history")
    assert row["tokens_total"] == row["tokens_gather"]


def test_build_costs_are_shared_out_among_evaluated_tasks(whole: Path) -> None:
    rows = {str(row["strategy"]): row for row in make_table(whole)}
    total = read_items([whole / "collect" / "full-history"])["tokens_gather"].sum()
    for name in ("exprag", "exprecent"):
        row = rows[name]
        assert row["tokens_gather"] == pytest.approx(total / 8)
        assert row["tokens_build"] == pytest.approx(float(str(row["tokens_gather"])) + float(str(row["tokens_learn"])))
        assert row["tokens_with_build"] == pytest.approx(
            float(str(row["tokens_total"])) + float(str(row["tokens_build"]))
        )
    assert rows["exprag"]["tokens_learn"] != 0
    assert rows["full-history"]["tokens_build"] == 0
    assert rows["exprag"]["pool"] == rows["exprecent"]["pool"]


def test_recovery_is_counted_against_the_row_without_memory(whole: Path) -> None:
    rows = {str(row["strategy"]): row for row in make_table(whole)}
    without, plain = float(str(rows["no-memory"]["success_rate"])), rows["full-history"]
    difference = float(str(plain["recovered"])) - float(str(plain["regressed"]))
    assert difference == pytest.approx(float(str(plain["success_rate"])) - without)
    assert 0.0 < float(str(plain["recovery_p"])) < 0.05
    assert "recovered" not in rows["no-memory"] or rows["no-memory"]["recovered"] is None


def test_table_says_what_was_learned_from(whole: Path) -> None:
    text = format_table([whole], TableOptions("md"))
    assert "exprag learned from 8 tasks of houses under grouped-by-spec (8 trials by full-history, 8 won)" in text
    assert "0.0 % of the evaluated tasks have a twin" in text


# --- what a trial may see


def test_nothing_recalled_comes_from_an_evaluated_task_or_its_twin(whole: Path) -> None:
    """Every task of an experience shown, by its opening, is a training task and no twin of the present one."""
    openings = {trial.opening: trial.key.task for trial in read_trials(whole / "collect" / "full-history")}
    evaluated = {trial.opening for trial in read_trials(whole, where="attempt > 0")}
    trials = read_trials(whole, where="strategy IN ('exprag', 'exprecent') AND attempt > 0")
    assert trials
    for trial in trials:
        shown = trial.steps[0].decision.context.text
        assert shown.startswith(EXPERIENCE_HEADING)
        assert sum(opening in shown for opening in openings) == 2
        assert not any(opening in shown for opening in evaluated)


def make_artifact(files: dict[str, tuple[str, ...]], specs: dict[str, str], like: LearnedArtifact) -> LearnedArtifact:
    artifact = Artifact({name: name.upper() for name in files}, files, tuple(specs))
    return LearnedArtifact(artifact, replace(like.about, specs=specs, kinds=specs))


def test_trial_never_sees_what_comes_from_itself_or_a_twin_alone(whole: Path) -> None:
    files = {"mine": ("a",), "twin": ("b",), "both": ("a", "b"), "other": ("c",), "mixed": ("a", "c"), "all": ()}
    one = make_artifact(files, {"a": "s1", "b": "s1", "c": "s2"}, read_artifact(whole / ARTIFACT))
    seen = one.select(Task("a", "toy", "houses", "g", "c", spec="s1"))
    assert set(seen.files) == {"other", "mixed", "all"}
    assert (seen.sources, seen.tasks) == ({}, ())
    assert set(one.select(Task("x", "toy", "houses", "g", "c", spec="s1")).files) == {"other", "mixed", "all"}
    assert set(one.select(Task("x", "toy", "houses", "g", "c")).files) == set(files)
    assert set(one.select(Task("a", "toy", "houses", "g", "c", spec="s1"), twins=True).files) == set(files) - {"mine"}


# --- going on after a stop


@pytest.mark.parametrize("tokens", [9_000, 20_000, 26_500, 60_000, 200_000])
def test_stopped_run_ends_as_one_that_was_not_stopped(whole: Path, tmp_path: Path, tokens: int) -> None:
    with pytest.raises(BudgetStop):
        play(tmp_path, ask(max_tokens=tokens))
    play(tmp_path)
    assert list_calls(tmp_path) == list_calls(whole)
    collected = Path("collect") / "full-history"
    assert list_calls(tmp_path / collected) == list_calls(whole / collected)
    assert read_files(tmp_path / "artifacts") == read_files(whole / "artifacts")
    assert make_table(tmp_path) == make_table(whole)


def test_artifact_that_was_lost_is_made_again_from_the_ledger(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "run")
    shutil.rmtree(tmp_path / "run" / "artifacts")
    play(tmp_path / "run")
    assert list_calls(tmp_path / "run") == list_calls(whole)
    assert read_files(tmp_path / "run" / "artifacts") == read_files(whole / "artifacts")


def test_learning_alone_and_then_evaluating_is_one_run(whole: Path, tmp_path: Path) -> None:
    made = learn_resolved(resolve_run(QUESTION, tmp_path), tmp_path)
    assert [one.about.label for one in made] == ["exprag", "exprecent"]
    play(tmp_path)
    assert make_table(tmp_path) == make_table(whole)


# --- what is refused


def edit(folder: Path) -> Path:
    file = next(iter(sorted((folder / "experience").iterdir())))
    file.write_text(file.read_text() + "\nby hand")
    return folder


def copy_artifact(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole / ARTIFACT, tmp_path / "artifact"))


def test_learner_with_nothing_to_learn_from_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"exprag: expected something to learn from .* --learn-policy .* --artifact"):
        play(tmp_path / "run", ask(learn=None, strategies=("exprag",)))
    assert not (tmp_path / "run").exists()


def test_task_that_was_learned_from_is_refused_or_marked(whole: Path, tmp_path: Path) -> None:
    given = {"artifacts": (str(copy_artifact(whole, tmp_path)),), "strategies": ("exprag",), "learn": None}
    with pytest.raises(UsageError, match="expected no task that it was learned from, got 8"):
        play(tmp_path / "run", ask(**given))
    assert not (tmp_path / "run").exists()
    assert play(tmp_path / "run", ask(**given, leak="official")).total == 16
    assert make_table(tmp_path / "run")[0]["marks"] == ["leak"]
    assert "exprag (leak)" in format_table([tmp_path / "run"])


def test_artifact_given_makes_the_same_row_as_one_made_in_the_run(whole: Path, tmp_path: Path) -> None:
    given = ask(artifacts=(str(copy_artifact(whole, tmp_path)),), strategies=("exprag",))
    play(tmp_path / "run", given)
    (row,) = make_table(tmp_path / "run")
    (same,) = (row for row in make_table(whole) if row["strategy"] == "exprag")
    for name in ("success_rate", "tokens_total", "tokens_build", "artifact", "learned"):
        assert row[name] == same[name]
    assert not (tmp_path / "run" / "collect").exists()


def test_artifact_changed_by_hand_is_refused_or_marked(whole: Path, tmp_path: Path) -> None:
    given = {"artifacts": (str(edit(copy_artifact(whole, tmp_path))),), "strategies": ("exprag",)}
    with pytest.raises(UsageError, match="expected files as they were learned, got changed ones"):
        play(tmp_path / "run", ask(**given))
    play(tmp_path / "run", ask(**given, allow_edited=True))
    assert make_table(tmp_path / "run")[0]["marks"] == ["edited"]


def test_control_stands_in_one_table_with_what_it_is_a_control_of(whole: Path, tmp_path: Path) -> None:
    one = read_artifact(whole / ARTIFACT)
    write_artifact(make_control(one, "placebo"), tmp_path / "placebo")
    assert read_artifact(tmp_path / "placebo").about.origin == one.digest
    play(tmp_path / "run", ask(artifacts=(str(tmp_path / "placebo"),), strategies=("exprag",)))
    rows = {
        str(row["strategy"]): row for row in json.loads(format_table([whole, tmp_path / "run"], TableOptions("json")))
    }
    plain, placebo = rows["exprag"], rows["exprag (placebo)"]
    assert (placebo["marks"], plain["marks"]) == (["placebo"], [])
    assert placebo["memory_tokens"] == pytest.approx(plain["memory_tokens"], rel=0.03)
    assert (placebo["experience_shown"], placebo["recovered"] is None) == (1.0, False)
    assert rows["full-history"]["experience_shown"] == 0.0
    assert "exprag (placebo): a control" in format_table([whole, tmp_path / "run"], TableOptions("md"))
    shown = read_trials(tmp_path / "run", where="attempt > 0")[0].steps[0].decision.context.text
    assert shown.startswith(EXPERIENCE_HEADING)
    assert "Your task" not in shown


def test_artifact_of_another_suite_is_refused_or_marked(whole: Path, tmp_path: Path) -> None:
    given = {"suites": ("pddl:domain=gripper",), "split": "generated", "learn": None, "limit": 1, "steps": 2}
    config = ask(artifacts=(str(whole / ARTIFACT),), strategies=("exprag",), **given)
    with pytest.raises(UsageError, match="--allow-foreign, which marks the row"):
        play(tmp_path / "run", config)
    play(tmp_path / "run", config.model_copy(update={"allow_foreign": True}))
    (row,) = make_table(tmp_path / "run")
    assert (row["strategy"], row["marks"]) == ("exprag (foreign)", ["foreign"])
    assert str(row["learned"]).startswith("8 tasks of toy:houses=16 houses under")
    assert "pddl" not in str(row["learned"])


def test_learning_curve_is_a_row_for_each_number_of_tasks(tmp_path: Path) -> None:
    folders = [tmp_path / f"learn-{tasks}" for tasks in (2, 4)]
    for tasks, folder in zip((2, 4), folders, strict=True):
        play(folder, ask(strategies=("exprecent",), learn=LearnConfig(tasks=tasks), limit=2))
    rows = json.loads(format_table(folders, TableOptions("json")))
    assert {row["strategy"] for row in rows} == {"exprecent (2 tasks)", "exprecent (4 tasks)"}


def test_run_goes_on_with_the_artifact_that_it_began_with_only(whole: Path, tmp_path: Path) -> None:
    folder = copy_artifact(whole, tmp_path)
    given = {"artifacts": (str(folder),), "strategies": ("exprag",), "allow_edited": True}
    with pytest.raises(BudgetStop):
        play(tmp_path / "run", ask(**given, max_tokens=5_000))
    edit(folder)
    with pytest.raises(StoreError, match="expected the one that this run began with"):
        play(tmp_path / "run", ask(**given))


def test_artifact_changed_during_an_evaluation_is_noticed(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy_artifact(whole, tmp_path)
    play_all = Batch.play_all
    monkeypatch.setattr(Batch, "play_all", lambda batch: (edit(folder), play_all(batch))[1])
    with pytest.raises(StoreError, match="expected it as it was when the evaluation began"):
        play(tmp_path / "run", ask(artifacts=(str(folder),), strategies=("exprag",)))


def test_own_artifact_changed_between_two_runs_is_refused(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "run")
    edit(tmp_path / "run" / ARTIFACT)
    with pytest.raises(UsageError, match="expected it as it was learned"):
        play(tmp_path / "run")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"suites": ("pddl",), "split": "generated"}, "of a strategy and suite of this run"),
        ({"strategies": ("exprecent",)}, "got exprag-v2 on toy"),
        ({"learn": LearnConfig(policy="by-rom")}, "did you mean by-room"),
        ({"learn": LearnConfig(split="houses")}, "set both or neither"),
        ({"learn": LearnConfig(collectors=("windo",))}, "did you mean window"),
    ],
)
def test_artifact_or_policy_that_does_not_fit_is_refused(
    whole: Path, tmp_path: Path, fields: dict[str, object], message: str
) -> None:
    given = {"artifacts": (str(copy_artifact(whole, tmp_path)),), "strategies": ("exprag",)} | fields
    with pytest.raises(UsageError, match=message):
        play(tmp_path / "run", ask(**given))


def test_artifact_of_other_wording_is_refused(whole: Path, tmp_path: Path) -> None:
    folder = copy_artifact(whole, tmp_path)
    manifest = (folder / "manifest.toml").read_text()
    digest = read_artifact(folder).about.frames["04 rooms"]
    (folder / "manifest.toml").write_text(manifest.replace(digest, "0" * 16))
    with pytest.raises(UsageError, match=r"expected the wording of prompts .* got another for 04 rooms"):
        play(tmp_path / "run", ask(artifacts=(str(folder),), strategies=("exprag",)))


@pytest.mark.parametrize("text", ["", "format = 2", "format = [", "format = 1\ndigest = 3"])
def test_folder_that_is_no_artifact_is_refused(tmp_path: Path, text: str) -> None:
    if text:
        (tmp_path / "manifest.toml").write_text(text)
    with pytest.raises(UsageError, match=r"artifact .*: expected"):
        play(tmp_path / "run", ask(artifacts=(str(tmp_path),), strategies=("exprag",)))


def test_sides_of_two_policies_share_no_table(whole: Path, tmp_path: Path) -> None:
    play(tmp_path, ask(strategies=("window",), learn=LearnConfig(policy="half-random", seed=3)))
    with pytest.raises(UsageError, match=r"env\.side"):
        format_table([whole, tmp_path])


def test_worker_process_gets_the_artifact_and_the_earlier_attempt(tmp_path: Path) -> None:
    learn = LearnConfig(tasks=1)
    config = ask(
        suites=("pddl:domain=gripper",), split="generated", strategies=("exprag:keep=all", "reflexion"), learn=learn
    )
    play(tmp_path, config.model_copy(update={"limit": 1, "steps": 2, "attempts": 2, "workers": 1}))
    shown = read_trials(tmp_path, where="strategy LIKE 'exprag%' AND attempt = 1")[0].steps[0].decision.context.text
    assert shown.startswith(EXPERIENCE_HEADING)
    again = read_trials(tmp_path, where="strategy = 'reflexion' AND attempt = 2")[0]
    assert again.feedback[0] in again.steps[0].decision.context.text != ""


# --- learners that find nothing, ask, or break


def test_pool_without_a_success_leaves_an_empty_artifact_and_says_so(tmp_path: Path) -> None:
    config = ask(strategies=("exprag",), learn=LearnConfig(collectors=("no-memory",)))
    assert play(tmp_path, config) == Outcome(tmp_path, 8, 0, 8)
    (row,) = make_table(tmp_path)
    assert str(row["learned"]).startswith("nothing that could be used in 8 tasks")
    trial = read_trials(tmp_path, where="attempt > 0")[0]
    assert trial.steps[0].decision.context.text == ""


def test_attempts_rounds_and_several_collectors_fill_one_pool(tmp_path: Path) -> None:
    learn = LearnConfig(collectors=("reflexion", "window:k=1"), attempts=2, rounds=2, tasks=4)
    play(tmp_path, ask(strategies=("exprecent",), learn=learn, steps=10, limit=2))
    names = [folder.name for folder in sorted((tmp_path / "collect").iterdir())]
    assert names == ["reflexion", "window_k=1"]
    items = read_items([tmp_path / "collect" / name for name in names])
    assert (items["task"].nunique(), items["seed"].nunique(), items["attempt"].max()) == (4, 2, 2)
    found = read_artifact(next((tmp_path / "artifacts").glob("*/exprecent")))
    assert (found.about.trials, len(found.artifact.tasks)) == (len(items), 4)
    assert {len(sources) for sources in found.artifact.sources.values()} == {1}


def learn_by_asking(trials: Sequence[Trial], kit: Kit) -> Artifact:
    """Ask once about each trial; what it may see is part of the test."""
    assert {trial.key.suite for trial in trials} == {""}
    assert all(trial.key.task.startswith("task-") for trial in trials)
    texts = [kit.model.chat((Message("user", trial.opening),), role="insight").text for trial in trials]
    return Artifact({"notes.txt": "\n".join(texts)})


def learn_and_break(_trials: Sequence[Trial], _kit: Kit) -> Artifact:
    raise ValueError("no idea")


def learn_from_nowhere(_trials: Sequence[Trial], _kit: Kit) -> Artifact:
    return Artifact({"a.txt": "a"}, {"a.txt": ("task-9999",)})


def learn_outside(_trials: Sequence[Trial], _kit: Kit) -> Artifact:
    return Artifact({"../a.txt": "a"})


@pytest.fixture
def learner(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Installs a learner of this file under the name ``mine``."""
    exprag = registry.load_strategy("exprag")

    def install(name: str) -> None:
        made = Strategy("mine-v1", exprag.build, globals()[name], params=exprag.params, source="a test")
        monkeypatch.setitem(globals(), "MINE", made)
        monkeypatch.setitem(registry.builtin.STRATEGIES, "mine", f"{__name__}:MINE")

    return install


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("learn_and_break", StoreError, "learn: mine on toy.*no idea.*tries again"),
        ("learn_by_asking", StoreError, "expected a rule for role 'insight'"),
        ("learn_from_nowhere", UsageError, "expected sources among Trial.key.task, got 'task-9999'"),
        ("learn_outside", UsageError, r"expected plain names of files in its artifact, got '\.\./a\.txt'"),
    ],
)
def test_learner_that_fails_stops_the_run_with_a_reason(
    name: str, error: type[Exception], message: str, tmp_path: Path, learner: Callable[[str], None]
) -> None:
    learner(name)
    with pytest.raises(error, match=message):
        play(tmp_path, ask(strategies=("mine",)))
    assert (tmp_path / "run.toml").exists()


def test_unscored_training_trial_stops_before_learning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from adapters.toy.world import ToyWorld  # noqa: PLC0415

    step = ToyWorld.step
    monkeypatch.setattr(ToyWorld, "step", lambda self, action: 1 / 0)
    with pytest.raises(StoreError, match="expected a complete collection, got 8 trials without a score"):
        play(tmp_path, ask(strategies=("exprag",)))
    monkeypatch.setattr(ToyWorld, "step", step)
    assert play(tmp_path, ask(strategies=("exprag",))).done == 8
