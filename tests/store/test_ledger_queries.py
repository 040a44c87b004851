"""The requests of a run: samples counted within a trial, overflows too, and vectors only if they were paid."""

from __future__ import annotations

from pathlib import Path

from bench.store.database import Plan, Store
from bench.store.ledger_queries import ReplyUse, count_unscored, read_meta, read_reply_uses
from bench.types import Call, CallStatus, EndReason, Phase, Status, Task, Trial, TrialKey, Usage


def call(
    index: int,
    request_hash: str,
    role: str = "act",
    status: CallStatus = CallStatus.OK,
    reply: str = "x",
    attempt: int = 1,
) -> Call:
    return Call(
        index, Phase.ACT, role, "vectors" if role == "embed" else "m", request_hash, reply, Usage(), 1, attempt, status
    )


def test_read_reply_uses_lists_requests_by_trial_and_index(tmp_path: Path) -> None:
    keys = [TrialKey("toy", "all", f"t{i}", "window", "m", seed=i) for i in range(3)]
    with Store(tmp_path) as store:
        store.plan([Plan(key, Task(key.task, "toy-v1", "all", "g", key.task)) for key in keys])
        for one in (
            call(0, "a", status=CallStatus.SERVER_ERROR),
            call(0, "a", attempt=2),
            call(1, "b", role="embed"),
            call(2, "c", role="embed", reply=""),  # computed here
            call(3, "a"),
            call(4, "d", status=CallStatus.OVERFLOW),
        ):
            store.commit_call(keys[0], one)
        store.commit_call(keys[1], call(0, "a"))
        store.supersede(keys[1])
        store.commit_call(keys[1], call(0, "e"))
        store.commit_call(keys[2], call(0, "f"))  # a trial that has not ended
        for key, status in ((keys[0], Status.DONE), (keys[1], Status.MODEL_ERROR)):
            store.finish(Trial(key, status, EndReason.ERROR))
        store.set_meta("identity", "who and how")
    assert list(read_reply_uses(tmp_path)) == [
        ReplyUse("a", 0, 0, "m", "act"),
        ReplyUse("b", 0, 0, "vectors", "embed"),
        ReplyUse("a", 0, 1, "m", "act"),
        ReplyUse("d", 0, 0, "m", "act"),
        ReplyUse("e", 1, 0, "m", "act"),
    ]
    assert (read_meta(tmp_path, "identity"), read_meta(tmp_path, "nothing")) == ("who and how", None)
    assert count_unscored(tmp_path, ("done", "strategy-error")) == 2
