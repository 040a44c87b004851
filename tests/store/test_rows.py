"""Every record is read back as it was written."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.store.database import DATABASE, Plan, Store
from bench.store.read import read_trials
from bench.store.rows import pack_text, unpack_text
from bench.types import (
    Call,
    CallStatus,
    Context,
    Decision,
    EndReason,
    Evidence,
    Fingerprint,
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
    Timings,
    Trial,
    TrialKey,
    Usage,
    UsageSource,
)

TEXT = st.text(max_size=12)
LONG = TEXT | st.text(min_size=1, max_size=4).map(lambda text: text * 1024)
"""Some contexts are long enough to be stored compressed."""
WORDS = st.lists(TEXT, max_size=3).map(tuple)
COUNT = st.none() | st.integers(0, 2**40)
SECONDS = st.floats(0, 1e6)
WALLS = st.builds(Timings, SECONDS, SECONDS, SECONDS)
USAGES = st.builds(Usage, COUNT, COUNT, COUNT, COUNT, COUNT, st.sampled_from(UsageSource))
STATUSES = st.sampled_from(sorted(set(CallStatus) - {CallStatus.SUPERSEDED}))
"""Only ``supersede`` writes the missing one."""
CONTEXTS = st.builds(Context, LONG, WORDS, st.booleans())
KEY = TrialKey("toy", "houses", "house-000", "window:k=5", "scripted")
TASK = Task("house-000", "toy-v1", "houses", "04 rooms", "house-000", optimal_steps=7)
SCORES = st.lists(
    st.builds(Score, st.text(min_size=1, max_size=6), st.none() | st.floats(-1e9, 1e9), TEXT),
    max_size=3,
    unique_by=lambda score: score.name,
).map(tuple)


PLAIN_STEP = Step(1, Stimulus(Shape.EPISODE, "o", "g", 1), Decision("go"), Observation("done"))


def calls(index: int) -> st.SearchStrategy[Call]:
    return st.builds(
        Call, st.just(index), st.sampled_from(Phase), TEXT, TEXT, TEXT, TEXT, USAGES, st.integers(0, 99), st.just(1),
        STATUSES, st.none() | SECONDS, TEXT, SECONDS, TEXT,
    )  # fmt: skip


EVIDENCE = st.none() | st.builds(
    Evidence, WORDS, WORDS, st.lists(WORDS, max_size=2).map(tuple), st.none() | st.booleans()
)
READINGS = st.builds(Reading, st.integers(0, 1), st.booleans(), st.booleans(), WORDS, WORDS)


def steps(index: int, shape: Shape, goal: str) -> st.SearchStrategy[Step]:
    # A stimulus's ref is the driver's way to name the present event; the record has the event's text instead.
    goals = st.just(goal) if shape is Shape.EPISODE else st.text(min_size=1, max_size=12)
    yes_no = st.booleans()
    got = st.builds(Observation, TEXT, yes_no, yes_no, st.floats(0, 1), yes_no, TEXT, WORDS, yes_no, TEXT)
    return st.builds(
        Step, st.just(index), st.builds(Stimulus, st.just(shape), TEXT, goals, st.just(index)),
        st.builds(Decision, TEXT, TEXT, CONTEXTS, WORDS, READINGS), got, st.integers(0, 9999), COUNT, WALLS,
        EVIDENCE,
    )  # fmt: skip


@st.composite
def trials(draw: st.DrawFn, shape: Shape) -> Trial:
    goal = draw(st.text(min_size=1, max_size=12)) if shape is Shape.EPISODE else ""
    names = sorted(draw(st.lists(st.text(min_size=1, max_size=6), max_size=3, unique=True)))
    return Trial(
        KEY,
        draw(st.sampled_from(Status)),
        draw(st.sampled_from(EndReason)),
        tuple(Item(name, draw(TEXT), draw(TEXT), draw(SCORES)) for name in names),
        tuple(draw(steps(index, shape, goal)) for index in range(1, draw(st.integers(0, 3)) + 1)),
        tuple(draw(calls(index)) for index in range(draw(st.integers(0, 3)))),
        draw(TEXT),
        goal,
        Fingerprint(tuple(sorted(draw(st.dictionaries(TEXT, TEXT, max_size=3)).items()))),
        draw(SECONDS),
        draw(WALLS),
    )


@pytest.mark.parametrize("shape", Shape)
@given(data=st.data())
@settings(max_examples=25)  # a database on disk
def test_read_trials_returns_the_stored_trial(shape: Shape, data: st.DataObject) -> None:
    trial = data.draw(trials(shape))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Store(folder) as store:
            store.plan([Plan(KEY, TASK)])
            for call in trial.calls:
                store.commit_call(KEY, call)
            assert store.calls(KEY) == trial.calls
            store.finish(trial)
            assert [(row.key, row.status, row.error) for row in store.trials()] == [
                (KEY, trial.status.value, trial.error)
            ]
        assert read_trials(folder, shape) == [trial]


def test_read_trials_takes_runs_without_evidence_table(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.plan([Plan(KEY, TASK)])
        store.finish(Trial(KEY, Status.DONE, EndReason.WON, steps=(PLAIN_STEP,)))
    with closing(sqlite3.connect(tmp_path / DATABASE)) as db:
        db.execute("DROP TABLE evidence")
    assert read_trials(tmp_path)[0].steps == (PLAIN_STEP,)
    with Store(tmp_path) as store:  # going on with such a run makes the table
        store.finish(Trial(KEY, Status.DONE, EndReason.WON, steps=(replace(PLAIN_STEP, evidence=Evidence(("o1",))),)))
    assert read_trials(tmp_path)[0].steps[0].evidence == Evidence(("o1",))


@given(st.text(max_size=6), st.integers(0, 2000))
def test_pack_text_compresses_long_texts_without_loss(piece: str, times: int) -> None:
    text = piece * times
    assert unpack_text(pack_text(text)) == text  # type: ignore[arg-type]
    assert isinstance(pack_text(text), bytes) == (len(text) >= 2048)
