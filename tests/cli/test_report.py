"""``bench report``: a file of a run; and what is no run, or no place to write to, is one line."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

RUN = ("run", "toy-talk", "-s", "horma-untrained,window:k=2", "--limit", "1", "-o", "out")


@pytest.fixture
def ran(bench: Any) -> Any:
    assert bench(*RUN).code == 0
    return bench


def test_report_of_a_run_is_one_file(ran: Any, tmp_path: Path) -> None:
    done = ran("report", "out", "-o", "page.html")
    assert (done.code, done.out) == (0, "")
    assert done.err.splitlines()[-1].startswith("report: page.html, 1.")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert text.count('id="trials-0"') == 1
    assert text.endswith("</html>\n")


def test_report_of_a_run_that_is_not_there_is_one_line(bench: Any) -> None:
    done = bench("report", "nothing", "-o", "page.html")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "run folder: expected run.sqlite in it, got nothing" in done.err


def test_report_into_a_folder_is_one_line(ran: Any) -> None:
    done = ran("report", "out", "-o", "out")
    assert (done.code, done.err) == (
        2,
        "bench: report: expected a file to write, got the folder out; give -o out/report.html\n",
    )


def test_report_below_a_folder_that_is_not_there_is_one_line(ran: Any) -> None:
    done = ran("report", "out", "-o", "no/where/page.html")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "report: expected a file that can be written, got no/where/page.html" in done.err


def test_report_of_a_newer_run_is_one_line_and_leaves_nothing(ran: Any, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "out" / "run.sqlite") as db:
        db.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")
    done = ran("report", "out", "-o", "page.html")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "got 99" in done.err
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("kept", [0, 100, 5000])
def test_report_of_a_half_written_store_is_one_line(ran: Any, tmp_path: Path, kept: int) -> None:
    path = tmp_path / "out" / "run.sqlite"
    path.write_bytes(path.read_bytes()[:kept])
    done = ran("report", "out", "-o", "page.html")
    assert (done.code, done.err.count("\n"), "Traceback" in done.err) == (2, 1, False)


def test_report_keeps_the_old_file_where_a_trial_cannot_be_read(ran: Any, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "out" / "run.sqlite") as db:
        db.execute("UPDATE steps SET notes = 'no JSON'")
    (tmp_path / "page.html").write_text("old", encoding="utf-8")
    done = ran("report", "out", "-o", "page.html")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == "old"
    assert not list(tmp_path.glob("*.partial"))


def test_unknown_reference_is_one_line(ran: Any) -> None:
    done = ran("report", "out", "--reference", "windw")
    assert (done.code, "expected a strategy of this run, got 'windw'" in done.err) == (2, True)
