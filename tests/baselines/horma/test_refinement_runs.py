"""Refinement in whole runs under the offline model: skills help, are evaluated apart, and bad artifacts are refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from baselines.horma.refine.skill_list import SkillList
from baselines.horma.skills import SKILLS_HEADING, read_skills
from baselines.horma.strategy import STRATEGY, UNTRAINED
from bench.runner.artifacts import read_artifact
from bench.store.read import read_trials
from tests.conftest import Done, RunBench

LEARN = ("--learn-policy", "grouped-by-spec", "--workers", "1")
TOY = ("run", "toy:houses=8", "-s", "horma,horma-untrained,full-history", *LEARN, "-o", "run")
LEARNED = Path("run") / "artifacts" / "toy_houses=8" / "horma"


@pytest.fixture
def toy(bench: RunBench, tmp_path: Path) -> Path:
    done = bench(*TOY)
    assert done.code == 0, done.err
    return tmp_path


def evaluate(bench: RunBench, learned: str, strategy: str = "horma", *more: str) -> Done:
    return bench("run", "toy:houses=8", "-s", strategy, *LEARN, "--artifact", learned, "-o", "again", *more)


def count_won(folder: Path, strategy: str) -> int:
    trials = read_trials(folder, where=f"strategy = '{strategy}' AND attempt > 0")
    return sum(trial.end == "won" for trial in trials)


def test_strategy_without_skills_is_named_untrained() -> None:
    assert (UNTRAINED.name, UNTRAINED.learn) == ("horma-untrained-v1", None)
    assert STRATEGY.learn is not None
    assert {one.name for one in UNTRAINED.params} < {one.name for one in STRATEGY.params}


def test_skills_are_learned_shown_to_both_and_win_tasks(toy: Path) -> None:
    run = toy / "run"
    assert count_won(run, "horma") > count_won(run, "horma-untrained")
    learned = read_artifact(toy / LEARNED)
    skills = {role: read_skills(learned.artifact, role) for role in ("organise", "navigate")}
    assert all(skills.values())
    trial = read_trials(run, where="strategy = 'horma' AND attempt > 0")[0]
    followed = [call.reply for call in trial.calls if call.role == "organise"]
    assert any(reply.startswith("Skills followed: ") for reply in followed)
    (stage,) = read_trials(run, where="attempt = 0")
    assert {str(call.role) for call in stage.calls} == {"horma/feedback", "horma/augment"}
    assert {str(call.phase) for call in stage.calls} == {"learn"}


def test_artifact_holds_what_the_log_plays_to_and_learns_from_training_tasks_alone(toy: Path) -> None:
    learned = read_artifact(toy / LEARNED)
    files = learned.artifact.files
    log = SkillList.replay(files["log/operations.jsonl"])
    last = max(name for name in files if name.startswith("versions/"))
    assert [one.text in files[last] for one in log.skills] == [True] * len(log.skills)
    evaluated = {trial.key.task for trial in read_trials(toy / "run", where="attempt > 0")}
    assert evaluated.isdisjoint(learned.artifact.tasks)
    played = {trial.key.task for folder in (toy / "run" / "collect").iterdir() for trial in read_trials(folder)}
    assert played == set(learned.artifact.tasks)


def test_conversations_learn_which_questions_went_right(bench: RunBench, tmp_path: Path) -> None:
    options = ("--learn-policy", "seven-three", "--workers", "1", "-o", "run")
    done = bench("run", "toy-talk", "-s", "horma,horma-untrained", *options)
    assert done.code == 0, done.err
    learned = read_artifact(tmp_path / "run" / "artifacts" / "toy-talk" / "horma")
    assert "of 6 right" in learned.artifact.files["refinement.md"]
    assert read_skills(learned.artifact, "navigate")
    assert (learned.about.questions, learned.about.rehearsed) == (24, 12)
    rows = {row["strategy"]: row for row in json.loads(bench("table", "run", "--format", "json").out)}
    assert rows["horma"]["success_rate"] > rows["horma-untrained"]["success_rate"]


def test_artifact_is_evaluated_apart_with_the_same_scores(bench: RunBench, toy: Path) -> None:
    assert evaluate(bench, str(LEARNED)).code == 0
    assert not (toy / "again" / "collect").exists()
    assert read_ends(toy / "again") == read_ends(toy / "run")


def read_ends(folder: Path) -> list[tuple[str, str, int]]:
    trials = read_trials(folder, where="strategy = 'horma' AND attempt > 0")
    return [(trial.key.task, trial.end, len(trial.steps)) for trial in trials]


def edit(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    "text",
    [
        "- Record dates.\n\n2. Record dates.\n* Do not record dates.\n",  # twice, and the opposite
        "",
        "\n\n",
        "no skill at all; {broken: json, <tag> " + "word " * 400,
        "Zwei Töpfe 三つの皿 \U0001f600",
    ],
)
def test_skills_changed_by_hand_are_refused_or_shown_as_they_are_and_marked(
    bench: RunBench, toy: Path, text: str
) -> None:
    edit(toy / LEARNED, "skills/organise/0099.txt", text)
    refused = evaluate(bench, str(LEARNED))
    assert refused.code == 2
    assert "expected files as they were learned, got changed ones" in refused.err
    assert evaluate(bench, str(LEARNED), "horma", "--allow-edited").code == 0
    table = json.loads(bench("table", "again", "--format", "json").out)
    assert table[0]["marks"] == ["edited"]
    trial = read_trials(toy / "again", where="attempt > 0")[0]
    assert trial.status == "done"
    lines = read_skills(read_artifact(toy / LEARNED).artifact, "organise")
    assert len(lines) == len(set(lines))
    assert all(line.strip() for line in lines)


def test_artifact_without_any_skill_left_plays_as_untrained(bench: RunBench, toy: Path) -> None:
    shutil.rmtree(toy / LEARNED / "skills")
    assert evaluate(bench, str(LEARNED), "horma,horma-untrained", "--allow-edited").code == 0

    def list_actions(strategy: str) -> list[list[str]]:
        trials = read_trials(toy / "again", where=f"strategy = '{strategy}' AND attempt > 0")
        return [[step.decision.text for step in trial.steps] for trial in trials]

    assert list_actions("horma") == list_actions("horma-untrained")
    prompts = [call for trial in read_trials(toy / "again") for call in trial.calls]
    assert not any(SKILLS_HEADING in call.reply for call in prompts)


@pytest.mark.parametrize("strategy", ["horma-untrained", "exprag"])
def test_artifact_of_another_strategy_is_refused(bench: RunBench, toy: Path, strategy: str) -> None:
    refused = evaluate(bench, str(LEARNED), strategy)
    assert refused.code == 2
    assert "got horma-v1 on toy:houses=8" in refused.err
    assert not (toy / "again").exists()


def test_folder_that_is_no_artifact_is_refused(bench: RunBench, toy: Path) -> None:
    (toy / LEARNED / "manifest.toml").write_text("digest = 3")
    assert evaluate(bench, str(LEARNED)).code == 2
    assert evaluate(bench, "run/nowhere").code == 2


def test_nothing_to_learn_from_is_said_and_plays_as_untrained(bench: RunBench, tmp_path: Path) -> None:
    done = bench("learn", "toy:houses=8", "-s", "horma", *LEARN, "--steps", "1", "-o", "run")
    assert done.code == 1
    assert "nothing was learned" in done.out
    files = read_artifact(tmp_path / LEARNED).artifact.files
    assert "it is the base list" in files["refinement.md"]
    assert files["versions/skills-0.md"].endswith("The base list: no skills.\n")
    done = bench("run", "run")
    assert done.code == 0, done.err
    assert "horma learned from nothing that could be used in" in " ".join(bench("table", "run").out.split())


def test_strategy_needs_something_to_learn_from(bench: RunBench) -> None:
    done = bench("run", "toy", "-s", "horma", "-o", "run")
    assert done.code == 2
    assert "expected something to learn from on toy" in done.err
