"""Fixtures of the LongMemEval tests: a small synthetic file in the released format, and the data root."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adapters.longmemeval.data import ROOT

Rows = list[dict[str, Any]]
Write = Callable[[Rows], Path]
FILE = f"{ROOT}/longmemeval_oracle.json"

QUESTIONS = (
    ("q1", "single-session-user", "What did Zoë adopt?", "a hedgehog"),
    ("q2", "single-session-assistant", "Which trail did you name?", "The GR-90 trail."),
    ("q3", "single-session-preference", "Can you suggest a cello teacher?", "The user would prefer one in Łódź."),
    ("q4", "multi-session", "How many hedgehogs do I have?", 2),
    ("q5", "temporal-reasoning", "How many days ago did I adopt the hedgehog?", "7 days ago."),
    ("q6", "knowledge-update", "Where do I live now?", "Oslo"),
    ("q7_abs", "multi-session", "How many newts do I have?", "You did not mention newts."),
)


def instance(name: str, kind: str, question: str, answer: object) -> dict[str, Any]:
    """Three sessions out of order, the one that holds the answer first and under the file's own telling name."""
    return {
        "question_id": name,
        "question_type": kind,
        "question": question,
        "answer": answer,
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_dates": ["2023/05/23 (Tue) 10:05", "2023/05/23 (Tue) 09:00", "2023/06/01 (Thu) 08:00"],
        "haystack_session_ids": ["answer_1", "sharegpt_2", "ultrachat_3"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "Zoë and I adopted\na hedgehog.", "has_answer": True},
                {"role": "assistant", "content": "How lovely!", "has_answer": False},
            ],
            [{"role": "assistant", "content": "Here is the rest."}, {"role": "user", "content": "Thanks."}],
            [{"role": "user", "content": "Late, but said."}],
        ],
        "answer_session_ids": ["answer_1"],
    }


@pytest.fixture
def rows() -> Rows:
    """One sound instance of each question type, and one without an answer."""
    return [instance(*one) for one in QUESTIONS]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write the instances where the suite looks for its default split and return the data root."""

    def put(rows: Rows) -> Path:
        path = tmp_path / FILE
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(rows, indent=4, ensure_ascii=False), encoding="utf-8")
        return tmp_path

    return put


@pytest.fixture(scope="session")
def data_root() -> Path:
    root = Path(os.environ.get("BENCH_DATA", "no-such-folder")).resolve()
    if not (root / FILE).is_file():
        pytest.skip(f"$BENCH_DATA holds no {FILE}")
    return root
