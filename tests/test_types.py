"""The records: immutable, comparable, and right about what counts."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import types
from bench.types import BOTH, Call, CallStatus, Fingerprint, Phase, Role, Shape, Status, TrialKey, Usage

WORDS = st.dictionaries(st.text(min_size=1, max_size=5), st.text(max_size=5), max_size=5)


def made(words: dict[str, str]) -> Fingerprint:
    return Fingerprint(tuple(sorted(words.items())))


def test_every_record_is_frozen_and_exported() -> None:
    records = [getattr(types, name) for name in types.__all__]
    classes = [record for record in records if dataclasses.is_dataclass(record)]
    assert len(classes) > 15
    assert all(vars(record)["__dataclass_params__"].frozen for record in classes)


def test_status_scores_done_and_strategy_error_only() -> None:
    assert [status for status in Status if status.scored] == [Status.DONE, Status.STRATEGY_ERROR]


def test_both_has_all_shapes() -> None:
    assert frozenset({Shape.EPISODE, Shape.CONVERSATION}) == BOTH


def test_usage_default_is_missing_not_zero() -> None:
    assert Usage().prompt is None
    assert Usage(prompt=0) != Usage()
    assert Call(0, Phase.ACT, "act", "m", "h", "r", Usage()).cost_usd is None


@given(WORDS, WORDS)
def test_fingerprint_join_keeps_all_names_and_prefers_the_other(one: dict[str, str], two: dict[str, str]) -> None:
    joined = made(one).join(made(two))
    assert dict(joined.entries) == {**one, **two}
    assert joined.entries == tuple(sorted(joined.entries))
    assert joined.join(made(two)) == joined


def test_fingerprint_does_not_depend_on_order() -> None:
    assert Fingerprint.of(b="2", a="1") == Fingerprint.of(a="1", b="2") == Fingerprint((("a", "1"), ("b", "2")))


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(TrialKey)])
def test_trial_key_differs_in_every_field(field: str) -> None:
    key = TrialKey("s", "p", "t", "w", "m")
    other = dataclasses.replace(key, **{field: 7 if field in ("seed", "attempt") else "x"})  # type: ignore[arg-type]
    assert str(other) != str(key)
    assert len(str(key).split("|")) == len(dataclasses.fields(TrialKey))


def test_roles_and_statuses_read_as_their_texts() -> None:
    assert (Role.ACT, CallStatus.RATE_LIMIT) == ("act", "rate-limit")
    assert f"{Role.ACT} {Role.ACT!r} {CallStatus.OK}" == "act 'act' ok"
    assert [status for status in CallStatus if status.completed] == [CallStatus.OK, CallStatus.OVERFLOW]
