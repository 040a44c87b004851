"""One browser for the tests of the page, and a page that notes what goes wrong in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bench.cli.report_file import write_report
from bench.report.page.report import Report
from tests.report.page.made_run import MadeRun, make_run

WAIT_MS, PAUSE_MS = 90_000, 20


@dataclass
class Opened:
    """A page in Chromium, what its console said, and what it asked the network for."""

    page: Any
    faults: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def go(self, address: str) -> None:
        """Show a view and wait until it is drawn."""
        before = self.page.evaluate("document.getElementById('content').dataset.drawn ?? '0'")
        self.page.evaluate("address => { location.hash = address; }", address)
        self.wait("before => document.getElementById('content').dataset.drawn !== before", before)

    def wait(self, expression: str, argument: Any = None) -> None:
        """Wait until an expression is true. ``wait_for_function`` asks again by ``eval``, which the page forbids."""
        for _ in range(WAIT_MS // PAUSE_MS):
            if self.page.evaluate(expression, argument):
                return
            self.page.wait_for_timeout(PAUSE_MS)
        raise AssertionError(f"not true after {WAIT_MS} ms: {expression}")

    def texts(self, selector: str) -> list[str]:
        return [str(text).strip() for text in self.page.locator(selector).all_inner_texts()]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium; closed before tests of other modules, which may start one of their own."""
    sync_api = pytest.importorskip("playwright.sync_api")
    # In a container the shared memory is small, and a page that finds none crashes now and then.
    with sync_api.sync_playwright() as play:
        started = play.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Opened]]:
    """Open a report; at the end nothing may have gone wrong in it, and nothing may have been asked of any network."""
    contexts, opened = [], list[Opened]()

    def start(file: Path, view: str = "", **options: Any) -> Opened:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        context.set_default_timeout(WAIT_MS)
        contexts.append(context)
        one = Opened(context.new_page())
        one.page.on("console", lambda said: one.faults.append(said.text) if said.type in ("error", "warning") else None)
        one.page.on("pageerror", lambda error: one.faults.append(str(error)))
        one.page.route(
            lambda url: not url.startswith("file:"),
            lambda route: one.requests.append(route.request.url) or route.abort(),
        )
        one.page.goto(f"{file.as_uri()}{view}")
        one.wait("document.getElementById('content').dataset.drawn === '1'")
        opened.append(one)
        return one

    yield start
    for context in contexts:
        context.close()
    assert [one.faults for one in opened] == [[]] * len(opened)
    assert [one.requests for one in opened] == [[]] * len(opened)


@pytest.fixture(scope="session")
def make_report(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Write the report of a made run, each once. Returns: the file."""
    made: dict[MadeRun, Path] = {}

    def make(run: MadeRun = MadeRun()) -> Path:
        if run not in made:
            folder = tmp_path_factory.mktemp("report")
            write_report(Report([make_run(folder / "made", run)]), folder / "report.html")
            made[run] = folder / "report.html"
        return made[run]

    return make
