"""Worker processes: crash, hang, reuse, end of the parent; and real games on the real engine."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from adapters.alfworld.environment import HouseholdEnvironment
from adapters.alfworld.games import OfficialGames
from adapters.alfworld.generate.game import generate
from adapters.alfworld.generate.material import load_material
from adapters.alfworld.official import OfficialEngine, OfficialEngines
from adapters.alfworld.world import Fact
from adapters.shared.workers import WorkerLimits
from bench.errors import DataError, EnvError, UsageError
from bench.types import Task

# A worker of a few lines: says its process id, and does what the command says.
WORKER = """
import json, os, sys, time
for line in sys.stdin:
    request = json.loads(line)
    command = request.get("step", "")
    if command == "crash":
        sys.stderr.write("out of luck")
        sys.stderr.flush()
        os._exit(7)
    if command == "hang":
        time.sleep(60)
    answer = {"feedback": str(os.getpid()), "won": False, "done": False, "facts": [["holds", "agent1", "mug 1"]],
              "admissible": ["crash", "hang"], "plan": [], "path": request.get("start")}
    if command == "raise":
        answer = {"error": "ValueError: no"}
    if command == "missing":
        answer = {"missing": "ImportError: no textworld"}
    if "start" in request and b"bad" in open(request["start"], "rb").read():
        answer = {"error": "bad game"}
    print(json.dumps(answer), flush=True)
