"""The rules for strategies that learn from trials or reflect on an attempt: repeatable, honest about sources, and used.

Part of ``bench.conformance.rules``; a strategy that does neither obeys them all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, reduce

from bench.conformance.scripted_trial import GOAL, OBSERVATIONS, Case, PromptRecorder, perform
from bench.protocols import Kit
from bench.types import (
    Artifact,
    Decision,
    EndReason,
    Observation,
    Role,
    Shape,
    Status,
    Step,
    Stimulus,
    Trial,
    TrialKey,
)

__all__ = ["check_learning", "check_reflection"]

Learn = Callable[[Sequence[Trial], Kit], Artifact]
_BUDGETS_TOKENS = (None, 50)
"""What is learned about compressing shows only where room is short."""
_FEEDBACK = "The mug is in the blue box behind the zebra."


def _make_trial(task: str, end: EndReason, attempt: int = 1) -> Trial:
    """Return a trial of the scripted room as a learner gets it."""
    steps = tuple(
        Step(i, Stimulus(Shape.EPISODE, "", GOAL, i), Decision(f"go {i}"), Observation(text, won=end is EndReason.WON))
        for i, text in enumerate(OBSERVATIONS, start=1)
    )
    return Trial(TrialKey("", "", task, "", "", 0, attempt), Status.DONE, end, steps=steps, opening=GOAL)


_LOST, _WON = _make_trial("task-1", EndReason.STEP_CAP), _make_trial("task-1", EndReason.WON, 2)
_POOL = (_LOST, _WON, _make_trial("task-2", EndReason.STEP_CAP), _make_trial("task-3", EndReason.WON))


def check_learning(case: Case) -> str:
    """Return how a strategy breaks the rules of learning; empty if it obeys them or does not learn."""
    if case.strategy.learn is None:
        return "expected learn beside update, got none" if case.strategy.update else ""
    fault = _check_way(case, case.strategy.learn)
    return fault or (_check_way(case, partial(_update, case.strategy.update)) if case.strategy.update else "")


def _check_way(case: Case, learn: Learn) -> str:
    kit = case.kit()
    for pool in ((), (_LOST,), _POOL):
        first, second = learn(pool, kit), learn(pool, case.kit())
        if fault := _find_fault(first, {trial.key.task for trial in pool}):
            return fault
        if first != second:
            return "expected the same artifact from the same trials, got another the second time"
    return _find_unused(case, learn(_POOL, kit))


def _update(update: Callable[[Trial, Kit], Artifact], trials: Sequence[Trial], kit: Kit) -> Artifact:
    """Return what is learned attempt by attempt."""
    return reduce(lambda artifact, trial: update(trial, replace(kit, artifact=artifact)), trials, Artifact())


def _find_unused(case: Case, artifact: Artifact) -> str:
    """Return in which shape what was learned reaches no prompt; empty if it does in all."""
    for shape in case.shapes:
        if error := perform(replace(case, artifact=artifact), shape).error:
            return f"{shape}: expected a trial with what was learned, got {error}"
        if not any(_reaches_prompt(replace(case, budget_tokens=budget), artifact, shape) for budget in _BUDGETS_TOKENS):
            return f"{shape}: expected what was learned to reach a prompt, got the prompts of one that learned nothing"
    return ""


def _reaches_prompt(case: Case, artifact: Artifact, shape: Shape) -> bool:
    taught, plain = perform(replace(case, artifact=artifact), shape), perform(case, shape)
    return taught.prompts != plain.prompts


def _find_fault(made: object, tasks: set[str]) -> str:
    if not isinstance(made, Artifact):
        return f"expected an Artifact from learn, got {type(made).__name__}"
    for name, text in made.files.items():
        if not isinstance(name, str) or not isinstance(text, str):
            return f"expected text files by name, got {name!r}: {type(text).__name__}"
    if unknown := sorted(set(made.sources) - set(made.files)):
        return f"expected sources of files, got some of {unknown[0]!r}, which is none"
    if unknown := sorted({task for found in made.sources.values() for task in found} - tasks):
        return f"expected sources among the tasks of the trials, got {unknown[0]!r}"
    return ""


def check_reflection(case: Case) -> str:
    """Return how a strategy breaks the rules of reflection; empty if it obeys them or does not reflect."""
    if case.strategy.reflect is None:
        return ""
    model = PromptRecorder(case.reply)
    first, second = case.strategy.reflect(_LOST, case.kit(model)), case.strategy.reflect(_LOST, case.kit())
    if not isinstance(first, str) or first != second:
        return "expected the same text about the same attempt, got another the second time"
    if roles := sorted({role for role, _ in model.prompts} - {Role.REFLECT}):
        return f"expected calls of role reflect, got {roles[0]}"
    if Shape.EPISODE not in case.strategy.serves:
        return "expected a strategy that reflects to serve episodes, got one that does not"
    turn = perform(replace(case, feedback=(_FEEDBACK,)), Shape.EPISODE).turns[0]
    shown = [message.content for role, prompt in turn.calls if role == Role.ACT for message in prompt]
    if not any(_FEEDBACK in text for text in shown):
        return "expected the feedback on an earlier attempt in the first acting prompt, got none"
    return ""
