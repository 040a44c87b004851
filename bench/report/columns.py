"""What a printed table shows: its columns in order, how each is written, which go first where room is short, and the
sentences below it that say what the columns mean. Knows rows; knows no output format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.report.row import Row
from bench.report.rows import ALL
from bench.stats.power import ASSUMED_DISCORDANCE, detectable_gap

__all__ = ["BLANK", "Column", "notes", "p_text", "shown"]

BLANK = "–"

MANY = 100
"""Below this many tasks times runs a table warns."""


@dataclass(frozen=True)
class Column:
    """One printed column. ``weight``: what is left out first where the terminal is narrow (0 = never)."""

    name: str
    header: str
    cell: Callable[[Row], str]
    weight: int = 0
    left: bool = False


def _number(name: str, digits: int) -> Callable[[Row], str]:
    def cell(row: Row) -> str:
        value = getattr(row, name)
        return BLANK if value is None else f"{value:,.{digits}f}"

    return cell


def _percent(name: str) -> Callable[[Row], str]:
    def cell(row: Row) -> str:
        value = getattr(row, name)
        return BLANK if value is None else f"{100 * value:.1f}"

    return cell


def _range(value: str, low: str, high: str) -> Callable[[Row], str]:
    def cell(row: Row) -> str:
        ends = [getattr(row, name) for name in (low, high)]
        if getattr(row, value) is None:
            return BLANK
        return f"{_percent(value)(row)} [{100 * ends[0]:.1f}, {100 * ends[1]:.1f}]"

    return cell


def p_text(p: float | None) -> str:
    """Return a p-value as printed: three decimals, ``<0.001`` below."""
    return BLANK if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def _effect(row: Row) -> str:
    return "ref." if row.reference == row.strategy else BLANK if row.effect_size is None else f"{row.effect_size:+.2f}"


def _tokens(row: Row) -> str:
    text = _number("tokens_total", 0)(row)
    return f"~{text}" if row.estimated_calls and text != BLANK else text


def _scored(row: Row) -> str:
    return f"{row.n}/{row.n_total}"


def _ends(row: Row) -> str:
    return ", ".join(f"{end.name} {end.n}" for end in row.ends) or BLANK


_COLUMNS = (
    Column("rank", "#", lambda row: str(row.rank) if row.rank else BLANK),
    Column("strategy", "strategy", lambda row: row.strategy, left=True),
    Column("group", "group", lambda row: row.group, left=True),
    Column("n", "n", _scored),
    Column("success_rate", "success %", _range("success_rate", "success_low", "success_high")),
    Column("success_rate_solvable", "solvable %", _percent("success_rate_solvable"), 9),
    Column("progress_rate", "progress %", _range("progress_rate", "progress_low", "progress_high"), 2),
    Column("judge_accuracy", "judge %", _percent("judge_accuracy"), 1),
    Column("f1", "F1 %", _percent("f1"), 1),
    Column("evidence_recall", "evidence recall %", _percent("evidence_recall"), 3),
    Column("evidence_precision", "evidence prec. %", _percent("evidence_precision"), 5),
    Column("steps", "steps", _number("steps", 1), 4),
    Column("steps_over_optimal", "steps/opt.", _number("steps_over_optimal", 2), 8),
    Column("valid_action_rate", "valid %", _percent("valid_action_rate"), 5),
    Column("helper_calls", "helper", _number("helper_calls", 1), 9),
    Column("context_tokens_mean", "context mean", _number("context_tokens_mean", 0), 3),
    Column("context_relative", "context rel. %", _percent("context_relative"), 7),
    Column("context_tokens_max", "context max", _number("context_tokens_max", 0), 6),
    Column("tokens_total", "tokens", _tokens, 1),
    Column("tokens_act", "act", _number("tokens_act", 0), 8),
    Column("tokens_write", "write", _number("tokens_write", 0), 8),
    Column("tokens_read", "read", _number("tokens_read", 0), 8),
    Column("tokens_learn", "learn", _number("tokens_learn", 0), 9),
    Column("cached_tokens", "cached", _number("cached_tokens", 0), 9),
    Column("cost_usd", "US$", _number("cost_usd", 4), 4),
    Column("calls", "calls", _number("calls", 1), 6),
    Column("p_value", "p", lambda row: p_text(row.p_value), 5),
    Column("p_adjusted", "p adj.", lambda row: p_text(row.p_adjusted), 2),
    Column("effect_size", "effect r", _effect, 3),
    Column("ends", "ends", _ends, 10, left=True),
)
_TIMING = (
    Column("wall_model_s", "model s", _number("wall_model_s", 2), 7),
    Column("wall_env_s", "env s", _number("wall_env_s", 2), 7),
    Column("wall_memory_s", "memory s", _number("wall_memory_s", 2), 7),
    Column("wall_harness_s", "harness s", _number("wall_harness_s", 2), 7),
    Column("wall_relative", "time rel. %", _percent("wall_relative"), 7),
)
_ONLY_IF_NONZERO = frozenset(
    {"helper_calls", "tokens_write", "tokens_read", "tokens_learn", "cached_tokens", "cost_usd"}
)


def shown(rows: Sequence[Row], *, timing: bool) -> tuple[Column, ...]:
    """Return the columns that have something to say about these rows."""

    def speaks(column: Column) -> bool:
        if column.name == "group":
            return any(row.group != ALL for row in rows)
        if column.name == "success_rate_solvable":  # only where the cap leaves some tasks out of reach
            return any(row.success_rate_solvable not in (None, row.success_rate) for row in rows)
        if column.name in _ONLY_IF_NONZERO:
            return any(getattr(row, column.name) for row in rows)
        return any(column.cell(row) not in (BLANK, "") for row in rows)

    return tuple(column for column in (*_COLUMNS, *(_TIMING if timing else ())) if speaks(column))


def notes(rows: Sequence[Row], columns: Sequence[Column]) -> tuple[str, ...]:
    """Return the sentences that belong below a table of these rows."""
    names = {column.name for column in columns}
    out = [*_about_scores(rows, names), *_about_tests(rows), *_about_power(rows), *_about_tokens(rows, names)]
    if any(row.offline for row in rows):
        out.append(
            "offline (rule-based): a fixed program read the prompts, not a language model; these rows compare what a "
            "memory keeps per token and say nothing about any model."
        )
    if any(name.startswith("wall_") for name in names):
        out.append("model, env, memory, harness s: wall seconds per task; they differ between equal runs.")
    return tuple(out)


def _about_scores(rows: Sequence[Row], names: set[str]) -> list[str]:
    out = ["n: scored/planned tasks, repeats counted. All other columns are means per task, repeats averaged first."]
    if missing := [row for row in rows if not row.ranked]:
        count = sum(row.n_total - row.n for row in missing if row.group == ALL)
        out.append(f"Unranked rows have unscored trials ({count} in all): resume the run to play them.")
    if "success_rate" in names:
        episodes = any(row.steps is not None for row in rows)
        what = "the environment said won" if episodes else "the main score of a question"
        out.append(f"success: {what}; [95 % Wilson interval] over tasks (BCa bootstrap where it is graded).")
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


def _about_tests(rows: Sequence[Row]) -> list[str]:
    tested = [row for row in rows if row.p_value is not None]
    if not tested:
        return []
    methods = sorted({row.test_method for row in tested if row.test_method not in (None, "none")})
    metrics = sorted({str(row.test_metric) for row in tested})
    pairs = _span([row.n_pairs for row in tested])
    moved = _span([row.n_nonzero for row in tested])
    family = len([row for row in tested if row.group == ALL and row.suite == tested[0].suite])
    return [
        f"p: two-sided paired Wilcoxon signed-rank test ({' or '.join(map(str, methods)) or 'no difference'}) on "
        f"{' or '.join(metrics)} against {tested[0].reference}, over the tasks scored for both (n = {pairs}); zero "
        f"differences are dropped (rule wilcox; non-zero: {moved}).",
        f"p adj.: Holm over the {family} strategies of one suite, split and model (group rows are a family of their "
        "own). effect r: matched-pairs rank-biserial, positive = better than the reference.",
    ]


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
    if any(row.estimated_calls for row in rows):
        out.append("~ tokens of some calls were estimated by a tokenizer, not told by the provider.")
    if "cost_usd" in names:
        out.append(
            "US$: spend per task at the run's dated prices, retries included, replayed calls and judge excluded."
        )
    return out
