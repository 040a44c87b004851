"""ACON's guidelines: which attempts are compared, which calls are made on what, and what is kept."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.acon.learning import find_contrasts, learn, list_lost
from baselines.acon.memory import read_guideline
from baselines.acon.strategy import STRATEGY
from bench.types import (
    Artifact,
    Context,
    Decision,
    EndReason,
    Observation,
    Shape,
    Status,
    Step,
    Stimulus,
    Trial,
    TrialKey,
)
from tests.baselines.learners import Script, make_kit

STEPS = (("go hall", "The hall has a crate."), ("open crate", "It holds a key."), ("go attic", "A door is shut."))
WHOLE = "\n".join(text for step in STEPS for text in step)


def attempt(task: str, context: str, *, won: bool, number: int = 1, steps: int = 3) -> Trial:
    """Return an attempt of the first ``steps`` steps whose prompts showed a context."""
    made = tuple(
        Step(i, Stimulus(Shape.EPISODE, "", "", i), Decision(action, context=Context(context)), Observation(answer))
        for i, (action, answer) in enumerate(STEPS[:steps], start=1)
    )
    key = TrialKey("", "", task, "", "", attempt=number)
    end = EndReason.WON if won else EndReason.STEP_CAP
    return Trial(key, Status.DONE, end, steps=made, opening=f"Open the door of {task}.")


def gather(*tasks: str) -> list[Trial]:
    """A success with the whole history and a failure with a compressed one of each task."""
    return [
        trial
        for task in tasks
        for trial in (attempt(task, "Some hall.", won=False, number=2), attempt(task, WHOLE, won=True))
    ]


def run(trials: Sequence[Trial], *replies: str, **given_: str) -> tuple[Artifact, Script]:
    script = Script({"guideline": [*replies] or "Keep what things hold."})
    return learn(trials, make_kit(STRATEGY, script, **given_)), script


@given(st.sets(st.integers(0, 1)))
def test_lost_is_what_the_last_prompt_does_not_hold(shown: set[int]) -> None:
    context = "\n".join(STEPS[i][1] for i in sorted(shown))
    expected = [STEPS[i][1] for i in (0, 1) if i not in shown]
    assert list_lost(attempt("t1", context, won=False)) == expected


def test_attempt_without_a_step_has_lost_nothing() -> None:
    assert list_lost(attempt("t1", "", won=False, steps=0)) == []


def test_failure_is_compared_with_the_success_that_saw_most() -> None:
    blind, whole = attempt("t1", "", won=True, number=1), attempt("t1", WHOLE, won=True, number=3)
    failed = attempt("t1", "Some hall.", won=False, number=2)
    (only,) = find_contrasts([failed, blind, whole])
    assert (only.won, only.lost) == (whole, failed)


@pytest.mark.parametrize(
    "trials",
    [
        [],
        [attempt("t1", WHOLE, won=True)],  # nothing failed
        [attempt("t1", "Some hall.", won=False)],  # nothing succeeded
        [attempt("t1", WHOLE, won=True), attempt("t2", "Some hall.", won=False)],  # other tasks
        [attempt("t1", WHOLE, won=True), attempt("t1", WHOLE, won=False, number=2)],  # failed with everything in view
    ],
)
def test_pool_without_a_contrast_costs_no_call_and_leaves_the_guidelines_of_the_folder(trials: list[Trial]) -> None:
    artifact, script = run(trials)
    assert (artifact, script.asked) == (Artifact(), [])


def test_each_contrast_is_analysed_in_task_order_and_each_guideline_written_once() -> None:
    replies = ["The first lacked keys.", "The second lacked doors.", "Keep keys.", "Keep doors."]
    artifact, script = run(gather("t2", "t1"), *replies)
    assert [role for role, _ in script.asked] == ["guideline"] * 4
    assert "Open the door of t1." in script.requests("guideline")[0]
    shown = "# Its memory at the end\nSome hall.\n\n# What it no longer held\nThe hall has a crate."
    assert shown in script.requests("guideline")[0]
    for kind, request in zip(("history", "observation"), script.requests("guideline")[2:], strict=True):
        assert request.startswith(f"# Guideline so far\n{read_guideline(kind, {})}\n\n# What was missing\n")
        assert request.endswith("- The first lacked keys.\n- The second lacked doors.")
    assert artifact.files["history_guideline.txt"] == "Keep keys.\n"
    assert artifact.files["observation_guideline.txt"] == "Keep doors.\n"
    assert set(artifact.sources.values()) == {("t1", "t2")}
    assert set(artifact.sources) == set(artifact.files)


@pytest.mark.parametrize("batch", [1, 2, 3])
def test_guidelines_are_rewritten_after_every_batch(batch: int) -> None:
    artifact, script = run(gather("t1", "t2", "t3"), batch=str(batch))
    assert len(script.asked) == 3 + 2 * -(-3 // batch)
    assert artifact.files["history_guideline.txt"] == "Keep what things hold.\n"


def test_empty_reply_keeps_the_guideline_so_far() -> None:
    artifact, _ = run(gather("t1"), "It lacked keys.", "", "Keep keys.")
    assert artifact.files["history_guideline.txt"].strip() == read_guideline("history", {})
    assert artifact.files["observation_guideline.txt"] == "Keep keys.\n"
