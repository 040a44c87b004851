"""A condensed past and what came after it: what fits is shown, newest first to stay, and cited."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from baselines.shared.condensed import Condensed
from bench.protocols import count_words
from bench.types import Context, Event, EventKind, Query

EVENTS = [Event(f"o{n}", EventKind.OBSERVATION, f"line {n}", n) for n in range(1, 5)]
PAST = Condensed("So far", "it rained", ("a", "b"))


def make_query(budget: int | None = None, ref: str = "") -> Query:
    return Query("now", "goal", 5, budget_tokens=budget, ref=ref)


def test_build_context_without_a_budget_shows_everything() -> None:
    told = PAST.build_context(EVENTS, make_query(), count_words)
    assert told.text.splitlines()[:2] == ["So far:", "it rained"]
    assert told.text.splitlines()[-1] == "[4] Observation: line 4"
    assert (told.refs, told.truncated) == (("a", "b", "o1", "o2", "o3", "o4"), False)


def test_render_without_a_text_has_no_heading() -> None:
    assert Condensed("So far").render(EVENTS[:1]) == "[1] Observation: line 1"
    assert Condensed("So far").render([]) == ""


def test_build_context_drops_the_oldest_and_leaves_out_the_current_event() -> None:
    told = PAST.build_context(EVENTS, make_query(budget=12, ref="o4"), count_words)
    assert told.refs == ("a", "b", "o2", "o3")
    assert told.truncated


def test_build_context_is_empty_if_the_text_alone_does_not_fit() -> None:
    assert PAST.build_context(EVENTS, make_query(budget=3), count_words) == Context(truncated=True)


@given(st.integers(0, 40))
def test_build_context_shows_as_many_events_as_fit(budget: int) -> None:
    told = PAST.build_context(EVENTS, make_query(budget=budget), count_words)
    assert count_words(told.text) <= budget
    shown = len(told.refs) - len(PAST.refs)
    if told.refs and shown < len(EVENTS):
        assert count_words(PAST.render(EVENTS[-shown - 1 :])) > budget
