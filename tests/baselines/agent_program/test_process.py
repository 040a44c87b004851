"""A running program: its lines, its limits, and its end with all that it started."""

from __future__ import annotations

import gc
import os
import shlex
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from baselines.agent_program.process import Process
from bench.errors import StrategyError
from tests.baselines.agent_program.programs import write_program

ROOT = Path(__file__).parents[3]


def start(folder: Path, body: str) -> Process:
    return Process(shlex.split(write_program(folder, body)), os.environ)


def ask(process: Process, message: dict[str, Any], timeout_s: float = 30.0) -> dict[str, Any]:
    process.send(message)
    return process.receive(timeout_s, lambda: False)


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z" if sys.platform == "linux" else False


def test_lines_go_there_and_back_in_a_folder_that_is_removed(tmp_path: Path) -> None:
    process = start(tmp_path, "for line in asked(): say(line, seen=line['text'], where=os.getcwd())")
    process.tell({"type": "hello"})
    long = "ä\n" * 100_000
    reply = ask(process, {"id": 1, "text": long})
    assert reply["seen"] == long
    folder = Path(reply["where"])
    assert folder.name.startswith("bench-agent-")
    assert ask(process, {"id": 2, "text": ""})["id"] == 2
    process.close({"type": "end"}, 30.0)
    process.close()
    assert not folder.exists()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("print('hello'); sys.stdin.read()", "expected .*, got 'hello"),
        ("print('[1]', flush=True); sys.stdin.read()", "expected .*, got '"),
        ("print('[' * 100000, flush=True); sys.stdin.read()", "expected .*, got '"),
        ("sys.stdout.buffer.write(bytes([255, 10])); sys.stdin.read()", "expected .*, got '\ufffd"),
        ("while True: sys.stdout.write('x' * 65536)", "expected lines of at most 1,048,576 bytes"),
        ("sys.stderr.write('no luck\\n'); sys.exit(3)", r"got the end \(exit 3\); its standard error ends: no luck"),
        ("os.abort()", r"got the end \(exit 134\)"),
        ("time.sleep(600)", "expected a line within 0.3 s, got none"),
        ("sys.stderr.write('x' * 1000000); print()", "expected a line with a JSON object, got ''; .* ends: x{300}$"),
    ],
)
def test_fault_of_a_program_is_one_line(tmp_path: Path, body: str, message: str) -> None:
    process = start(tmp_path, body)
    with pytest.raises(StrategyError, match=message) as caught:
        ask(process, {"id": 1}, 0.3 if "within" in message else 30.0)
    assert "\n" not in str(caught.value).strip("'")
    process.close()


def test_program_that_prints_without_end_is_stopped_at_a_limit(tmp_path: Path) -> None:
    process = start(tmp_path, "for line in asked():\n  say(line, action='x' * 1000000)")
    for number in range(67):
        ask(process, {"id": number})
    with pytest.raises(StrategyError, match="expected at most 67,108,864 bytes in all"):
        ask(process, {"id": 67})


def test_line_before_one_is_asked_for_is_refused(tmp_path: Path) -> None:
    process = start(tmp_path, "for line in asked():\n  print('{}\\n{}', flush=True)")
    assert ask(process, {"id": 1}) == {}
    with pytest.raises(StrategyError, match=r"expected no line before one is asked for, got '\{\}"):
        process.send({"id": 2})


def test_program_that_cannot_be_started_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "program").write_text("no program")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(StrategyError, match=r"exit 127\).*program: Permission denied"):
        ask(Process((str(tmp_path / "program"),), os.environ), {"id": 1})
    assert [path.name for path in tmp_path.iterdir()] == ["program"]


def test_waiting_for_a_model_takes_none_of_the_time(tmp_path: Path) -> None:
    process = start(tmp_path, "for line in asked():\n  time.sleep(0.6)\n  say(line)")
    process.send({"id": 1})
    assert process.receive(0.0, lambda: True)["id"] == 1
    process.close()


_FAMILY = """
for line in asked():
    near = os.fork()
    if near == 0:
        time.sleep(600)
    read, write = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(write, str(os.getpid()).encode())
            time.sleep(600)
        os._exit(0)
    say(line, pids=[os.getpid(), near, int(os.read(read, 20))])
"""


@pytest.mark.parametrize("way", ["close", "collect"])
def test_end_takes_all_that_the_program_started(tmp_path: Path, way: str) -> None:
    process = start(tmp_path, _FAMILY)
    own, near, far = ask(process, {"id": 1})["pids"]
    if way == "close":
        process.close()
    else:
        del process
        gc.collect()
    wait_until(lambda: is_gone(own) and is_gone(near))
    if sys.platform == "linux":
        wait_until(lambda: is_gone(far))
    else:
        os.kill(far, 9)


def test_program_ends_with_a_killed_parent(tmp_path: Path) -> None:
    command = write_program(tmp_path, "for line in asked():\n  say(line, pid=os.getpid(), folder=os.getcwd())")
    parent = tmp_path / "parent.py"
    parent.write_text(
        f"import os\nfrom baselines.agent_program.process import Process\np = Process({shlex.split(command)!r}, "
        "os.environ)\np.send({'id': 1})\nreply = p.receive(30, lambda: False)\n"
        f"open({str(tmp_path / 'said')!r}, 'w').write(f\"{{reply['pid']}} {{reply['folder']}}\")\n"
        "os.kill(os.getpid(), 9)\n"
    )
    assert os.spawnve(os.P_WAIT, sys.executable, [sys.executable, str(parent)], {**os.environ, "PYTHONPATH": str(ROOT)})
    pid, folder = (tmp_path / "said").read_text().split()
    wait_until(lambda: is_gone(int(pid)) and not Path(folder).exists())
