"""The choice of what fits a budget."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from baselines.shared.budget import select_fitting


def test_select_fitting_skips_what_is_too_long_and_goes_on() -> None:
    assert select_fitting(["aa", "bbbb", "c"], 4, " ".join, len) == ["aa", "c"]
    assert select_fitting(["aa", "bbbb", "c"], None, " ".join, len) == ["aa", "bbbb", "c"]
    assert select_fitting(["aa"], 0, " ".join, len) == []


@given(st.lists(st.text(min_size=1, max_size=9)), st.integers(0, 40))
def test_select_fitting_leaves_out_the_best_item_only_if_it_does_not_fit(items: list[str], budget: int) -> None:
    chosen = select_fitting(enumerate(items), budget, lambda pairs: " ".join(text for _, text in pairs), len)
    assert [number for number, _ in chosen] == sorted({number for number, _ in chosen})
    assert len(" ".join(text for _, text in chosen)) <= budget
    first_left_out = next((number for number in range(len(items)) if number not in dict(chosen)), None)
    if first_left_out is not None:
        assert len(" ".join(items[: first_left_out + 1])) > budget
