"""The decision table of errors, cell by cell."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.scoring.attribution import Cause, attribute, cites_nothing, name_error, score_error
from bench.scoring.catalog import METRICS
from bench.types import Context, Evidence

NEEDED = ("D1:1", "D2:4")
ALL, SOME, NONE = NEEDED, NEEDED[:1], ("D9:9",)
CONSTRUCTION, RETRIEVAL, REASONING = Cause.CONSTRUCTION, Cause.RETRIEVAL, Cause.REASONING


@pytest.mark.parametrize(
    ("reached", "cited", "retained", "cause"),
    [
        *(
            (reached, cited, held, CONSTRUCTION)
            for reached, cited, held in product((SOME, ()), (SOME, NONE), (0, 1, None))
        ),
        *((ALL, cited, held, RETRIEVAL) for cited, held in product((SOME, NONE, ()), (0, 1, None))),
        (ALL, ALL, 0, CONSTRUCTION),
        (ALL, ALL, 1, REASONING),
        (ALL, ALL, None, REASONING),
        (ALL, (*ALL, *NONE), 1, REASONING),
    ],
)
def test_attribute_follows_the_table(
    reached: tuple[str, ...], cited: tuple[str, ...], retained: float | None, cause: Cause
) -> None:
    assert attribute(Evidence(NEEDED, reached), cited, retained) is cause


def test_what_is_recalled_was_in_reach() -> None:
    assert attribute(Evidence(NEEDED, ()), ALL, 1) is REASONING
    assert attribute(Evidence(NEEDED, SOME), NEEDED[1:], 1) is RETRIEVAL


REFS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=3).map(tuple)


@given(REFS.filter(bool), REFS, REFS, st.sampled_from([0.0, 1.0, None]))
def test_more_reach_and_more_recall_never_move_an_error_backwards(
    needed: tuple[str, ...], reached: tuple[str, ...], cited: tuple[str, ...], retained: float | None
) -> None:
    order = [CONSTRUCTION, RETRIEVAL, REASONING]
    known = tuple(ref for ref in needed if ref in reached)
    cause = attribute(Evidence(needed, known), cited, 1)
    assert order.index(attribute(Evidence(needed, needed), cited, 1)) >= order.index(cause)
    assert order.index(attribute(Evidence(needed, known), needed, 1)) >= order.index(cause)
    assert attribute(Evidence(needed, known), cited, retained) in order


def test_score_error_is_one_for_the_cause_alone() -> None:
    assert [(one.name, one.value) for one in score_error(RETRIEVAL)] == [
        ("error_construction", 0.0),
        ("error_retrieval", 1.0),
        ("error_reasoning", 0.0),
    ]
    assert [one.value for one in score_error(None)] == [0.0] * 3
    assert {(one.value, one.reason) for one in score_error(None, "no evidence")} == {(None, "no evidence")}


def test_every_cause_is_in_the_catalogue() -> None:
    assert {name_error(cause) for cause in Cause} <= {metric.name for metric in METRICS}


def test_cites_nothing_only_where_something_is_shown() -> None:
    assert cites_nothing(Context("Ann moved."))
    assert not cites_nothing(Context("Ann moved.", ("D1:1",)))
    assert not cites_nothing(Context(" "))
