"""Pieces: found by name and key, cut and filled; a Python file is read and never run."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from adapters.shared.published import pieces
from adapters.shared.published.constants import read_constants
from adapters.shared.published.pieces import Piece, read_piece
from bench.errors import DataError

SOURCE = '''
raise SystemExit("this file was run")
open("/tmp/never", "w")
d = {"put_0": "first", "put_1": "sec" + "ond", "made": str(1), **other}
LIST = ["a ", "b", call()]
def ask(context, question):
    prompt = f"""Based on {context}, answer. {question}"""
    prompt = "again"
    prompt += " and more"
'''


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {"x.py": SOURCE, "x.json": '{"a": {"put": ["one\\n", "two\\n"]}, "n": 3, "t": "<{b}> END {c}"}'}
    monkeypatch.setattr(pieces, "read_file", lambda _root, path: files[path])
    return tmp_path


def test_read_constants_runs_nothing(tmp_path: Path) -> None:
    found = read_constants(SOURCE + f"\nopen({str(tmp_path / 'made')!r}, 'w')\n__import__('os').mkdir('x')\n")
    assert found["d"][0]["put_1"] == "second"
    assert list(tmp_path.iterdir()) == []


def test_read_constants_computes_no_call() -> None:
    assert read_constants("a = str(1)\nb = 1\nc = x\nd = {'k': f()}") == {"d": [{"k": None}]}


def test_read_constants_agrees_with_literal_eval() -> None:
    text = "{'a': ['b', 'c\\n'], 'd': {'e': 'f'}}"
    assert read_constants(f"x = {text}") == {"x": [ast.literal_eval(text)]}


def test_read_piece_follows_name_number_and_key(root: Path) -> None:
    def read(name: str, number: int = 0, key: str = "") -> str:
        return read_piece(root, Piece("x.py", name, number, key), {"type": "put"})

    assert read("d", key="{type}_0") == "first"
    assert read("prompt") == "Based on {context}, answer. {question}"
    assert [read("prompt", number) for number in (1, 2)] == ["again", " and more"]


def test_read_piece_joins_a_list_and_keeps_the_text(root: Path) -> None:
    assert read_piece(root, Piece("x.json", key="a/{type}"), {"type": "put"}) == "one\ntwo"
    assert read_piece(root, Piece("x.json", key="a/put/1"), {}) == "two"


def test_read_piece_cuts_and_fills(root: Path) -> None:
    piece = Piece("x.json", key="t", after="<", before=" END", fill={"{b}": "{steps} steps"})
    assert read_piece(root, piece, {"steps": "9"}) == "9 steps>"


@pytest.mark.parametrize(
    ("piece", "message"),
    [
        (Piece("x.py", "nothing"), "expected 1 texts named nothing, got 0"),
        (Piece("x.py", "d", key="heat_0"), "expected the key heat_0, got none at 'heat_0'"),
        (Piece("x.py", "d", key="made"), "expected a text at d, got NoneType"),
        (Piece("x.json", key="n"), "expected a text at n, got int"),
        (Piece("x.json", key="a/put/7"), "expected the key a/put/7, got none at '7'"),
        (Piece("x.json", key="t", after="nowhere"), "expected the mark 'nowhere' in t, got a text without it"),
    ],
)
def test_read_piece_that_is_not_there_is_a_data_error(root: Path, piece: Piece, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_piece(root, piece, {})
