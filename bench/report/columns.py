"""What a printed table shows: its columns in order, how each is written, which go first where room is short. Knows
rows; knows no output format. What the columns mean is said in ``notes.py``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.report.aggregate import ALL
from bench.report.row import Row

__all__ = ["BLANK", "Column", "p_text", "shown"]

BLANK = "–"


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
        if getattr(row, value) is None or None in ends:
            return _percent(value)(row)
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
    Column("success_sound", "sound %", _percent("success_sound"), 3),
    Column("progress_rate", "progress %", _range("progress_rate", "progress_low", "progress_high"), 2),
    Column("judge_accuracy", "judge %", _range("judge_accuracy", "judge_low", "judge_high"), 1),
    Column("judge_sound", "judge sound %", _percent("judge_sound"), 3),
    Column("f1", "F1 %", _percent("f1"), 1),
    Column("judge_adversarial", "judge adv. %", _percent("judge_adversarial"), 4),
    Column("adversarial", "adversarial %", _percent("adversarial"), 2),
    Column("abstention", "abstention %", _percent("abstention"), 2),
    Column("evidence_recall", "evidence recall %", _percent("evidence_recall"), 3),
    Column("evidence_precision", "evidence prec. %", _percent("evidence_precision"), 5),
    Column("answer_tokens", "answer", _number("answer_tokens", 1), 7),
    Column("steps", "steps", _number("steps", 1), 4),
    Column("steps_over_optimal", "steps/opt.", _number("steps_over_optimal", 2), 8),
    Column("valid_action_rate", "valid %", _percent("valid_action_rate"), 5),
    Column("helper_calls", "helper", _number("helper_calls", 1), 9),
    Column("budget_tokens", "budget", _number("budget_tokens", 0), 3),
    Column("context_tokens_mean", "context mean", _number("context_tokens_mean", 0), 3),
    Column("context_relative", "context rel. %", _percent("context_relative"), 7),
    Column("context_tokens_max", "context max", _number("context_tokens_max", 0), 6),
    Column("tokens_total", "tokens", _tokens, 1),
    Column("query_tokens", "per question", _number("query_tokens", 0), 6),
    Column("ingest_tokens", "ingest", _number("ingest_tokens", 0), 6),
    Column("tokens_act", "act", _number("tokens_act", 0), 8),
    Column("tokens_write", "write", _number("tokens_write", 0), 8),
    Column("tokens_read", "read", _number("tokens_read", 0), 8),
    Column("tokens_learn", "learn", _number("tokens_learn", 0), 9),
    Column("tokens_judge", "judge tokens", _number("tokens_judge", 0), 9),
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
    {
        "helper_calls",
        "tokens_judge",
        "ingest_tokens",
        "tokens_write",
        "tokens_read",
        "tokens_learn",
        "cached_tokens",
        "cost_usd",
    }
)


def shown(rows: Sequence[Row], *, timing: bool) -> tuple[Column, ...]:
    """Return the columns that have something to say about these rows."""

    def speaks(column: Column) -> bool:
        if column.name == "group":
            return any(row.group != ALL for row in rows)
        if column.name == "success_rate_solvable":  # only where the cap leaves some tasks out of reach
            return any(row.success_rate_solvable not in (None, row.success_rate) for row in rows)
        if column.name == "query_tokens":  # says nothing new where nothing was spent before the first question
            return any(row.ingest_tokens for row in rows)
        if column.name == "f1":  # the main score of a suite stands in its own column already
            return any(row.f1 not in (None, row.success_rate) for row in rows)
        if column.name in _ONLY_IF_NONZERO:
            return any(getattr(row, column.name) for row in rows)
        return any(column.cell(row) not in (BLANK, "") for row in rows)

    return tuple(column for column in (*_COLUMNS, *(_TIMING if timing else ())) if speaks(column))
