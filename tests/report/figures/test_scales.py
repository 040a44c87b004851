"""The scale of an axis: which one, where it begins and ends, and what has a band of its own."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bench.report.figures.scales import fit_scale, format_number
from bench.scoring.metric import Metric
from bench.scoring.metric_names import resolve_metric


def metric(name: str) -> Metric:
    return resolve_metric("test", name, (name,))


@pytest.mark.parametrize(
    ("name", "values", "log", "low"),
    [
        ("tokens_total", (100.0, 5000.0), True, None),  # spans decades
        ("tokens_total", (10_000.0, 60_000.0), False, 0.0),
        ("tokens_total", (30_000.0, 40_000.0), False, None),  # far from zero
        ("success", (0.6, 0.9), False, 0.0),  # a share begins at zero
        ("success", (0.001, 0.9), False, 0.0),
        ("steps", (-5.0, 5000.0), False, None),  # a logarithm has no negative numbers
        ("context_relative", (0.05, 12.0), False, 0.0),  # a share above 100 %
    ],
)
def test_scale_is_logarithmic_only_where_values_span_decades(
    name: str, values: tuple[float, ...], log: bool, low: float | None
) -> None:
    scale = fit_scale(metric(name), values, values, missing=False)
    assert scale.log is log
    assert scale.low < min(values) or scale.low == 0
    assert scale.high > max(values)
    if low is not None:
        assert scale.low == low


def test_zeros_and_missing_values_have_bands_at_the_ends() -> None:
    scale = fit_scale(metric("tokens_total"), (0.0, 10.0, 1e5), (), missing=True)
    assert [band.name for band in scale.bands] == ["0", "missing"]
    assert scale.low < scale.place(0) < 10 < 1e5 < scale.place(None) < scale.high
    assert scale.bands[0].high < 10
    assert scale.edge == pytest.approx(scale.bands[1].low)
    linear = fit_scale(metric("tokens_total"), (0.0, 10.0, 20.0), (), missing=True)
    assert (linear.zero, linear.place(0)) == (None, 0)


@example(values=[1.0, 2.2e-313], name="tokens_total", missing=False)
@example(values=[5e-324], name="steps", missing=True)
@given(
    values=st.lists(st.floats(-1e9, 1e9) | st.just(0.0), min_size=1, max_size=6),
    name=st.sampled_from(["tokens_total", "success", "steps", "cost_usd"]),
    missing=st.booleans(),
)
def test_every_value_has_its_place_in_order(values: list[float], name: str, missing: bool) -> None:
    scale = fit_scale(metric(name), values, values, missing=missing)
    assert scale.low < scale.high
    assert not scale.log or scale.low > 0
    places = [scale.place(value) for value in sorted(values)]
    assert places == sorted(places)
    assert all(scale.low <= place <= scale.high for place in places)


def test_no_value_at_all_has_a_scale() -> None:
    assert fit_scale(metric("steps"), (float("nan"),), (float("inf"),), missing=True).high > 0


def test_numbers_of_ticks_are_short() -> None:
    shown = [format_number(value) for value in (0, 0.25, 12, 1500, 20_000, 2.5e6, -1000)]
    assert shown == ["0", "0.25", "12", "1.5k", "20k", "2.5M", "-1k"]
