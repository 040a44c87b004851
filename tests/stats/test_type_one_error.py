"""The committed table of type-I errors: its cheapest settings are measured again, to the digit, and it holds."""

from __future__ import annotations

import pytest

from tests.perf.bench_type_one_error import SETTINGS, Cell, Setting, measure, read_cells


def find(data: str, n: int) -> Setting:
    return next(one for one in SETTINGS if (one.data, one.n, one.is_clustered) == (data, n, False))


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda one: f"{one.data}-{one.n}-{one.icc:g}")
def test_every_setting_is_measured_as_committed(setting: Setting) -> None:
    compare(measure(setting))


def test_tests_of_twenty_successes_are_measured_as_committed() -> None:
    compare(measure(find("success", 20), resample=False))


def compare(cells: list[Cell]) -> None:
    committed = {(row["test"], row["data"], row["n"]): row for row in read_cells()}
    assert cells
    for cell in cells:
        row = committed[cell.test, cell.data, str(cell.n)]
        assert (float(row["type_one"]), int(row["replications"])) == (cell.type_one, cell.replications)
        assert row["power"] == ("" if cell.power != cell.power else str(cell.power))


def test_no_reported_test_rejects_more_than_five_percent_of_equal_pairs() -> None:
    rows = [
        row for row in read_cells() if not row["test"].startswith(("(", "interval of a mean", "interval of a rate"))
    ]
    assert {row["test"] for row in rows} == {
        "Holm, family of 7",
        "McNemar, exact",
        "McNemar, mid-p",
        "Wilcoxon signed-rank",
        "interval of a difference, Bonett-Price",
        "interval of a difference, clusters",
        "interval of a difference, tasks",
        "sign-flip over clusters",
    }
    above = [row for row in rows if float(row["type_one"]) > 0.05 + 2 * float(row["error"])]
    assert above == []


def test_what_is_not_reported_shows_why() -> None:
    worst = {row["test"]: 0.0 for row in read_cells() if row["test"].startswith("(")}
    for row in read_cells():
        if row["test"] in worst:
            worst[row["test"]] = max(worst[row["test"]], float(row["type_one"]))
    assert min(worst.values()) > 0.07
