"""Protocols: files with known fields, frames made of pieces, and fingerprints that tell them apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.shared.published import protocol as module
from adapters.shared.published.data import PinnedFile
from adapters.shared.published.pieces import Piece
from adapters.shared.published.protocol import HOUSE, Protocol, compose_frame, list_protocols, load_protocol
from bench.errors import DataError
from bench.types import Frame, ThoughtRule

FILE = PinnedFile("x/a.json", "0" * 64, "https://example.org")
PIECE = '[[examples]]\nfile = "x/a.json"\nkey = "{type}_0"\n'
FRAME = Frame("suite-v1", "You act.\nHouse rules.", "House example.")


@pytest.fixture(autouse=True)
def files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "list_files", lambda: {FILE.path: FILE})
    monkeypatch.setattr(module, "read_piece", lambda _root, piece, slots: f"<{piece.key.format(**slots)}>")


def load(folder: Path, text: str, name: str = "paper") -> Protocol:
    (folder / "protocols").mkdir(exist_ok=True)
    (folder / "protocols" / f"{name}.toml").write_text(text)
    return load_protocol(folder, name)


def test_house_is_the_suite_itself(tmp_path: Path) -> None:
    assert load_protocol(tmp_path, HOUSE) == Protocol()
    assert compose_frame(Protocol(), FRAME, tmp_path, {}) is FRAME
    assert Protocol().entries == {"protocol": "house"}


def test_load_protocol_reads_every_field(tmp_path: Path) -> None:
    read = load(
        tmp_path,
        'source = "A paper"\nsteps = 20\nloop = 2\nreply_tokens = 100\ntemperature = 0.0\nstop = ["\\n"]\n'
        "oracle_type = true\n[thoughts]\ncosts_step = false\nmost = 2\n"
        f'{PIECE}[[questions]]\nfile = "x/a.json"\nkey = "q"\ngroups = ["temporal"]\n',
    )
    assert (read.name, read.steps, read.loop, read.reply_tokens, read.stop) == ("paper", 20, 2, 100, ("\n",))
    assert read.thoughts == ThoughtRule(costs_step=False, most=2)
    assert read.examples == (Piece("x/a.json", key="{type}_0"),)
    assert [(one.piece.key, one.groups) for one in read.questions] == [("q", ("temporal",))]
    assert list_protocols(tmp_path) == ("house", "paper")


def test_compose_frame_keeps_first_line_and_label_of_the_house(tmp_path: Path) -> None:
    read = load(
        tmp_path,
        f'steps = 9\nreply = "One line."\n{PIECE}{PIECE}[[instructions]]\nfile = "x/a.json"\nkey = "{{steps}}"\n',
    )
    frame = compose_frame(read, FRAME, tmp_path, {"type": "put", "steps": "9"})
    assert (frame.instructions, frame.answer_format) == ("You act.\n\n<9>", "One line.")
    assert frame.examples == "<put_0>\n\n<put_0>"
    assert (frame.id, frame.label, frame.max_tokens) == ("suite-v1/paper", "Action:", FRAME.max_tokens)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("stps = 3", r"paper\.toml: expected known fields, got 'stps'; write steps"),
        ("name = 'x'", "got 'name'"),
        ("steps = ", "expected TOML"),
        ("steps = '3'", "expected steps to be like 0, got '3'"),
        ("oracle_type = 1", "expected oracle_type to be like False, got 1"),
        ("stop = '.'", "expected stop to be like"),
        ("[thoughts]\nprice = 1", "got 'price'"),
        ("[thoughts]\ncosts_step = false", "limit for thoughts that are free"),
        ("[[examples]]\nkey = 'a'", "expected the fields of a Piece"),
        ("[[examples]]\nfile = 'x/b.json'", "expected a file of the prompts, got 'x/b.json'"),
        ("[[examples]]\nfile = 'x/a.json'\nkye = 'a'", "got 'kye'; write key"),
    ],
)
def test_load_protocol_refuses_what_it_does_not_know(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        load(tmp_path, text)


def test_entries_change_with_the_file_and_with_what_it_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load(tmp_path, PIECE, "one").entries["protocol"]
    assert load(tmp_path, PIECE + "# a remark\n", "two").entries["protocol"].split()[1] not in first
    other = PinnedFile(FILE.path, "1" * 64, FILE.url)
    monkeypatch.setattr(module, "list_files", lambda: {FILE.path: other})
    assert load(tmp_path, PIECE, "three").entries["protocol"].split()[1] not in first
