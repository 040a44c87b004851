"""The suite: its tasks and texts, the released table, and what is wrong with a file."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.sop_bench.data import DATA, PRODUCTS, ROOT, TOOLS, check
from adapters.sop_bench.doubts import find_doubtful
from adapters.sop_bench.frames import GIVEN, load_frame, read_own_tools, read_tools
from adapters.sop_bench.generate import decide, generate_products
from adapters.sop_bench.products import COLUMNS, read_products
from adapters.sop_bench.suite import SUITE, SopSuite
from bench.errors import DataError
from bench.protocols import Params, SuiteOptions

HEAD = ",".join(("product_id", *(name for pair in COLUMNS.items() for name in pair), "hazard_class"))
ROW = "P_10000,Mild,2.0,Shelf,2,Truck,1,Bin,,Hazard Class A"


def suite(root: Path, split: str = "generated", step_cap: int = 0) -> SopSuite:
    return SopSuite(SuiteOptions(split, Params(SUITE.params), root, step_cap))


def write_table(root: Path, *lines: str) -> Path:
    path = root / PRODUCTS
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join((HEAD, *lines)), encoding="utf-8")
    return root


def test_generated_products_need_every_rule(tmp_path: Path) -> None:
    tasks = suite(tmp_path).tasks()
    assert Counter(task.group for task in tasks) == {
        "all scores": 15, "one missing": 10, "two missing": 5, "more missing": 5, "invalid id": 5,
    }  # fmt: skip
    assert len({product.hazard_class for product in generate_products()}) == 5
    assert suite(tmp_path).notices() == ()
    assert {task.optimal_steps for task in tasks if task.group == "invalid id"} == {1}


def test_frame_offers_texts_that_it_does_not_show(tmp_path: Path) -> None:
    one = suite(tmp_path)
    frame = one.open(one.tasks()[0]).reset().frame
    assert tuple(name for name, _ in frame.given) == GIVEN
    for _, text in frame.given:
        assert "maximum of the other scores" in text
        assert text not in frame.instructions
    for leak in ("maximum", "missing", "sum", "five digits", "P_"):
        assert leak not in frame.instructions
    assert set(frame.rules) == {"given"}
    assert replace(frame, given=frame.given[:1]).rules != frame.rules


def test_condensed_texts_say_the_same_rules_but_for_the_limits() -> None:
    given = dict(load_frame("test", read_own_tools(), 10).given)
    assert given["condensed-limits"].startswith(given["condensed"])
    assert "A 4 to 7" not in given["redundant"] + given["condensed"]
    assert len(given["redundant"]) > 2 * len(given["condensed"])


def test_step_cap_is_told_and_is_part_of_the_fingerprint(tmp_path: Path) -> None:
    one = suite(tmp_path, step_cap=7)
    assert "You have 7 commands in all" in one.open(one.tasks()[0]).reset().frame.instructions
    assert one.fingerprint() != suite(tmp_path).fingerprint()


def test_missing_data_is_an_error_that_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="bench data get sop-bench"):
        suite(tmp_path, "dangerous-goods").tasks()
    assert {fault.problem for fault in check(tmp_path)} == {"missing"}


def test_read_products_reads_scores_and_their_lack(tmp_path: Path) -> None:
    (product,) = read_products(write_table(tmp_path, ROW))
    assert (product.scores, product.kind) == ((2, 2, 1, None), "one missing")


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ((ROW, ROW), "an id twice"),
        ((), "got none"),
        ((ROW.replace("Class A", "Class F"),), "the class 'Hazard Class F'"),
        ((ROW.replace("2.0", "two"),), "two"),
        (("P_1,short",), "expected the columns"),
    ],
)
def test_table_that_cannot_be_is_a_data_error(tmp_path: Path, lines: tuple[str, ...], problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        read_products(write_table(tmp_path, *lines))


@pytest.mark.parametrize("text", ["", "[]", "{}", '[{"toolSpec": {"name": "x"}}]', json.dumps([{"toolSpec": 3}])])
def test_tools_that_cannot_be_are_a_data_error(text: str) -> None:
    with pytest.raises(DataError, match="sop-bench: expected"):
        read_tools(text, "file")


@pytest.mark.data
def test_released_labels_follow_the_procedure_but_for_the_listed_ones(data_root: Path) -> None:
    products = read_products(data_root)
    assert check(data_root) == ()
    assert len(products) == 274
    assert Counter(product.kind for product in products) == {
        "all scores": 241, "one missing": 23, "invalid id": 5, "two missing": 5,
    }  # fmt: skip
    wrong = [product for product in products if decide(product.id, product.scores) != product.hazard_class]
    assert list(find_doubtful(products)) == wrong
    assert len(wrong) == 5
    assert find_doubtful([replace(wrong[0], hazard_class="Hazard Class D")]) == ()


@pytest.mark.data
def test_released_tasks_offer_the_procedure_and_show_no_score(data_root: Path) -> None:
    one = suite(data_root, "dangerous-goods")
    tasks = one.tasks()
    assert len({task.cluster for task in tasks}) == 220
    opening = one.open(tasks[0]).reset()
    assert [name for name, _ in opening.frame.given] == ["full", *GIVEN]
    assert "severity score" in opening.frame.instructions  # the released words
    assert "_score: " not in opening.goal
    (notice,) = one.notices()
    assert "269 of 274" in notice


def test_source_names_the_files_that_are_checked() -> None:
    (source,) = DATA.sources
    assert (source.to, TOOLS.startswith(f"{source.to}/")) == (f"{ROOT}/dangerous_goods", True)
