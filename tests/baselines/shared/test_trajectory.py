"""An episode as prompt lines, whole or a part of it, with what its steps cannot show."""

from __future__ import annotations

from dataclasses import replace

import pytest

from baselines.shared.trajectory import describe_end, render_attempt, render_case, render_trajectory
from bench.types import EndReason
from tests.baselines.learners import make_trial

TRIAL = make_trial("t", "Find the mug.", ("go to shelf 1", "A shelf."), ("take mug 1", "Taken."), won=True)
STEPS = "[1] Action: go to shelf 1\n[1] Observation: A shelf.\n[2] Action: take mug 1\n[2] Observation: Taken."


def test_what_was_seen_before_a_part_has_the_number_of_its_step() -> None:
    assert render_trajectory(TRIAL) == STEPS
    part = replace(TRIAL, steps=TRIAL.steps[1:])
    assert render_trajectory(part) == STEPS.partition("shelf 1\n")[2]


def test_solved_attempt_is_its_trajectory_below_what_the_agent_knew_before() -> None:
    assert render_attempt(TRIAL) == STEPS
    knew, _, steps = render_attempt(replace(TRIAL, feedback=("", "The mug is on the shelf."))).partition("\n")
    assert "read notes on earlier attempts" in knew
    assert steps == STEPS


def test_case_holds_task_attempt_and_outcome() -> None:
    assert render_case(TRIAL) == (
        f"# Task\nFind the mug.\n\n# Attempt\n{STEPS}\n\n# Outcome\nThe attempt solved the task."
    )
    lost = render_case(replace(TRIAL, end=EndReason.GAVE_UP))
    assert lost.endswith("gave up after 2 actions.\n\n# Outcome\nThe attempt did not solve the task.")


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (EndReason.STEP_CAP, "It was stopped after 2 actions, the most that were allowed."),
        (EndReason.GAVE_UP, "The agent gave up after 2 actions."),
        (EndReason.LOST, "It was lost after 2 actions."),
        (EndReason.TOKEN_CAP, "It was stopped after 2 actions."),
        (None, "It was stopped after 2 actions."),
    ],
)
def test_attempt_without_success_says_how_it_ended(end: EndReason | None, said: str) -> None:
    lost = replace(TRIAL, end=end)
    assert render_attempt(lost) == f"{STEPS}\n{said}"
    assert describe_end(replace(lost, steps=lost.steps[:1])) == said.replace("2 actions", "1 action")
