"""How a process of a run is ended from outside, and when."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

__all__ = ["make_strike", "wait_for"]

_PATIENCE_S, _POLL_S, _PAUSE_S = 120.0, 0.005, 0.05


def make_strike(death: str, pid: int, *, group: bool) -> Callable[[], None]:
    """Return what deals the death; ``group``: Ctrl-C reaches all processes, as a terminal sends it."""

    def strike() -> None:
        if death == "worker":
            workers = _find_workers(pid)
            if workers:
                os.kill(workers[0], signal.SIGKILL)
            return
        name, _, twice = death.partition(" ")
        send = os.killpg if group and name == "SIGINT" else os.kill
        with suppress(ProcessLookupError):
            send(pid, signal.Signals[name])
            if twice:
                time.sleep(_PAUSE_S)  # equal signals that wait together are one
                send(pid, signal.Signals[name])

    return strike


def _find_workers(pid: int) -> list[int]:
    """Return the worker processes of a run (Linux), by number."""
    found: list[int] = []
    for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += [int(child) for child in tasks.read_text().split() if "spawn_main" in _read_command(int(child))]
    return sorted(found)


def _read_command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def wait_for(process: subprocess.Popen[str], reached: Callable[[], bool]) -> None:
    """Return once something is reached, or the process is over."""
    for _ in range(int(_PATIENCE_S / _POLL_S)):
        if process.poll() is not None or reached():
            return
        time.sleep(_POLL_S)
