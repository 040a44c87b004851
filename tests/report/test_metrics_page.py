"""The page about metrics: written from the catalogue, and its example works."""

from __future__ import annotations

import re
from pathlib import Path

from bench.report.metrics_page import write_page
from bench.scoring.metric_names import list_metrics

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"


def test_page_is_the_catalogue() -> None:
    assert PAGE.read_text(encoding="utf-8") == write_page()


def test_page_names_every_metric_once() -> None:
    rows = re.findall(r"^\| `([^`]+)`", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert sorted(rows) == sorted(metric.name for metric in list_metrics())
