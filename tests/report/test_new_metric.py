"""A new metric is one catalogue entry and one function: the example of docs/metrics.md, installed as a plug-in."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.plugins import find_plugins
from bench.scoring.metric_names import find_metric, read_plugins
from bench.store.dataframe import read_items

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"
NAME, HEADER = "decision_words", "words"


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install the example of the page, as pip would lay it out."""
    (source,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
    site = tmp_path / "site"
    info = site / "my_metric-1.dist-info"
    info.mkdir(parents=True)
    (site / "my_metric_module.py").write_text(source)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-metric\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[memfrontier.metrics]\n{NAME} = my_metric_module:METRIC\n")
    monkeypatch.syspath_prepend(str(site))
    _forget()
    yield
    monkeypatch.undo()
    _forget()


def _forget() -> None:
    sys.modules.pop("my_metric_module", None)
    find_plugins.cache_clear()
    read_plugins.cache_clear()
    find_metric.cache_clear()


@pytest.fixture
def ran(request: pytest.FixtureRequest, bench: Any) -> Any:
    request.getfixturevalue("plugin")
    words = ("run", "toy", "toy-talk:talks=2", "-s", "full-history,window:k=2", "--limit", "2", "--workers", "1")
    assert bench(*words, "-o", "r").code == 0
    return bench


def test_new_metric_is_in_every_format_and_command(ran: Any) -> None:
    text = {style: ran("table", "r", "--format", style).out for style in ("rich", "md", "csv", "latex", "json")}
    records = json.loads(text["json"])
    assert all(record[NAME] > 0 for record in records)
    assert [float(line[NAME]) for line in csv.DictReader(io.StringIO(text["csv"]))] == [r[NAME] for r in records]
    cell = f"{records[0][NAME]:,.1f}"
    assert f"| {HEADER} |" in text["md"]
    assert f"| {cell} |" in text["md"]
    asked = ran("table", "r", "--columns", f"n,{NAME}", "--format", "latex").out
    assert f"& n & {HEADER} \\\\" in asked
    assert f" & {cell}" in asked
    for style in ("md", "latex"):
        assert "words: words of all decisions." in text[style]
    assert HEADER in text["rich"] or f"Left out at this width: {HEADER}" in text["rich"]
    assert NAME in ran("export", "r").out.splitlines()[0].split(",")
    assert ran("export", "r", "--columns", NAME).out.splitlines()[0].endswith(f",{NAME}")
    assert HEADER in ran("frontier", "r", "-x", NAME).out
    assert HEADER in ran("frontier", "r", "-y", NAME).out
    assert f"· {NAME} ·" in ran("compare", "r", "window:k=2", "full-history", "--metric", NAME).out
    assert f"{NAME} " in ran("show", "r", "full-history@house-000").out.splitlines()[1]
    assert f"{NAME} " in ran("show", "r", "full-history@talk-00").out


@pytest.mark.usefixtures("ran")
def test_question_has_the_words_of_its_own_answer() -> None:
    items = read_items([Path("r")])
    talk = items[items["suite"] == "toy-talk:talks=2"]
    assert len(set(talk["item"])) > len(set(talk["task"]))
    assert (talk[NAME] < items.loc[items["suite"] == "toy", NAME].max()).all()


def test_fewer_words_are_a_win(ran: Any) -> None:
    mean = read_items([Path("r")]).groupby(["suite", "strategy"])[NAME].mean()
    text = ran("compare", "r", "full-history", "window:k=2", "--metric", NAME).out
    better = [int(line.split()[-5]) for line in text.splitlines() if "better / same / worse" in line]
    assert mean["toy"]["window:k=2"] != mean["toy"]["full-history"]
    assert (better[0] > 0) == (mean["toy"]["full-history"] < mean["toy"]["window:k=2"])


@pytest.mark.usefixtures("plugin")
def test_plug_in_cannot_take_a_name(tmp_path: Path, bench: Any) -> None:
    module = tmp_path / "site" / "my_metric_module.py"
    module.write_text(module.read_text().replace(f'name="{NAME}"', 'name="steps"'))
    assert bench("run", "toy", "-s", "no-memory", "--limit", "1", "--workers", "1", "-o", "t").code == 0
    listed = bench("list", "suites")
    assert listed.code == 0
    assert "memfrontier.metrics decision_words: expected a new name, got 'steps'; rename the metric" in listed.out
