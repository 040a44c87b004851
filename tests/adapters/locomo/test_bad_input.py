"""Broken data through ``bench run``: errors name file, conversation and field; other conversations are scored."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from adapters.locomo.data import FILE
from tests.conftest import Done, RunBench

Rows = list[dict[str, Any]]
Write = Callable[[Rows], Path]
Ask = Callable[..., Done]


@pytest.fixture
def run(bench: RunBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Run LoCoMo from the data in ``tmp_path`` with the offline reader."""
    monkeypatch.setenv("BENCH_DATA", str(tmp_path))

    def ask(suite: str = "locomo", *words: str) -> Done:
        return bench("run", suite, "-s", "full-history", "-m", "offline/reader", "--workers", "1", "-o", "run", *words)

    return ask


def outcomes(root: Path) -> dict[str, str]:
    with sqlite3.connect(root / "run" / "run.sqlite") as held:
        return {task: f"{status}: {error}" for task, status, error in held.execute(_TRIALS)}


def count_items(root: Path) -> dict[str, int]:
    with sqlite3.connect(root / "run" / "run.sqlite") as held:
        return dict(held.execute(_SCORED).fetchall())


_TRIALS = "SELECT task, status, error FROM trials ORDER BY task"
_SCORED = "SELECT task, COUNT(*) FROM trials JOIN items ON items.trial = trials.id GROUP BY task"


def remove_date(conversation: dict[str, Any]) -> None:
    del conversation["conversation"]["session_2_date_time"]


def remove_answer(conversation: dict[str, Any]) -> None:
    del conversation["qa"][2]["answer"]


def remove_sessions(conversation: dict[str, Any]) -> None:
    conversation["conversation"] = {"speaker_a": "Zoë", "speaker_b": "Łukasz"}


def remove_questions(conversation: dict[str, Any]) -> None:
    conversation["qa"] = []


def remove_turns(conversation: dict[str, Any]) -> None:
    conversation["conversation"] |= {"session_1": [], "session_2": None}


DAMAGES = (
    (remove_date, "conversation.session_2_date_time"),
    (remove_answer, "qa[2].answer"),
    (remove_sessions, "conversation"),
    (remove_questions, "qa"),
    (remove_turns, "conversation"),
)


def test_run_names_broken_conversations_and_scores_the_others(run: Ask, rows: Rows, write: Write) -> None:
    broken = [deepcopy(rows[0]) | {"sample_id": f"broken-{number}"} for number in range(len(DAMAGES))]
    for conversation, (damage, _) in zip(broken, DAMAGES, strict=True):
        damage(conversation)
    root = write([*broken, *rows])
    done = run()
    assert done.code == 1, done.err
    ended = outcomes(root)
    for conversation, (_, field) in zip(broken, DAMAGES, strict=True):
        told = ended.pop(conversation["sample_id"])
        assert told.startswith(f"data-error: locomo: expected {FILE} {conversation['sample_id']} {field} to be "), told
        assert "bench data check locomo" in told
        assert "data get" not in told  # the file is the user's own: it must not be replaced
    assert ended == dict.fromkeys(("conv-1", "conv-2", "conv-3", "conv-4"), "done: ")
    assert count_items(root) == dict.fromkeys(ended, 5)
    assert "5 trials unscored" in done.err


def test_run_repairs_unknown_evidence_or_reports_it(run: Ask, rows: Rows, write: Write) -> None:
    rows[0]["qa"][0]["evidence"] = ["D7:7", "D1:1"]
    root = write(rows)
    assert run().code == 0
    assert outcomes(root)["conv-4"] == "done: "
    (root / "run").rename(root / "mended")
    assert run("locomo:evidence=off").code == 1
    ended = outcomes(root)
    assert "conv-4 qa[0].evidence to be sound, got 'D7:7'" in ended["conv-4"]
    assert [ended[name] for name in ("conv-1", "conv-2", "conv-3")] == ["done: "] * 3


def test_run_says_once_what_is_not_shown_and_the_table_says_it_too(run: Ask, rows: Rows, write: Write) -> None:
    for conversation in rows:
        conversation["conversation"]["session_1"][1] |= {"text": 7, "video": "a.mp4", "blip_caption": None}
    write(rows)
    done = run()
    assert done.code == 0, done.err
    expected = "locomo/data/locomo10.json: not shown: 4, first conv-1 conversation.session_1[1]: 'video'"
    assert done.err.count(expected) == 1
    assert expected in " ".join(done.out.split())


def test_run_stops_at_file_that_is_no_json(run: Ask, rows: Rows, write: Write) -> None:
    root = write(rows)
    text = (root / FILE).read_text(encoding="utf-8")
    (root / FILE).write_text(text[: len(text) // 2], encoding="utf-8")
    done = run()
    assert done.code != 0
    assert FILE in done.err
    assert "JSON" in done.err
    assert "data get" not in done.err
    assert "Traceback" not in done.err


def test_run_accepts_session_of_200000_tokens(run: Ask, rows: Rows, write: Write) -> None:
    long = [
        {"speaker": ("Zoë", "Łukasz")[index % 2], "dia_id": f"D1:{index + 3}", "text": f"w{index} " * 100}
        for index in range(2000)
    ]
    rows[0]["conversation"]["session_1"] += long
    root = write(rows[:1])
    done = run()
    assert done.code == 0, done.err
    with sqlite3.connect(root / "run" / "run.sqlite") as held:
        (longest,) = held.execute("SELECT MAX(context_tokens) FROM steps").fetchone()
    assert longest > 200_000


def test_run_keeps_text_of_any_script(run: Ask, rows: Rows, write: Write) -> None:
    text = json.dumps(rows[:1], ensure_ascii=False).replace("Zoë", "Анна").replace("Łukasz", "李雷")
    root = write(json.loads(text))
    assert run().code == 0
    with sqlite3.connect(root / "run" / "run.sqlite") as held:
        answers = dict(held.execute("SELECT stimulus, decision FROM steps").fetchall())
    assert set(answers) == {
        *("When did Анна adopt a hedgehog?", "What instrument did 李雷 buy?", "What is Анна's hedgehog called?"),
        *("Is Анна kind?", "What instrument did Анна buy?"),
    }
    assert answers["When did Анна adopt a hedgehog?"] == "7 May 2023"
