"""The suite: which rows make a conversation, what identifies its data, and what a user is told of bad input."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench.errors import UsageError
from bench.types import EventKind
from tests.adapters.qa.conftest import ROWS, Build, Rows
from tests.conftest import RunBench

needs_datasets = pytest.mark.needs("datasets", "pyarrow")


def ids(rows: Rows, build: Build, **given: str) -> list[tuple[str, list[str]]]:
    suite = build(rows, **given)
    return [(task.id, [one.id for one in suite.open(task).questions()]) for task in suite.tasks()]


@needs_datasets
def test_rows_of_equal_context_or_one_conversation_id_are_one_task(build: Build) -> None:
    asked = [("00001", ["00001/0000", "00001/0001"]), ("00002", ["00002/0000", "00002/0001"])]
    assert ids(ROWS, build) == asked
    assert ids(ROWS, build, conversation="talk") == [
        (f"{task}-{name}", [one.replace(task, f"{task}-{name}") for one in questions])
        for (task, questions), name in zip(asked, ("one", "two"), strict=True)
    ]


@needs_datasets
def test_events_are_turns_with_an_end_of_each_session(build: Build) -> None:
    suite = build(ROWS)
    events = list(suite.open(suite.tasks()[0]).events())
    assert [(one.ref, one.kind) for one in events] == [
        ("D1:1", EventKind.TURN), ("D1:2", EventKind.TURN), ("D1", EventKind.SESSION_END),
        ("D2:1", EventKind.TURN), ("D2", EventKind.SESSION_END),
    ]  # fmt: skip


@needs_datasets
def test_fingerprint_is_that_of_the_content_and_not_of_the_file(build: Build, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")

    first = build(ROWS).fingerprint()
    rows = [
        {**row, "answer": row["answer"] if isinstance(row["answer"], list) else [str(row["answer"])]} for row in ROWS
    ]
    strings = build(rows).fingerprint()
    datasets.Dataset.from_list(rows).to_parquet(tmp_path / "other.parquet")
    datasets.Dataset.from_list(rows).to_json(tmp_path / "other.jsonl.gz", compression="gzip")
    for name in ("other.parquet", "other.jsonl.gz"):
        assert build(path=name).fingerprint() == strings != first
    unread = build([{**row, "note": "never read"} for row in ROWS]).fingerprint()
    assert unread == first
    assert build(ROWS[:3]).fingerprint() != first
    assert build(ROWS, score="contains").fingerprint() != first


@needs_datasets
def test_csv_and_folders_are_read_and_a_part_is_chosen(build: Build, tmp_path: Path) -> None:
    build(ROWS)  # sets the cache
    text = "question,answer,context\nWho came?,Ann,Ann came.\nWhen?,2 May,Ann came on 2 May.\n"
    (tmp_path / "set").mkdir()
    for name in ("train", "test"):
        (tmp_path / "set" / f"{name}.csv").write_text(text, encoding="utf-8")
    (tmp_path / "x.tsv").write_text(text.replace(",", "\t"), encoding="utf-8")
    assert len(build(path="set/test.csv").tasks()) == len(build(path="x.tsv").tasks()) == 2
    with pytest.raises(UsageError, match=r"expected split= one of train, test in set, got none; add split=NAME"):
        build(path="set").tasks()


def test_example_is_answered_and_needs_no_package(bench: RunBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    done = bench("run", "qa", "--split", "example", "-s", "full-history,always-refuse", "--workers", "1", "-o", "run")
    assert done.code == 0
    table = bench("table", "run", "--format", "csv").out.splitlines()
    assert len(table) == 3
    done = bench("run", "qa:path=x.json", "-o", "other")
    assert (done.code, done.err) == (
        2,
        "bench: qa: expected package datasets to read x.json, got none; pip install 'memfrontier[datasets]'\n",
    )


@needs_datasets
@pytest.mark.parametrize(
    ("target", "message"),
    [
        (
            "qa",
            "qa: expected path= a file or a set of the Hugging Face hub, got none; write qa:path=FILE, or try --split",
        ),
        (
            "qa:path=no/such/file.json",
            "qa: expected a file or the name of a set on the Hugging Face hub, got 'no/such/f",
        ),
        (
            "qa:path=rows.json,answer=anser",
            "qa: expected a column 'anser' for answer in rows.json, got question, answer",
        ),
        ("qa:path=rows.json,split=test", "qa: expected split= one of train in rows.json, got 'test'; add split=NAME"),
        ("qa:path=broken.json", "qa: expected rows in broken.json, got "),
        ("qa:path=broken.parquet", "qa: expected rows in broken.parquet, got "),
        ("qa:path=notes.txt", "qa: expected rows in notes.txt, got a name that ends in none of .parquet, .json"),
        (
            "qa:preset=squd,path=rows.json",
            "suite qa: expected preset=none|longmemeval|squad, got 'squd'; did you mean squad?",
        ),
        ("qa:score=bleu,path=rows.json", "suite qa: expected score=f1|exact_match|contains, got 'bleu'"),
    ],
)
def test_bad_input_is_one_line(
    target: str, message: str, bench: RunBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    (tmp_path / "rows.json").write_text('[{"question": "a", "answer": "b", "context": "c"}]', encoding="utf-8")
    for name in ("broken.json", "broken.parquet", "notes.txt"):
        (tmp_path / name).write_text('[{"question": "a', encoding="utf-8")
    done = bench("run", target, "-s", "no-memory", "--workers", "1", "-o", "run")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"bench: {message}")
    assert done.err.count("\n") == 1


@needs_datasets
def test_row_that_cannot_be_read_costs_its_own_conversation(bench: RunBench, tmp_path: Path, build: Build) -> None:
    build([*ROWS, {"talk": "three", "question": "", "answer": "x", "context": [["Said."]]}])
    done = bench("run", f"qa:path={tmp_path / 'rows.json'}", "-s", "no-memory", "--workers", "1", "-o", "run")
    assert done.code == 1
    assert "expected 00003/0000 to have a question that is not empty" in bench("show", "run", "00003").out
