"""What the roles with a model of their own spent: a part of the trial's totals, shared out like them."""

from __future__ import annotations

import pytest

from bench.scoring.metrics import measure, measure_questions
from bench.scoring.spending import score_roles
from bench.types import (
    Call,
    CallStatus,
    EndReason,
    Fingerprint,
    Item,
    Phase,
    Score,
    Status,
    Trial,
    TrialKey,
    Usage,
    UsageSource,
)  # fmt: skip

KEY = TrialKey("toy", "all", "t", "files-grep", "big")
ROUTED = Fingerprint((("row.model.navigate", "small"), ("row.model.update", "small")))


def call(role: str, step: int, cost: float | None = 0.5, **more: object) -> Call:
    phase = Phase.WRITE if step == 0 else Phase.ACT
    usage = more.pop("usage", Usage(10, completion=2))
    model = "big" if role in ("act", "answer") else "small"
    return Call(0, phase, role, model, "h", "r", usage, step, cost_usd=cost, **more)  # type: ignore[arg-type]


def values(scores: tuple[Score, ...]) -> dict[str, float | None]:
    return {score.name: score.value for score in scores if "_role_" in score.name}


def test_tokens_are_of_replies_and_money_is_of_every_attempt() -> None:
    calls = (
        call("navigate", 1), call("navigate", 1, status=CallStatus.TIMEOUT), call("act", 1),
        call("navigate", 1, usage=Usage(10, completion=2, source=UsageSource.REPLAY)),
    )  # fmt: skip
    assert values(score_roles(calls, ["navigate"])) == {"tokens_role_navigate": 24, "cost_usd_role_navigate": 1.0}


def test_unknown_price_and_missing_usage_are_no_numbers() -> None:
    calls = (call("navigate", 1, None), call("navigate", 1, usage=Usage()))
    assert values(score_roles(calls, ["navigate"])) == {"tokens_role_navigate": None, "cost_usd_role_navigate": None}


@pytest.mark.parametrize(("fingerprint", "named"), [(Fingerprint(), set()), (ROUTED, {"navigate", "update"})])
def test_episode_has_the_scores_of_roles_with_a_model_of_their_own(fingerprint: Fingerprint, named: set[str]) -> None:
    trial = Trial(KEY, Status.DONE, EndReason.WON, calls=(call("navigate", 1), call("act", 1)), fingerprint=fingerprint)
    found = values(measure(trial))
    assert {name.rpartition("_")[2] for name in found} == named
    assert found.get("tokens_role_navigate", 12) == 12
    assert found.get("tokens_role_update", 0) == 0  # a role that was not called spent nothing


def test_questions_share_what_was_spent_before_the_first() -> None:
    items = tuple(Item(f"q{i}", "g", "t", (Score("f1", 1.0),)) for i in (1, 2))
    calls = (call("update", 0), call("navigate", 1), call("answer", 1), call("answer", 2))
    trial = Trial(KEY, Status.DONE, EndReason.ANSWERED, items, calls=calls, fingerprint=ROUTED)
    first, second = (values(item.scores) for item in measure_questions(trial))
    assert (first["tokens_role_update"], second["tokens_role_update"]) == (6, 6)
    assert (first["tokens_role_navigate"], second["tokens_role_navigate"]) == (12, 0)
    assert (first["cost_usd_role_update"], second["cost_usd_role_navigate"]) == (0.25, 0)
