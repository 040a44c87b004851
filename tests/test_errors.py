"""The error tree: what each failure does to a trial, and messages that help."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import errors
from bench.errors import (
    BenchError,
    BudgetStop,
    DataError,
    EnvError,
    Interrupted,
    JudgeError,
    ModelError,
    StrategyError,
    TrialError,
    UsageError,
    boundary,
    nearest,
    unknown_name,
)
from bench.types import Status


def test_each_trial_error_names_its_status() -> None:
    expected = {
        StrategyError: "strategy-error", ModelError: "model-error", EnvError: "env-error", JudgeError: "judge-error",
        DataError: "data-error",
    }  # fmt: skip
    assert {kind: kind.status.value for kind in TrialError.__subclasses__() if kind in expected} == expected
    assert {kind.status for kind in expected} == set(Status) - {Status.DONE}


def test_docstring_tree_names_every_error() -> None:
    names = [name for name in errors.__all__ if isinstance(getattr(errors, name), type)]
    drawn = errors.__doc__ or ""
    assert all(name in drawn for name in names)
    assert not issubclass(BudgetStop, TrialError)
    assert not issubclass(Interrupted, TrialError)


def test_boundary_converts_foreign_exception_with_cause() -> None:
    with pytest.raises(EnvError, match="step: ZeroDivisionError: ") as caught, boundary(EnvError, "step"):
        _ = 1 // 0
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize("mine", [ModelError, Interrupted, BudgetStop, UsageError])
def test_boundary_passes_own_errors(mine: type[BenchError]) -> None:
    with pytest.raises(mine), boundary(StrategyError, "decide"):
        raise mine("as it was")


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_boundary_passes_exit_and_interrupt(kind: type[BaseException]) -> None:
    with pytest.raises(kind), boundary(StrategyError, "decide"):
        raise kind


def test_unknown_name_message_has_nearest_names() -> None:
    known = ["window", "bm25", "embedding"]
    assert str(unknown_name("strategy", "a strategy", "windw", known)) == (
        "strategy: expected a strategy, got 'windw'; did you mean window?"
    )
    assert str(unknown_name("model", "a model", "zzz", known)).endswith("known: bm25, embedding, window")
    assert str(unknown_name("model", "a model", "zzz", [])).endswith("known: none")


@given(st.lists(st.text(max_size=8), max_size=8, unique=True), st.text(max_size=8))
def test_nearest_returns_known_names_in_any_order(known: list[str], got: str) -> None:
    found = nearest(got, known)
    assert len(found) <= 3
    assert set(found) <= set(known)
    assert found == nearest(got, reversed(known))
    if got in known and got:
        assert found[0] == got
