"""Sums up the tables of this board: ``python summary.py`` reads the NAME.json beside it and prints a table of each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.report.columns import BLANK, format_p

HERE = Path(__file__).parent
BOARDS = (
    "alfworld-2200", "alfworld-1950", "alfworld-300", "locomo", "locomo-all", "longmemeval-oracle", "longmemeval-s",
)  # fmt: skip
SHARES = (
    "evidence_recall",
    "evidence_jaccard",
    "retention",
    "error_construction",
    "error_retrieval",
    "error_reasoning",
)
COMMON = ("strategy", "success %", "p adj.", "recall %", "Jaccard %", "retained %", "constr. %", "retr. %", "reason. %")
EPISODES = ("steps", "context", "reads/step", "read + act", "% of full", "write", "total")
QUESTIONS = ("context", "reads", "query", "% of full", "ingest", "pays off", "total")

Values = Mapping[str, object]


def write_summary(name: str) -> str:
    """Return the table of one board, best first."""
    rows: list[Values] = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    (full,) = (row for row in rows if row["strategy"] == "full-history")
    rows = sorted(rows, key=lambda row: (-read(row, "success_rate"), read(row, "tokens_total"), row["strategy"]))
    is_talk = row_has(full, "query_tokens")
    head = (*COMMON, *(QUESTIONS if is_talk else EPISODES))
    tail = write_question if is_talk else write_episode
    lines = [head, ("---", *("---:" for _ in head[1:])), *((*write_scores(row), *tail(row, full)) for row in rows)]
    about = f"## {name}\n\n{full['suite']} {full['split']}, {full['n_total']} {'questions' if is_talk else 'games'}"
    return "\n".join([about, "", *(f"| {' | '.join(line)} |" for line in lines), ""])


def read(row: Values, name: str) -> float:
    """Return a number of a row, 0 where it has none."""
    value = row.get(name)
    return float(value) if isinstance(value, int | float) else 0.0


def row_has(row: Values, name: str) -> bool:
    return row.get(name) is not None


def write_scores(row: Values) -> tuple[str, ...]:
    p = row.get("p_adjusted")
    test = format_p(p) if isinstance(p, float) else BLANK
    shares = (f"{100 * read(row, name):.1f}" if row_has(row, name) else BLANK for name in SHARES)
    return (str(row["strategy"]), f"{100 * read(row, 'success_rate'):.1f}", test, *shares)


def write_episode(row: Values, full: Values) -> tuple[str, ...]:
    query, whole = (read(one, "tokens_act") + read(one, "tokens_read") for one in (row, full))
    return (f"{read(row, 'steps'):.1f}", *write_reads(row), *write_counts(query), share(query, whole),
            *write_counts(read(row, "tokens_write"), read(row, "tokens_total")))  # fmt: skip


def write_question(row: Values, full: Values) -> tuple[str, ...]:
    query, whole = read(row, "query_tokens"), read(full, "query_tokens")
    saved = f"{read(row, 'pays_off_after'):.1f}" if row_has(row, "pays_off_after") else BLANK
    written = write_counts(read(row, "ingest_tokens"))
    return (*write_reads(row), *write_counts(query), share(query, whole), *written, saved,
            *write_counts(read(row, "tokens_total")))  # fmt: skip


def write_reads(row: Values) -> tuple[str, str]:
    return f"{read(row, 'context_tokens_mean'):,.0f}", f"{read(row, 'retrieval_calls'):.1f}"


def write_counts(*counts: float) -> Sequence[str]:
    return [f"{count:,.0f}" for count in counts]


def share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f}"


if __name__ == "__main__":
    print("\n".join(map(write_summary, BOARDS)), end="")
