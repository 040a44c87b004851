"""Fixtures of the LoCoMo tests: a small synthetic file in the released format, and the data root."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from adapters.locomo.data import FILE

Rows = list[dict[str, Any]]
Write = Callable[[Rows], Path]


def _conversation(name: str) -> dict[str, Any]:
    first = [
        {"speaker": "Zoë", "dia_id": "D1:1", "text": "Hi Łukasz!\nI adopted a hedgehog yesterday."},
        {
            "speaker": "Łukasz",
            "dia_id": "D1:2",
            "text": "Lovely! I bought a cello last week.",
            "blip_caption": "a cello",
        },
    ]
    second = [{"speaker": "Zoë", "dia_id": "D2:1", "text": "The hedgehog is called Truffle."}]
    return {
        "sample_id": name,
        "conversation": {
            **{"speaker_a": "Zoë", "speaker_b": "Łukasz"},
            **{"session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": first},
            **{"session_2_date_time": "9:05 am on 1 June, 2023", "session_2": second},
        },
        "qa": [
            {"question": "When did Zoë adopt a hedgehog?", "answer": "7 May 2023", "evidence": ["D1:1"], "category": 2},
            {"question": "What instrument did Łukasz buy?", "answer": "a cello", "evidence": ["D1:2"], "category": 4},
            {"question": "What is Zoë's hedgehog called?", "answer": "Truffle", "evidence": ["D2:1"], "category": 1},
            {"question": "Is Zoë kind?", "answer": "Yes; she adopts", "evidence": [], "category": 3},
            {"question": "What instrument did Zoë buy?", "answer": "none", "evidence": ["D1:2"], "category": 5},
        ],
    }


@pytest.fixture
def rows() -> Rows:
    """Four sound conversations, in another order than that of their names."""
    return [deepcopy(_conversation(f"conv-{number}")) for number in (4, 1, 3, 2)]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write the conversations where the suite looks for them and return the data root."""

    def put(rows: Rows) -> Path:
        path = tmp_path / FILE
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(rows), encoding="utf-8")
        return tmp_path

    return put


@pytest.fixture(scope="session")
def data_root() -> Path:
    root = Path(os.environ.get("BENCH_DATA", "no-such-folder")).resolve()
    if not (root / FILE).is_file():
        pytest.skip(f"$BENCH_DATA holds no {FILE}")
    return root