"""
COMMAND = (sys.executable, "-c", WORKER)
QUICK = WorkerLimits(start_s=20, step_s=0.5, episodes=2)


@pytest.fixture
def engines() -> OfficialEngines:
    return OfficialEngines(QUICK, COMMAND)


def start_engine(engines: OfficialEngines) -> tuple[OfficialEngine, int]:
    engine = engines.take()
    assert isinstance(engine, OfficialEngine)
    return engine, int(engine.start(b"game").feedback)


def is_gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def test_step_returns_world_of_worker(engines: OfficialEngines) -> None:
    engine, process = start_engine(engines)
    world = engine.step("look")
    assert world.feedback == str(process)
    assert world.facts == {Fact("holds", ("agent1", "mug 1"))}
    assert engine.admissible() == ("crash", "hang")
    engines.close()
    assert is_gone(process)


def test_step_crash_error_has_last_output(engines: OfficialEngines) -> None:
    engine, process = start_engine(engines)
    with pytest.raises(EnvError, match=r"answer to step, got the end of the worker \(exit 7\) 'out of luck'"):
        engine.step("crash")
    with pytest.raises(EnvError, match="got a closed one"):
        engine.step("look")
    engine.close()
    fresh, other = start_engine(engines)
    assert other != process
    assert is_gone(process)
    fresh.close()
    engines.close()


def test_step_hang_ends_at_time_limit(engines: OfficialEngines) -> None:
    engine, process = start_engine(engines)
    began = time.monotonic()
    with pytest.raises(EnvError, match=r"expected step within 0.5 s"):
        engine.step("hang")
    assert time.monotonic() - began < 20
    assert is_gone(process)
    engine.close()
    engines.close()


def test_step_separates_engine_error_from_missing_package(engines: OfficialEngines) -> None:
    engine, _ = start_engine(engines)
    with pytest.raises(UsageError, match=r"pip install 'memfrontier\[alfworld\]'"):
        engine.step("missing")
    with pytest.raises(EnvError, match="got ValueError: no"):
        engine.step("raise")
    engine.close()
    broken = engines.take()
    with pytest.raises(DataError, match="bad game"):
        broken.start(b"bad")
    broken.close()
    engines.close()


def test_pool_reuses_worker_until_its_episodes_are_used(engines: OfficialEngines) -> None:
    first, one = start_engine(engines)
    second, two = start_engine(engines)
    assert one != two
    first.close()
    first.close()
    third, again = start_engine(engines)
    assert again == one
    third.close()
    fourth, fresh = start_engine(engines)
    assert fresh not in (one, two)
    assert is_gone(one)
    second.close()
    fourth.close()
    engines.close()
    assert is_gone(two)
    assert is_gone(fresh)
    with pytest.raises(EnvError, match="expected an open suite"):
        engines.take()


def test_start_leaves_no_temporary_file(
    engines: OfficialEngines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    engine, _ = start_engine(engines)
    broken = engines.take()
    with pytest.raises(DataError, match="bad game"):
        broken.start(b"bad")
    engine.close()
    broken.close()
    engines.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.engine
def test_worker_exits_with_its_parent() -> None:
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; from adapters.alfworld.official import OfficialEngines; e = OfficialEngines().take();"
            "print(e._worker._process.pid, flush=True); sys.stdin.read()",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    assert not is_gone(worker)
    parent.send_signal(signal.SIGKILL)
    parent.communicate()
    for _ in range(100):
        if is_gone(worker) or _is_zombie(worker):
            break
        time.sleep(0.1)
    assert is_gone(worker) or _is_zombie(worker)


def _is_zombie(process: int) -> bool:
    """True for an ended process that nobody has collected (its new parent may not)."""
    stat = Path(f"/proc/{process}/stat")
    return stat.is_file() and stat.read_text().rsplit(")", 1)[1].split()[0] == "Z"


def smallest_of_each_type(tasks: list[Task], data_root: Path) -> list[Task]:
    best: dict[str, Task] = {}
    for task in sorted(tasks, key=lambda each: (data_root / each.source).stat().st_size):
        best.setdefault(task.group, task)
    return list(best.values())


@pytest.mark.data
@pytest.mark.engine
@pytest.mark.parametrize(("version", "most"), [("move", 6), ("put", 2)])
def test_walkthrough_gives_full_progress(official: OfficialEngines, data_root: Path, version: str, most: int) -> None:
    source = OfficialGames(data_root, "valid_unseen", version)
    twins = {task.id: task for task in OfficialGames(data_root, "valid_unseen", "move").tasks()}
    for task in smallest_of_each_type(list(source.tasks()), data_root)[:most]:
        game = json.loads((data_root / twins[task.id].source).read_bytes())
        env = HouseholdEnvironment(task, source.read(task), official.take())
        opening = env.reset()
        assert opening.goal.startswith("You are in the middle of a room.")
        assert "Your task is to: " in opening.goal
        assert dict(opening.fingerprint.entries)["grammar"] == version
        seen = [env.step(command) for command in game["walkthrough"]]
        env.close()
        assert all(each.valid for each in seen)
        values = [each.progress for each in seen]
        assert values == sorted(values)
        assert seen[-1].won
        assert values[-1] == 1.0
        assert all(value < 1 for value in values[:-1])


@pytest.mark.data
@pytest.mark.engine
def test_real_game_shows_known_problems(official: OfficialEngines, data_root: Path) -> None:
    source = OfficialGames(data_root, "valid_unseen", "move")
    task = next(task for task in source.tasks() if task.cluster.endswith("DeskLamp-308"))
    env = HouseholdEnvironment(task, source.read(task), official.take())
    env.reset()
    arrived = env.step("go to drawer 2")
    assert arrived.text.startswith("You arrive at drawer 2.")
    assert env.step("go to drawer 2").invalid_reason == "no-effect"
    assert env.step("go to drawer 3").invalid_reason == "shared-location"
    assert env.step("look").helper
    assert env.step("help").valid
    assert env.step("take moon 1 from drawer 2").invalid_reason == "unparsable"
    assert env.step("open desk 1").invalid_reason == "precondition"
    assert not env.step("dance").done
    env.close()


@pytest.mark.engine
def test_start_rejects_file_that_is_no_game(official: OfficialEngines) -> None:
    good = generate(load_material(), "look_at_obj_in_light", 8).data
    twice = re.sub(rb"\\n    (\w+ - receptacle)\\n", rb"\\n    \1\\n    \1\\n", good)
    assert twice != good
    engine = official.take()
    with pytest.raises(DataError, match="expected a playable game, got KeyError"):
        engine.start(b'{"pddl_domain": "d"}')
    with pytest.raises(DataError, match="expected a playable game, got SystemExit: error: duplicate object"):
        engine.start(twice)
    assert "Your task is to" in engine.start(good).feedback  # the worker has survived both
    engine.close()
