"""Which lines of past turns stand in the anchor, by its version."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.generic_agent.trial.anchor import VERSIONS, Anchor


def make_anchor(turns: int, version: str = "report", text: str = "turn {}") -> Anchor:
    anchor = Anchor(VERSIONS[version])
    for turn in range(1, turns + 1):
        anchor.add(turn, text.format(turn), f"a{turn}")
    return anchor


@pytest.mark.parametrize(
    ("version", "lines", "chars"), [("report", 20, 100), ("code-april", 40, 100), ("code", 30, 80)]
)
def test_versions_have_the_published_sizes(version: str, lines: int, chars: int) -> None:
    anchor = make_anchor(lines, version, "{} " + "word " * 40)
    shown = anchor.select_lines(lines + 1, None)
    assert len(shown) == lines - (version == "code" and lines % 2 == 1)
    assert max(len(line.text) for line in shown) in range(chars - 5, chars + 1)
    assert " … " in shown[0].text


def test_select_lines_returns_the_newest() -> None:
    assert [line.turn for line in make_anchor(25).select_lines(26, None)] == list(range(6, 26))


def test_select_lines_leaves_out_turns_in_the_raw_past_but_the_first() -> None:
    assert [line.turn for line in make_anchor(9).select_lines(10, 7)] == list(range(1, 8))
    assert make_anchor(9).select_lines(10, 0) == []


def test_select_lines_on_even_turns_of_the_code_is_the_anchor_before() -> None:
    anchor = make_anchor(5, "code")
    assert [line.turn for line in anchor.select_lines(5, None)] == [1, 2, 3, 4]
    assert [line.turn for line in anchor.select_lines(6, None)] == [1, 2, 3, 4]
    assert [line.turn for line in make_anchor(6, "code").select_lines(7, None)] == [1, 2, 3, 4, 5, 6]


def test_select_lines_of_the_code_folds_older_lines_every_fourth_turn() -> None:
    anchor = make_anchor(40, "code", "wait")
    shown = anchor.select_lines(41, None)
    assert shown[0].text == "wait (10 turns)"
    assert shown[0].refs == tuple(f"a{turn}" for turn in range(1, 11))
    assert [line.turn for line in shown[1:]] == list(range(11, 41))
    assert make_anchor(43, "code", "wait").select_lines(44, None)[0].text == "wait (10 turns)"
    assert make_anchor(44, "code", "wait").select_lines(45, None)[0].text == "wait (14 turns)"


def test_select_lines_bounds_the_folded_lines() -> None:
    assert len(make_anchor(400, "code").select_lines(401, None)) == 70 + 30
    assert len(make_anchor(400).select_lines(401, None)) == 20


def test_add_joins_a_summary_into_one_line() -> None:
    anchor = Anchor(VERSIONS["report"])
    anchor.add(1, "a\n b\u2028c ", "a1")
    anchor.add(2, "  ", "a2")
    assert [line.text for line in anchor.select_lines(3, None)] == ["a b c"]


@given(st.integers(0, 60), st.sampled_from(sorted(VERSIONS)), st.none() | st.integers(0, 60))
def test_select_lines_is_in_order_and_of_past_turns(turns: int, version: str, raw_from: int | None) -> None:
    shown = [line.turn for line in make_anchor(turns, version).select_lines(turns + 1, raw_from)]
    assert shown == sorted(set(shown))
    assert all(turn <= turns for turn in shown)
    assert raw_from is None or all(turn <= raw_from for turn in shown)
