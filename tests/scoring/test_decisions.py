"""Evidence of the decisions of an episode: steps as units, means over decisions that need something, causes."""

from __future__ import annotations

import pytest

from bench.scoring.decisions import score_decisions
from bench.types import Context, Decision, Evidence, Observation, Shape, Step, Stimulus

SHOWN = "[2] Observation: On the desk 1, you see a mug 12, and a pen 1.\n[4] Observation: The fridge 1 is closed."


def step(evidence: Evidence | None, *refs: str, text: str = SHOWN) -> Step:
    return Step(
        1, Stimulus(Shape.EPISODE, "o", "g", 1), Decision("go", context=Context(text, refs)), Observation("…"),
        evidence=evidence,
    )  # fmt: skip


def need(*refs: str, facts: tuple[tuple[str, ...], ...] = (), reached: bool = True, missed: bool = True) -> Evidence:
    return Evidence(refs, refs if reached else (), facts, missed)


def values(*steps: Step) -> dict[str, float | None]:
    return {score.name: score.value for score in score_decisions(steps)}


def test_score_decisions_says_nothing_where_nothing_is_known() -> None:
    assert score_decisions([step(None, "a1", "o1")]) == ()
    assert score_decisions([]) == ()


def test_unit_is_the_step_and_goal_and_feedback_are_none() -> None:
    found = values(step(need("o2", "o4"), "goal", "f1", "o0", "a2", "o2", "a3", "x9"))
    assert found["evidence_recall"] == 0.5
    assert found["evidence_precision"] == 0.5
    assert found["evidence_jaccard"] == pytest.approx(1 / 3)


def test_action_alone_cites_its_step() -> None:
    assert values(step(need("o2"), "a2"))["evidence_recall"] == 1.0


def test_means_are_over_decisions_with_evidence() -> None:
    found = values(step(need("o2"), "o2"), step(None), step(need("o2"), "o7"), step(need("o2"), "o2", "o3"))
    assert found["evidence_recall"] == pytest.approx(2 / 3)
    assert found["evidence_precision"] == pytest.approx(0.5)
    assert found["evidence_decisions"] == 3.0


@pytest.mark.parametrize(
    ("fact", "held"),
    [
        (("pen 1", "desk 1"), 1.0),
        (("mug 12", "desk 1"), 1.0),
        (("mug 1", "desk 1"), 0.0),
        (("pen 1", "fridge 1"), 0.0),
        (("fridge 1",), 1.0),
    ],
)
def test_fact_is_retained_by_its_names_on_one_line(fact: tuple[str, ...], held: float) -> None:
    found = values(step(need("o2", facts=(fact,)), "o2"))
    assert (found["retention"], found["retained"]) == (held, held)


def test_retained_asks_for_every_fact() -> None:
    found = values(step(need("o2", facts=(("fridge 1",), ("pot 1",))), "o2"))
    assert (found["retention"], found["retained"]) == (0.5, 0.0)


def test_errors_are_shares_of_decisions_with_evidence() -> None:
    held, lost = (("fridge 1",),), (("pot 1",),)
    found = values(
        step(need("o2", facts=held, missed=False), "o2"),
        step(need("o2", facts=held), "o3"),
        step(need("o2", facts=held, reached=False), "o3"),
        step(need("o2", facts=lost), "o2"),
        step(need("o2", facts=held), "o2"),
        step(None, "o2"),
    )
    shares = {name: found[f"error_{name}"] for name in ("construction", "retrieval", "reasoning")}
    assert shares == pytest.approx({"construction": 0.4, "retrieval": 0.2, "reasoning": 0.2})


def test_no_error_is_named_for_a_strategy_that_cites_nothing() -> None:
    found = values(step(need("o2"), "o2"), step(need("o2")))
    assert {found[f"error_{name}"] for name in ("construction", "retrieval", "reasoning")} == {None}
    assert found["evidence_recall"] == 0.5
