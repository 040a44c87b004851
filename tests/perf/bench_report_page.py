"""Benchmark, not a test: how long a report of 100,000 steps takes to make, how large it is, how fast it opens.

A made run of 2,000 episodes of 50 steps (10 strategies, 200 tasks). Opening is measured in Chromium on the file: from
the start of the navigation until the leaderboard is drawn and answers a click (it is sorted), and until all of the file
has been read; then how long a trial takes to be shown. Goal: under 3 s.
Run: ``python -m tests.perf.bench_report_page [EPISODES]``, from the root of the checkout.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from playwright.sync_api import Page, sync_playwright

from bench.cli.report_file import write_report
from bench.report.page.report import Report
from tests.report.page.made_run import MadeRun, make_run

STEPS, ROUNDS = 50, 5
STRATEGIES = ("full-history", "no-memory", *(f"window:k={k}" for k in range(1, 9)))


def open_once(page: Page, address: str) -> tuple[float, float, float]:
    """Return the seconds until the leaderboard answered a click, until all was read, and that a trial took."""
    began = perf_counter()
    page.goto(address, wait_until="commit")
    page.wait_for_selector(".tabulator-row")
    page.click(".title >> text=steps >> nth=0")
    page.wait_for_selector('[aria-sort="ascending"], [aria-sort="descending"]')
    drawn = perf_counter() - began
    page.wait_for_load_state("load")
    read = perf_counter() - began
    trial = page.evaluate("page.data.load('tasks').then(({trials}) => trials[trials.length - 1][0])")
    began = perf_counter()
    page.evaluate(f"location.hash = 'view=trial&trial={trial}'")
    page.wait_for_selector(".step")
    return drawn, read, perf_counter() - began


def main(episodes: int) -> None:
    tasks = episodes // len(STRATEGIES)
    with tempfile.TemporaryDirectory() as folder:
        run = make_run(Path(folder) / "large", MadeRun(tasks=tasks, strategies=STRATEGIES, steps=STEPS))
        out = Path(folder) / "report.html"
        began = perf_counter()
        write_report(Report([run]), out)
        made_s = perf_counter() - began
        print(f"report of {episodes * STEPS:,} steps, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
        print(f"  run {(run / 'run.sqlite').stat().st_size / 1e6:.0f} MB, page {out.stat().st_size / 1e6:.1f} MB")
        print(f"  made in {made_s:.1f} s")
        with sync_playwright() as play:
            browser = play.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-dev-shm-usage"]
            )
            times = []
            for _ in range(ROUNDS):
                page = browser.new_context().new_page()
                times.append(open_once(page, out.as_uri()))
                page.close()
            browser.close()
        for name, found in zip(
            ("leaderboard sorted by a click", "all of the file read", "a trial shown"),
            zip(*times, strict=True),
            strict=True,
        ):
            print(f"  {name}: median {sorted(found)[len(found) // 2]:.2f} s, worst {max(found):.2f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
