"""Several judges on the answers of one run: accuracy by each, how far they agree, and which rows change places."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import pandas as pd

from bench.report.formats import Grid, Section, round_all, to_markdown, to_rich
from bench.report.role_models import RULE_BASED_NOTE, is_rule_based
from bench.scoring.grading import ACCURACY, ADVERSARIAL
from bench.stats.agreement import Agreement, agreement, tau_b
from bench.stats.bootstrap import cluster_interval
from bench.stats.interval import Interval, seed_of
from bench.stats.wilson import wilson
from bench.store.printing import escape_json

__all__ = ["FORMATS", "JudgePair", "JudgeReport", "JudgeRow", "Judged", "compare_judges", "render_judges"]

FORMATS = ("rich", "md", "json")
_BLOCK = ["suite", "split", "model"]
_ANSWER = ["suite", "split", "model", "strategy", "task", "seed", "item"]


@dataclass(frozen=True)
class Judged:
    """The items of a run as one judge graded them."""

    label: str
    offline: bool
    items: pd.DataFrame
    """One row an item, with the scores of judges where there is a verdict."""
    failed: frozenset[tuple[object, ...]] = frozenset()
    """The answers that the judge gave no verdict on, by suite, split, model, strategy, task, seed and item."""


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One strategy by one judge. ``unscored``: answers that another judge, or this one, should have graded."""

    block: str
    strategy: str
    judge: str
    n: int
    unscored: int
    accuracy: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class JudgePair:
    """Two judges on the answers that both graded, of all strategies of a block together."""

    block: str
    first: str
    second: str
    agreement: Agreement | None
    """None where no answer has a verdict of both."""
    tau_b: float | None
    """Of the order of the strategies; None where one judge gives them no order."""
    swaps: tuple[tuple[str, str], ...]
    """Strategies of which the first judge puts the former, and the second judge the latter, above the other."""


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """Everything about the judges of one run."""

    rows: tuple[JudgeRow, ...]
    pairs: tuple[JudgePair, ...]
    offline: bool
    """Some judge is made of rules."""


def compare_judges(judges: Sequence[Judged]) -> JudgeReport:
    """Return the report of judges on the same answers."""
    verdicts = {judge.label: _find_verdicts(judge.items) for judge in judges}
    failed = {judge.label: judge.failed for judge in judges}
    keys = [
        *(key for found in verdicts.values() for key in found.index),
        *(key for of in failed.values() for key in of),
    ]
    every = sorted({key[:3] for key in keys})
    rows: list[JudgeRow] = []
    pairs: list[JudgePair] = []
    for block in every:
        name = " · ".join(map(str, block))
        of_block = {label: _select(found, block) for label, found in verdicts.items()}
        asked = {key for found in of_block.values() for key in found.index}
        asked |= {key for keys in failed.values() for key in keys if key[:3] == block}
        own = [row for label, found in of_block.items() for row in _make_rows(name, label, found, asked)]
        rows += sorted(own, key=lambda row: (row.strategy, [judge.label for judge in judges].index(row.judge)))
        means = {label: {row.strategy: row.accuracy for row in own if row.judge == label} for label in of_block}
        pairs += [_pair(name, one, other, of_block, means) for one, other in combinations(of_block, 2)]
    return JudgeReport(tuple(rows), tuple(pairs), any(judge.offline for judge in judges))


def _find_verdicts(items: pd.DataFrame) -> pd.DataFrame:
    """Return ``verdict``, ``counts`` (not adversarial) and ``cluster`` of each answer with a verdict."""
    gaps = items.reindex(columns=[*items.columns, *({ACCURACY, ADVERSARIAL} - {*items.columns})])
    verdict = gaps[ACCURACY].astype(float).fillna(gaps[ADVERSARIAL].astype(float))
    found = gaps.assign(verdict=verdict, counts=gaps[ACCURACY].notna())[verdict.notna()]
    return found.set_index(_ANSWER)[["verdict", "counts", "cluster"]].sort_index()


def _select(found: pd.DataFrame, block: tuple[object, ...]) -> pd.DataFrame:
    return found[[key[:3] == block for key in found.index]]


def _make_rows(block: str, judge: str, found: pd.DataFrame, asked: set[tuple[object, ...]]) -> list[JudgeRow]:
    rows = []
    graded = set(found.index)
    for strategy in sorted({str(key[3]) for key in asked}):
        counted = found[found["counts"] & (found.index.get_level_values("strategy") == strategy)]
        missing = sum(key[3] == strategy and key not in graded for key in asked)
        values, clusters = counted["verdict"].tolist(), counted["cluster"].astype(str).tolist()
        mean = float(counted["verdict"].mean()) if values else None
        interval = _compute_interval(values, clusters, seed_of(block, ACCURACY))
        rows.append(JudgeRow(block, strategy, judge, len(values), missing, mean, interval))
    return rows


