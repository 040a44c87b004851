"""Sound files of every kind that a user has: what commands are tried on, and what is damaged."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.faults.campaign.books import write_endpoint
from tests.faults.campaign.command import call
from tests.faults.campaign.tries import Place

__all__ = ["LOCOMO", "LONGMEMEVAL", "copy_sound"]

LOCOMO, LONGMEMEVAL = Path("data/locomo/data/locomo10.json"), Path("data/longmemeval/mine.json")
_RUN = ("run", "toy:houses=3", "toy-talk:talks=1", "-s", "full-history,no-memory", "--seeds", "0,1", "--workers", "1")


def copy_sound(place: Place) -> Path:
    """Return a fresh folder with all of them: runs, an artifact, a cache, a cassette, settings, data."""
    found = place.folder / "work"
    shutil.copytree(place.share("sound", _make_sound), found)
    return found


def _make_sound(folder: Path) -> None:
    for words in (
        (*_RUN, "-o", "run", "--cache", "read-write"),
        ("learn", "toy:houses=8", "-s", "exprag", "--embedder", "hash", "-o", "learned"),
        ("cache", "export", "table.jsonl.gz"),
    ):
        done = call(folder, *words)
        assert done.code == 0, done.err
    shutil.copy(folder / "run" / "run.toml", folder / "question.toml")
    write_endpoint(folder)
    (folder / "text.txt").write_text("nothing of ours\n")
    (folder / "empty").mkdir()
    for path, rows in ((LOCOMO, [_make_locomo(n) for n in (1, 2)]), (LONGMEMEVAL, [_make_instance(n) for n in (1, 2)])):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(json.dumps(rows, indent=1))


def _make_locomo(number: int) -> dict[str, object]:
    """Return a conversation in the released format."""
    first = [
        {"speaker": "Ann", "dia_id": "D1:1", "text": "I adopted a hedgehog yesterday."},
        {"speaker": "Bo", "dia_id": "D1:2", "text": "Look at my cello.", "blip_caption": "a cello", "query": "cello"},
    ]
    second = [{"speaker": "Ann", "dia_id": "D2:1", "text": "The hedgehog is called Truffle."}]
    return {
        "sample_id": f"conv-{number}",
        "conversation": {
            "speaker_a": "Ann", "speaker_b": "Bo",
            "session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": first,
            "session_2_date_time": "9:05 am on 1 June, 2023", "session_2": second,
        },
        "qa": [
            {"question": "When did Ann adopt a hedgehog?", "answer": "7 May 2023", "evidence": ["D1:1"], "category": 2},
            {"question": "What is Ann's hedgehog called?", "answer": "Truffle", "evidence": ["D2:1"], "category": 1},
            {"question": "What did Ann buy?", "adversarial_answer": "a cello", "evidence": ["D1:2"], "category": 5},
        ],
    }  # fmt: skip


def _make_instance(number: int) -> dict[str, object]:
    """Return a question with its sessions in the released format."""
    sessions = [
        [{"role": "user", "content": f"Talk {n}: my cat is {n} years old.", **({"has_answer": True} if n == 2 else {})},
         {"role": "assistant", "content": "Good to know."}]
        for n in (1, 2)
    ]  # fmt: skip
    return {
        "question_id": f"q{number}", "question_type": "single-session-user", "question": "How old is the cat?",
        "answer": "2 years", "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": ["s1", "answer_s2"], "haystack_sessions": sessions,
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 02:57"], "answer_session_ids": ["answer_s2"],
    }  # fmt: skip
