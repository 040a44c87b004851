"""Accessibility of every view, as axe-core finds it: nothing serious or critical, in the light and in the dark."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.report.page.made_run import MadeRun

VENDOR = Path(__file__).parent / "vendor"
AXE = VENDOR / "axe.min.js"
GRAVE = ("serious", "critical")


def test_axe_is_what_npm_delivered() -> None:
    listed = tomllib.loads((VENDOR / "vendor.toml").read_text(encoding="utf-8"))
    assert hashlib.sha256(AXE.read_bytes()).hexdigest() == listed["sha256"]


def find_faults(page: Any) -> list[tuple[str, str, str]]:
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        (rule["id"], rule["impact"], node["html"][:200])
        for rule in found["violations"]
        if rule["impact"] in GRAVE
        for node in rule["nodes"][:3]
    ]


@pytest.mark.needs("playwright", "chromium")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_view_has_a_serious_fault(
    scheme: str, make_report: Callable[..., Path], open_page: Callable[..., Any]
) -> None:
    one = open_page(make_report(MadeRun(tasks=6, planned=1, unscored=1)), color_scheme=scheme)
    one.page.evaluate(AXE.read_text(encoding="utf-8"))
    trials = one.page.evaluate("page.data.load('tasks').then(({trials}) => trials.map((one) => one[0]))")
    views = {
        "leaderboard": "view=leaderboard",
        "frontier": "view=frontier",
        "tasks": "view=tasks",
        "ledger": "view=ledger",
        "statistics": "view=statistics",
        "sources": "view=sources",
        "trial": f"view=trial&trial={trials[1]}&open=context,reply,calls",
        "pair": f"view=pair&a={trials[4]}&b={trials[5]}",
        "strategy": "view=strategy&block=0&strategy=no-memory",
    }
    found = {}
    for name, address in views.items():
        one.go(f"{address}&filter=")
        if name == "leaderboard":
            one.page.click("summary >> text=Columns")
        found[name] = find_faults(one.page)
    one.page.click("#help")
    found["keys"] = find_faults(one.page)
    assert found == {name: [] for name in found}
