"""The scale of one axis: logarithmic where values span decades, else linear, shares from zero; and its ticks.

Knows numbers and matplotlib's locators; not what is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.axis import Axis as PlotAxis
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from bench.scoring.metric import Metric

__all__ = ["Scale", "choose_top", "fit_scale", "format_number"]

_DECADE, _MOST_DECADES = 10.0, 1e15
"""The largest value is at least, and at most, so many times the smallest where an axis is logarithmic."""
_LOWEST_TOP = 0.4
_FROM_ZERO = 0.4
"""A linear axis begins at zero if the smallest value is less than this share of the largest."""
_BAND_LABEL, _ZERO_LABEL = 44.0, 18.0
"""Ticks closer to the label of a band than this many points are left out."""


@dataclass(frozen=True, slots=True)
class Band:
    """A stretch of an axis for values that have no place on it."""

    low: float
    high: float
    middle: float
    name: str


@dataclass(frozen=True, slots=True)
class Scale:
    """The drawn range of an axis. ``zero`` and ``missing``: where the bands for these are, None = there is none."""

    log: bool
    share: bool
    low: float
    high: float
    zero: float | None = None
    missing: float | None = None

    def place(self, value: float | None) -> float:
        """Return where a value is drawn; None = it is missing."""
        if value is None:
            return self.high if self.missing is None else self.missing
        return self.zero if value == 0 and self.zero is not None else value

    @property
    def bands(self) -> tuple[Band, ...]:
        """What lies apart at either end."""
        out = []
        if self.zero is not None:
            out.append(Band(self.low, self._mirror(self.zero, self.low), self.zero, "0"))
        if self.missing is not None:
            out.append(Band(self._mirror(self.missing, self.high), self.high, self.missing, "missing"))
        return tuple(out)

    @property
    def edge(self) -> float:
        """Where the plane ends and the band of the missing begins."""
        return self.high if self.missing is None else self._mirror(self.missing, self.high)

    def _mirror(self, middle: float, end: float) -> float:
        return middle**2 / end if self.log else 2 * middle - end

    def set_up(self, axes: Axes, name: str, points: float) -> None:
        """Give the axis ``x`` or ``y``, so many points long, its range and ticks."""
        axis: PlotAxis = axes.xaxis if name == "x" else axes.yaxis
        if self.log:
            (axes.set_xscale if name == "x" else axes.set_yscale)("log")
            decades = math.log10(self.high / self.low)
            subs = (1.0,) if decades > 2.5 else (1.0, 2.0, 5.0) if decades > 0.9 else (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
            axis.set_major_locator(LogLocator(subs=subs, numticks=20))
        elif self.share and self.high <= 1.06:
            step = (0.1 if self.high <= 0.6 else 0.2) * (2 if points < 110 else 1)
            axis.set_major_locator(FixedLocator([step * k for k in range(math.floor(self.high / step + 1e-6) + 1)]))
        else:
            axis.set_major_locator(MaxNLocator(nbins=max(3, int(points / 55)), steps=[1, 2, 2.5, 5, 10]))
        (axes.set_xlim if name == "x" else axes.set_ylim)(self.low, self.high)
        axis.set_minor_locator(NullLocator())
        axis.set_minor_formatter(NullFormatter())
        axis.set_major_formatter(FuncFormatter(lambda value, _: self._format_tick(value, points)))

    def _format_tick(self, value: float, points: float) -> str:
        """Return the text of a tick; none inside a band, nor so close to it that its own label has no room."""
        at, low, high = (self._project(each) for each in (value, self.low, self.high))
        point = (high - low) / points
        if self.zero is not None and at < self._project(self.zero) + _ZERO_LABEL * point:
            return ""
        if self.missing is not None and at > self._project(self.missing) - _BAND_LABEL * point:
            return ""
        return f"{100 * value:.6g} %" if self.share else format_number(value)

    def _project(self, value: float) -> float:
        return math.log10(max(value, 1e-300)) if self.log else value


def fit_scale(metric: Metric, means: Sequence[float], ends: Sequence[float], *, missing: bool) -> Scale:
    """Return the scale for values and the ends of their bars; zeros have a band of their own on a logarithmic axis."""
    known = [value for value in (*means, *ends) if math.isfinite(value)] or [0.0, 1.0]
    if metric.is_share and min(known) >= 0:
        top = choose_top(max(known))
        return Scale(False, True, 0.0, top * (1.18 if missing else 1), None, top * 1.09 if missing else None)
    positive = [value for value in known if value > 0]
    main = [value for value in means if value > 0]
    has_zero = any(value == 0 for value in means)
    spans = bool(main) and max(main) >= _DECADE * min(main) and max(positive) <= _MOST_DECADES * min(positive)
    if spans and min(known) >= 0:
        return _fit_log(min(positive), max(positive), has_zero, missing)
    return _fit_linear(metric, min(known), max(known), missing)


def _fit_log(low: float, high: float, has_zero: bool, missing: bool) -> Scale:
    """Room for every bar; more at an edge where a band is needed."""
    margin = max(0.12, 0.1 * math.log10(high / low))
    low, high = low / 10**margin, high * 10**margin
    band = 10 ** max(0.07, 0.08 * math.log10(high / low))
    zero, gone = (low / band if has_zero else None), (high * band if missing else None)
    return Scale(True, False, low / (band**2 if has_zero else 1), high * (band**2 if missing else 1), zero, gone)


def _fit_linear(metric: Metric, low: float, high: float, missing: bool) -> Scale:
    width = high - low if high - low > 1e-9 * abs(high) else abs(high)
    width = width if width > 1e-30 else 1.0
    floor = 0.0 if 0 <= low < _FROM_ZERO * high or high == low == 0 else low - 0.12 * width
    if low >= 0:
        floor = max(0.0, floor)
    top = high + 0.12 * width
    band = 0.09 * (top - floor)
    gone = top + band if missing else None
    return Scale(False, metric.is_share, floor, top + (2 * band if missing else 0), None, gone)


def choose_top(highest: float) -> float:
    """Return the next tenth above the highest bar; a little above 100 % where that is needed, and above more."""
    if highest > 1.0 + 1e-9:
        return 1.1 * highest
    top = max(_LOWEST_TOP, math.floor(10 * highest + 1e-9) / 10 + 0.1)
    return round(top, 1) if top < 1 - 1e-9 else 1.05


def format_number(value: float) -> str:
    """Return a number as short as a tick has it: 2k, 1.5M."""
    for size, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size * (1 - 1e-9):
            return f"{value / size:.4g}{suffix}"
    return f"{value:.6g}"
