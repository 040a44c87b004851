"""The rounds: what is rehearsed and asked in which order, when they end, which version is kept, and what is written."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.horma.refine.account import Version
from baselines.horma.refine.changes import Reader, Skill
from baselines.horma.refine.contrast import Outcome
from baselines.horma.refine.learning import choose_version, hold_out, learn
from baselines.horma.refine.skill_list import SkillList
from baselines.horma.skills import read_skills
from bench.types import Artifact, Trial
from tests.baselines.horma.refine.played import make_episode, make_learner_kit, make_talk
from tests.baselines.learners import Script

TASKS = tuple(f"task-{n:04d}" for n in range(1, 7))
WHOLE = [make_episode(task, won=True, refs=9) for task in TASKS]


def add(text: str, number: int = 1) -> str:
    return json.dumps({"operations": [{"op": "add", "for": "organise", "text": text, "from": [number]}]})


class Rehearsal:
    """Plays all tasks; how many are won depends on the number of skills."""

    def __init__(self, wins: Sequence[int], play: Callable[[str, bool], Trial] | None = None):
        self._wins = wins
        self._play = play or (lambda task, won: make_episode(task, won=won))
        self.shown: list[tuple[str, ...]] = []

    def __call__(self, artifact: Artifact) -> list[Trial]:
        skills = read_skills(artifact, "organise")
        self.shown.append(skills)
        return [self._play(task, at < self._wins[len(skills)]) for at, task in enumerate(TASKS)]


def run(
    wins: Sequence[int], replies: Sequence[str], whole: Sequence[Trial] = WHOLE, **given_: str
) -> tuple[Artifact, Rehearsal, Script]:
    script = Script({"horma/feedback": "Note places.", "horma/augment": list(replies)})
    rehearsal = Rehearsal(wins)
    return learn(whole, make_learner_kit(script, rehearsal, **given_)), rehearsal, script


def read_account(artifact: Artifact) -> list[list[str]]:
    """Return the cells of the rounds."""
    lines = [line for line in artifact.files["refinement.md"].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_rounds_rehearse_each_version_and_the_best_is_kept() -> None:
    artifact, rehearsal, script = run([0, 4, 6], [add("Record dates."), add("Keep names.")])
    assert rehearsal.shown == [(), ("Record dates.",), ("Record dates.", "Keep names.")]
    assert read_skills(artifact, "organise") == ("Record dates.", "Keep names.")
    roles = [role.removeprefix("horma/") for role, _ in script.asked]
    fitted = len(TASKS) - 2  # a third is held out
    assert roles[: fitted + 1] == ["feedback"] * fitted + ["augment"]
    assert roles.count("augment") == 2
    assert artifact.files["versions/skills-0.md"] == "The base list: no skills.\n"
    assert "This version was taken." in artifact.files["versions/skills-2.md"]
    assert "1. Record dates. (organise; exo; round 1; task-" in artifact.files["versions/skills-1.md"]
    assert SkillList.replay(artifact.files["log/operations.jsonl"]).skills[1].text == "Keep names."
    assert artifact.files["log/feedback-0.md"].count("- exo, task-") == fitted


def test_tasks_held_out_get_no_feedback_and_decide() -> None:
    held = hold_out(TASKS, 0.5, random.Random(0))
    artifact, _, script = run([0, 6], [add("Record dates.")], rounds="1", held_out="0.5")
    assert f"Held out: {', '.join(held)}." in artifact.files["refinement.md"]
    assert script.calls["horma/feedback"] == len(TASKS) - len(held) == 3
    sources = {task for tasks in artifact.sources.values() for task in tasks}
    assert sources.isdisjoint(held)
    first, second = read_account(artifact)
    assert (first[2], second[2]) == ("0 of 3 right, 6 steps", "3 of 3 right, 6 steps")


def test_version_that_does_worse_is_not_kept_though_it_is_written() -> None:
    artifact, _, _ = run(
        [6, 0], [add("Forget dates.")], [make_episode(task, won=False, refs=9) for task in TASKS], rounds="1"
    )
    assert read_skills(artifact, "organise") == ()
    assert "Forget dates." in artifact.files["versions/skills-1.md"]
    assert "Version 0 was taken: no list of skills did better" in artifact.files["refinement.md"]


@pytest.mark.parametrize(
    ("wins", "whole", "reason"),
    [
        ([6], WHOLE, "Version 0 was taken: no task was done in one way and not in the other"),
        ([0], [make_episode(task, won=False, refs=9) for task in TASKS], "nothing to learn; it is the base list."),
    ],
)
def test_without_a_contrast_no_call_is_made_and_the_base_list_is_kept(
    wins: list[int], whole: list[Trial], reason: str
) -> None:
    artifact, rehearsal, script = run(wins, [], whole)
    assert (rehearsal.shown, script.asked) == ([()], [])
    assert reason in artifact.files["refinement.md"]
    assert not any(name.startswith("skills/") for name in artifact.files)
    assert artifact.files["versions/skills-0.md"] == "This version was taken.\n\nThe base list: no skills.\n"


def test_no_trials_rehearse_nothing_and_leave_the_base_list() -> None:
    artifact, rehearsal, script = run([0], [], [])
    assert (rehearsal.shown, script.asked) == ([], [])
    assert "it is the base list" in artifact.files["refinement.md"]
    assert artifact.sources == {}


def test_round_that_changes_nothing_is_the_last() -> None:
    artifact, rehearsal, _ = run([0, 1], [add("Record dates."), add("record the dates")], rounds="5")
    assert rehearsal.shown == [(), ("Record dates.",)]
    assert "The last round changed nothing." in artifact.files["refinement.md"]
    assert read_account(artifact)[1][-2:] == ["0", "1 says what another skill says"]


def test_round_without_a_contrast_is_the_last() -> None:
    artifact, rehearsal, _ = run([0, 6], [add("Record dates.")], rounds="5")
    assert len(rehearsal.shown) == 2
    assert "No task was done in one way and not in the other under the last version." in artifact.files["refinement.md"]


def test_no_rounds_only_check_the_base_list() -> None:
    artifact, rehearsal, script = run([0], [], rounds="0")
    assert (rehearsal.shown, script.asked) == ([()], [])
    assert read_account(artifact)[0][4] == "4"  # the contrasts are counted even so


def test_most_feedback_calls_of_a_round_are_those_of_the_parameter() -> None:
    _, _, script = run([0, 6], [add("Record dates.")], feedback="2")
    assert script.calls == {"horma/feedback": 2, "horma/augment": 1}


def test_empty_feedback_is_counted_and_asks_for_no_change() -> None:
    script = Script({"horma/feedback": " "})
    artifact = learn(WHOLE, make_learner_kit(script, Rehearsal([0])))
    assert script.calls == {"horma/feedback": 4}
    assert "4 replies held no feedback." in artifact.files["refinement.md"]
    assert "log/feedback-0.md" not in artifact.files


def test_without_rehearsals_the_other_trials_stand_for_notes_and_nothing_is_checked() -> None:
    script = Script({"horma/feedback": "Note places.", "horma/augment": add("Record dates.")})
    others = [make_episode(task, won=False, attempt=2) for task in TASKS]
    artifact = learn([*others, *WHOLE], make_learner_kit(script))
    assert script.calls == {"horma/feedback": 6, "horma/augment": 1}
    assert read_skills(artifact, "organise") == ("Record dates.",)
    assert "Version 1 was taken: the last one, for nothing was held out" in artifact.files["refinement.md"]


def test_one_task_is_learned_from_and_nothing_is_held_out() -> None:
    replies = [add("Record dates."), add("Keep names."), add("Keep names.")]
    script = Script({"horma/feedback": "Note places.", "horma/augment": replies})
    kit = make_learner_kit(script, lambda artifact: [make_episode("task-0001", won=False)])
    artifact = learn(WHOLE[:1], kit)
    assert read_skills(artifact, "organise") == ("Record dates.", "Keep names.")
    assert "Held out: no task." in artifact.files["refinement.md"]


def test_conversations_are_compared_question_by_question() -> None:
    whole = [make_talk(task, {1: ("7 May 2023", True), 2: ("no", False)}, whole=True) for task in TASKS]
    script = Script({"horma/feedback": "Note dates.", "horma/augment": add("Record dates.")})

    def rehearse(artifact: Artifact) -> list[Trial]:
        learned = bool(artifact.files)
        return [make_talk(task, {1: ("x", learned), 2: ("the ferry", True)}) for task in TASKS]

    artifact = learn(whole, make_learner_kit(script, rehearse, rounds="1"))
    assert script.calls["horma/feedback"] == 8  # both kinds of four conversations
    first, second = read_account(artifact)
    assert first[2:6] == ["2 of 4 right", "4 of 8 right", "4", "4"]
    assert second[2:6] == ["4 of 4 right", "8 of 8 right", "0", "4"]
    assert read_skills(artifact, "organise") == ("Record dates.",)


def test_learning_repeats_itself() -> None:
    first, second = (run([0, 4, 6], [add("Record dates."), add("Keep names.")])[0] for _ in range(2))
    assert first == second


@given(st.integers(0, 12), st.floats(0, 1), st.integers())
def test_hold_out_leaves_something_to_learn_from(n: int, share: float, seed: int) -> None:
    tasks = [f"t{i}" for i in range(n)]
    held = hold_out(tasks, share, random.Random(seed))
    assert len(set(held)) == len(held) <= max(0, n - 1)
    assert set(held) <= set(tasks)
    assert bool(held) is bool(share and n > 1)


def version(right: int, *, steps: int = 0, skills: int = 0) -> Version:
    made = tuple(Skill(i, f"s{i}", Reader.ORGANISE, (), (), 1) for i in range(skills))
    return Version(made, Outcome(right, 9, steps))


@pytest.mark.parametrize(
    ("versions", "chosen"),
    [
        ([version(3), version(5), version(4)], 1),
        ([version(3), version(3)], 0),  # of equals the one with fewer skills
        ([version(3, steps=90), version(3, steps=80)], 1),
        ([Version()], 0),
        ([Version(held=Outcome()), Version(held=Outcome())], 1),
    ],
)
def test_choose_version_takes_the_best_and_the_first_of_equals(versions: list[Version], chosen: int) -> None:
    assert choose_version(versions) == chosen
