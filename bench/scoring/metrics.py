"""Pure functions from a recorded trial to named scores: what was reached, what was in the prompts, what was spent.

This file knows records only: no suite, strategy, store or table. A number that cannot be known (a call without usage,
a mean over no steps) is a score whose value is None and which says why; it is never 0. Definitions follow AgentBoard
(progress as a running maximum, grounding as the share of valid actions per episode); success is ``won`` alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate

from bench.scoring.decisions import score_decisions
from bench.scoring.metric_names import list_metrics
from bench.scoring.readings import average_steps, measure_readings
from bench.scoring.spending import (
    AGENT_PHASES,
    list_routed_roles,
    score_ledger,
    score_retrieval,
    score_roles,
    sum_tokens,
)
from bench.types import CallStatus, EndReason, Item, Phase, Role, Score, Status, Step, Trial

__all__ = ["measure", "measure_questions", "score_episode"]

_OK = CallStatus.OK
_DECIDING = (Role.ACT, Role.ANSWER)


def measure(trial: Trial, *, step_cap: int = 0, every: int = 5, optimal_steps: int | None = None) -> tuple[Score, ...]:
    """Return every score of an episode trial, or nothing if its status is unscored.

    ``step_cap`` is how far ``progress_at_*`` is carried forward, every ``every`` steps; 0 = to the last step taken.
    ``optimal_steps`` is the length of a shortest solution, where one is known.
    """
    if not trial.status.scored:
        return ()
    scores = score_episode(trial, step_cap=step_cap, every=every)
    if optimal_steps:
        scores += _compare_with_optimal(trial, scores[0], step_cap, optimal_steps)
    scores += (*_count_kinds(trial), *score_ledger(trial.calls), *score_roles(trial.calls, list_routed_roles(trial)))
    scores += tuple(score_retrieval(trial.calls, len(trial.steps)))
    scores += (*measure_readings(trial.steps), *score_decisions(trial.steps))
    return scores + tuple(_score_plugins(trial))


def _score_plugins(trial: Trial) -> Iterable[Score]:
    """Compute the metrics of plug-ins."""
    for metric in list_metrics():
        if metric.compute is not None:
            try:
                yield Score(metric.name, metric.compute(trial))
            except Exception as error:  # a metric that fails must not cost a trial that was paid for
                yield Score(metric.name, None, f"{type(error).__name__}: {error}")


def _compare_with_optimal(trial: Trial, success: Score, step_cap: int, optimal_steps: int) -> tuple[Score, ...]:
    """Return the steps of a solved episode over the fewest possible; success where the cap leaves room for one."""
    over = sum(step.counts for step in trial.steps) / optimal_steps if success.value else None
    fits = not step_cap or optimal_steps <= step_cap
    return (
        Score("steps_over_optimal", over, "" if over else "not won"),
        Score("success_solvable", success.value if fits else None, "" if fits else f"takes {optimal_steps} steps"),
    )


def _count_kinds(trial: Trial) -> Iterable[Score]:
    """Yield what a strategy did besides acting: inner calls by role, notes by the word before their colon."""
    roles = Counter(c.role for c in trial.calls if c.status == _OK and c.role not in (*_DECIDING, Role.EMBED))
    notes = Counter(note.partition(":")[0] for step in trial.steps for note in step.decision.notes if ":" in note)
    yield from (Score(f"calls_{role}", float(count)) for role, count in sorted(roles.items()))
    yield from (Score(f"notes_{kind}", float(count)) for kind, count in sorted(notes.items()) if kind.isidentifier())


def measure_questions(trial: Trial) -> tuple[Item, ...]:
    """Return the items of a conversation, each with its own scores and what its question had in its prompts and spent.

    Item i is step i. Calls made at a question's step are its own; those made before (writing the conversation down)
    are divided evenly, so that the items of a trial add up to the whole ledger. The first score is the main one and
    counts as ``success`` too if none has that name. ``ingest_tokens`` is what the whole conversation took to write
    down, the same for each of its items; ``query_tokens`` what reading and answering took for this question alone.
    """
    items = trial.items if trial.status.scored else ()
    if not items:
        return ()
    before = [call for call in trial.calls if not 1 <= call.step <= len(items)]
    roles = list_routed_roles(trial)
    shared = (*score_ledger(before), *score_roles(before, roles))
    ingested = sum_tokens("ingest_tokens", [call for call in before if call.phase is Phase.WRITE])
    measured = []
    for index, item in enumerate(items, start=1):
        calls = [call for call in trial.calls if call.step == index]
        own = (*score_ledger(calls), *score_roles(calls, roles))
        queried = sum_tokens("query_tokens", [call for call in calls if call.phase in AGENT_PHASES])
        spent = (_share_out(score, part, len(items)) for score, part in zip(own, shared, strict=True))
        steps = [step for step in trial.steps if step.index == index]
        scores = (
            *_name_success(item.scores),
            *_measure_prompts(steps),
            *spent,
            ingested,
            queried,
            *score_retrieval(calls, len(steps)),
            *_read_amounts(steps),
            *measure_readings(steps),
        )
        alone = replace(trial, steps=tuple(steps), calls=tuple(calls), items=(item,))
        measured.append(Item(item.id, item.group, item.cluster, (*scores, *_score_plugins(alone))))
    return tuple(measured)


def _read_amounts(steps: Sequence[Step]) -> Iterable[Score]:
    """Yield notes of the kind ``always_on_tokens: 725``: an amount that only the strategy itself knows."""
    noted = [note.partition(": ") for step in steps for note in step.decision.notes]
    yield from (Score(f"notes_{k}", float(v)) for k, _, v in noted if k.endswith("_tokens") and v.isdecimal())


def _name_success(scores: tuple[Score, ...]) -> tuple[Score, ...]:
    if not scores or any(score.name == "success" for score in scores):
        return scores
    return (Score("success", scores[0].value, scores[0].reason), *scores)


def _share_out(own: Score, shared: Score, parts: int) -> Score:
    if own.value is None or shared.value is None:
        return own if own.value is None else shared
    return Score(own.name, own.value + shared.value / parts)


def score_episode(trial: Trial, *, step_cap: int = 0, every: int = 5) -> tuple[Score, ...]:
    """Return what an episode reached and the size of its prompts.

    A strategy's own error is a failure that keeps the progress made before it. A thought that is free is no step; its
    prompt counts like any other.
    """
    steps = [step for step in trial.steps if step.counts]
    seen = [step.observation for step in steps]
    won = trial.status is Status.DONE and trial.end is EndReason.WON
    progress = list(accumulate((min(1.0, max(0.0, o.progress)) for o in seen), max))
    return (
        Score("success", float(won)),
        Score("progress", progress[-1] if progress else 0.0),
        Score("steps", float(len(steps))),
        Score("steps_won", float(len(steps))) if won else Score("steps_won", None, "not won"),
        average_steps("valid_action_rate", [float(o.valid) for o in seen]),
        Score("invalid_actions", float(sum(not o.valid for o in seen))),
        Score("helper_calls", float(sum(o.helper for o in seen))),
        Score("repairs", float(sum(len(o.repairs) for o in seen))),
        *_count_thoughts(trial.steps),
        *_measure_prompts(trial.steps),
        *_sample_curves(steps, progress, step_cap or len(steps), every),
        *(Score(f"success_at_{k}", float(won and len(steps) <= k)) for k in range(every, step_cap + 1, every)),
    )


def _count_thoughts(steps: Sequence[Step]) -> Iterable[Score]:
    """Yield how many decisions were thoughts; nothing where none was."""
    count = sum(bool(step.decision.reading.thought) for step in steps)
    if count:
        yield Score("thoughts", float(count))


def _measure_prompts(steps: Sequence[Step]) -> Iterable[Score]:
    """Yield the size of the prompts: the memory's context, and the prompt as a whole."""
    context = [float(step.context_tokens) for step in steps]
    prompts = [float(step.prompt_tokens) for step in steps if step.prompt_tokens is not None]
    missing = len(steps) - len(prompts)
    yield average_steps("context_tokens_mean", context)
    yield _take_max("context_tokens_max", context)
    if missing:
        reason = f"usage missing in {missing} of {len(steps)} steps"
        yield Score("prompt_tokens_mean", None, reason)
        yield Score("prompt_tokens_max", None, reason)
    else:
        yield average_steps("prompt_tokens_mean", prompts)
        yield _take_max("prompt_tokens_max", prompts)
    yield Score("truncated_contexts", float(sum(step.decision.context.truncated for step in steps)))


def _sample_curves(steps: Sequence[Step], progress: Sequence[float], cap: int, every: int) -> Iterable[Score]:
    """Yield progress carried forward past the end; executability only while the episode was still running."""
    last = progress[-1] if progress else 0.0
    for index in range(every, cap + 1, every):
        yield Score(f"progress_at_{index}", progress[index - 1] if index <= len(progress) else last)
    for index in range(every, min(cap, len(steps)) + 1, every):
        yield Score(f"valid_at_{index}", float(steps[index - 1].observation.valid))


def _take_max(name: str, values: Sequence[float]) -> Score:
    return Score(name, max(values)) if values else Score(name, None, "no step")
