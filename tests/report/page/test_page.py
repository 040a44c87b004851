"""The page in Chromium: what a reader clicks, types and sees; and that a text is never more than a text."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.report.table import build_table, render_table
from bench.store.dataframe import read_items
from tests.report.page.made_run import SCRIPT, MadeRun, make_run

pytestmark = pytest.mark.needs("playwright", "chromium")

OpenPage = Callable[..., Any]
MakeReport = Callable[..., Path]
PLAIN = MadeRun()
VIEWS = ("leaderboard", "frontier", "tasks", "ledger", "statistics", "sources")


def find_trial(page: Any, strategy: str, task: str) -> str:
    return str(
        page.evaluate(
            "([strategy, task]) => page.data.load('tasks').then(({trials}) => "
            "trials.find((one) => one[1] === strategy && one[2] === task)[0])",
            [strategy, task],
        )
    )


def test_leaderboard_shows_the_numbers_of_the_table(make_report: MakeReport, open_page: OpenPage) -> None:
    file = make_report(PLAIN)
    one = open_page(file)
    shown = one.page.evaluate(
        "page.data.load('overview').then(({sections}) => sections[0].rows.filter((row) => row.group === 'all')"
        ".map((row) => [row.strategy, row.cells.success[1], row.cells.tokens_total[1], row.test.p_value]))"
    )
    table = build_table(read_items([file.parent / "made"]), reference="full-history")
    rows = csv.DictReader(io.StringIO(render_table(table, "csv")))
    number = lambda text: float(text) if text else None  # noqa: E731
    assert shown == [
        [row["strategy"], number(row["success_rate"]), number(row["tokens_total"]), number(row["p_value"])]
        for row in rows
    ]
    assert one.texts(".tabulator-row [tabulator-field=strategy]")[0] == "full-history"


def test_click_on_a_title_sorts_and_the_address_keeps_it(make_report: MakeReport, open_page: OpenPage) -> None:
    one = open_page(make_report(PLAIN))
    names = ".tabulator-row [tabulator-field=strategy]"
    one.page.click(".title >> text=strategy")
    first = one.texts(names)
    one.page.click(".title >> text=strategy")
    assert one.texts(names) == first[::-1]
    assert sorted(first) == ["full-history", "no-memory", "window:k=5"]
    again = open_page(make_report(PLAIN), f"#{one.page.evaluate('location.hash.slice(1)')}")
    assert again.texts(names) == first[::-1]


def test_titles_sort_by_keyboard(make_report: MakeReport, open_page: OpenPage) -> None:
    one = open_page(make_report(PLAIN))
    one.page.focus(".title >> text=strategy")
    one.page.keyboard.press("Enter")
    assert one.page.locator('.tabulator-col[tabulator-field=strategy][aria-sort="ascending"]').count() == 1


def test_slash_filters_strategies(make_report: MakeReport, open_page: OpenPage) -> None:
    one = open_page(make_report(PLAIN))
    one.page.keyboard.press("/")
    one.page.keyboard.type("WINDOW")
    one.wait("document.querySelectorAll('.tabulator-row:not(.tabulator-group)').length === 1")
    assert one.texts(".tabulator-row [tabulator-field=strategy]") == ["window:k=5"]
    one.page.keyboard.press("Escape")
    assert one.page.evaluate("document.activeElement.tagName") == "BODY"


def test_columns_are_chosen_from_the_catalogue(make_report: MakeReport, open_page: OpenPage) -> None:
    one = open_page(make_report(PLAIN))
    titles = ".tabulator-col:visible"
    assert not any("progress_at_5" in title for title in one.texts(titles))
    one.page.click("summary >> text=Columns")
    one.page.check("label:has-text('progress_at_5') >> nth=0")
    one.page.uncheck("label:has-text('success %') >> nth=0")
    assert any("progress_at_5" in title for title in one.texts(titles))
    assert "success %" not in one.texts(titles)
    one.page.keyboard.press("Escape")
    assert not one.page.locator(".choices").is_visible()
    again = open_page(make_report(PLAIN), f"#{one.page.evaluate('location.hash.slice(1)')}")
    assert "success %" not in again.texts(titles)


def test_task_type_changes_the_rows(make_report: MakeReport, open_page: OpenPage) -> None:
    one = open_page(make_report(PLAIN))
    one.page.select_option("select >> nth=0", "heat")
    one.wait("location.hash.includes('group=heat')")
    one.page.wait_for_selector(".tabulator-row [tabulator-field=n] >> text=2/2")


def test_definitions_are_tooltips(make_report: MakeReport, open_page: OpenPage) -> None:
    one = open_page(make_report(PLAIN))
    one.page.hover(".title >> text=progress %")
    one.page.wait_for_selector(".tip >> text=best share of the goal reached so far")


def test_grid_leads_to_the_trial_and_its_strategy(make_report: MakeReport, open_page: OpenPage) -> None:
    one = open_page(make_report(PLAIN), "#view=tasks")
    assert one.page.locator(".tabulator-group").count() == 3
    assert one.page.locator(".cell").count() == 18
    one.page.click(".cell[aria-label^='task-000, no-memory']")
    one.page.wait_for_selector(".step")
    assert one.texts(".card h2") == ["no-memory"]
    assert one.page.locator(".step").count() == 5
    one.page.keyboard.press("Escape")
    one.page.wait_for_selector(".cell")


def test_step_shows_context_reply_and_calls(make_report: MakeReport, open_page: OpenPage) -> None:
    one = open_page(make_report(PLAIN))
    trial = find_trial(one.page, "window:k=5", "task-001")
    one.go(f"view=trial&trial={trial}&step=3")
    step = one.page.locator("#step-3")
    assert one.page.evaluate("document.activeElement.id") == "step-3"
    step.locator("summary >> text=context").click()
    step.locator("pre").wait_for()
    assert step.locator("pre").first.inner_text().splitlines()[0] == "> go to shelf 1"
    assert len(step.locator("pre").first.inner_text().splitlines()) == 4
    step.locator("summary >> text=reply as written").click()
    step.locator("pre >> text=I look at the next place.").wait_for()
    step.locator("summary >> text=1 model call").click()
    step.locator("text=the reply above").wait_for()
    assert "no such thing" in one.page.locator("#step-4").inner_text()
    assert "repaired: bold" in one.page.locator("#step-5").inner_text()


def test_j_and_k_move_between_steps(make_report: MakeReport, open_page: OpenPage) -> None:
    one = open_page(make_report(PLAIN))
    one.go(f"view=trial&trial={find_trial(one.page, 'window:k=5', 'task-001')}")
    for key, step in (("j", 1), ("j", 2), ("j", 3), ("k", 2)):
        one.page.keyboard.press(key)
        assert one.page.evaluate("document.activeElement.dataset.step") == str(step)
    assert "step=2" in one.page.evaluate("location.hash")


def test_arrows_move_in_the_grid_and_enter_opens(make_report: MakeReport, open_page: OpenPage) -> None:
    one = open_page(make_report(PLAIN), "#view=tasks")
    one.page.focus(".cell[tabindex='0']")
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft"):
        one.page.keyboard.press(key)
    label = one.page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label.startswith("task-003, no-memory: ")
    assert one.page.locator(".cell[tabindex='0']").count() == 1
    one.page.keyboard.press("Enter")
    one.page.wait_for_selector(".card .long >> text=task-003")


def test_c_picks_two_cells_and_shows_them_side_by_side(make_report: MakeReport, open_page: OpenPage) -> None:
    one = open_page(make_report(PLAIN), "#view=tasks")
    one.page.focus(".cell[aria-label^='task-000, full-history']")
    one.page.keyboard.press("c")
    one.page.wait_for_selector(".hint >> text=Picked full-history on task-000")
    one.page.keyboard.press("ArrowRight")
    one.page.keyboard.press("c")
    one.page.wait_for_selector(".pairs .pair")
    assert one.texts(".heads h2") == ["full-history", "no-memory"]
    rows = one.page.locator(".pairs .pair")
    assert rows.count() == 5
    assert rows.nth(2).locator(".index").all_inner_texts() == ["3", "3"]
    left, right = (rows.nth(2).locator(".step").nth(side).bounding_box() for side in (0, 1))
    assert left["y"] == right["y"]
    assert left["x"] + left["width"] <= right["x"]


def test_side_by_side_is_chosen_from_a_trial(make_report: MakeReport, open_page: OpenPage) -> None:
    one = open_page(make_report(PLAIN))
    one.go(f"view=trial&trial={find_trial(one.page, 'window:k=5', 'task-001')}")
    one.page.select_option(".sticky select", label="no-memory")
    one.page.wait_for_selector(".pairs .pair")
    assert one.texts(".heads h2") == ["window:k=5", "no-memory"]
    row = one.page.locator(".pairs .pair").nth(3)
    row.locator("summary >> text=context").first.click()
    one.wait("document.querySelectorAll('.pairs details[data-part=context][open] pre').length === 2")


def test_point_of_the_frontier_leads_to_its_strategy(make_report: MakeReport, open_page: OpenPage) -> None:
    one = open_page(make_report(PLAIN), "#view=frontier")
    assert one.page.locator(".chart svg circle").count() == 3
    box = one.page.locator(".chart svg circle").nth(0).bounding_box()
    one.page.mouse.move(box["x"] + 5, box["y"] + 5)
    one.page.wait_for_selector(".chart >> text=on the frontier in")
    one.page.mouse.click(box["x"] + 5, box["y"] + 5)
    one.page.wait_for_selector("h3 >> text=All numbers")
    one.go("view=frontier")
    one.page.select_option("select >> nth=1", "progress")
    one.wait("document.querySelector('.chart svg')?.getAttribute('aria-label').startsWith('progress')")


def test_markup_in_texts_is_shown_and_never_run(make_report: MakeReport, open_page: OpenPage) -> None:
    made = MadeRun(tasks=3, steps=2, reply=SCRIPT, unscored=1, task_name=f"t{SCRIPT}")
    one = open_page(make_report(made))
    for view in VIEWS:
        one.go(f"view={view}")
    one.go("view=tasks")
    one.page.keyboard.press("/")
    one.page.keyboard.type("<img")
    trials = one.page.evaluate("page.data.load('tasks').then(({trials}) => trials.map((one) => one[0]))")
    for trial in trials[:2]:
        one.go(f"view=trial&trial={trial}&open=context,reply,calls")
        assert SCRIPT in one.page.inner_text("#step-2")
    assert SCRIPT in one.page.inner_text(".card")
    one.go(f"view=pair&a={trials[0]}&b={trials[3]}")
    assert one.page.evaluate("window.hacked") is None
    assert one.page.evaluate("document.querySelectorAll('img').length") == 0


def test_text_that_a_library_would_take_for_markup_is_escaped(make_report: MakeReport, open_page: OpenPage) -> None:
    one = open_page(make_report(PLAIN))
    code = "text => { const box = document.createElement('p'); box.innerHTML = text; return [box.children.length, "
    shown = one.page.evaluate(f"{code} box.textContent]; }}", SCRIPT)
    assert shown == [0, SCRIPT]


def test_very_long_names_and_a_single_row_fit(make_report: MakeReport, open_page: OpenPage) -> None:
    made = MadeRun(tasks=2, steps=2, strategies=("no-memory",), task_name="n" * 5000, reply="w" * 3000)
    one = open_page(make_report(made), viewport={"width": 390, "height": 844})
    trial = one.page.evaluate("page.data.load('tasks').then(({trials}) => trials[0][0])")
    for view in (*(f"view={name}" for name in VIEWS), f"view=trial&trial={trial}&open=context,reply,calls"):
        one.go(view)
        assert one.page.evaluate("document.documentElement.scrollWidth") <= 390, view


def test_every_view_fits_a_phone(make_report: MakeReport, open_page: OpenPage) -> None:
    one = open_page(make_report(PLAIN), viewport={"width": 390, "height": 844})
    a, b = (find_trial(one.page, name, "task-002") for name in ("no-memory", "window:k=5"))
    views = [*VIEWS, f"trial&trial={a}", f"pair&a={a}&b={b}", "strategy&block=0&strategy=no-memory"]
    for view in views:
        one.go(f"view={view}")
        assert one.page.evaluate("document.documentElement.scrollWidth") <= 390, view


def test_dark_is_taken_from_the_system_and_can_be_turned(make_report: MakeReport, open_page: OpenPage) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    one = open_page(make_report(PLAIN), color_scheme="dark")
    assert one.page.evaluate(paper) == "rgb(20, 23, 27)"
    one.page.click("#theme")
    assert one.page.evaluate(paper) == "rgb(255, 255, 255)"
    assert open_page(make_report(PLAIN)).page.evaluate(paper) == "rgb(255, 255, 255)"


def test_trials_without_a_score_are_marked_and_listed(make_report: MakeReport, open_page: OpenPage) -> None:
    one = open_page(make_report(MadeRun(tasks=4, planned=1, unscored=1)))
    assert "2 of 4 have no score" in one.page.inner_text(".board")
    one.go("view=tasks")
    assert one.page.locator(".cell.planned").count() == 3
    assert one.page.locator(".cell.unscored").count() == 3
    one.page.click(".cell.planned >> nth=0")
    one.page.wait_for_selector("text=this trial has not ended yet")
    one.go("view=tasks")
    one.page.click(".cell.unscored >> nth=0")
    one.page.wait_for_selector(".error >> text=timeout")


def test_report_without_any_score_says_so(make_report: MakeReport, open_page: OpenPage) -> None:
    one = open_page(make_report(MadeRun(tasks=2, planned=2)))
    assert one.page.locator(".tabulator-row").count() >= 3
    one.go("view=frontier")
    one.page.wait_for_selector("text=there is nothing to draw")
    one.go("view=ledger")
    one.page.wait_for_selector("text=No model was called")


def test_unknown_view_or_trial_is_said(make_report: MakeReport, open_page: OpenPage) -> None:
    one = open_page(make_report(PLAIN), "#view=nonsense&block=99")
    assert one.page.locator(".tabulator-row").count() == 3
    one.go("view=trial&trial=nobody")
    one.page.wait_for_selector("text=There is no such trial")
    one.go("view=tasks&block=99")
    assert one.page.locator(".cell").count() == 18


def test_long_trial_is_drawn_in_parts(make_report: MakeReport, open_page: OpenPage) -> None:
    one = open_page(make_report(MadeRun(tasks=1, strategies=("no-memory",), steps=450)))
    trial = find_trial(one.page, "no-memory", "task-000")
    one.go(f"view=trial&trial={trial}")
    assert one.page.locator(".step").count() == 200
    one.page.click(".more")
    assert one.page.locator(".step").count() == 400
    one.go(f"view=trial&trial={trial}&step=430")
    assert one.page.evaluate("document.activeElement.id") == "step-430"


def test_made_run_is_what_the_store_reads(tmp_path: Path) -> None:
    frame = read_items([make_run(tmp_path / "made", MadeRun(tasks=4, planned=1, unscored=1))])
    assert dict(frame["status"].value_counts()) == {"done": 6, "model-error": 3, "planned": 3}