def _compute_interval(values: Sequence[float], clusters: Sequence[str], seed: int) -> Interval | None:
    """Return the interval of an accuracy, as in a table: none for one conversation, Wilson's where none differs."""
    count = len(set(clusters))
    if count <= 1:
        return None
    found = cluster_interval(values, clusters, seed=seed)
    return found if found.method != "degenerate" else wilson(values[0] * count, count)


def _pair(
    block: str,
    first: str,
    second: str,
    found: Mapping[str, pd.DataFrame],
    means: Mapping[str, Mapping[str, float | None]],
) -> JudgePair:
    both = found[first].join(found[second]["verdict"].rename("verdict_second"), how="inner")
    agreed = None
    if len(both):
        one, other = (both[name].eq(1.0).tolist() for name in ("verdict", "verdict_second"))
        agreed = agreement(one, other, both["cluster"].astype(str).tolist(), seed=seed_of(block, first, second))
    values = {
        name: (a, b) for name, a in means[first].items() if a is not None and (b := means[second].get(name)) is not None
    }
    swaps = tuple(
        (x, y) if values[x][0] > values[y][0] else (y, x)
        for x, y in combinations(sorted(values), 2)
        if (values[x][0] - values[y][0]) * (values[x][1] - values[y][1]) < 0
    )
    order = tau_b([a for a, _ in values.values()], [b for _, b in values.values()])
    return JudgePair(block, first, second, agreed, order, swaps)


def render_judges(report: JudgeReport, style: str, *, width: int = 120, color: bool = False) -> str:
    """Return a report as text: rich, md or json."""
    if style == "json":
        return escape_json(json.dumps(round_all(asdict(report)), indent=2, ensure_ascii=False))
    notes = [
        "judge %: answers graded correct, adversarial questions left out, with 95 % interval over conversations. "
        "unscored: answers without a verdict, which are in no rate.",
        "kappa: Cohen's, over all answers with a verdict of both, with 95 % interval of resampled conversations. "
        "tau-b: Kendall's, of the order of the strategies (1 = same). swapped: pairs of strategies in another order.",
        *(_describe_swaps(pair) for pair in report.pairs if pair.swaps),
        *([f"{RULE_BASED_NOTE}."] if report.offline else []),
    ]
    rows = Grid(
        ("strategy", "judge", "n", "unscored", "judge %"), (True, True, False, False, False), (0,) * 5,
        _split(report.rows, _write_row), () if report.pairs else tuple(notes),
    )  # fmt: skip
    pairs = Grid(
        ("judge", "and judge", "n", "agree %", "kappa", "tau-b", "swapped"), (True, True, *(False,) * 5), (0,) * 7,
        _split(report.pairs, _write_pair), tuple(notes),
    )  # fmt: skip
    grids = [rows, pairs] if report.pairs else [rows]
    return "\n".join(to_markdown(one) if style == "md" else to_rich(one, width=width, color=color) for one in grids)


def _split(found: Sequence[Any], write: Callable[[Any], tuple[str, ...]]) -> tuple[Section, ...]:
    sections = []
    for block in dict.fromkeys(one.block for one in found):
        lines = tuple(write(one) for one in found if one.block == block)
        plain = (False,) * len(lines)
        sections.append(Section(block, lines, plain, plain))
    return tuple(sections)


def _write_row(row: JudgeRow) -> tuple[str, ...]:
    share = "–" if row.accuracy is None else f"{100 * row.accuracy:.1f}"
    ends = f" [{100 * row.interval.low:.1f}, {100 * row.interval.high:.1f}]" if row.interval else ""
    return (row.strategy, _name(row.judge), str(row.n), str(row.unscored), share + ends)


def _write_pair(pair: JudgePair) -> tuple[str, ...]:
    found = pair.agreement
    kappa = "–" if found is None or found.kappa is None else f"{found.kappa:.2f}"
    ends = f" [{found.interval.low:.2f}, {found.interval.high:.2f}]" if found and found.interval else ""
    raw = "–" if found is None else f"{100 * found.raw:.1f}"
    tau = "–" if pair.tau_b is None else f"{pair.tau_b:.2f}"
    n = 0 if found is None else found.n
    return (_name(pair.first), _name(pair.second), str(n), raw, kappa + ends, tau, str(len(pair.swaps)))


def _name(judge: str) -> str:
    return f"{judge}, rule-based" if is_rule_based(judge) else judge


def _describe_swaps(pair: JudgePair) -> str:
    said = "; ".join(f"{above} above {below}" for above, below in pair.swaps)
    return f"Only {pair.first} puts {said}: {pair.second} sees it the other way round."
