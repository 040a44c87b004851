"""The rule for parameters that name a model."""

from __future__ import annotations

import pytest

from bench.agents import default_agent
from bench.conformance.parameters import check_parameters
from bench.conformance.rules import check_strategy
from bench.conformance.scripted_trial import Case, reply_in_grammar
from bench.protocols import ACTOR, Kit, Param, Params, Strategy
from bench.registry import load_strategy


def check(*params: Param) -> str:
    def build(kit: Kit) -> object:
        raise AssertionError(kit)

    strategy = Strategy("x-v1", default_agent(build), params=params)  # type: ignore[arg-type]
    return check_parameters(Case(strategy, Params(params), reply_in_grammar))


def name(param: str, *roles: str, default: str = ACTOR) -> Param:
    return Param(param, default, "which model", roles=roles)


def test_models_of_different_roles_obey_the_rule() -> None:
    assert check(name("navigator_model", "navigate"), name("writer_model", "extract", "acme/merge")) == ""


@pytest.mark.parametrize(
    ("params", "fault"),
    [
        (
            (name("navigator_model", "navigate", default="openai/x"),),
            "expected 'actor' as the default of 'navigator_model'",
        ),
        (
            (name("navigator_model", "navigat"),),
            "expected 'navigator_model' to name the model of roles .* got 'navigat'",
        ),
        *(((name("model", role),), f"got '{role}'") for role in ("act", "answer", "judge", "embed")),
        ((name("a", "navigate"), name("b", "update", "navigate")), "one parameter for the model of role 'navigate'"),
    ],
)
def test_parameter_that_names_a_model_is_refused_for(params: tuple[Param, ...], fault: str) -> None:
    with pytest.raises(AssertionError, match=fault):
        assert check(*params) == "", check(*params)


def test_a_strategy_with_a_named_model_is_checked_without_that_model() -> None:
    strategy = load_strategy("files-grep")
    results = check_strategy(strategy, {"navigator_model": "openai/no-such-model"})
    assert [result for result in results if not result.passed] == []
