"""``bench forecast``: what a run would take, before a key is used."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bench.cli.console import width
from bench.cli.options import RunOptions
from bench.cli.run import read_question
from bench.data.root import data_root
from bench.errors import UsageError, unknown_name
from bench.models.options import is_offline
from bench.models.remote.endpoint_config import Endpoint, EndpointFields, ModelEndpoint, read_endpoint
from bench.models.remote.pricing import find_shipped_price, to_price
from bench.report.columns import BLANK
from bench.report.formats import Grid, Section, round_all, to_markdown, to_rich
from bench.runner.forecast import Forecast, Line, Span, from_offline, from_pilot
from bench.runner.forecast_sample import PriceOf, Prices
from bench.runner.resolve import ResolvedRun
from bench.scoring.metric_names import find_metric
from bench.store.printing import escape_json, say

__all__ = ["FORMATS", "ForecastOptions", "find_prices", "forecast_command", "render_forecast"]

FORMATS = ("rich", "md", "json")
_LOCAL = "local/"


@dataclass(frozen=True, slots=True)
class ForecastOptions:
    """The flags that ``bench run`` does not have."""

    pilot: int = 8
    """Tasks of each suite that the offline model plays."""
    source: Path | None = None
    """A run of the same model on some of the tasks; None = the offline model."""
    style: str = "rich"


def forecast_command(targets: Sequence[str], run: RunOptions, options: ForecastOptions) -> None:
    """Print the forecast. Raises: UsageError, StoreError."""
    if options.style not in FORMATS:
        raise unknown_name("forecast", "a format", options.style, FORMATS)
    if options.pilot < 1:
        raise UsageError(f"forecast: expected --pilot of at least 1 task, got {options.pilot}; leave it out for 8")
    question = read_question(targets, run)
    config, prices = question.config, find_prices(question)
    if options.source is not None:
        found = from_pilot(config, data_root(), options.source, prices)
    else:
        say(f"forecast: playing {options.pilot} tasks of each suite offline")
        found = from_offline(config, data_root(), options.pilot, prices)
    print(render_forecast(found, options.style, width=width(), color=sys.stdout.isatty()), end="")


def find_prices(question: ResolvedRun) -> Prices:
    """Return what a call of each model of a run costs, where that is known. Needs no key and no network."""
    config = question.config
    file = read_endpoint(Path(config.endpoint)) if config.endpoint else Endpoint()
    found = {config.model: _find_price(config.model, file, config.base_url)}
    for name in question.role_models:
        table = file.models.get(name, ModelEndpoint())
        found[name] = _find_price(name, table, table.base_url)
    return {name: price for name, price in found.items() if price is not None}


def _find_price(model: str, endpoint: EndpointFields, base_url: str) -> PriceOf | None:
    if is_offline(model) or model.startswith(_LOCAL):
        return lambda _: 0.0
    if endpoint.prices is not None:
        return to_price(endpoint.prices).cost_usd
    # Behind a base URL of one's own nobody knows who bills what.
    shipped = None if base_url else find_shipped_price(model)
    return None if shipped is None else shipped.cost_usd


def render_forecast(forecast: Forecast, style: str, *, width: int = 120, color: bool = False) -> str:
    """Return a forecast as text: rich, md or json."""
    if style == "json":
        lines = [round_all(asdict(line)) for line in (*forecast.lines, *_sum_lines(forecast.lines))]
        record = {"model": forecast.model, "basis": forecast.basis, "rows": lines, "notes": list(forecast.notes)}
        return escape_json(json.dumps(record, indent=2, ensure_ascii=False)) + "\n"
    every = (*forecast.lines, *_sum_lines(forecast.lines))
    phases = len({line.phase for line in forecast.lines}) > 1  # else there is nothing but the evaluation
    names = (
        "suite",
        *(("phase",) if phases else ()),
        "strategy",
        "trials",
        "seen",
        _header("calls"),
        "prompt tokens",
        "completion tokens",
        _header("cost_usd"),
    )
    section = Section(
        f"{forecast.model}: low / likely / high",
        tuple(_format_line(line, phases) for line in every),
        tuple(line.calls is None for line in every),
        tuple(line.strategy == _ALL for line in every),
    )
    left = tuple(name in ("suite", "phase", "strategy") for name in names)
    notes = (f"Based on {forecast.basis}.", *forecast.notes)
    grid = Grid(names, left, (0,) * len(names), (section,), notes)
    return to_markdown(grid) if style == "md" else to_rich(grid, width=width, color=color)


_ALL = "all"


def _sum_lines(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Return the sum line, if there is anything to add up. Bounds add up too: a cautious reading."""
    if len(lines) < 2:
        return ()
    total = lines[0]
    for line in lines[1:]:
        total = replace(
            total,
            trials=total.trials + line.trials,
            sampled=total.sampled + line.sampled,
            calls=_add(total.calls, line.calls),
            prompt_tokens=_add(total.prompt_tokens, line.prompt_tokens),
            completion_tokens=_add(total.completion_tokens, line.completion_tokens),
            cost_usd=_add(total.cost_usd, line.cost_usd),
        )
    return (replace(total, suite=_ALL, strategy=_ALL, phase=_ALL),)


def _add(one: Span | None, two: Span | None) -> Span | None:
    return None if one is None or two is None else one.plus(two)


def _format_line(line: Line, phases: bool) -> tuple[str, ...]:
    counts = (_format_span(line.calls, 0), _format_span(line.prompt_tokens, 0), _format_span(line.completion_tokens, 0))
    names = (line.suite, *((line.phase,) if phases else ()), line.strategy)
    return (*names, str(line.trials), str(line.sampled), *counts, _format_span(line.cost_usd, 2))


def _header(name: str) -> str:
    """Return the column title that a table has for the same metric."""
    metric = find_metric(name)
    return metric.header if metric else name


def _format_span(span: Span | None, digits: int) -> str:
    if span is None:
        return BLANK
    return " / ".join(f"{value:,.{digits}f}" for value in (span.low, span.likely, span.high))
