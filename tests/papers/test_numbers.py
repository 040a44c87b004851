"""The tables of published numbers: their form, and what a table of one's own may get wrong."""

from __future__ import annotations

import csv
import tomllib
from pathlib import Path

import pytest
from setuptools import find_namespace_packages

from bench.errors import UsageError
from bench.papers.numbers import COLUMNS, SOURCE_KINDS, UNITS, Paper, find_folder, read_numbers, read_papers

ROOT = Path(__file__).parents[2]
TABLES = sorted(path for path in find_folder().glob("*.csv") if path.stem != "papers")
LINE = {
    "paper": "mine", "table": "Table 1", "benchmark": "toy", "subset": "all", "model": "m", "strategy": "s",
    "variant": "", "metric": "success_rate", "unit": "percent", "value": "50", "n": "4", "budget": "",
    "step_limit": "", "source_kind": "paper", "note": "",
}  # fmt: skip


def test_tables_are_those_of_the_listed_papers() -> None:
    assert len(TABLES) == 24
    assert {path.stem for path in TABLES} == set(read_papers())


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_table_has_schema_unique_keys_and_known_units(path: Path) -> None:
    numbers = read_numbers(path)  # raises for a column, a key or a number that does not fit
    assert numbers
    assert {one.paper for one in numbers} == {path.stem}
    assert {one.unit for one in numbers} <= set(UNITS)
    assert {one.source_kind for one in numbers} <= set(SOURCE_KINDS)
    assert all(one.table and one.benchmark and one.metric and one.strategy for one in numbers)
    # Gains and relative sizes may exceed it; a rate may not.
    rates = ("success_rate", "progress_rate", "judge_accuracy", "f1", "bleu1", "accuracy")
    assert all(0 <= one.value <= 100 for one in numbers if one.unit == "percent" and one.metric in rates)


def test_numbers_keep_what_the_paper_prints() -> None:
    found = {one.key: one for one in read_numbers(find_folder() / "hiagent.csv")}
    key = ("hiagent", "Table 1", "agentboard_pddl", "gripper", "gpt-4-turbo", "hiagent", "", "progress_rate", "None")
    assert (found[key].value, found[key].n, found[key].step_limit, found[key].budget) == (86.25, 20, 30, None)
    assert sum(len(read_numbers(path)) for path in TABLES) == 3409


def test_readme_names_every_table() -> None:
    text = (find_folder() / "README.md").read_text()
    assert [path.name for path in TABLES if f"`{path.name}`" not in text] == []
    assert all(f"`{name}`" in text for name in (*COLUMNS, *UNITS, *SOURCE_KINDS))


def test_tables_are_part_of_the_package() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    packages = find_namespace_packages(str(ROOT), include=settings["packages"]["find"]["include"])
    assert {"results.published", "bench.papers.recipes.hiagent"} <= set(packages)
    assert {"*.csv", "*.toml"} <= set(settings["package-data"]["*"])
    assert find_folder() == ROOT / "results" / "published"


@pytest.mark.parametrize(
    ("authors", "cited"),
    [
        ("Ada Lovelace; Alan Turing", "Lovelace et al. 2025, arXiv 1.2"),
        ("Ada Lovelace et al.", "Lovelace et al. 2025, arXiv 1.2"),
        ("A3 Lab (Ada Lovelace; Alan Turing)", "A3 Lab 2025, arXiv 1.2"),
        ("dial481", "dial481 2025, arXiv 1.2"),
        ("not recorded", "Title 2025, arXiv 1.2"),
    ],
)
def test_source_cites_the_first_author(authors: str, cited: str) -> None:
    assert Paper("p", "Title", authors, "2025", "1.2", "", "", "", "").source == cited


def write(path: Path, *lines: dict[str, str], names: tuple[str, ...] = COLUMNS) -> Path:
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, names, extrasaction="ignore")
        table.writeheader()
        table.writerows(lines)
    return path


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"value": "high"}, "line 2: expected value to be a number, got 'high'"),
        ({"value": "nan"}, "line 2: expected value to be a number, got 'nan'"),
        ({"n": "-3"}, "line 2: expected n to be a whole number or empty, got '-3'"),
        (
            {"unit": "apples"},
            "line 2: expected unit to be percent or count or tokens or seconds or ratio, got 'apples'",
        ),
        ({"source_kind": ""}, "line 2: expected source_kind to be paper or"),
    ],
)
def test_read_numbers_names_the_line_that_does_not_fit(change: dict[str, str], said: str, tmp_path: Path) -> None:
    path = write(tmp_path / "mine.csv", {**LINE, **change})
    with pytest.raises(UsageError, match="expected") as refused:
        read_numbers(path)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_read_numbers_refuses_missing_columns_and_repeated_numbers(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", LINE, names=tuple(name for name in COLUMNS if name not in ("n", "unit")))
    with pytest.raises(UsageError, match=r"got none named unit, n; add them"):
        read_numbers(path)
    path = write(tmp_path / "b.csv", LINE, {**LINE, "value": "60"})
    with pytest.raises(UsageError, match="line 3: expected each number once, got that of line 2 again"):
        read_numbers(path)
    with pytest.raises(UsageError, match="got nothing there"):
        read_numbers(tmp_path / "none.csv")
    (tmp_path / "c.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="expected CSV, got a file that is not"):
        read_numbers(tmp_path / "c.csv")
