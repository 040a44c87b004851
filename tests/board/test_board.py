"""A board is made of runs, and made again from its items alone, to the byte."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bench.board.create import add_runs
from bench.board.make import find_items, make_board
from bench.board.record import BoardRecord, FigureRecord, TableRecord, read_board, write_board
from bench.config import RunConfig
from bench.errors import StoreError, UsageError
from bench.report.table import build_table, render_table
from bench.runner.batch import run
from bench.store.dataframe import read_items
from tests.conftest import RunBench


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three strategies, and one of a fourth with the reference played again."""
    folder = tmp_path_factory.mktemp("runs")
    for name, rows in {
        "first": ("full-history", "window:k=2", "no-memory"),
        "second": ("full-history", "bm25"),
    }.items():
        run(RunConfig(suites=("toy",), strategies=rows, limit=6, embedder="hash"), folder / name)
    return folder


@pytest.fixture(scope="module")
def made(played: Path) -> Path:
    add_runs([played / "first"], played / "board", title="Toys")
    return played / "board"


@pytest.fixture
def board(made: Path, tmp_path: Path) -> Path:
    """A copy of the board, whose figure is one file, so that making it again is quick."""
    shutil.copytree(made, tmp_path / "board")
    file = tmp_path / "board" / "board.toml"
    text = file.read_text("utf-8").replace('name = "frontier"', 'name = "frontier"\nformats = ["svg"]')
    file.write_text(text, "utf-8")
    for ending in ("png", "pdf", "txt"):
        (tmp_path / "board" / f"frontier.{ending}").unlink()
    return tmp_path / "board"


def read_all(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_remake_gives_the_same_bytes_without_the_runs(board: Path) -> None:
    before = read_all(board)
    for path in board.glob("*.*"):
        if path.name not in ("board.toml", "README.md"):
            path.unlink()
    made = make_board(board)
    assert {path.name for path in made} >= {"table.md", "table.tex", "frontier.svg", "provenance.md"}
    assert read_all(board) == before


def test_table_of_a_board_is_that_of_its_run(board: Path, played: Path) -> None:
    table = build_table(read_items([played / "first"]), reference="full-history")
    for ending in ("md", "csv"):
        assert (board / f"table.{ending}").read_text("utf-8") == render_table(table, ending)


def test_row_joins_a_board_with_prefer(board: Path, played: Path) -> None:
    with pytest.raises(UsageError, match="--prefer"):
        add_runs([played / "second"], board)
    add_runs([played / "second"], board, prefer=[played / "first"])
    assert read_board(board).prefer == ("first",)
    assert list(find_items(board)) == ["first", "second"]
    rows = [line for line in (board / "table.md").read_text("utf-8").splitlines() if "/6" in line]
    assert len(rows) == 4
    assert sum("bm25" in row for row in rows) == 1


def test_only_named_outputs_are_made(board: Path) -> None:
    assert [path.name for path in make_board(board, ["frontier"])] == ["frontier.svg"]
    with pytest.raises(UsageError, match="did you mean frontier"):
        make_board(board, ["fronteer"])


def test_board_file_is_read_as_written(tmp_path: Path) -> None:
    record = BoardRecord(
        title='A "board" | #1',
        prefer=("a",),
        table=(TableRecord(name="t", items=("a", "b"), by="group"), TableRecord(name="u")),
        figure=(FigureRecord(name="f", kind="curve", y="success_at_20"),),
    )
    write_board(record, tmp_path)
    assert read_board(tmp_path) == record


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tittle = 'x'", "title"),
        ("[[table]]\nname = '../../etc/passwd'", "table.0.name"),
        ("[[figure]]\nname = 'f'\nkind = 'pie'", "figure.0.kind"),
        ("[[table]]\nname = 't'\nitems = ['frist']", "did you mean first"),
        ("title = ", "TOML"),
    ],
)
def test_board_file_that_is_wrong_is_one_line(board: Path, text: str, said: str) -> None:
    (board / "board.toml").write_text(text, "utf-8")
    with pytest.raises(UsageError, match=said) as caught:
        make_board(board)
    assert "\n" not in str(caught.value)


def test_damaged_items_are_one_line(board: Path) -> None:
    (board / "items" / "first.csv.xz").write_bytes(b"no xz")
    with pytest.raises(StoreError, match=r"first\.csv\.xz"):
        make_board(board)


def test_command_makes_and_remakes(bench: RunBench, played: Path, tmp_path: Path) -> None:
    done = bench("board", str(played / "first"), "-o", "boards/toys", "--title", "Toys")
    assert (done.code, done.err) == (0, "")
    assert {"boards/toys/table.md", "boards/toys/frontier.png"} <= set(done.out.split())
    readme = tmp_path / "boards" / "toys" / "README.md"
    head, body = readme.read_text("utf-8").split("---\n\n")
    assert head.count("config_name") == 1
    assert "path: items/first.csv.xz" in head
    assert body.startswith("# Toys\n\n![frontier](frontier.png)")
    readme.write_text("mine", "utf-8")
    assert bench("board", str(played / "first"), "-o", "boards/toys").code == 0
    assert readme.read_text("utf-8") == f"{head}---\n\nmine"
    before = read_all(tmp_path / "boards")
    assert bench("board", "--remake", "boards").code == 0
    assert read_all(tmp_path / "boards") == before
    for words, said in (
        ((), "--remake"),
        (("--remake", "nowhere"), "board.toml"),
        ((str(played / "first"),), "-o BOARD"),
    ):
        done = bench("board", *words)
        assert done.code == 2
        assert said in done.err
        assert done.err.count("\n") == 1


def test_table_reads_items_in_the_place_of_a_run(bench: RunBench, board: Path, played: Path) -> None:
    run_table = bench("table", str(played / "first"), "--format", "md")
    assert bench("table", str(board / "items" / "first.csv.xz"), "--format", "md").out == run_table.out
    assert bench("export", str(played / "first"), "-o", "exported.csv").code == 0
    assert bench("table", "exported.csv", "--format", "md").out == run_table.out
    assert bench("frontier", "exported.csv").out == bench("frontier", str(played / "first")).out
    assert bench("export", str(played / "first"), "--columns", "success", "-o", "few.csv").code == 0
    assert "without --columns" in bench("table", "few.csv").err
