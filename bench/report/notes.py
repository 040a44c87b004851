"""The sentences below a printed table that say what its columns mean and how far they can be believed. Knows rows."""

from __future__ import annotations

from collections.abc import Sequence

from bench.report.columns import Column
from bench.report.pairs import BY_CLUSTER
from bench.report.row import Row
from bench.report.rows import ALL
from bench.stats.power import ASSUMED_DISCORDANCE, detectable_gap

__all__ = ["notes"]

MANY = 100
"""Below this many tasks times runs a table warns."""
FEW_CLUSTERS = 10
"""Below this many clusters an interval that resamples them is too narrow to be trusted."""


def notes(rows: Sequence[Row], columns: Sequence[Column]) -> tuple[str, ...]:
    """Return the sentences that belong below a table of these rows."""
    names = {column.name for column in columns}
    out = [
        *_about_scores(rows, names),
        *_about_judging(rows, names),
        *_about_evidence(names),
        *_about_tests(rows),
        *_about_power(rows),
        *_about_tokens(rows, names),
    ]
    if any(row.offline for row in rows):
        out.append(
            "offline (rule-based): a fixed program read the prompts, not a language model; these rows compare what a "
            "memory keeps per token and say nothing about any model."
        )
    if any(name.startswith("wall_") for name in names):
        out.append("model, env, memory, harness s: wall seconds per task; they differ between equal runs.")
    return tuple(out)


def _about_scores(rows: Sequence[Row], names: set[str]) -> list[str]:
    unit = "questions" if any(row.clusters for row in rows) else "tasks"
    out = [
        f"n: scored/planned {unit}, repeats counted. All other columns are means per {unit[:-1]}, repeats averaged "
        "first."
    ]
    if missing := [row for row in rows if not row.ranked]:
        count = sum(row.n_total - row.n for row in missing if row.group == ALL)
        out.append(f"Unranked rows have unscored trials ({count} in all): resume the run to play them.")
    if "success_rate" in names:
        out.append(_about_success(rows))
        apart = {
            (row.n_success, row.n_tasks)
            for row in rows
            if row.group == ALL and row.n_success not in (None, row.n_tasks)
        }
        out += [f"success rests on {some} of {n} questions: the others take a judge." for some, n in sorted(apart)]
    if "progress_rate" in names:
        out.append("progress: best share of the goal reached so far; [95 % BCa bootstrap interval] over tasks.")
    if "valid_action_rate" in names:
        out.append("valid: share of actions that the world understood and carried out, per task, then averaged.")
    if "success_rate_solvable" in names:
        out.append("solvable: success over the tasks whose shortest solution fits the step cap.")
    if "steps_over_optimal" in names:
        out.append("steps/opt.: steps of the episodes won over those of a shortest solution.")
    failed = sum(c.n for row in rows if row.group == ALL for c in row.statuses if c.name == "strategy-error")
    if failed:
        out.append(f"{failed} trials ended in an error of the strategy itself; they count as failures.")
    small = sorted({row.n_tasks * row.runs for row in rows if row.group == ALL and row.n_tasks * row.runs < MANY})
    if small:
        out.append(f"Few tasks: n × runs = {small[0]} is below {MANY}; one more success moves a rate a good deal.")
    return out


def _about_success(rows: Sequence[Row]) -> str:
    if any(row.steps is not None for row in rows):
        what = "the environment said won"
    else:
        same = [name for name in ("f1",) if all(row.success_rate == getattr(row, name) for row in rows)]
        what = f"the main score of a question{' (F1)' if same else ''}"
    counts = sorted({row.clusters for row in rows if row.clusters is not None and row.group == ALL})
    if not counts:
        return f"success: {what}; [95 % Wilson interval] over tasks (BCa bootstrap where it is graded)."
    text = f"success: {what}; [95 % BCa bootstrap interval], whole conversations resampled ({counts[0]})"
    if counts[0] < 2:
        return f"success: {what}; one conversation says nothing about others, so no interval is given."
    return f"{text}; so few are likely to make it too narrow." if counts[0] < FEW_CLUSTERS else f"{text}."


def _about_judging(rows: Sequence[Row], names: set[str]) -> list[str]:
    out = []
    if "judge_accuracy" in names:
        who = sorted({f"{row.judge} under rubrics {row.rubrics}" for row in rows if row.judge})
        out.append(f"judge: share of answers that the judge ({', '.join(who)}) graded CORRECT; its tokens stand apart.")
        probed = sorted({row.judge_probes for row in rows if row.judge_probes})
        out += [f"{line}." for line in probed] or ["The judge was not probed in this run."]
    if names & {"success_sound", "judge_sound"}:
        out.append("sound: the same without the questions whose gold is known to be wrong.")
    if names & {"adversarial", "abstention"}:
        out.append(
            "adversarial, abstention: refusals among the questions that lay a trap, or that cannot be answered; a row "
            "that always refuses wins there and only there."
        )
    if any(row.privileged for row in rows):
        named = sorted({row.strategy for row in rows if row.privileged})
        out.append(f"{', '.join(named)}: told the evidence of each question; an upper bound, not ranked.")
    return out


