"""The numbers of a comparison as text."""

from __future__ import annotations

import math
from typing import Any

from bench.report.columns import format_p
from bench.stats.interval import Interval

__all__ = ["write_interval", "write_p", "write_score", "write_value"]


def write_p(p: float) -> str:
    text = format_p(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def write_value(value: float, share: bool, *, sign: bool = False) -> str:
    plus = "+" if sign else ""
    if share:
        return f"{100 * value:{plus}.1f} {'points' if sign else '%'}"
    return f"{value:{plus},.1f}"


def write_interval(interval: Interval, share: bool) -> str:
    scale, digits = (100, 1) if share else (1, 1)
    return f"[{scale * interval.low:+,.{digits}f}, {scale * interval.high:+,.{digits}f}]"


def write_score(value: Any) -> str:
    return f"{value:,.0f}" if math.isclose(value, round(value)) else f"{value:.2f}"
