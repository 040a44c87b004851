"""What ACON's guidelines are learned from: what a memory had lost, and which attempts are compared."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from baselines.acon.attempts import find_contrasts, find_successes, list_lost
from bench.types import Observation, Step
from tests.baselines.acon.trials import STEPS, WHOLE, attempt


@given(st.sets(st.integers(0, 1)))
def test_lost_is_what_the_last_prompt_does_not_hold(shown: set[int]) -> None:
    context = "\n".join(STEPS[i][1] for i in sorted(shown))
    found = [(one.step, one.text, one.kind) for one in list_lost(attempt("t1", context, won=False))]
    assert found == [(i + 1, STEPS[i][1], "history") for i in (0, 1) if i not in shown]


def test_attempt_without_a_step_has_lost_nothing() -> None:
    assert list_lost(attempt("t1", "", won=False, steps=0)) == []


def test_what_is_shown_directly_is_not_lost() -> None:
    seen = attempt("t1", "", won=False, now="It holds  a key.")
    assert [one.text for one in list_lost(seen)] == ["The hall has a crate."]


def test_part_of_an_observation_is_lost_and_what_was_listed_is_not_listed_again() -> None:
    trial = attempt("t1", "A cat sleeps.", won=False)
    texts = ("A cat sleeps. A door is shut.", "A door is shut. A vase is blue. A cup is red.", "")
    steps = [replace_text(step, text) for step, text in zip(trial.steps, texts, strict=True)]
    lost = list_lost(replace(trial, steps=tuple(steps)))
    assert [one.text for one in lost] == ["… A door is shut.", "… A vase is blue. A cup is red."]


def replace_text(step: Step, text: str) -> Step:
    return replace(step, observation=Observation(text))


def test_observation_that_is_still_there_was_shortened() -> None:
    trial = attempt("t1", "History, compressed:\nA hall.\n[2] Action: open crate\n[2] Observation: A key.", won=False)
    assert [(one.step, one.kind) for one in list_lost(trial)] == [(1, "history"), (2, "observation")]


def test_failure_is_compared_with_the_success_that_saw_most() -> None:
    blind, whole = attempt("t1", "", won=True, number=1), attempt("t1", WHOLE, won=True, number=3)
    failed = attempt("t1", "Some hall.", won=False, number=2)
    (only,) = find_contrasts([failed, blind, whole])
    assert (only.won, only.lost) == (whole, failed)


def test_contrast_shows_both_attempts_how_one_ended_and_what_it_saw_last() -> None:
    failed = attempt("t1", "Some hall.\n[1] Action: go hall", won=False, number=2, now="It holds a key.")
    (only,) = find_contrasts([failed, attempt("t1", WHOLE, won=True)])
    shown = only.render()
    assert "# Attempt that succeeded (its memory was not compressed)\n[1] Action: go hall" in shown
    assert "It was stopped after 3 actions, the most that were allowed.\n\n# What it saw before its last" in shown
    assert "last action\nSome hall.\n[1] Action: go hall\n[2] Observation: It holds a key.\n\n# Not there" in shown
    assert shown.endswith("with the history\n[1] The hall has a crate.\n\n# Not there word for word: taken out of "
                          "a long observation\n(nothing)")  # fmt: skip
    (blind,) = find_contrasts([failed, attempt("t1", "", won=True)])
    assert "(its memory was compressed as well)" in blind.render()


def test_success_is_shown_with_the_first_prompt_that_lacked_something() -> None:
    whole, blind = attempt("t1", WHOLE, won=True), attempt("t2", "Some hall.", won=True)
    (only,) = find_successes([blind, whole, attempt("t3", "", won=False)])
    assert (only.task, only.step) == ("t2", 1)
    assert only.render().endswith("# What it saw before action 2, compressed for the first time\nSome hall.")
