"""Worker processes: kept, replaced, ended; hangs and deaths named; a folder and a hash order of their own."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from adapters.shared.workers import WorkerLimits, WorkerPool
from bench.errors import EnvError

PROGRAM = """
import json, os, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("do") == "hang":
        time.sleep(60)
    if asked.get("do") == "die":
        sys.stderr.write("out of luck")
        os._exit(3)
    told = {"pid": os.getpid(), "cwd": os.getcwd(), "seed": os.environ["PYTHONHASHSEED"], "who": os.environ.get("WHO")}
    print(json.dumps(told), flush=True)
"""
LIMITS = WorkerLimits(start_s=10.0, step_s=0.5, episodes=2)


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    made = WorkerPool("toy engine", (sys.executable, "-c", PROGRAM), LIMITS, {"WHO": "me"})
    yield made
    made.close()


def test_a_worker_is_kept_for_the_next_and_replaced_after_its_episodes(pool: WorkerPool) -> None:
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


def test_two_at_once_are_two_processes_each_in_a_folder_of_its_own(pool: WorkerPool) -> None:
    one, two = (pool.take().ask({}, 10, "reset") for _ in range(2))
    assert one["pid"] != two["pid"]
    assert one["cwd"] != two["cwd"]
    assert (one["seed"], one["who"]) == ("0", "me")


def test_a_hang_and_a_death_are_named_and_cost_one_worker(pool: WorkerPool) -> None:
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


def test_a_closed_pool_ends_every_worker_and_gives_none(pool: WorkerPool) -> None:
    idle, busy = pool.take(), pool.take()
    pool.give_back(idle)
    pool.close()
    assert (idle.alive, busy.alive) == (False, False)
    with pytest.raises(EnvError, match="build the suite again"):
        pool.take()
