"""A folder for ``datasets.load_dataset``: the items, and a card that says what they are; the boards load alike."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from bench.export.items import select_items
from tests.conftest import RunBench

BOARDS = Path(__file__).parents[2] / "results" / "boards"
pytestmark = pytest.mark.needs("datasets", "pyarrow")


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    return datasets.load_dataset


def test_folder_loads_as_the_items(load: Any, bench: RunBench, played: Path, tmp_path: Path) -> None:
    for _ in range(2):  # an earlier export is written again
        assert bench("export", str(played), "--to", "hf", "-o", "out").code == 0
    loaded = load(str(tmp_path / "out"), split="items").to_pandas()
    expected = select_items([played])
    assert list(loaded.columns) == list(expected.columns)
    assert loaded["success"].tolist() == expected["success"].tolist()
    assert loaded["task"].tolist() == expected["task"].tolist()
    assert {path.name for path in (tmp_path / "out").rglob("*") if path.is_file()} == {"README.md", "items.parquet"}


def test_card_says_what_the_rows_are(bench: RunBench, played: Path, talked: Path, tmp_path: Path) -> None:
    bench("export", str(played), str(talked), "--to", "hf", "--columns", "success,tokens_total", "-o", "out")
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert card.startswith("---\nconfigs:\n")
    assert "`toy`, split `houses`, model `offline/reader`: 12 items of `full-history`, `window:k=2`" in card
    assert "- `toy-talk` (this project; seeded, no download): no data but its own" in card
    assert "- `tokens_total`: prompt + completion of all the agent's calls per task" in card
    assert "- `env.suite`: `toy-talk-v2`, `toy-v1`" in card
    assert "as recorded" not in card
    assert "$" not in card.replace("US$", "")


def test_folder_with_other_files_is_refused(bench: RunBench, played: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    done = bench("export", str(played), "--to", "hf", "-o", "mine")
    assert (done.code, done.err) == (
        2, "bench: export: expected a new folder, or one of an earlier export, got mine with notes.txt\n",
    )  # fmt: skip
    done = bench("export", str(played), "--to", "hf")
    assert (done.code, done.err) == (2, "bench: export: expected -o PATH for hf, got none; it is a folder\n")


def name_run(path: Path) -> str:
    return path.name.removesuffix(".csv.xz")


@pytest.mark.parametrize(
    "items",
    [path for path in sorted(BOARDS.glob("*/items/*.csv.xz")) if path.stat().st_size < 50_000],
    ids=lambda path: f"{path.parents[1].name}/{name_run(path)}",
)
def test_boards_load_by_their_folder(items: Path, load: Any) -> None:
    loaded = load(str(items.parents[1]), name_run(items), split="items").to_pandas()
    expected = pd.read_csv(items)
    assert loaded.columns.tolist() == expected.columns.tolist()
    assert len(loaded) == len(expected)
    assert loaded["success"].astype(float).sum() == expected["success"].astype(float).sum()


@pytest.mark.parametrize("board", sorted({path.parents[1] for path in BOARDS.glob("*/items/*.csv.xz")}))
def test_board_names_each_of_its_runs_in_its_head(board: Path) -> None:
    head = (board / "README.md").read_text(encoding="utf-8").split("---")[1]
    named = re.findall(r"- config_name: (.+)\n.*\n.*\n    path: items/(.+)\.csv\.xz", head)
    assert named == [(name_run(path),) * 2 for path in sorted((board / "items").glob("*.csv.xz"))]
