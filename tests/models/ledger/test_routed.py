"""Several models in one meter: a call reaches the model of its role; ledger, cap and replay see one trial."""

from __future__ import annotations

import pytest

from bench.errors import StrategyError
from bench.models.ledger.meter import Meter, ReplayMismatchError
from bench.models.ledger.metered import MeteredModel
from bench.models.ledger.routed import RoutedModel
from bench.models.scripted import ScriptedModel
from bench.protocols import HasJsonMode
from bench.types import Call, Message, Phase, Reply, Role

PROMPT = (Message("user", "q"),)


class JsonModel(ScriptedModel):
    """A model that can be held to JSON, and says so in its reply."""

    json_mode = True

    def chat_json(self, messages, *, role, max_tokens=None, stop=()) -> Reply:  # type: ignore[no-untyped-def]
        return Reply("{}")


def route(meter: Meter, small: ScriptedModel | None = None) -> RoutedModel:
    """The big model, and the small one for the role navigate."""
    big, small = ScriptedModel(lambda _m, role: f"big {role}", "big"), small or ScriptedModel(["small"] * 9, "small")
    return RoutedModel(MeteredModel(big, meter), {"navigate": MeteredModel(small, meter)})


def test_calls_go_to_the_model_of_their_role_and_are_booked_under_its_name() -> None:
    calls: list[Call] = []
    meter = Meter(calls.append)
    model = route(meter)
    meter.enter(Phase.ACT, 1)
    roles = (Role.NAVIGATE, Role.NAVIGATE, Role.ACT, "acme/route")
    replies = [model.chat(PROMPT, role=role).text for role in roles]
    assert replies == ["small", "small", "big act", "big acme/route"]
    assert [(call.index, call.role, call.model) for call in calls] == [
        (0, "navigate", "small"), (1, "navigate", "small"), (2, "act", "big"), (3, "acme/route", "big"),
    ]  # fmt: skip
    assert model.name == "big"
    assert len({call.request_hash for call in calls}) == 2  # equal prompts to two models are two requests


def test_cap_counts_the_calls_of_all_models() -> None:
    meter = Meter([].append, cap=2)
    model = route(meter)
    meter.enter(Phase.ACT, 1)
    model.chat(PROMPT, role="navigate")
    model.chat(PROMPT, role="act")
    with pytest.raises(StrategyError, match="at most 2 model calls"):
        model.chat(PROMPT, role="navigate")


def test_replay_calls_no_model_and_knows_when_a_role_has_another_one() -> None:
    calls: list[Call] = []
    first = route(Meter(calls.append))
    said = [first.chat(PROMPT, role=role).text for role in ("navigate", "act")]
    silent = ScriptedModel([], "small")
    again = route(Meter([].append, calls), small=silent)
    assert [again.chat(PROMPT, role=role).text for role in ("navigate", "act")] == said
    assert silent.calls == 0
    changed = route(Meter([].append, calls), small=ScriptedModel(["x"], "other"))
    with pytest.raises(ReplayMismatchError):
        changed.chat(PROMPT, role="navigate")


def test_json_mode_is_that_of_the_role() -> None:
    model = route(Meter([].append), small=JsonModel(["plain"], "small"))
    assert isinstance(model, HasJsonMode)
    assert not model.json_mode
    assert model.chat_json(PROMPT, role="navigate").text == "{}"
    assert model.chat_json(PROMPT, role="act").text == "big act"
