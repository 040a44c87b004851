"""The sentences below a printed table that say what its columns mean and how far they can be believed. Knows rows."""

from __future__ import annotations

from collections.abc import Sequence

from bench.report.columns import Column
from bench.report.notes_statistics import about_power, about_success, about_tests
from bench.report.row import ALL, Row

__all__ = ["write_notes"]

MANY = 100
"""Below this many tasks times runs a table warns."""


def write_notes(rows: Sequence[Row], columns: Sequence[Column]) -> tuple[str, ...]:
    """Return the sentences that belong below a table of these rows."""
    names = {column.metric.record_key for column in columns if column.metric}
    out = [
        *_about_scores(rows, names),
        *_about_judging(rows, names),
        *_about_evidence(names),
        *about_tests(rows),
        *about_power(rows),
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
    kinds = {row.clusters is None for row in rows}
    unit = "tasks" if kinds == {True} else "questions" if kinds == {False} else "tasks or questions"
    out = [f"n: scored/planned {unit}, repeats counted. All other columns are means over them, repeats averaged first."]
    if missing := [row for row in rows if not row.ranked]:
        count = sum(row.n_total - row.n for row in missing if row.group == ALL)
        out.append(
            f"Unranked rows have unscored trials ({count} in all; a conversation that could not be opened counts as "
            "one): resume the run to play them."
        )
    if "success_rate" in names:
        out += about_success(rows)
        apart = {
            (row.n_graded, row.n_tasks) for row in rows if row.group == ALL and row.n_graded not in (None, row.n_tasks)
        }
        rest = "the others have a column of their own or take a judge"
        out += [f"success rests on {some} of {n} questions: {rest}." for some, n in sorted(apart)]
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


def _about_judging(rows: Sequence[Row], names: set[str]) -> list[str]:
    out = []
    if "judge_accuracy" in names:
        who = sorted({f"{row.judge} under rubrics {row.rubrics}" for row in rows if row.judge})
        out.append(f"judge: share of answers that the judge ({', '.join(who)}) graded CORRECT; its tokens stand apart.")
        probed = sorted({row.judge_probes for row in rows if row.judge_probes})
        out += [f"{line}." for line in probed] or ["The judge was not probed in this run."]
    if names & {"success_sound", "judge_sound"}:
        out.append("sound: the same without the questions whose gold is known to be wrong.")
    if "f1" in names:
        out.append(
            "F1: word overlap with the gold over all questions; where traps are among them, a refusal counts as 1."
        )
    if "judge_adversarial" in names:
        out.append("judge adv.: the judge on the questions that lay a trap, which are not in the column judge.")
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


def _about_tokens(rows: Sequence[Row], names: set[str]) -> list[str]:
    out = []
    if names & {"context_tokens_mean", "context_tokens_max"}:
        out.append(
            "context mean, max: tokens that the memory put before the model, per decision (mean per task; the longest "
            "of any task)."
        )
    if "budget_tokens" in names:
        out.append(
            "budget: the most tokens a context was allowed; – no limit. A context over it is a strategy's error."
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
    if any(row.value("estimated_calls") for row in rows):
        out.append("~ tokens of some calls were estimated by a tokenizer, not told by the provider.")
    if "cost_usd" in names:
        out.append(
            "US$: spend per task at the run's dated prices, retries included, replayed calls and judge excluded."
        )
    return out
