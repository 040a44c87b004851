"""Reading a file: three formats, one instance at a time, and broken instances."""

from __future__ import annotations

import json
import lzma
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.longmemeval import reading
from adapters.longmemeval.data import DATA, ROOT, Fault, check, compute_digest, find_file
from adapters.longmemeval.reading import Reader
from bench.errors import DataError

Rows = list[dict[str, Any]]
Write = Callable[[Rows], Path]
TEXT = st.text(st.sampled_from('ab "{}[],\\\n:é') | st.characters(codec="utf-8"), max_size=30)
INSTANCES = st.lists(st.fixed_dictionaries({"question_id": TEXT, "question": TEXT}), max_size=6)


def put(path: Path, text: str | bytes) -> Reader:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return Reader(path)


def lines(rows: Rows) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(INSTANCES, st.sampled_from([None, 1, 4]), st.integers(1, 40), st.booleans())
def test_rows_are_equal_in_every_format_and_chunk_size(
    tmp_path: Path, rows: Rows, indent: int | None, piece: int, ascii_only: bool
) -> None:
    readers = [
        put(tmp_path / "a.json", json.dumps(rows, indent=indent, ensure_ascii=ascii_only)),
        put(tmp_path / "b.jsonl", lines(rows)),
        put(tmp_path / "c.jsonl.xz", lzma.compress(lines(rows).encode())),
    ]
    before, reading._CHUNK_CHARS = reading._CHUNK_CHARS, piece
    try:
        for reader in readers:
            assert [row.fields() for row in reader.rows()] == rows
            assert [row.position for row in reader.rows()] == list(range(1, len(rows) + 1))
    finally:
        reading._CHUNK_CHARS = before


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(1, 30), min_size=1, max_size=12))
def test_row_accepts_any_order(tmp_path: Path, positions: list[int]) -> None:
    reader = put(tmp_path / "a.jsonl", lines([{"question_id": str(n)} for n in range(1, 31)]))
    for position in positions:
        assert reader.row(position).fields() == {"question_id": str(position)}
        assert len(reader._cached) <= reading._CACHED_ROWS
    reader.close()


def test_row_is_thread_safe(tmp_path: Path) -> None:
    reader = put(tmp_path / "a.jsonl", lines([{"question_id": str(n)} for n in range(1, 201)]))
    got: dict[int, object] = {}

    def ask(first: int) -> None:
        for position in range(first, 201, 8):
            got[position] = reader.row(position).fields()

    threads = [threading.Thread(target=ask, args=(first,)) for first in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    reader.close()
    assert got == {n: {"question_id": str(n)} for n in range(1, 201)}


def test_row_reads_file_once_in_forward_order(tmp_path: Path) -> None:
    class Counting(Reader):
        opened = 0

        def _open(self) -> Any:
            self.opened += 1
            return super()._open()

    reader = Counting(put(tmp_path / "a.jsonl", lines([{"question_id": str(n)} for n in range(30)])).path)
    for position in (1, 1, 2, 5, 4, 20, 20, 19, 30):
        reader.row(position)
    assert reader.opened == 1
    reader.row(1)
    assert reader.opened == 2
    reader.close()


def test_rows_after_broken_line_are_intact(tmp_path: Path) -> None:
    text = b'{"question_id": "a"}\n\n{"question_id": \n[1]\n{"question_id": "\xff"}\n{"question_id": "b"}\n'
    got = [row.fields() for row in put(tmp_path / "a.jsonl", text).rows()]
    assert (got[0], got[4]) == ({"question_id": "a"}, {"question_id": "b"})
    assert [str(one).split(" (")[0] for one in got[1:4]] == [
        "broken JSON",
        "a list in place of an object",
        "bytes that are not UTF-8",
    ]


def test_rows_after_broken_array_element_are_intact(tmp_path: Path, rows: Rows) -> None:
    text = json.dumps(rows, indent=4).replace('"question": "Which trail', '"question" "Which trail')
    got = [row.fields() for row in put(tmp_path / "a.json", text).rows()]
    assert str(got[1]).startswith("broken JSON")
    assert [one for one in got if isinstance(one, dict)] == [rows[0], *rows[2:]]


@pytest.mark.parametrize("cut", [1, 2, 30, 900])
def test_rows_of_truncated_file_end_with_broken_row(tmp_path: Path, rows: Rows, cut: int) -> None:
    text = json.dumps(rows, indent=4)[:-cut]
    got = [row.fields() for row in put(tmp_path / "a.json", text).rows()]
    assert str(got[-1]).startswith("broken JSON")
    assert got[0] == rows[0]


def test_rows_names_unreadable_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.json, got No such file.*name a file that exists"):
        list(Reader(tmp_path / "none.json").rows())
    with pytest.raises(DataError, match=r"a\.xz, got a damaged archive"):
        list(put(tmp_path / "a.xz", b"no archive").rows())
    with pytest.raises(DataError, match=r"b\.xz, got a damaged archive"):
        list(put(tmp_path / "b.xz", lzma.compress(b'{"question_id": 1}\n' * 99)[:-40]).rows())
    with pytest.raises(DataError, match="got 1 instances where number 3 is asked for"):
        put(tmp_path / "c.jsonl", '{"question_id": "a"}').row(3)
    with pytest.raises(DataError, match=r"expected .*none\.json, got No such file"):
        compute_digest(tmp_path / "none.json")


def test_find_file_prefers_official_name_of_s(tmp_path: Path) -> None:
    folder = tmp_path / ROOT
    folder.mkdir()
    official, local = folder / "longmemeval_s_cleaned.json", folder / "longmemeval_s_cleaned.499of500.jsonl.xz"
    assert find_file(tmp_path, "s") == find_file(tmp_path, "s367") == official
    local.touch()
    assert find_file(tmp_path, "s") == local
    official.touch()
    assert find_file(tmp_path, "s") == official
    assert find_file(tmp_path, "m", "sub/other.jsonl") == tmp_path / "sub/other.jsonl"
    assert find_file(tmp_path, "m", str(local)) == local
    assert find_file(tmp_path, "m").name == "longmemeval_m_cleaned.json"


def test_check_reports_missing_and_altered_files(tmp_path: Path) -> None:
    missing = [Fault(f"{ROOT}/longmemeval_{name}.json", "missing") for name in ("oracle", "s_cleaned")]
    assert list(check(tmp_path)) == missing
    (tmp_path / ROOT).mkdir()
    (tmp_path / ROOT / "longmemeval_m_cleaned.json").write_text("[]")
    (tmp_path / ROOT / "longmemeval_s_cleaned.499of500.jsonl.xz").touch()
    assert {(fault.path.removeprefix(f"{ROOT}/longmemeval_"), fault.problem) for fault in check(tmp_path)} == {
        ("oracle.json", "missing"),
        ("s_cleaned.499of500.jsonl.xz", "altered"),
        ("m_cleaned.json", "altered"),
    }


def test_data_sources_are_official_with_digests() -> None:
    assert [source.to for source in DATA.sources] == [
        f"{ROOT}/longmemeval_oracle.json",
        f"{ROOT}/longmemeval_s_cleaned.json",
    ]
    assert all(source.url.startswith("https://huggingface.co/datasets/xiaowu0162/") for source in DATA.sources)
    assert all(len(source.sha256) == 64 for source in DATA.sources)


@pytest.mark.data
def test_check_passes_on_published_files(data_root: Path) -> None:
    assert check(data_root) == ()
