"""The sentences below a printed table: what its columns mean, and how reliable they are. Knows rows.

What a metric is, the catalogue says; this file adds what depends on the rows. ``write_notes`` is everything, for
Markdown, LaTeX and ``--notes``; ``write_legend`` is the few lines that a terminal needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from bench.report.columns import Column
from bench.report.notes_statistics import describe_power, describe_success, describe_tests, describe_tests_briefly
from bench.report.role_models import RULE_BASED_NOTE, describe_role_models
from bench.report.row import ALL, Row
from bench.scoring.metric import Topic

__all__ = ["write_legend", "write_notes"]

MANY = 100
"""Below this many tasks times runs a table warns."""


def write_notes(rows: Sequence[Row], columns: Sequence[Column]) -> tuple[str, ...]:
    """Return every sentence that belongs below a table of these rows."""
    names = {column.metric.name for column in columns if column.metric}
    out = [
        f"n: scored/planned {_name_unit(rows)}, repeats counted. All other columns are means over them, "
        "repeats averaged first.",
        *_describe_unranked(rows),
        *(_describe_success(rows) if "success" in names else ()),
        *_collect_definitions(columns, Topic.OUTCOME),
        *_describe_failures(rows),
        *_describe_data(rows),
        *_describe_size(rows),
        *(_describe_judge(rows) if "judge_accuracy" in names else ()),
        *_collect_definitions(columns, Topic.ANSWERS),
        *_describe_privileged(rows),
        *_describe_learned(rows),
        *_describe_marks(rows),
        *_collect_definitions(columns, Topic.EVIDENCE),
        *_describe_evidence(rows),
        *describe_tests(rows),
        *describe_power(rows),
        *_collect_definitions(columns, Topic.EFFORT),
        *_describe_estimates(rows),
        *_describe_embedders(rows),
        *_describe_role_models(rows),
        *_describe_offline(rows),
        *_collect_definitions(columns, Topic.TIME),
    ]
    return tuple(dict.fromkeys(out))


def write_legend(rows: Sequence[Row], columns: Sequence[Column]) -> tuple[str, ...]:
    """Return the few lines that a table on a terminal needs: what is counted, what is tested, what is alarming."""
    names = {column.metric.name for column in columns if column.metric}
    first = f"n: scored/planned {_name_unit(rows)}. "
    if "success" in names:
        first += f"{_name_success(rows)}, with 95 % interval. "
    out = [f"{first}All definitions: bench table --notes.", *describe_tests_briefly(rows)]
    if any(row.offline for row in rows):
        out.append(f"{RULE_BASED_NOTE}.")
    out += _describe_role_models(rows)
    out += _describe_learned(rows)
    out += _describe_data(rows)
    alarms = [
        *_describe_unranked(rows),
        *_describe_failures(rows),
        *_describe_estimates(rows),
        *_describe_marks(rows),
    ]
    return (*out, " ".join(alarms)) if alarms else tuple(out)


def _collect_definitions(columns: Sequence[Column], topic: Topic) -> list[str]:
    metrics = [column.metric for column in columns if column.metric]
    return [metric.definition for metric in metrics if metric.topic is topic and metric.noted]


def _name_unit(rows: Sequence[Row]) -> str:
    kinds = {row.clusters is None for row in rows}
    return "tasks" if kinds == {True} else "questions" if kinds == {False} else "tasks or questions"


def _name_success(rows: Sequence[Row]) -> str:
    kinds = sorted({row.clusters is None and row.value("steps") is not None for row in rows if row.n}, reverse=True)
    meanings = ["the environment reported a win" if episode else "the main score of a question" for episode in kinds]
    return f"success: {', or '.join(meanings)}"


def _describe_unranked(rows: Sequence[Row]) -> list[str]:
    missing = [row for row in rows if not row.ranked]
    if not missing:
        return []
    count = sum(row.n_total - row.n for row in missing if row.group == ALL)
    return [
        f"Unranked rows have unscored trials ({count} in all; a conversation that could not be opened counts as "
        "one): resume the run to play them."
    ]


def _describe_success(rows: Sequence[Row]) -> list[str]:
    partial = {
        (row.n_graded, row.n_tasks) for row in rows if row.group == ALL and row.n_graded not in (None, row.n_tasks)
    }
    rest = "the others have a column of their own or take a judge"
    return [
        *describe_success(rows),
        *(f"success rests on {graded} of {n} questions: {rest}." for graded, n in sorted(partial)),
    ]


def _describe_failures(rows: Sequence[Row]) -> list[str]:
    failed = sum(c.n for row in rows if row.group == ALL for c in row.statuses if c.name == "strategy-error")
    text = f"{failed} trials ended in an error of the strategy itself; they count as failures."
    return [text] if failed else []


def _describe_data(rows: Sequence[Row]) -> list[str]:
    """One line for each notice about the data."""
    return [f"Data: {notice}." for notice in dict.fromkeys(notice for row in rows for notice in row.notices)]


def _describe_size(rows: Sequence[Row]) -> list[str]:
    sizes = [row.n_tasks * row.runs for row in rows if row.group == ALL]
    smallest = min((size for size in sizes if size < MANY), default=None)
    if smallest is None:
        return []
    return [f"Few tasks: n × runs = {smallest} is below {MANY}; one more success moves a rate a good deal."]


def _describe_judge(rows: Sequence[Row]) -> list[str]:
    who = sorted({f"{row.judge} under rubrics {row.rubrics}" for row in rows if row.judge})
    probes = sorted({row.judge_probes for row in rows if row.judge_probes})
    return [
        f"judge: share of answers that the judge ({', '.join(who)}) graded CORRECT; its tokens have a column of their "
        "own.",
        *([f"{line}." for line in probes] or ["The judge was not probed in this run."]),
    ]


def _describe_privileged(rows: Sequence[Row]) -> list[str]:
    names = sorted({row.strategy for row in rows if row.privileged})
    return [f"{', '.join(names)}: sees the evidence of each question; an upper bound, not ranked."] if names else []


def _describe_evidence(rows: Sequence[Row]) -> list[str]:
    sizes = {(row.n_attributed, row.n_tasks) for row in rows if row.group == ALL and row.n_attributed}
    unit = _name_unit(rows)
    lines = [f"constr., retr., reason. rest on {n} of {of} {unit}." for n, of in sorted(sizes) if n != of]
    kinds = sorted({row.evidence for row in rows if row.evidence})
    return [*lines, *(f"evidence: {kind}, derived from the simulator; the data set names none." for kind in kinds)]


def _describe_learned(rows: Sequence[Row]) -> list[str]:
    """One line for each pool of training trials, with the artifacts that were made of it."""
    found = [row for row in rows if row.group == ALL and row.learned]
    pools = dict.fromkeys((row.learned, row.pool) for row in found)
    lines = []
    for learned, pool in pools:
        made = [(row.strategy, row.artifact) for row in found if (row.learned, row.pool) == (learned, pool)]
        names = ", ".join(name for name, _ in made)
        artifacts = list(dict.fromkeys(str(artifact) for _, artifact in made))
        noun = "artifact" + "s" * (len(artifacts) > 1)
        lines.append(f"{names} learned from {learned}; pool {pool}, {noun} {', '.join(artifacts)}.")
    return lines


def _describe_marks(rows: Sequence[Row]) -> list[str]:
    meanings = {
        "leak": "learned from tasks that it is evaluated on; its score says nothing about other tasks.",
        "edited": "what it learned was changed by hand afterwards.",
        "foreign": "what it learned is about another suite.",
        "placebo": "a control: in the place of every line of what was learned stands foreign text of the same length.",
        "shuffled": "a control: every text that was learned is that of other tasks.",
        "swapped": "a control: nouns that were learned are exchanged with each other.",
    }
    names = {mark: sorted({row.strategy for row in rows if mark in row.marks}) for mark in meanings}
    return [f"{', '.join(names[mark])}: {text}" for mark, text in meanings.items() if names[mark]]


def _describe_estimates(rows: Sequence[Row]) -> list[str]:
    text = "~ tokens of some calls were estimated by a tokenizer, not reported by the provider."
    out = [text] if any(row.value("estimated_calls") for row in rows) else []
    missing = [(row.strategy, row.value("unreported_calls") or 0.0) for row in rows if row.group == ALL]
    counts = ", ".join(f"{strategy} {_write_count(calls)}" for strategy, calls in missing if calls)
    return [*out, f"No tokens (–) where a usage was not reported; such calls per task: {counts}."] if counts else out


def _write_count(mean: float) -> str:
    """Return a mean number of calls with three digits, and never as a power of ten."""
    return f"{mean:,.0f}" if mean >= 100 else f"{mean:.3g}"


def _describe_embedders(rows: Sequence[Row]) -> list[str]:
    names = sorted({row.embedder for row in rows if row.embedder and not row.offline})
    users = {name: sorted({row.strategy for row in rows if row.embedder == name}) for name in names}
    return [f"Embedder of {', '.join(strategies)}: {name}." for name, strategies in users.items()]


def _describe_role_models(rows: Sequence[Row]) -> list[str]:
    """One line for each row with models of its own for some roles: which they are, and what they took."""
    found = [row for row in rows if row.group == ALL and row.role_models]
    return [
        describe_role_models(row.strategy, row.model, row.role_models or {}, partial(_describe_amount, row))
        for row in found
    ]


def _describe_amount(row: Row, roles: Sequence[str]) -> str:
    """Return what the calls of some roles took, in words; empty where that is not known."""
    tokens, cost = (_add([row.value(f"{name}_role_{role}") for role in roles]) for name in ("tokens", "cost_usd"))
    if tokens is None:
        return ""
    unit = "task" if row.clusters is None else "question"
    return f" ({tokens:,.0f} tokens{f', US$ {cost:.3g}' if cost else ''} per {unit})"


def _add(values: Sequence[float | None]) -> float | None:
    return None if None in values else sum(value or 0.0 for value in values)


def _describe_offline(rows: Sequence[Row]) -> list[str]:
    found = [row for row in rows if row.offline]
    if not found:
        return []
    if all(row.role_models for row in found):  # each has its own sentence
        return [f"{RULE_BASED_NOTE}."]
    return [f"{RULE_BASED_NOTE}; these rows compare what a memory keeps per token and say nothing about any model."]
