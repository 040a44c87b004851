"""Worker processes: crash, hang, reuse, end of the parent; and a small story on the real engine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from adapters.jericho.engine import GameReply, JerichoEngine, JerichoEngines
from adapters.jericho.environment import JerichoEnvironment, NativeScore, Play
from adapters.shared.workers import WorkerLimits
from bench.errors import DataError, EnvError, UsageError

# A worker of a few lines: says its process id and folder, and does what the command says.
WORKER = """
import json, os, sys, time
for line in sys.stdin:
    request = json.loads(line)
    command = request.get("step", "")
    if command == "crash":
        sys.stderr.write("out of luck")
        sys.stderr.flush()
        os._exit(7)
    if command == "segfault":
        os.kill(os.getpid(), 11)
    if command == "hang":
        time.sleep(60)
    if command == "write":
        open("zork1.qzl", "w").close()
    answer = {"text": f"{os.getpid()} {os.getcwd()}", "score": 3, "max_score": 0, "won": False, "over": False,
              "halted": False}
    if command == "raise":
        answer = {"error": "ValueError: no"}
    if command == "missing":
        answer = {"missing": "ImportError: no jericho"}
    if "bad" in request.get("start", ""):
        answer = {"error": "bad story"}
    print(json.dumps(answer), flush=True)
"""
COMMAND = (sys.executable, "-c", WORKER)
QUICK = WorkerLimits(start_s=20, step_s=0.5, episodes=2)
STORY = Path("/hut.z3")


@pytest.fixture
def pool() -> Any:
    made = JerichoEngines(QUICK, COMMAND)
    yield made
    made.close()


def start_engine(pool: JerichoEngines) -> tuple[JerichoEngine, int, Path]:
    engine = pool.take()
    assert isinstance(engine, JerichoEngine)
    process, folder = engine.start(STORY, 1).text.split()
    return engine, int(process), Path(folder)


def is_gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def test_step_returns_reply_of_worker(pool: JerichoEngines) -> None:
    engine, process, folder = start_engine(pool)
    assert engine.step("look") == GameReply(f"{process} {folder}", 3)


@pytest.mark.parametrize(("command", "said"), [("crash", r"exit 7\) 'out of luck'"), ("segfault", r"exit -11\)")])
def test_step_crash_ends_one_episode(command: str, said: str, pool: JerichoEngines) -> None:
    engine, process, _ = start_engine(pool)
    other, *_ = start_engine(pool)
    with pytest.raises(EnvError, match=rf"answer to step, got the end of the worker \({said}"):
        engine.step(command)
    with pytest.raises(EnvError, match="got a closed one"):
        engine.step("look")
    assert other.step("look").score == 3
    engine.close()
    _, fresh, _ = start_engine(pool)
    assert fresh != process
    assert is_gone(process)


def test_step_hang_ends_at_time_limit(pool: JerichoEngines) -> None:
    engine, process, folder = start_engine(pool)
    began = time.monotonic()
    with pytest.raises(EnvError, match=r"expected step within 0.5 s, got none; worker ended"):
        engine.step("hang")
    assert time.monotonic() - began < 20
    assert is_gone(process)
    assert not folder.exists()


def test_step_separates_engine_error_from_missing_package(pool: JerichoEngines) -> None:
    engine, process, _ = start_engine(pool)
    with pytest.raises(UsageError, match=r"pip install 'memfrontier\[jericho\]'"):
        engine.step("missing")
    with pytest.raises(EnvError, match="expected a reply to 'raise', got ValueError: no"):
        engine.step("raise")
    assert is_gone(process)
    broken = pool.take()
    with pytest.raises(DataError, match="bad story"):
        broken.start(Path("/bad.z3"), 1)
    broken.close()


def test_pool_reuses_worker_until_its_episodes_are_used(pool: JerichoEngines) -> None:
    first, process, folder = start_engine(pool)
    second, other, _ = start_engine(pool)
    assert process != other
    first.close()
    first.close()
    again, same, _ = start_engine(pool)
    assert same == process
    again.close()
    assert is_gone(process)
    assert not folder.exists()
    second.close()
    pool.close()
    assert is_gone(other)
    with pytest.raises(EnvError, match="got a closed one; build the suite again"):
        pool.take()


def test_worker_folder_is_removed_with_the_worker(pool: JerichoEngines) -> None:
    before = set(Path.cwd().iterdir())
    engine, _, folder = start_engine(pool)
    engine.step("write")
    assert [path.name for path in folder.iterdir()] == ["zork1.qzl"]
    assert set(Path.cwd().iterdir()) == before
    pool.close()
    assert not folder.exists()


def test_worker_exits_with_its_parent(story: Path, engines: JerichoEngines) -> None:
    engines.close()
    code = (
        "import sys\nfrom pathlib import Path\nfrom adapters.jericho.engine import JerichoEngines\n"
        "pool = JerichoEngines()\nengine = pool.take()\nengine.start(Path(sys.argv[1]), 1)\n"
        "worker = engine._worker\nprint(worker._process.pid, worker._folder.name, flush=True)\nengine.step('hang')"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(story)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    words = parent.stdout.readline().split()
    worker, folder = int(words[0]), Path(words[1])
    assert folder.is_dir()
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 30
    while not is_gone(worker) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert is_gone(worker)
    assert not folder.exists()


def test_real_engine_reads_score_of_unknown_release(story: Path, engines: JerichoEngines) -> None:
    engine = engines.take()
    assert engine.start(story, 1) == GameReply("Hut\nYou are in a hut. Your goal is a point.\n", 0)
    assert [engine.step(command).score for command in ("point", "look", "point")] == [1, 1, 2]


def test_real_engine_games_are_independent(story: Path, engines: JerichoEngines) -> None:
    first, second = engines.take(), engines.take()
    first.start(story, 1)
    second.start(story, 1)
    first.step("point")
    assert second.step("look").score == 0
    first.close()
    after = engines.take()
    assert after.start(story, 1).score == 0


def test_real_engine_survives_hang_and_crash(story: Path, engines: JerichoEngines) -> None:
    def play(*commands: str) -> list[tuple[float, str]]:
        env = JerichoEnvironment(Play("hut", story, "Get a point."), NativeScore("hut", 4), engines.take())
        try:
            env.reset()
            seen = [env.step(command) for command in commands]
        finally:
            env.close()
        return [(one.progress, one.invalid_reason) for one in seen]

    assert play("point", "crash", "bogus", "point") == [
        (0.25, ""),
        (0.25, "engine-fault"),
        (0.25, "unparsable"),
        (0.5, ""),
    ]
    assert play("halt") == [(0.0, "")]
    with pytest.raises(EnvError, match="expected step within 2 s"):
        play("hang")
    assert play("point") == [(0.25, "")]


def test_start_rejects_file_that_is_no_story(tmp_path: Path, engines: JerichoEngines) -> None:
    path = tmp_path / "noise.z3"
    path.write_bytes(bytes(range(256)) * 8)
    broken = engines.take()
    with pytest.raises((DataError, EnvError), match="jericho engine: expected"):
        broken.start(path, 1)
    broken.close()
    with pytest.raises(DataError, match="got FileNotFoundError"):
        engines.take().start(tmp_path / "none.z3", 1)
