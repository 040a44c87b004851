"""``bench report``: a file of a run; and what is no run, or no place to write to, is one line."""

from __future__ import annotations

import base64
import json
import re
import shutil
import sqlite3
import zlib
from pathlib import Path
from typing import Any

import pytest

from bench.api import run


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded") / "out"
    run("toy-talk", ["horma-untrained", "window:k=2"], out=folder, limit=1)
    return folder


@pytest.fixture
def ran(bench: Any, recorded: Path, tmp_path: Path) -> Any:
    """The command, in a folder with a copy of the run in ``out``."""
    shutil.copytree(recorded, tmp_path / "out")
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


def read_block(file: Path, name: str) -> Any:
    (packed,) = re.findall(rf'id="{name}">([^<]*)</script>', file.read_text(encoding="utf-8"))
    return json.loads(zlib.decompress(base64.b64decode(packed)))


def test_report_has_right_answers_and_files_of_memories(ran: Any, tmp_path: Path) -> None:
    assert ran("report", "out", "-o", "page.html").code == 0
    trials = {one["strategy"]: one for one in read_block(tmp_path / "page.html", "trials-0")}
    assert trials["window:k=2"]["items"][0]["reference"]
    assert "workspace" not in trials["window:k=2"]
    assert "index.md" in dict(trials["horma-untrained"]["workspace"])


def test_report_without_workspaces_has_none(ran: Any, tmp_path: Path) -> None:
    assert ran("report", "out", "-o", "page.html", "--workspaces", "0").code == 0
    assert not any("workspace" in one for one in read_block(tmp_path / "page.html", "trials-0"))


def test_report_shows_what_was_learned(bench: Any, tmp_path: Path) -> None:
    learned = ("--learn-policy", "grouped-by-spec", "--limit", "2")
    assert bench("run", "toy", "-s", "exprag", *learned, "-o", "out").code == 0
    assert bench("report", "out", "-o", "page.html").code == 0
    (artifact,) = read_block(tmp_path / "page.html", "about")["artifacts"]
    assert (artifact["label"], artifact["suite"]) == ("exprag", "toy")
    assert artifact["files"]
