"""Two strategies head to head on one metric: what the tests say, how large the gap is, and which tasks flipped."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from statistics import stdev
from typing import Any

import pandas as pd

from bench.errors import UsageError, unknown_name
from bench.report.aggregate import has_several_questions
from bench.report.columns import BLANK, format_p
from bench.report.compare_numbers import write_interval, write_p, write_score, write_value
from bench.report.formats import Grid, Section, round_all, to_markdown, to_rich
from bench.report.items import Block, find_strategy, prepare, score_names, split_blocks
from bench.report.paired_tests import Pairs, pair
from bench.scoring.metric_names import find_metric, resolve_metric
from bench.stats.difference import difference_interval
from bench.stats.effect import Effect, effect
from bench.stats.interval import Interval, seed_of
from bench.stats.mcnemar import McNemar, mcnemar
from bench.stats.power import detectable_shift
from bench.stats.signflip import SignFlip, sign_flip
from bench.stats.wilcoxon import SignedRank, signed_rank

__all__ = ["COMPARE_FORMATS", "Comparison", "Flip", "compare", "render_comparison"]

COMPARE_FORMATS = ("rich", "md", "json")


@dataclass(frozen=True, slots=True)
class Flip:
    """One task on which the two differ."""

    task: str
    a: float
    b: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """``a`` against ``b`` on the tasks of one block scored for both; differences are a minus b, wins are a better."""

    block: str
    a: str
    b: str
    metric: str
    n_pairs: int
    mean_a: float
    mean_b: float
    difference: float
    interval: Interval
    by_cluster: Interval | None
    """None where every task is its own cluster."""
    one_conversation: bool
    """Everything belongs to one cluster: no test says anything about others."""
    independent: bool
    """False where a task holds several questions: tests that take each by itself then have no p-value."""
    sign_flip: SignFlip | None
    """The same: whole clusters change sign together."""
    wins: int
    ties: int
    losses: int
    sizes: Effect
    """Of a minus b; positive = a is higher, which is better or worse as the metric has it."""
    wilcoxon: SignedRank
    mcnemar: McNemar | None
    """Where every score is 0 or 1."""
    mde: float | None
    """Smallest mean difference detectable at 80 % power, from the spread observed; None where nothing differs."""
    flips: tuple[Flip, ...]
    test: str
    """The test that the result rests on, by name; the others are printed beside it."""
    p_value: float | None
    """Of that test, two-sided; None where nothing can be tested."""


def compare(frame: pd.DataFrame, a: str, b: str, metric: str = "success") -> tuple[Comparison, ...]:
    """Compare two strategies, once for each suite, split, model and attempt that has tasks scored for both.

    Raises: UsageError for an unknown strategy or metric, or if no task is scored for both.
    """
    items = prepare(frame)
    first, second = find_strategy(a, items), find_strategy(b, items)
    name = resolve_metric("compare", metric, score_names(items)).name
    comparisons = []
    for block in split_blocks(items):
        pairs = pair(block.of(first), block.of(second), name)
        if pairs.tasks:
            made = _compare_pairs(block, first, second, name, pairs)
            comparisons.append(_name_test(made, has_several_questions(block.items)))
    if not comparisons:
        raise UsageError(
            f"compare: expected a task with {name} scored for both {first} and {second}, got none; "
            "run or resume both on the same tasks"
        )
    return tuple(comparisons)


def _compare_pairs(block: Block, a: str, b: str, metric: str, pairs: Pairs) -> Comparison:
    differences, n = pairs.differences, len(pairs.tasks)
    test = signed_rank(differences)
    sizes = effect(differences, test)
    wins, losses = (sizes.higher, sizes.lower)[:: pairs.sign]
    seed = seed_of(block.suite, block.split, block.model, str(block.attempt), metric, "compare")
    clustered = 1 < len(set(pairs.clusters)) < n
    spread = stdev(differences) if n > 1 else 0.0
    return Comparison(
        block=block.name,
        a=a,
        b=b,
        metric=metric,
        n_pairs=n,
        mean_a=sum(pairs.first) / n,
        mean_b=sum(pairs.second) / n,
        difference=sum(differences) / n,
        interval=difference_interval(differences),
        by_cluster=difference_interval(differences, pairs.clusters) if clustered else None,
        one_conversation=len(set(pairs.clusters)) == 1 < n,
        independent=not has_several_questions(block.of(a)),
        sign_flip=sign_flip(differences, pairs.clusters, seed=seed) if clustered else None,
        wins=wins,
        ties=sizes.tied,
        losses=losses,
        sizes=sizes,
        wilcoxon=test,
        mcnemar=mcnemar(sizes.higher, sizes.lower, sizes.tied) if pairs.binary else None,
        mde=detectable_shift(n, spread) if spread else None,
        flips=tuple(
            Flip(task, x, y) for task, x, y in zip(pairs.tasks, pairs.first, pairs.second, strict=True) if x != y
        ),
        test="",
        p_value=None,
    )


def _name_test(one: Comparison, is_talk: bool) -> Comparison:
    """Return the comparison with the test that fits its scores, as a table has it where they are graded.

    Questions of one conversation depend on each other, so whole conversations change sign; tasks are independent.
    """
    if is_talk and one.sign_flip:
        flip = one.sign_flip
        return replace(one, test=f"sign-flip test over {flip.clusters} conversations, {flip.method}", p_value=flip.p)
    if one.one_conversation and is_talk:
        return replace(one, test="none: one conversation says nothing about others")
    if one.mcnemar:
        return replace(one, test="McNemar's exact test of the tasks that one of them alone won", p_value=one.mcnemar.p)
    if not one.wilcoxon.n_nonzero:
        return replace(one, test="none: no task differs", p_value=1.0)
    return replace(one, test=f"Wilcoxon signed-rank test, {one.wilcoxon.method}", p_value=one.wilcoxon.p)


def render_comparison(
    found: Sequence[Comparison], style: str = "rich", *, width: int = 100, color: bool = False, flips: int = 20
) -> str:
    """Return comparisons as text: rich, md or json. At most ``flips`` flipped tasks are listed (json: all).

    Raises: UsageError for an unknown format.
    """
    if style == "json":
        return json.dumps([round_all(_to_record(one)) for one in found], indent=2, allow_nan=False) + "\n"
    if style not in COMPARE_FORMATS:
        raise unknown_name("compare", f"--format {'|'.join(COMPARE_FORMATS)}", style, COMPARE_FORMATS)
    parts = []
    for one in found:
        lines = _build_lines(one)
        plain = (False,) * len(lines)
        section = Section(f"{one.a} against {one.b} · {one.metric} · {one.block}", lines, plain, plain)
        grid = Grid(("measure", "value"), (True, True), (0, 0), (section,), _write_remarks(one, flips))
        parts.append(to_markdown(grid) if style == "md" else to_rich(grid, width=width, color=color))
    return "\n".join(parts)


_NO_P = "no p"
"""Where the pairs of a test are no independent sample."""


def _to_record(one: Comparison) -> dict[str, Any]:
    record = asdict(one)
    if not one.independent:
        record["interval"] = None
        for found in filter(None, (record["wilcoxon"], record["mcnemar"])):
            found |= {name: None for name in ("p", "p_mid", "interval") if name in found}
    return record


def _build_lines(one: Comparison) -> tuple[tuple[str, ...], ...]:
    metric = find_metric(one.metric)
    share = metric is not None and metric.is_share
    test = one.wilcoxon
    interval = f" {write_interval(one.interval, share)}" if one.independent else ""
    lines = [
        ("tasks scored for both", str(one.n_pairs)),
        (one.a, write_value(one.mean_a, share)),
        (one.b, write_value(one.mean_b, share)),
        ("difference", f"{write_value(one.difference, share, sign=True)}{interval}"),
    ]
    if one.by_cluster:
        lines.append((f"… over {one.by_cluster.units} clusters", write_interval(one.by_cluster, share)))
    tested = f"{write_p(one.p_value)} (two-sided; {one.test})" if one.p_value is not None else one.test
    lines.append(("paired test", tested))
    lines.append((f"{one.a} better / same / worse", f"{one.wins} / {one.ties} / {one.losses}"))
    if one.mcnemar:
        m = one.mcnemar
        p_values = f"{write_p(m.p)} (mid-p {format_p(m.p_mid)}; " if one.independent else f"{_NO_P} ("
        lines.append(("McNemar, exact", f"{p_values}b = {m.wins}, c = {m.losses})"))
    if one.sign_flip:
        flip = one.sign_flip
        name = f"sign-flip test over clusters, {flip.method}"
        lines.append((name, f"{write_p(flip.p)} ({flip.clusters} clusters)"))
    ranks = f"W+ = {test.w_plus:g}, W- = {test.w_minus:g}, {test.n_nonzero} non-zero, zero rule {test.zeros}"
    lines += [
        (f"Wilcoxon signed-rank, {test.method}", f"{write_p(test.p) if one.independent else _NO_P} ({ranks})"),
        ("effect size (rank-biserial)", f"{one.sizes.rank_biserial:+.2f}"),
        ("shift (Hodges-Lehmann)", write_value(one.sizes.shift, share, sign=True)),
        (
            "detectable difference",
            write_value(one.mde, share, sign=True).lstrip("+") if one.mde is not None else BLANK,
        ),
    ]
    return tuple(lines)


def _write_remarks(one: Comparison, limit: int) -> tuple[str, ...]:
    out = [
        f"Differences are {one.a} minus {one.b}, task by task, repeats averaged first; [95 % t interval]. Detectable: "
        "at 80 % power and 5 % level, from the spread observed, tasks independent."
    ]
    if one.one_conversation:
        out.append("All of it is one conversation: no test says anything about others.")
    if not one.independent:
        out.append(f"{_NO_P}: this test takes each question by itself; those of one conversation rest on one memory.")
    if one.flips:
        # Flipped successes are all alike; of graded scores the largest differences say most.
        ordered = one.flips if one.mcnemar else sorted(one.flips, key=lambda f: (-abs(f.a - f.b), f.task))
        listed = [f"{f.task} ({write_score(f.a)} / {write_score(f.b)})" for f in ordered[:limit]]
        more = f", and {len(one.flips) - limit} more" if len(one.flips) > limit else ""
        what = "Flipped tasks" if one.mcnemar else "Largest differences"
        out.append(f"{what} ({one.a} / {one.b}): {', '.join(listed)}{more}")
    return tuple(out)
