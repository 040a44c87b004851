"""``bench view``: the page of a run that goes on, served to this machine alone."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from shutil import which
from signal import SIGINT
from typing import Any
from urllib.error import HTTPError

import pytest

from bench.cli.view import LiveReport
from bench.errors import StoreError
from bench.models.openai_api.format import BadRequest
from bench.models.openai_api.http_server import HttpRequest, LoopbackServer
from tests.report.page.made_run import MadeRun, make_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make_run(tmp_path / "made", MadeRun(tasks=2, planned=1))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveReport]:
    """A report of a run that does not change."""
    report = LiveReport([make_run(tmp_path_factory.mktemp("kept") / "made", MadeRun(tasks=2, planned=1))])
    yield report
    report.close()


@pytest.fixture
def live(run: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LiveReport]:
    monkeypatch.setattr("bench.cli.view._REST", 0.0)
    report = LiveReport([run])
    yield report
    report.close()


def get(report: LiveReport, path: str) -> Any:
    return report.answer(HttpRequest("GET", path)).body


def test_page_may_ask_its_own_server_and_nobody_else(kept: LiveReport) -> None:
    answer = kept.answer(HttpRequest("GET", "/"))
    text = answer.content.decode()
    assert answer.headers["Content-Type"].startswith("text/html")
    assert "connect-src 'self'" in text
    assert 'name="report-source" content="live"' in text
    assert 'id="trials-0"' not in text


def test_changes_are_told_when_a_trial_has_ended(live: LiveReport, run: Path) -> None:
    first = get(live, "/changes/")
    assert (first["ended"], first["planned"], first["parts"]) == (3, 3, {})
    assert get(live, f"/changes/{first['version']}") == first
    make_run(run, MadeRun(tasks=2))
    second = get(live, f"/changes/{first['version']}")
    assert (second["ended"], second["planned"]) == (6, 0)
    assert second["version"] != first["version"]
    assert {"overview", "planes", "tasks", "ledger"} <= set(second["parts"])
    json.dumps(second, allow_nan=False)


def test_parts_and_trials_are_given_by_name(kept: LiveReport) -> None:
    trials = get(kept, "/part/tasks")["part"]["trials"]
    ended = next(one for one in trials if one[5] == "done")
    planned = next(one for one in trials if one[5] == "planned")
    assert get(kept, f"/trial/{ended[0]}")["trial"]["task"] == ended[2]
    assert get(kept, f"/trial/{planned[0]}") == {"trial": None}
    assert get(kept, "/trial/nobody") == {"trial": None}


@pytest.mark.parametrize("path", ["/part/nothing", "/etc/passwd", "/part/../run.toml", "/favicon.ico"])
def test_anything_else_is_not_there(kept: LiveReport, path: str) -> None:
    with pytest.raises(BadRequest, match="expected a page of the report"):
        get(kept, path)


def test_run_that_is_deleted_meanwhile_is_said(live: LiveReport, run: Path) -> None:
    (run / "run.sqlite").unlink()
    with pytest.raises(BadRequest, match=r"expected run\.sqlite in it"):
        get(live, "/changes/")


def test_view_of_no_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"expected run\.sqlite in it"):
        LiveReport([tmp_path])


def test_command_serves_until_it_is_interrupted(run: Path) -> None:
    code = f"import sys; sys.argv = ['bench', 'view', {str(run)!r}]; from bench.cli.app import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as served:
        assert served.stdout is not None
        address = served.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(f"{address}/changes/") as answer:
            assert json.load(answer)["ended"] == 3
        for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
            with pytest.raises(HTTPError, match="403"):
                urllib.request.urlopen(urllib.request.Request(address, headers=headers))
        served.send_signal(SIGINT)
        out, err = served.communicate(timeout=60)
    assert (served.returncode, out, err) == (0, "", "view: made; Ctrl-C ends it\n")


@pytest.fixture
def live_page(live: LiveReport) -> Iterator[Any]:
    """The page of a served report in Chromium; nothing may go wrong in it."""
    sync_api = pytest.importorskip("playwright.sync_api")
    faults = list[str]()
    with closing(LoopbackServer(live.answer)) as server, sync_api.sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=which("chromium"), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        page = browser.new_page()
        page.on("console", lambda said: faults.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(server.address)
        yield page
        browser.close()
    assert faults == []


@pytest.mark.needs("playwright", "chromium")
def test_page_shows_a_trial_as_soon_as_it_has_ended(run: Path, live_page: Any) -> None:
    page = live_page
    page.wait_for_selector("#live >> text=live, 3 of 6 trials")
    assert page.locator("[tabulator-field=n] >> text=1/2").count() == 3
    make_run(run, MadeRun(tasks=2))
    page.wait_for_selector("#live >> text=complete, 6 trials")
    page.wait_for_selector("[tabulator-field=n] >> text=2/2")
