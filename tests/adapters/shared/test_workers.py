"""Worker processes: reuse, replacement, hangs, exits, folders and hash order."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from adapters.shared.workers import WorkerLimits, WorkerPool
from bench.errors import EnvError

PROGRAM = """
import json, os, sys, time
for line in sys.stdin:
    request = json.loads(line)
    if request.get("do") == "hang":
        time.sleep(60)
    if request.get("do") == "die":
        sys.stderr.write("out of luck")
        os._exit(3)
    reply = {"pid": os.getpid(), "cwd": os.getcwd(), "seed": os.environ["PYTHONHASHSEED"], "who": os.environ.get("WHO")}
    print(json.dumps(reply), flush=True)
"""
LIMITS = WorkerLimits(start_s=10.0, step_s=0.5, episodes=2)


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    workers = WorkerPool("toy engine", (sys.executable, "-c", PROGRAM), LIMITS, {"WHO": "me"})
    yield workers
    workers.close()


def test_pool_reuses_worker_until_its_episodes_are_used(pool: WorkerPool) -> None:
    first = pool.take()
    pid = first.ask({}, 10, "reset")["pid"]
    first.episodes += 1
    pool.give_back(first)
    again = pool.take()
    assert again.ask({}, 10, "reset")["pid"] == pid
    again.episodes += 1
    pool.give_back(again)
    assert pool.take().ask({}, 10, "reset")["pid"] != pid
    assert not first.alive


def test_pool_gives_two_users_two_processes_and_folders(pool: WorkerPool) -> None:
    one, two = (pool.take().ask({}, 10, "reset") for _ in range(2))
    assert one["pid"] != two["pid"]
    assert one["cwd"] != two["cwd"]
    assert (one["seed"], one["who"]) == ("0", "me")


def test_ask_reports_hang_and_exit_and_ends_the_worker(pool: WorkerPool) -> None:
    for do, message in (("hang", "expected step within 0.5 s, got none"), ("die", r"\(exit 3\) 'out of luck'")):
        worker = pool.take()
        worker.ask({}, 10, "reset")
        with pytest.raises(EnvError, match=f"toy engine: .*{message}"):
            worker.ask({"do": do}, LIMITS.step_s if do == "hang" else 10, "step")
        assert not worker.alive
        with pytest.raises(EnvError, match="got a closed one; open it again"):
            worker.ask({}, 10, "step")
        pool.give_back(worker)
    assert pool.take().ask({}, 10, "reset")["pid"]


def test_close_ends_every_worker_and_stops_take(pool: WorkerPool) -> None:
    idle, busy = pool.take(), pool.take()
    pool.give_back(idle)
    pool.close()
    assert (idle.alive, busy.alive) == (False, False)
    with pytest.raises(EnvError, match="build the suite again"):
        pool.take()
