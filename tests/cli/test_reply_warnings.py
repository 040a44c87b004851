"""The end of ``bench run`` warns about replies that could not be read; ``bench show`` shows how each was read."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bench.runner.reply_warnings import find_reply_warnings
from bench.store.database import DATABASE, Plan, Store
from bench.store.read import read_trials
from bench.types import (
    Call,
    Context,
    Decision,
    EndReason,
    Item,
    Observation,
    Phase,
    Reading,
    Score,
    Shape,
    Status,
    Step,
    Stimulus,
    Task,
    Trial,
    TrialKey,
    Usage,
)

UGLY = "I would [bold]look[/] \x1b[31m around \ud83d" + " and wait" * 40


def record(folder: Path, readings: Sequence[Reading], strategy: str = "hiagent", seed: int = 0) -> None:
    """Write a run of one trial whose decisions were read so."""
    key = TrialKey("toy", "houses", "house-000", strategy, "scripted", seed)
    reply = UGLY.encode(errors="replace").decode()
    steps = [
        Step(
            index,
            Stimulus(Shape.EPISODE, "", "Find it.", index),
            Decision("" if reading.unreadable else "look", reply, Context("[1] seen", ("o1",)), reading=reading),
            Observation("Dark."),
        )
        for index, reading in enumerate(readings, start=1)
    ]
    calls = [
        Call(index, Phase.ACT, "act", "scripted", "h", reply, Usage(7, completion=3), step=index + 1)
        for index in range(len(readings))
    ]
    items = (Item("house-000", "g", "c", (Score("success", 0.0),)),)
    with Store(folder) as store:
        store.plan([Plan(key, Task("house-000", "toy-v1", "houses", "g", "c"))])
        for call in calls:
            store.commit_call(key, call)
        store.finish(Trial(key, Status.DONE, EndReason.STEP_CAP, items, tuple(steps), opening="Find it."))


def test_unreadable_replies_are_counted_with_an_example(tmp_path: Path) -> None:
    record(tmp_path, [Reading(), Reading(), Reading(1, True), *[Reading(1)] * 2], seed=3)
    first, second = find_reply_warnings(tmp_path, {"hiagent"})
    assert first.startswith('hiagent: 4 of 8 replies held no readable action or answer, e.g. "I would [bold]look')
    assert first.endswith(f'…" (bench show {tmp_path} hiagent@house-000#3 --step 3)')
    assert "\x1b" not in first
    assert second.startswith("hiagent: no line of its own reply format in 5 decisions")


@pytest.mark.parametrize(
    ("readings", "dialect"),
    [
        ([Reading()] * 19 + [Reading(unreadable=True)], False),  # 5 % is not more than 5 %
        ([Reading(dialect=("subgoal",)), Reading()], True),
        ([Reading(repairs=("bold",), cut=True)], False),
        ([], True),
    ],
)
def test_nothing_is_said_where_replies_were_read(readings: Sequence[Reading], dialect: bool, tmp_path: Path) -> None:
    record(tmp_path, readings)
    assert find_reply_warnings(tmp_path, {"hiagent"} if dialect else ()) == []


def test_run_of_plain_replies_prints_no_warning_and_no_column(bench: Any) -> None:
    done = bench("run", "toy", "toy-talk", "-s", "full-history,window:k=2", "--limit", "2", "-o", "out")
    assert "held no readable" not in done.err
    assert "reply format" not in done.err
    assert not {"unread.", "again", "cut", "repaired", "dialect"} & set(done.out.split())


def test_show_says_how_replies_were_read_and_shows_calls(bench: Any, tmp_path: Path) -> None:
    record(
        tmp_path / "out", [Reading(1, True, True), Reading(repairs=("bold", "fence"), dialect=("subgoal",)), Reading()]
    )
    brief = bench("show", "out", "house").out
    assert "asked again; unreadable; cut at the reply limit" in brief
    assert "repaired: bold, fence; own format: subgoal" in brief
    assert "call 0" not in brief
    for words in (("--context",), ("--step", "1")):
        shown = " ".join(bench("show", "out", "house", *words).out.split())
        assert "call 0 act, 7+3 tokens, finish stop: I would [bold]look[/]" in shown
        assert "\x1b" not in shown
    assert "call 1" not in bench("show", "out", "house", "--step", "1").out


def test_run_of_schema_1_is_read_without_readings_and_not_continued(bench: Any, tmp_path: Path) -> None:
    assert bench("run", "toy", "-s", "window", "--limit", "1", "-o", "out").code == 0
    db = sqlite3.connect(tmp_path / "out" / DATABASE)
    db.execute("ALTER TABLE steps DROP COLUMN reading")
    db.execute("UPDATE meta SET value = '1' WHERE key = 'schema'")
    db.commit()
    db.close()
    (trial,) = read_trials(tmp_path / "out")
    assert {step.decision.reading for step in trial.steps} == {Reading()}
    assert bench("show", "out", "house", "--context").code == 0
    assert bench("table", "out").code == 0
    assert find_reply_warnings(tmp_path / "out", {"window"}) == []
    again = bench("run", "out")
    assert again.code != 0
    assert "run.sqlite: expected schema 2, got 1; it can be read, not continued" in again.err
