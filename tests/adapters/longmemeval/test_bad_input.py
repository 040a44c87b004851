"""Broken instances through ``bench run``: errors name file, instance and field; other instances are scored."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.longmemeval.conftest import FILE, Rows, Write, instance
from tests.conftest import Done, RunBench

Damage = Callable[[dict[str, Any]], object]
DAMAGES: dict[str, tuple[Damage, str]] = {
    "no question": (lambda row: row.pop("question"), "question"),
    "no gold": (lambda row: row.update(answer=None), "answer"),
    "empty haystack": (lambda row: row.update(haystack_sessions=[], haystack_dates=[], haystack_session_ids=[]), "hay"),
    "lists of unequal length": (lambda row: row["haystack_dates"].pop(), "haystack_dates"),
    "a session without a date": (lambda row: row["haystack_dates"].__setitem__(1, ""), "haystack_dates"),
    "an unknown type": (lambda row: row.update(question_type="riddle"), "question_type"),
    "a turn that is no record": (lambda row: row["haystack_sessions"][0].append("hello"), "haystack_sessions"),
}


@pytest.fixture
def run(bench: RunBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """Run LongMemEval from the data in ``tmp_path`` with the offline reader."""
    monkeypatch.setenv("BENCH_DATA", str(tmp_path))
    words = ("-s", "full-history", "-m", "offline/reader", "--workers", "1", "-o", "run")
    return lambda *more: bench("run", "longmemeval", *words, *more)


def outcomes(root: Path) -> dict[str, tuple[str, str]]:
    with closing(sqlite3.connect(root / "run" / "run.sqlite")) as held:
        return {task: (status, error) for task, status, error in held.execute("SELECT task, status, error FROM trials")}


@pytest.mark.parametrize("kind", sorted(DAMAGES))
def test_run_names_broken_instance_and_answers_the_others(
    kind: str, run: Callable[..., Done], rows: Rows, write: Write
) -> None:
    damage, field = DAMAGES[kind]
    broken = instance("broken", "single-session-user", "What did Zoë adopt?", "a hedgehog")
    damage(broken)
    root = write([*rows[:3], broken, *rows[3:]])
    done = run()
    assert done.code == 1, done.err
    found = outcomes(root)
    status, error = next(value for task, value in found.items() if "broken" in task or "unreadable" in task)
    assert status == "data-error"
    assert FILE.rpartition("/")[2] in error
    assert "broken" in error
    assert field in error
    assert [value for value in found.values() if value[0] == "data-error"] == [(status, error)]
    assert sum(value[0] == "done" for value in found.values()) == len(rows)
    assert f"{len(rows)}/{len(rows) + 1}" in done.out


def test_run_loses_one_instance_to_broken_json(run: Callable[..., Done], rows: Rows, write: Write) -> None:
    root = write(rows)
    path = root / FILE
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace('"Which trail did you name?"', '"Which trail did you name?" oops', 1), encoding="utf-8"
    )
    assert run().code == 1
    statuses = [status for status, _ in outcomes(root).values()]
    assert sorted(statuses) == ["data-error", *["done"] * (len(rows) - 1)]


def test_run_accepts_session_of_200000_tokens(run: Callable[..., Done], rows: Rows, write: Write) -> None:
    rows[0]["haystack_sessions"][1][0]["content"] = "and then we walked along the long quiet river " * 22_000
    root = write(rows[:1])
    assert run().code == 0
    with closing(sqlite3.connect(root / "run" / "run.sqlite")) as held:
        ((decision, tokens),) = held.execute("SELECT decision, context_tokens FROM steps")
    assert "hedgehog" in decision
    assert tokens > 190_000


def test_run_tells_evidence_by_session_once_and_scores_no_turns(
    run: Callable[..., Done], rows: Rows, write: Write
) -> None:
    for row in rows:
        for session in row["haystack_sessions"]:
            for turn in session:
                turn.pop("has_answer", None)
    root = write(rows)
    done = run()
    assert done.code == 0, done.err
    told = "evidence by session: 6 instances mark no turn (has_answer)"
    assert done.err.count(told) == 1
    assert told in " ".join(done.out.split())
    with closing(sqlite3.connect(root / "run" / "run.sqlite")) as held:
        ((scores, reasons),) = held.execute("SELECT scores, reasons FROM items WHERE item = 'q1'").fetchall()
    values = json.loads(scores)
    assert values["evidence_session_recall"] == 1.0
    for name in ("evidence_recall", "evidence_jaccard", "evidence_recall_official", "error_retrieval"):
        assert (values.get(name), json.loads(reasons)[name]) == (None, "sessions are named, no turns")


def test_run_reads_file_with_byte_order_mark_and_deep_nesting(
    run: Callable[..., Done], rows: Rows, write: Write
) -> None:
    path = write(rows) / FILE
    text = path.read_text(encoding="utf-8").replace('"a hedgehog"', "[" * 50_000 + "]" * 50_000, 1)
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    done = run()
    assert (done.code, "Traceback" in done.err) == (1, False)
    assert sorted(status for status, _ in outcomes(path.parents[1]).values()) == ["data-error", *["done"] * 6]
