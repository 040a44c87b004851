"""The run database: one writer, every commit survives, and errors of the disk are StoreErrors."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import StoreError
from bench.store.database import DATABASE, SCHEMA_VERSION, Plan, Spending, Store
from bench.store.read import open_read_only, read_trials
from bench.types import (
    Call,
    Context,
    Decision,
    EndReason,
    Item,
    Observation,
    Phase,
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

KEY = TrialKey("toy", "houses", "house-000", "window:k=5", "scripted")
TASK = Task("house-000", "toy-v1", "houses", "04 rooms", "house-000")
STEP = Step(1, Stimulus(Shape.EPISODE, "", "Find it.", 1), Decision("look"), Observation("Dark."))
TRIAL = Trial(
    KEY, Status.DONE, EndReason.WON, (Item("house-000", "g", "c", (Score("success", 1.0),)),), (STEP,),
    opening="Find it.",
)  # fmt: skip


def call(index: int, reply: str = "look", attempt: int = 1, tokens: int = 5) -> Call:
    usage = Usage(prompt=tokens, completion=0)
    return Call(index, Phase.ACT, "act", "scripted", f"h{index}", reply, usage, attempt=attempt, cost_usd=0.25)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "run") as opened:
        opened.plan([Plan(KEY, TASK)])
        yield opened


def test_plan_keeps_existing_trials(store: Store) -> None:
    store.finish(TRIAL)
    other = replace(KEY, seed=1)
    store.plan([Plan(KEY, TASK), Plan(other, TASK)])
    assert [(row.key, row.status) for row in store.trials()] == [(KEY, "done"), (other, "planned")]


def test_commit_call_rejects_an_unplanned_trial(store: Store) -> None:
    with pytest.raises(StoreError, match=r"expected a planned trial, got toy\|houses\|house-000"):
        store.commit_call(replace(KEY, seed=9), call(0))


def test_commit_call_rejects_a_duplicate(store: Store) -> None:
    store.commit_call(KEY, call(0))
    with pytest.raises(StoreError, match="expected a new record, got a duplicate"):
        store.commit_call(KEY, call(0))
    store.commit_call(KEY, call(0, attempt=2))
    assert len(store.calls(KEY)) == 2


def test_finish_replaces_steps_and_items(store: Store) -> None:
    store.finish(replace(TRIAL, status=Status.MODEL_ERROR, items=(), steps=(STEP, replace(STEP, index=2))))
    store.finish(TRIAL)
    assert read_trials(store.folder) == [TRIAL]


def test_superseded_calls_count_as_spend_and_are_not_replayed(store: Store) -> None:
    for again in range(3):
        for index in range(2):
            store.commit_call(KEY, call(index, f"try {again}"))
        assert [one.reply for one in store.calls(KEY)] == [f"try {again}"] * 2
        store.supersede(KEY)
        assert store.calls(KEY) == ()
    assert store.sum_spending() == Spending(6, 30, 1.5)
    store.supersede(KEY)
    store.finish(TRIAL)
    assert read_trials(store.folder)[0].calls == ()


def test_sum_spending_is_unknown_with_one_unknown_price(store: Store) -> None:
    assert store.sum_spending() == Spending(0, 0, 0.0)
    store.commit_call(KEY, call(0))
    store.commit_call(KEY, replace(call(1), cost_usd=None, usage=Usage()))
    assert store.sum_spending() == Spending(2, 5, None)


@given(st.lists(st.builds(Spending, st.integers(0, 9), st.integers(0, 99), st.one_of(st.none(), st.floats(0, 9)))))
def test_spendings_add_up_and_one_unknown_price_makes_the_sum_unknown(parts: list[Spending]) -> None:
    total = sum(parts, Spending())
    assert (total.calls, total.tokens) == (sum(one.calls for one in parts), sum(one.tokens for one in parts))
    costs = [one.cost_usd for one in parts]
    assert (total.cost_usd is None) == (None in costs)
    assert None in costs or total.cost_usd == sum(cost or 0.0 for cost in costs)


def test_spending_of_calls_is_that_of_the_ledger(store: Store) -> None:
    calls = [call(0), replace(call(1), cost_usd=None, usage=Usage())]
    for one in calls:
        store.commit_call(KEY, one)
    assert sum(map(Spending.of, calls), Spending()) == store.sum_spending()


def test_set_meta_stores_a_named_text(store: Store) -> None:
    assert store.meta("question") is None
    store.set_meta("question", "one")
    store.set_meta("question", "two")
    assert store.meta("question") == "two"


def test_threads_can_share_one_store(store: Store) -> None:
    keys = [replace(KEY, seed=seed) for seed in range(4)]
    store.plan([Plan(key, TASK) for key in keys])

    def work(key: TrialKey) -> None:
        for index in range(25):
            store.commit_call(key, call(index))
        store.finish(replace(TRIAL, key=key))

    threads = [threading.Thread(target=work, args=(key,)) for key in keys]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.sum_spending().calls == 100
    assert len(read_trials(store.folder)) == 4


def test_read_while_writing_sees_finished_trials_only(store: Store) -> None:
    store.commit_call(KEY, call(0))
    assert read_trials(store.folder) == []
    db = open_read_only(store.folder)
    try:
        assert db.execute("SELECT COUNT(*) FROM calls").fetchone()[0] == 1
        store.finish(TRIAL)
        assert db.execute("SELECT status FROM trials").fetchone()[0] == "done"
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            db.execute("DELETE FROM calls")
    finally:
        db.close()
    assert len(read_trials(store.folder)) == 1


def test_second_process_is_refused_with_the_holder(store: Store) -> None:
    code = f"from pathlib import Path; from bench.store.database import Store; Store(Path({str(store.folder)!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert f"expected no other run on {store.folder}, got one (process {os.getpid()}); wait for it or stop it" in last


def test_killed_process_releases_the_folder(tmp_path: Path) -> None:
    code = (
        "import os, signal; from pathlib import Path; from bench.store.database import Store; "
        f"Store(Path({str(tmp_path)!r})); os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    with Store(tmp_path) as store:
        assert store.trials() == ()


def test_release_twice_is_harmless(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.close()
    store._folder_lock.release()
    Store(tmp_path).close()


def test_store_rejects_another_schema(tmp_path: Path) -> None:
    Store(tmp_path).close()
    db = sqlite3.connect(tmp_path / DATABASE)
    db.execute("UPDATE meta SET value = '999' WHERE key = 'schema'")
    db.commit()
    db.close()
    with pytest.raises(StoreError, match=f"expected schema {SCHEMA_VERSION}, got 999; it can be read, not continued"):
        Store(tmp_path)


def test_file_that_is_no_database_is_refused_and_unchanged(tmp_path: Path) -> None:
    (tmp_path / DATABASE).write_bytes(b"not a database at all " * 100)
    with pytest.raises(StoreError, match="expected a run database, got a damaged or foreign file in"):
        Store(tmp_path)
    with pytest.raises(StoreError, match="expected a run database, got"):
        open_read_only(tmp_path)
    assert (tmp_path / DATABASE).read_bytes() == b"not a database at all " * 100


def test_damaged_page_is_a_store_error(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.plan([Plan(replace(KEY, seed=seed), TASK) for seed in range(300)])
    content = bytearray((tmp_path / DATABASE).read_bytes())
    content[8192:] = bytes(len(content) - 8192)
    (tmp_path / DATABASE).write_bytes(content)

    def use() -> None:
        with Store(tmp_path) as damaged:
            damaged.trials()

    with pytest.raises(StoreError, match="damaged or foreign file"):
        use()


def test_folder_without_a_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"expected run\.sqlite in it, got .*; give a folder that `bench run` made"):
        open_read_only(tmp_path)


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that any user of the machine can reach."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def nobody() -> Iterator[None]:
    """Act as a user whom permissions bind, which the superuser is not."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def make_read_only(folder: Path) -> None:
    for path in sorted(folder.iterdir()):
        path.chmod(0o444)
    folder.chmod(0o555)


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="permissions are another matter on this system")
def test_read_only_folder_can_be_read_and_not_written(public: Path, request: pytest.FixtureRequest) -> None:
    folder = public / "run"
    with Store(folder) as store:
        store.plan([Plan(KEY, TASK)])
        store.finish(TRIAL)
    make_read_only(folder)
    public.chmod(0o555)
    request.getfixturevalue("nobody")
    with pytest.raises(StoreError, match="expected a writable folder"):
        Store(folder)
    with pytest.raises(StoreError, match=r"expected a writable folder .*choose another with -o"):
        Store(public / "new")
    assert read_trials(folder) == [TRIAL]


