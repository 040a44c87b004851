"""Which tasks and questions are contrasts, with which trial notes are compared, and how well tasks went."""

from __future__ import annotations

import pytest

from baselines.horma.refine.changes import Origin
from baselines.horma.refine.contrast import Outcome, choose_whole, count_right, find_contrasts, pick_evenly
from bench.types import Trial
from tests.baselines.horma.refine.played import make_episode, make_talk

EXO, END = Origin.EXO, Origin.END


def find(whole: list[Trial], noted: list[Trial], *tasks: str) -> list[tuple[Origin, str, int]]:
    found = find_contrasts(choose_whole(whole), noted, tasks or {trial.key.task for trial in [*whole, *noted]})
    return [(one.origin, one.task, one.size) for one in found]


def test_choose_whole_takes_the_trial_that_showed_most_of_the_past_the_first_of_equals() -> None:
    little, most = make_episode("t1", won=True, refs=1), make_episode("t1", won=False, refs=3, attempt=2)
    later, other = make_episode("t1", won=True, refs=3, attempt=3), make_episode("t1", won=True, seed=1)
    assert choose_whole([later, little, other, most]) == {("t1", 0): most, ("t1", 1): other}


@pytest.mark.parametrize(
    ("whole", "noted", "expected"),
    [(True, False, [(EXO, "t1", 1)]), (False, True, [(END, "t1", 1)]), (True, True, []), (False, False, [])],
)
def test_episode_is_a_contrast_where_one_way_won(
    whole: bool, noted: bool, expected: list[tuple[Origin, str, int]]
) -> None:
    assert find([make_episode("t1", won=whole)], [make_episode("t1", won=noted)]) == expected


def test_questions_of_a_conversation_are_contrasts_of_two_kinds() -> None:
    whole = make_talk("c1", {1: ("a", True), 2: ("b", True), 3: ("c", False)}, whole=True)
    noted = make_talk("c1", {1: ("x", False), 2: ("y", False), 3: ("z", True)})
    assert find([whole], [noted]) == [(EXO, "c1", 2), (END, "c1", 1)]
    (exo, end) = find_contrasts(choose_whole([whole]), [noted], {"c1"})
    assert [(one.decision.text, other.decision.text) for one, other in exo.questions] == [("a", "x"), ("b", "y")]
    assert [one.index for one, _ in end.questions] == [3]


def test_question_that_one_way_never_reached_is_no_contrast() -> None:
    whole = make_talk("c1", {1: ("a", True), 2: ("b", True)}, whole=True)
    assert find([whole], [make_talk("c1", {2: ("y", True)})]) == []


def test_tasks_that_are_not_learned_from_and_trials_without_a_step_are_left_out() -> None:
    whole = [make_episode(task, won=True) for task in ("t1", "t2")]
    noted = [make_episode(task, won=False) for task in ("t2", "t1", "t9")]
    assert find(whole, noted) == [(EXO, "t1", 1), (EXO, "t2", 1)]
    assert find(whole, noted, "t2") == [(EXO, "t2", 1)]
    assert find(whole, [make_episode("t1", won=False, steps=())]) == []
    assert find([make_episode("t1", won=True, steps=())], noted) == []


def test_notes_are_compared_with_the_trial_of_their_seed_else_with_the_first() -> None:
    whole = [make_episode("t1", won=True, seed=0), make_episode("t1", won=False, seed=1)]
    noted = [make_episode("t1", won=False, seed=seed) for seed in (0, 1, 2)]
    assert find(whole, noted) == [(EXO, "t1", 1), (EXO, "t1", 1)]  # seeds 0 and 2


def test_count_right_counts_episodes_and_questions_of_these_tasks() -> None:
    trials = [make_episode("t1", won=True), make_episode("t2", won=False), make_episode("t3", won=True)]
    assert count_right(trials, ("t1", "t2")) == Outcome(1, 2, 4)
    assert count_right([make_talk("c1", {1: ("a", True), 2: ("b", False)})], ("c1",)) == Outcome(1, 2)
    assert count_right(trials, ()) == Outcome()


def test_outcome_beats_another_by_what_is_right_then_by_fewer_steps() -> None:
    assert Outcome(2, 4, 50).beats(Outcome(1, 4, 10))
    assert Outcome(2, 4, 9).beats(Outcome(2, 4, 10))
    assert not Outcome(2, 4, 10).beats(Outcome(2, 4, 10))


@pytest.mark.parametrize(("n", "most", "expected"), [(3, 5, [0, 1, 2]), (6, 3, [0, 2, 4]), (5, 1, [0]), (0, 4, [])])
def test_pick_evenly_spreads_over_all(n: int, most: int, expected: list[int]) -> None:
    pairs = [(make_episode(f"t{i}", won=True), make_episode(f"t{i}", won=False)) for i in range(n)]
    found = find_contrasts(
        choose_whole([one for one, _ in pairs]), [other for _, other in pairs], {f"t{i}" for i in range(n)}
    )
    assert [one.task for one in pick_evenly(found, most)] == [f"t{i}" for i in expected]
