"""Parts of an attempt: whatever is accepted covers all steps once, in order."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.h2r.segments import read_segments
from bench.replies import ReplyError, read_json

PARTS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=4)


@given(PARTS, st.integers(1, 4), st.integers(1, 6))
def test_parts_that_are_accepted_cover_every_step_once(parts: list[tuple[int, int]], k: int, n: int) -> None:
    reply = json.dumps({"parts": [{"first": first, "last": last} for first, last in parts]})
    try:
        found = read_segments(read_json(reply), k, n)
    except ReplyError:
        return
    assert [step for one in found for step in range(one.first, one.last + 1)] == list(range(1, n + 1))
    assert [one.subgoal for one in found] == list(range(1, k + 1))


@given(st.lists(st.integers(1, 3), min_size=1, max_size=5))
def test_parts_that_cover_every_step_once_are_accepted(lengths: list[int]) -> None:
    ends = [sum(lengths[: place + 1]) for place in range(len(lengths))]
    parts = [{"first": end - length + 1, "last": end} for end, length in zip(ends, lengths, strict=True)]
    found = read_segments(read_json(json.dumps(parts), arrays=True), len(lengths), ends[-1])
    assert [one.last for one in found] == ends


@pytest.mark.parametrize(
    ("parts", "fault"),
    [
        ([(1, 2)], "expected 2, one for each"),
        ([(1, 1), (3, 4)], "leave a gap"),
        ([(1, 2), (2, 4)], "overlap"),
        ([(1, 2), (3, 2)], "expected 3 or more"),
        ([(1, 2), (3, 3)], "end with step 4"),
        ([(1, 2), (3, 5)], "number of 1 to 4"),
    ],
)
def test_fault_says_what_is_wrong(parts: list[tuple[int, int]], fault: str) -> None:
    reply = json.dumps({"parts": [{"first": first, "last": last} for first, last in parts]})
    with pytest.raises(ReplyError, match=fault):
        read_segments(read_json(reply), 2, 4)


def test_parts_out_of_order_are_refused() -> None:
    reply = '{"parts": [{"subgoal": 2, "first": 1, "last": 2}, {"subgoal": 1, "first": 3, "last": 4}]}'
    with pytest.raises(ReplyError, match=r"parts\[0\].subgoal"):
        read_segments(read_json(reply), 2, 4)
