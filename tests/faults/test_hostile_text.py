"""What models, worlds and plug-ins call things and say is shown, and obeyed by no terminal, page or spreadsheet."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
import sys
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest

from bench import registry
from bench.agents import default_agent
from bench.errors import ModelError
from bench.models.scripted import ScriptedSource
from bench.protocols import Kit, Strategy
from bench.report.latex import escape_latex
from bench.runner import build
from bench.types import Context, Event, Message, Query

HOSTILE = (
    "\x1b]0;owned\x07\x1b[2J\x9b31m\r\x08\x7f\u202eevil\u2066 [red]x[/red] [link=file:///x]y[/link] :key: <b>&amp; $x$"
)
NAME = f"{HOSTILE} | `a` _b_ ](c) \\d\n| e"
FORMULA = '=HYPERLINK("http://evil.example")'


def harmless(text: str) -> bool:
    """Nothing but text, line breaks and blanks: a terminal, reading it, only writes."""
    return all(char == "\n" or unicodedata.category(char)[0] != "C" or char == "\t" for char in text)


def says(_messages: Sequence[Message], _role: str, number: int) -> str:
    return f"Action: take {HOSTILE}" if number % 2 else f"{HOSTILE}\nAction: open box"


def fails(_messages: Sequence[Message], _role: str, _number: int) -> str:
    raise ModelError(f"remote/fake: {NAME}")


class Echo:
    """A memory that says what it saw, among hostile words."""

    def __init__(self, _kit: Kit):
        self._seen = [HOSTILE]

    def observe(self, event: Event) -> None:
        self._seen.append(event.text)

    def recall(self, _query: Query) -> Context:
        return Context("\n".join(self._seen), refs=(NAME,))


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, bench: Any) -> Path:
    """A run whose every name and text is hostile: those that a plug-in may choose are put into its record."""
    module = ModuleType("echoes")
    module.ECHO = Strategy("echo-v1", default_agent(Echo))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "echoes", module)
    monkeypatch.setitem(registry.builtin.STRATEGIES, "echo", "echoes:ECHO")
    monkeypatch.setattr(build, "load_source", lambda _name, _options: ScriptedSource(says, name="remote/fake"))
    done = bench(
        "run", "toy", "-s", "echo,full-history", "-m", "remote/fake", "--steps", "4", "--limit", "3", "-o", "run"
    )
    assert done.code == 0, done.err
    db = sqlite3.connect(tmp_path / "run" / "run.sqlite")
    with db:
        for column in ("suite", "split", "task", "model"):
            db.execute(f"UPDATE trials SET {column} = {column} || ?", (NAME,))
        db.execute("UPDATE trials SET strategy = strategy || ? WHERE strategy LIKE 'echo%'", (NAME,))
        db.execute(
            "UPDATE trials SET opening = ?, error = ?, grp = ?, cluster = ? || cluster", (NAME, NAME, FORMULA, NAME)
        )
        db.execute("UPDATE items SET item = (SELECT task FROM trials WHERE id = trial)")
        db.execute("UPDATE items SET grp = ?, cluster = ? || cluster", (FORMULA, NAME))
        db.execute("UPDATE steps SET stimulus = ?, observation = ?, invalid_reason = ?, valid = 0", (NAME, NAME, NAME))
    db.close()
    return tmp_path


def call(bench: Any, *words: str, code: int = 0) -> str:
    """Return what bench prints, having checked that it is harmless."""
    done = bench(*words)
    assert done.code == code, done.err
    assert harmless(done.out), [char for char in done.out if not harmless(char)]
    assert harmless(done.err), [char for char in done.err if not harmless(char)]
    assert done.out + done.err
    return str(done.out)


def test_every_command_shows_hostile_text_harmlessly(hostile: Path, bench: Any) -> None:
    for style in ("rich", "md", "csv", "latex", "json"):
        assert "evil" in call(bench, "table", "run", "--by", "group", "--format", style)
    call(bench, "table", "run", "--notes")
    call(bench, "frontier", "run")
    listed = call(bench, "show", "run")
    assert "[red]x[/red]" in listed.replace("\n", "")  # as it is, no style
    call(bench, "compare", "run", "full-history", "full-history")
    (name,) = sqlite3.connect(hostile / "run" / "run.sqlite").execute("SELECT task FROM trials WHERE id = 1").fetchone()
    shown = call(bench, "show", "run", f"full-history@{name}", "--context")
    assert shown.count("evil") > 10
    assert "[link=file:///x]y[/link] :key:" in shown
    assert "no such" not in call(bench, "show", "run", f"x{NAME}", code=2)
    for style in ("csv", "jsonl"):
        call(bench, "export", "run", "--to", style)
    call(bench, "export", "run", "--columns", NAME, code=2)
    for words in (("list", NAME), (NAME,), ("table", NAME), ("run", NAME), ("run", "toy", "-s", NAME)):
        call(bench, *words, code=2)


def test_styles_of_a_terminal_are_the_only_sequences(
    hostile: Path, bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    (task,) = sqlite3.connect(hostile / "run" / "run.sqlite").execute("SELECT task FROM trials WHERE id = 1").fetchone()
    out = bench("show", "run", f"full-history@{task}", "--context").out
    plain = re.sub(r"\x1b\[[0-9;]*m", "", out)
    assert plain != out
    assert harmless(plain)


@pytest.mark.usefixtures("hostile")
def test_tables_escape_what_their_format_would_obey(bench: Any) -> None:
    markdown = call(bench, "table", "run", "--format", "md")
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1  # as many cells in each row
    for live in ("<b>", "&amp;", "`a`", " _b_", "](c)"):
        assert not re.search(rf"(?<!\\){re.escape(live)}", markdown)
    latex = call(bench, "table", "run", "--format", "latex")
    body = latex.partition("\\toprule")[2].partition("\\bottomrule")[0]
    assert not re.search(r"(?<!\\)[$#_]|(?<!\\)&(?=amp)", body)
    assert escape_latex("$x$ & y_1") == r"\$x\$ \& y\_1"  # a long name is cut before this


@pytest.mark.usefixtures("hostile")
def test_csv_has_no_formula_and_keeps_its_numbers(bench: Any) -> None:
    for words in (("table", "run", "--by", "group", "--format", "csv"), ("export", "run", "--to", "csv")):
        rows = list(csv.reader(io.StringIO(call(bench, *words))))
        assert len({len(row) for row in rows}) == 1
        cells = [cell for row in rows for cell in row]
        risky = [cell for cell in cells if cell[:1] in tuple("=+-@\t\r")]
        assert all(re.fullmatch(r"[+-]?\d+(\.\d+)?(e[+-]?\d+)?", cell) for cell in risky), risky
        assert f"'{FORMULA}" in cells
    records = json.loads(call(bench, "table", "run", "--by", "group", "--format", "json"))
    assert {row["group"] for row in records} >= {FORMULA}  # JSON knows no formulas


@pytest.mark.parametrize("suffix", ["svg", "pdf", "png"])
def test_figure_draws_hostile_names(hostile: Path, bench: Any, suffix: str) -> None:
    call(bench, "frontier", "run", "-o", f"frontier.{suffix}")
    if suffix == "svg":
        root = ElementTree.fromstring((hostile / "frontier.svg").read_bytes())
        assert root.tag.endswith("svg")
        assert not [node for node in root.iter() if str(node.tag).endswith(("}a", "}script", "}b", "}foreignObject"))]


def test_progress_and_warnings_are_harmless(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "load_source", lambda _name, _options: ScriptedSource(fails, name="remote/fake"))
    done = bench("run", "toy", "-s", "full-history", "-m", "remote/fake", "--limit", "2", "-o", "failed")
    assert done.code == 1
    assert harmless(done.err)
    assert "evil" in done.err
    assert [line for line in done.err.splitlines() if line.startswith("| e")] == []  # no line of its own
