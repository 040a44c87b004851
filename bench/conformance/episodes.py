"""The rules for suites of episodes: the same actions have the same outcome, and nothing tells what to do.

Part of ``bench.conformance.suites``.
"""

from __future__ import annotations

from bench.conformance.suite_case import GARBAGE, SuiteCase
from bench.types import EndReason

__all__ = [
    "check_garbage",
    "check_goal",
    "check_hidden_actions",
    "check_progress",
    "check_step_cap",
    "check_transcript",
]

_CAP = 3
_LISTED = 2
"""So many actions that work, word for word in one text, are a list of what is possible."""
_SECRET_CHARS = 4
"""A shorter payload may stand in a text by chance."""


def check_transcript(case: SuiteCase) -> str:
    """Return how two plays of a task differ; empty if they do not, in one build and in another."""
    with case.build() as one, case.build() as two:
        for task in case.choose(one):
            play = case.play(one, task)
            again = case.replay(one, task, play.actions)
            if again != (play.opening, play.observations):
                return f"{task.id}: expected the same observations of the same actions, got others the second time"
            actions = (*GARBAGE, *play.actions)
            if again != case.replay(two, task, play.actions) or (
                case.replay(one, task, actions) != case.replay(two, task, actions)
            ):
                return f"{task.id}: expected the same opening and observations in every build, got others"
    return ""


def check_goal(case: SuiteCase) -> str:
    """Return which opening states no goal, or that of another task."""
    with case.build() as suite:
        goals: dict[str, str] = {}
        for task in case.choose(suite):
            with case.open(suite, task) as (_, opening):
                goals[task.id] = opening.goal
    if empty := [name for name, goal in goals.items() if not goal.strip()]:
        return f"{empty[0]}: expected an opening that states the goal, got an empty one"
    return ""


def check_garbage(case: SuiteCase) -> str:
    """Return how an action that no suite understands moves the world; empty if it moves nothing."""
    with case.build() as suite:
        task = case.choose(suite)[0]
        play = case.play(suite, task)
        _, seen = case.replay(suite, task, (*GARBAGE, *play.actions))
    for action, got in zip(GARBAGE, seen, strict=False):
        if got.valid or not got.invalid_reason:
            return f"{action[:20]!r}: expected valid=False and a reason of an unknown action, got valid={got.valid}"
        if got.done or got.won or got.progress != seen[0].progress or got.helper:
            return f"{action[:20]!r}: expected an unknown action to change nothing, got done, won, help or progress"
        if not got.text.strip():
            return f"{action[:20]!r}: expected an observation that says something, got an empty one"
    if play.steps and seen[-1].won != play.observations[-1].won:
        return "expected the same end after unknown actions, got another"
    return ""


def check_progress(case: SuiteCase) -> str:
    """Return what is wrong with progress, won and done of an episode."""
    with case.build() as suite:
        plays = {task.id: case.play(suite, task) for task in case.choose(suite)}
    for name, play in plays.items():
        before = 0.0
        for number, got in enumerate(play.observations, start=1):
            at = f"{name}, step {number}"
            if not 0 <= got.progress <= 1 or got.progress < before:
                return f"{at}: expected progress in 0..1 that never falls, got {got.progress:g} after {before:g}"
            if got.won != (got.progress == 1) or (got.won and not got.done):
                return f"{at}: expected progress 1 and done where it is won, got {got.progress:g}, won={got.won}"
            if got.valid != (not got.invalid_reason):
                return (
                    f"{at}: expected a reason where, and only where, an action is invalid, got {got.invalid_reason!r}"
                )
            before = got.progress
        if (play.end is EndReason.WON) != bool(play.steps and play.observations[-1].won):
            return f"{name}: expected the end {play.end} to agree with the last observation, got another"
    return ""


def check_step_cap(case: SuiteCase) -> str:
    """Return how the step cap of the run, or that of the suite, is not obeyed."""
    with case.build() as plain, case.build(step_cap=_CAP) as capped:
        if plain.limits().step_cap <= 0:
            return "expected a step cap of its own, got none: an episode may never end"
        if capped.limits().step_cap != _CAP:
            return f"expected the run's step cap of {_CAP} in limits, got {capped.limits().step_cap}"
        if plain.limits().step_cap != _CAP and plain.fingerprint() == capped.fingerprint():
            return "expected the step cap in the fingerprint, got the same with another cap"
        play = case.play(capped, case.choose(capped)[0])
        if len(play.steps) > _CAP:
            return f"expected at most {_CAP} steps, got {len(play.steps)}"
    return ""


def check_hidden_actions(case: SuiteCase) -> str:
    """Return which text tells what to do: the payload of a task, or a list of actions that work.

    Looked at are the frame, the opening and what is said to unknown actions; a helper command may list actions.
    """
    with case.build() as suite:
        for task in case.choose(suite):
            play = case.play(suite, task)
            opening, seen = case.replay(suite, task, GARBAGE)
            texts = [opening.frame.instructions, opening.goal, opening.observation, *(got.text for got in seen)]
            if len(task.payload) >= _SECRET_CHARS and any(task.payload in text for text in texts):
                return f"{task.id}: expected the payload of the task to stay with the suite, got it in a text"
            worked = {step.decision.text for step in play.steps if step.observation.valid}
            worked = {action for action in worked if " " in action}
            for text in texts[1:]:
                told = sorted(action for action in worked if action in text)
                if len(told) >= _LISTED:
                    return f"{task.id}: expected no list of actions that work, got {told[0]!r} and {told[1]!r}"
    return ""