def _about_evidence(names: set[str]) -> list[str]:
    if not names & {"evidence_recall", "evidence_precision"}:
        return []
    return [
        "evidence recall, prec.: share of the turns a question rests on that the context cites, and share of the turns "
        "cited that it rests on; questions without evidence are left out."
    ]


def _about_tests(rows: Sequence[Row]) -> list[str]:
    tested = [row for row in rows if row.p_value is not None]
    if not tested:
        return []
    if any(str(row.test_method).startswith(BY_CLUSTER) for row in tested):
        return _about_cluster_tests(tested)
    methods = sorted({row.test_method for row in tested if row.test_method not in (None, "none")})
    metrics = sorted({str(row.test_metric) for row in tested})
    pairs = _span([row.n_pairs for row in tested])
    moved = _span([row.n_nonzero for row in tested])
    return [
        f"p: two-sided paired Wilcoxon signed-rank test ({' or '.join(map(str, methods)) or 'no difference'}) on "
        f"{' or '.join(metrics)} against {tested[0].reference}, over the tasks scored for both (n = {pairs}); zero "
        f"differences are dropped (rule wilcox; non-zero: {moved}).",
        _about_family(tested),
    ]


def _about_cluster_tests(tested: Sequence[Row]) -> list[str]:
    counts = _span([row.clusters for row in tested])
    methods = sorted({str(row.test_method).removeprefix(BY_CLUSTER).strip() for row in tested})
    metrics = sorted({str(row.test_metric) for row in tested})
    fewest = min(row.clusters or 0 for row in tested)
    return [
        f"p: two-sided sign-flip test ({' or '.join(m for m in methods if m != 'none') or 'no difference'}) on "
        f"{' or '.join(metrics)} against {tested[0].reference}: the differences of a whole conversation change sign "
        f"together (n = {_span([row.n_pairs for row in tested])} questions in {counts} conversations); no p can be "
        f"below {2 / 2**fewest:.3g}.",
        _about_family(tested),
    ]


def _about_family(tested: Sequence[Row]) -> str:
    family = len([row for row in tested if row.group == ALL and row.suite == tested[0].suite and not row.privileged])
    return (
        f"p adj.: Holm over the {family} strategies of one suite, split and model (group rows are a family of their "
        "own). effect r: matched-pairs rank-biserial, positive = better than the reference."
    )


def _span(values: Sequence[int | None]) -> str:
    known = sorted({value for value in values if value is not None})
    return f"{known[0]}" if len(known) == 1 else f"{known[0]} to {known[-1]}"


def _about_power(rows: Sequence[Row]) -> list[str]:
    sizes = sorted({row.n_tasks for row in rows if row.group == ALL and row.n_tasks and row.success_rate is not None})
    if not sizes:
        return []
    gaps = ", ".join(f"{100 * detectable_gap(n):.1f} points for n = {n}" for n in sizes)
    text = (
        f"Smallest paired difference in success that can be told from chance (80 % power, 5 % level, "
        f"{100 * ASSUMED_DISCORDANCE:.0f} % of tasks discordant, tasks taken as independent): {gaps}"
    )
    if any(row.clusters for row in rows):
        text += " (questions of one conversation are not, so it takes more than that)"
    seen = sorted(row.mde for row in rows if row.mde is not None and row.group == ALL)
    found = f"; with the discordance observed: {100 * seen[0]:.1f} to {100 * min(1.0, seen[-1]):.1f}" if seen else ""
    return [f"{text}{found}."]


def _about_tokens(rows: Sequence[Row], names: set[str]) -> list[str]:
    out = []
    if names & {"context_tokens_mean", "context_tokens_max"}:
        out.append(
            "context mean, max: tokens that the memory put before the model, per decision (mean per task; the longest "
            "of any task)."
        )
    if "context_relative" in names:
        out.append("context rel.: mean context over that of the reference row; time rel.: the same of wall time.")
    if "tokens_total" in names:
        out.append(
            "tokens: prompt + completion of all the agent's calls per task (act + write + read, embedding calls "
            "included, retries and judge excluded); – where any usage was not told."
        )
    if "ingest_tokens" in names:
        out.append(
            "ingest: tokens that writing down one whole conversation took (part of tokens, shared out among its "
            "questions); per question: tokens of reading memory and answering."
        )
    if "answer_tokens" in names:
        out.append("answer: length of the answer in tokens.")
    if any(row.estimated_calls for row in rows):
        out.append("~ tokens of some calls were estimated by a tokenizer, not told by the provider.")
    if "cost_usd" in names:
        out.append(
            "US$: spend per task at the run's dated prices, retries included, replayed calls and judge excluded."
        )
    return out
