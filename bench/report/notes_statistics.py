"""The sentences below a table that say how its intervals and tests were made. Knows rows.

Episodes and single questions are taken as independent; the questions of one conversation are not, and are resampled and
tested a conversation at a time. A table of both kinds says both.
"""

from __future__ import annotations

from collections.abc import Sequence

from bench.report.paired_tests import BY_CLUSTER
from bench.report.row import ALL, Row, RowTest
from bench.stats.bootstrap import FEW_CLUSTERS
from bench.stats.power import ASSUMED_DISCORDANCE, detectable_gap

__all__ = ["describe_power", "describe_success", "describe_tests", "describe_tests_briefly"]


def describe_success(rows: Sequence[Row]) -> list[str]:
    """Say what success is and how its interval was made, for each kind of rows."""
    whole = [row for row in rows if row.group == ALL and row.value("success") is not None]
    out = []
    if alone := [row for row in whole if row.clusters is None]:
        is_episode = any(row.value("steps") is not None for row in alone)
        what = "the environment reported a win" if is_episode else _name_score(alone)
        out.append(f"success: {what}; [95 % Wilson interval] over tasks (BCa bootstrap where it is graded).")
    if clustered := [row for row in whole if row.clusters is not None]:
        out.append(_describe_conversations(clustered))
    return out


def _name_score(rows: Sequence[Row]) -> str:
    same = all(row.value("success") == row.value("f1") for row in rows)
    return f"the main score of a question{' (F1)' if same else ''}"


def _describe_conversations(rows: Sequence[Row]) -> str:
    fewest = min(row.clusters or 0 for row in rows)
    if fewest < 2:
        return f"success: {_name_score(rows)}; one conversation says nothing about others, so no interval is given."
    text = (
        f"success: {_name_score(rows)}; [95 % BCa bootstrap interval], whole conversations resampled ({fewest}; "
        "Wilson over conversations where all are 0 or all are 1)"
    )
    return f"{text}; so few are likely to make it too narrow." if fewest < FEW_CLUSTERS else f"{text}."


def describe_tests(rows: Sequence[Row]) -> list[str]:
    """Say which tests the p-values come from, for each kind of rows."""
    tests = [(row, row.test) for row in rows if row.test and row.test.p_value is not None]
    by_cluster = [pair for pair in tests if str(pair[1].method).startswith(BY_CLUSTER)]
    alone = [pair for pair in tests if pair not in by_cluster]
    out = [_describe_signed_rank([test for _, test in alone])] if alone else []
    out += [_describe_sign_flip(by_cluster)] if by_cluster else []
    return [*out, _describe_family([row for row, _ in tests])] if out else []


def describe_tests_briefly(rows: Sequence[Row]) -> list[str]:
    """Say the same in one line."""
    tests = [row.test for row in rows if row.test and row.test.p_value is not None]
    if not tests:
        return []
    return [f"p: paired test on {_join_metrics(tests)} against {tests[0].reference}; p adj.: the same, Holm-adjusted."]


def _describe_signed_rank(tests: Sequence[RowTest]) -> str:
    methods = sorted({test.method for test in tests if test.method not in (None, "none")})
    pairs = _format_span([test.n_pairs for test in tests])
    moved = _format_span([test.n_nonzero for test in tests])
    return (
        f"p: two-sided paired Wilcoxon signed-rank test ({' or '.join(map(str, methods)) or 'no difference'}) on "
        f"{_join_metrics(tests)} against {tests[0].reference}, over the tasks scored for both (n = {pairs}); zero "
        f"differences are dropped (rule wilcox; non-zero: {moved})."
    )


def _describe_sign_flip(by_cluster: Sequence[tuple[Row, RowTest]]) -> str:
    tests = [test for _, test in by_cluster]
    methods = sorted({str(test.method).removeprefix(BY_CLUSTER).strip() for test in tests} - {"none"})
    clusters = [row.clusters for row, _ in by_cluster]
    fewest = min(count or 0 for count in clusters)
    return (
        f"p: two-sided sign-flip test ({' or '.join(methods) or 'no difference'}) on {_join_metrics(tests)} against "
        f"{tests[0].reference}: the differences of a whole conversation change sign together "
        f"(n = {_format_span([test.n_pairs for test in tests])} questions in {_format_span(clusters)} "
        f"conversations); no p can be below {2 / 2**fewest:.3g}."
    )


def _join_metrics(tests: Sequence[RowTest]) -> str:
    return " or ".join(sorted({test.metric for test in tests}))


def _describe_family(tested: Sequence[Row]) -> str:
    sizes = [row.test.family for row in tested if row.group == ALL and row.test and row.test.family is not None]
    family = sizes[0] if sizes else 0
    return (
        f"p adj.: Holm over the {family} strategies of one suite, split and model (group rows are a family of their "
        "own). effect r: matched-pairs rank-biserial, positive = better than the reference."
    )


def _format_span(values: Sequence[int | None]) -> str:
    known = sorted({value for value in values if value is not None})
    return f"{known[0]}" if len(known) == 1 else f"{known[0]} to {known[-1]}"


def describe_power(rows: Sequence[Row]) -> list[str]:
    """Say how large a difference would have had to be, where any could be large enough."""
    scored = [row for row in rows if row.group == ALL and row.value("success") is not None]
    gaps = {n: detectable_gap(n) for n in sorted({row.n_tasks for row in scored if row.n_tasks})}
    reachable = ", ".join(f"{100 * gap:.1f} points for n = {n}" for n, gap in gaps.items() if gap <= 1.0)
    if not reachable:
        return []
    text = (
        f"Smallest paired difference in success that can be detected (80 % power, 5 % level, "
        f"{100 * ASSUMED_DISCORDANCE:.0f} % of tasks discordant, tasks taken as independent): {reachable}"
    )
    if any(row.clusters for row in rows):
        text += " (questions of one conversation are not, so it takes more than that)"
    seen = sorted(row.test.mde for row in rows if row.group == ALL and row.test and row.test.mde is not None)
    found = f"; with the discordance observed: {100 * seen[0]:.1f} to {100 * min(1.0, seen[-1]):.1f}" if seen else ""
    return [f"{text}{found}."]