def test_full_disk_is_a_store_error_and_loses_nothing_committed(tmp_path: Path) -> None:
    def fill(store: Store) -> None:
        store._db.execute(f"PRAGMA max_page_count = {store._db.execute('PRAGMA page_count').fetchone()[0] + 4}")
        for index in range(1, 99):
            store.commit_call(KEY, call(index, "x" * 3000))

    with Store(tmp_path) as store:
        store.plan([Plan(KEY, TASK)])
        store.commit_call(KEY, call(0))
        with pytest.raises(StoreError, match=r"with free space, got .*full.*what was recorded is intact"):
            fill(store)
        committed = store.calls(KEY)
        assert [one.index for one in committed] == list(range(len(committed)))
        assert len(committed) > 1
    with Store(tmp_path) as store:  # space was freed
        assert store.calls(KEY) == committed
        store.commit_call(KEY, call(len(committed), "x" * 30000))
        assert store._db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def test_number_that_cannot_be_stored_is_a_store_error_and_leaves_the_rest(store: Store) -> None:
    store.commit_call(KEY, call(0))
    with pytest.raises(StoreError, match="expected a record that can be stored, got one that cannot"):
        store.commit_call(KEY, call(1, tokens=10**30))
    store.commit_call(KEY, call(1))
    assert [one.index for one in store.calls(KEY)] == [0, 1]


def test_number_that_is_none_is_an_incomplete_record(store: Store) -> None:
    with pytest.raises(StoreError, match="expected a new record, got an incomplete one"):
        store.commit_call(KEY, replace(call(0), latency_s=float("nan")))


HALF = "half \ud83d a pair"


def test_half_of_a_surrogate_pair_is_stored_as_a_question_mark(store: Store) -> None:
    store.commit_call(KEY, call(0, HALF))
    context = Context(HALF * 300)
    step = replace(STEP, decision=replace(STEP.decision, reply=HALF, context=context), observation=Observation(HALF))
    item = replace(TRIAL.items[0], scores=(Score("success", None, HALF),))
    store.finish(replace(TRIAL, error=HALF, opening=HALF, steps=(step,), items=(item,)))
    (read,) = read_trials(store.folder)
    whole = "half ? a pair"
    assert [one.reply for one in store.calls(KEY)] == [whole]
    assert (read.error, read.opening, read.items[0].scores[0].reason) == (whole, whole, whole)
    assert (read.steps[0].observation.text, read.steps[0].decision.context.text) == (whole, whole * 300)
