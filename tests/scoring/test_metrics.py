"""Scores of recorded trials, built by hand and by hypothesis."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.scoring.metrics import measure, measure_questions
from bench.scoring.spending import score_ledger
from bench.types import (
    Call,
    Context,
    Decision,
    EndReason,
    Evidence,
    Item,
    Observation,
    Phase,
    Reading,
    Score,
    Shape,
    Status,
    Step,
    Stimulus,
    Trial,
    TrialKey,
    Usage,
    UsageSource,
)

KEY = TrialKey("toy-v1", "test", "t1", "window", "scripted")


def step(index: int, progress: float = 0.0, *, valid: bool = True, context: int = 10, prompt: int | None = 100) -> Step:
    observation = Observation("ok", progress=progress, valid=valid, repairs=("article",) if index == 1 else ())
    return Step(index, Stimulus(Shape.EPISODE, "", "goal", index), Decision("go"), observation, context, prompt)


def call(
    index: int, phase: Phase = Phase.ACT, prompt: int | None = 10, completion: int | None = 2, **more: object
) -> Call:
    usage = Usage(prompt, completion=completion, source=more.pop("source", UsageSource.API))  # type: ignore[arg-type]
    fields = {"role": "act", "cost_usd": 0.5} | more
    return Call(index, phase, model="m", request_hash="h", reply="r", usage=usage, **fields)  # type: ignore[arg-type]


def trial(*steps: Step, calls: tuple[Call, ...] = (), end: EndReason = EndReason.WON, **more: object) -> Trial:
    return Trial(KEY, more.get("status", Status.DONE), end, steps=steps, calls=calls)  # type: ignore[arg-type]


def values(scores: tuple[Score, ...]) -> dict[str, float | None]:
    assert len({score.name for score in scores}) == len(scores)
    return {score.name: score.value for score in scores}


def test_an_episode_is_measured() -> None:
    steps = (step(1, 0.5), step(2, 0.25, valid=False, context=30, prompt=300), step(3, 1.0))
    found = values(measure(trial(*steps)))
    assert (found["success"], found["progress"], found["steps"], found["steps_won"]) == (1.0, 1.0, 3.0, 3.0)
    assert found["valid_action_rate"] == pytest.approx(2 / 3)
    assert (found["invalid_actions"], found["repairs"], found["helper_calls"]) == (1.0, 1.0, 0.0)
    assert found["context_tokens_mean"] == pytest.approx(50 / 3)
    assert (found["context_tokens_max"], found["prompt_tokens_max"]) == (30.0, 300.0)
    assert found["tokens_total"] == 0.0


def test_only_won_is_success_and_progress_never_falls() -> None:
    for end in EndReason:
        assert values(measure(trial(step(1, 0.5), end=end)))["success"] == float(end is EndReason.WON)
    falling = trial(step(1, 0.7), step(2, 0.1), end=EndReason.STEP_CAP)
    assert values(measure(falling))["progress"] == 0.7
    assert values(measure(falling))["steps_won"] is None


def test_a_strategy_error_fails_and_keeps_its_progress_and_an_outage_has_no_scores() -> None:
    broken = values(measure(trial(step(1, 0.5), end=EndReason.ERROR, status=Status.STRATEGY_ERROR)))
    assert (broken["success"], broken["progress"]) == (0.0, 0.5)
    assert values(measure(trial(status=Status.STRATEGY_ERROR)))["valid_action_rate"] is None
    for status in (Status.MODEL_ERROR, Status.ENV_ERROR, Status.JUDGE_ERROR, Status.DATA_ERROR):
        assert measure(trial(step(1), status=status)) == ()


def test_progress_is_carried_to_the_cap_and_validity_is_not() -> None:
    steps = tuple(step(index, 0.1 * index, valid=index != 5) for index in range(1, 7))
    found = values(measure(trial(*steps, end=EndReason.LOST), step_cap=20))
    assert [found[f"progress_at_{k}"] for k in (5, 10, 15, 20)] == pytest.approx([0.5, 0.6, 0.6, 0.6])
    assert found["valid_at_5"] == 0.0
    assert "valid_at_10" not in found
    assert "progress_at_10" not in values(measure(trial(*steps)))


@given(st.lists(st.floats(0, 1), max_size=30), st.integers(1, 60))
def test_progress_curves_rise_to_the_end(path: list[float], cap: int) -> None:
    found = values(measure(trial(*(step(i, p) for i, p in enumerate(path, 1)), end=EndReason.STEP_CAP), step_cap=cap))
    curve = [found[f"progress_at_{k}"] for k in range(5, cap + 1, 5)]
    assert curve == sorted(curve, key=lambda value: value or 0.0)
    assert found["progress"] == max(path, default=0.0)


def test_missing_usage_is_unknown_and_says_so() -> None:
    calls = (call(0), call(1, Phase.WRITE, completion=None))
    scores = {score.name: score for score in measure(trial(step(1, prompt=None), calls=calls))}
    assert scores["tokens_act"].value == 12.0
    assert scores["tokens_write"].value is None
    assert scores["tokens_total"].value is None
    assert scores["tokens_total"].reason == "missing in 1 of 2 calls"
    assert scores["prompt_tokens_mean"].value is None
    assert scores["prompt_tokens_mean"].reason == "usage missing in 1 of 1 steps"
    assert scores["cached_tokens"].value is None


def test_the_judge_and_learning_stay_out_of_the_agents_total() -> None:
    calls = tuple(call(i, phase) for i, phase in enumerate(Phase))
    found = values(score_ledger(calls))
    assert found["tokens_total"] == 4 * 12  # act, write and read; of a training trial gather
    assert all(found[f"tokens_{phase}"] == 12.0 for phase in Phase)
    assert (found["calls"], found["cost_usd"], found["judge_cost_usd"]) == (4.0, 2.5, 0.5)


def test_retries_are_spend_and_not_tokens() -> None:
    calls = (
        call(0, status="error"),
        call(0, attempt=2),
        call(1, prompt=None, completion=None, status="429", cost_usd=None),
    )
    found = values(score_ledger(calls))
    assert (found["tokens_total"], found["cost_usd"], found["retries"], found["calls"]) == (12.0, 1.0, 1.0, 1.0)


def test_replays_are_tokens_and_not_spend() -> None:
    calls = (call(0, source=UsageSource.REPLAY), call(1, source=UsageSource.OFFLINE, cost_usd=None))
    found = values(score_ledger(calls))
    assert (found["tokens_total"], found["cost_usd"]) == (24.0, 0.0)


def test_unknown_cost_is_unknown_and_estimates_are_counted() -> None:
    found = values(score_ledger((call(0, cost_usd=None), call(1, source=UsageSource.TOKENIZER))))
    assert (found["estimated_calls"], found["unreported_calls"]) == (1.0, 0.0)
    assert found["cost_usd"] is None
    assert found["estimated_calls"] == 1.0


def test_embedding_calls_are_counted_separately() -> None:
    found = values(score_ledger((call(0), call(1, Phase.READ, 7, None, role="embed"))))
    assert (found["calls"], found["embed_calls"], found["tokens_read"], found["tokens_total"]) == (1.0, 1.0, 7.0, 19.0)


def test_retrieval_is_what_reading_memory_takes_for_one_decision() -> None:
    calls = (
        call(0, Phase.WRITE), call(1, Phase.READ, role="navigate"), call(2, Phase.READ, role="navigate"),
        call(3, Phase.READ, 7, None, role="embed"), call(4, Phase.READ, status="timeout"), call(5),
    )  # fmt: skip
    found = values(measure(trial(step(1), step(2), calls=calls)))
    assert (found["retrieval_calls"], found["retrieval_tokens"]) == (1.0, (12 + 12 + 7) / 2)
    assert values(measure(trial(step(1))))["retrieval_calls"] == 0.0


def test_retrieval_is_unknown_without_usage_or_decision() -> None:
    lost = {score.name: score for score in measure(trial(step(1), calls=(call(0, Phase.READ, None),)))}
    assert (lost["retrieval_calls"].value, lost["retrieval_tokens"].value) == (1.0, None)
    assert lost["retrieval_tokens"].reason == "missing in 1 of 1 calls"
    nothing = {score.name: score for score in measure(trial(end=EndReason.STEP_CAP))}
    assert (nothing["retrieval_calls"].value, nothing["retrieval_calls"].reason) == (None, "no step")


def test_episode_has_the_evidence_scores_of_its_decisions() -> None:
    known = replace(step(1), evidence=Evidence(("o1",), ("o1",), (("mug 1",),), missed=True))
    assert values(measure(trial(known, step(2))))["evidence_recall"] == 0.0
    assert "evidence_recall" not in values(measure(trial(step(1))))


def test_cached_tokens_are_known_only_if_all_are() -> None:
    told = replace(call(0), usage=Usage(10, cached_read=4, completion=2))
    assert values(score_ledger((told,)))["cached_tokens"] == 4.0
    assert values(score_ledger((told, call(1))))["cached_tokens"] is None


def test_truncated_contexts_are_counted() -> None:
    cut = replace(step(1), decision=Decision("go", context=Context("x", truncated=True)))
    assert values(measure(trial(cut, step(2))))["truncated_contexts"] == 1.0


def test_ingest_is_divided_among_questions() -> None:
    items = tuple(Item(f"q{i}", "g", "c", (Score("f1", 0.5 * i),)) for i in (1, 2))
    steps = tuple(replace(step(i), stimulus=Stimulus(Shape.CONVERSATION, "?", "?", i)) for i in (1, 2))
    calls = (call(0, Phase.WRITE, step=0), call(1, step=1), call(2, step=2), call(3, step=2))
    whole = replace(trial(*steps, calls=calls, end=EndReason.ANSWERED), items=items)
    found = [values(item.scores) for item in measure_questions(whole)]
    assert [f["tokens_total"] for f in found] == [6 + 12, 6 + 24]
    assert sum(f["tokens_total"] or 0 for f in found) == values(score_ledger(calls))["tokens_total"]
    assert [(f["success"], f["f1"]) for f in found] == [(0.5, 0.5), (1.0, 1.0)]
    assert "steps" not in found[0]
    untold = replace(whole, calls=(call(0, Phase.WRITE, None, step=0), *calls[1:]))
    assert all(values(item.scores)["tokens_total"] is None for item in measure_questions(untold))
    assert measure_questions(replace(whole, status=Status.JUDGE_ERROR)) == ()


def test_steps_against_the_fewest_possible_and_success_where_the_cap_leaves_room() -> None:
    steps = tuple(step(index) for index in range(1, 7))
    found = values(measure(trial(*steps), step_cap=10, optimal_steps=4))
    assert (found["steps_over_optimal"], found["success_solvable"]) == (1.5, 1.0)
    beyond = values(measure(trial(*steps), step_cap=10, optimal_steps=11))
    assert (beyond["steps_over_optimal"], beyond["success_solvable"]) == (6 / 11, None)
    lost = values(measure(trial(*steps, end=EndReason.STEP_CAP), step_cap=10, optimal_steps=4))
    assert (lost["steps_over_optimal"], lost["success_solvable"]) == (None, 0.0)
    assert "success_solvable" not in values(measure(trial(*steps), step_cap=10))


def test_inner_calls_are_counted_by_role_and_notes_by_kind() -> None:
    notes = ("subgoal: find the mug", "subgoal: heat it", "retrieve: 1", "a thought", "no kind: x")
    steps = (replace(step(1), decision=Decision("go", notes=notes)), step(2))
    calls = (call(0), call(1, role="summarize"), call(2, role="summarize"), call(3, role="summarize", status="error"))
    found = values(measure(trial(*steps, calls=calls)))
    assert (found["notes_subgoal"], found["notes_retrieve"], found["calls_summarize"]) == (2.0, 1.0, 2.0)
    assert not any(name in found for name in ("calls_act", "notes_a thought", "notes_no kind"))


def test_readings_are_shares_of_decisions_and_dialect_lines_a_sum() -> None:
    readings = (
        Reading(1, unreadable=True, cut=True),
        Reading(repairs=("bold", "fence"), dialect=("subgoal", "subgoal")),
        Reading(1, dialect=("refused",)),
        Reading(),
    )
    steps = tuple(
        replace(step(index), decision=Decision("go", context=Context("x" * (index == 4)), reading=reading))
        for index, reading in enumerate(readings, start=1)
    )
    found = values(measure(trial(*steps)))
    names = ("asked_again", "unreadable", "cut", "repaired", "dialect_lines", "context_shown")
    assert [found[name] for name in names] == [0.5, 0.25, 0.25, 0.25, 3.0, 0.25]
    items = replace(trial(*steps), items=(Item("q1", "g", "c"), Item("q2", "g", "c")))
    first, second = (values(item.scores) for item in measure_questions(items))
    assert [first[name] for name in names] == [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    assert [second[name] for name in names] == [0.0, 0.0, 0.0, 1.0, 2.0, 0.0]
    nothing = values(measure(trial()))
    assert [nothing[name] for name in names] == [None, None, None, None, 0.0, None]
