"""Starts one program, and ends it with all that it started: when told to, or when whoever told it to is gone.

It is started by path and imports nothing of this project: ``guard.py CONTROL FOLDER PROGRAM [ARGUMENT ...]``. CONTROL
is the reading end of a pipe that nobody writes to: its end means that the program must end, however the other side
went. FOLDER is removed at the end. Exits as the program does; with 127 if it cannot be started.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

_SUBREAPER = 36
"""``PR_SET_CHILD_SUBREAPER`` of Linux: what the program starts and leaves behind becomes a child of this process."""
_NO_START = 127
_TRIES = 200


def _adopt_orphans() -> None:
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0)


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _list_children() -> list[int]:
    found: list[int] = []
    for path in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += map(int, path.read_text(encoding="ascii").split())
    return found


def _kill_orphans() -> None:
    """Kill what left the program's group, as far as the system lists it; whatever that started comes here in turn."""
    for _ in range(_TRIES):
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        children = _list_children()
        if not children:
            return
        for child in children:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        time.sleep(0.005)


def _wait_for_end(control: int, group: int) -> None:
    os.read(control, 1)
    _kill_group(group)


def guard(control: int, command: list[str]) -> int:
    """Run a command and return the code of its exit."""
    _adopt_orphans()
    try:
        program = subprocess.Popen(command, start_new_session=True)
    except OSError as cause:
        print(f"{command[0]}: {cause.strerror}", file=sys.stderr, flush=True)
        return _NO_START
    # Only the program holds the pipes from here on: their end is its end.
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    threading.Thread(target=_wait_for_end, args=(control, program.pid), daemon=True).start()
    code = program.wait()
    _kill_group(program.pid)
    _kill_orphans()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    try:
        status = guard(int(sys.argv[1]), sys.argv[3:])
    finally:
        os.chdir("/")
        shutil.rmtree(sys.argv[2], ignore_errors=True)
    sys.exit(status)
