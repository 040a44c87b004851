"""Keeps tries inside their folder: every file that this process writes elsewhere is noted, no other machine is reached.

An audit hook sees what Python itself opens, makes, moves and removes, SQLite's files included; it cannot be taken out
again, so it is for processes that do nothing but tries.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["install_guard", "refuse_ports", "take_strays"]

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
_DEVICES = ("/dev/", "/proc/")
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_PATHS = {"os.mkdir": 1, "os.remove": 1, "os.rmdir": 1, "os.truncate": 1, "os.rename": 2, "os.link": 2, "os.symlink": 2}
_strays: list[str] = []
_ports_refused = threading.Event()


def take_strays() -> list[str]:
    """Return what was written outside since the last call."""
    found, _strays[:] = list(_strays), []
    return found


@contextmanager
def refuse_ports() -> Iterator[None]:
    """Let no server of this process begin: it would never end."""
    _ports_refused.set()
    try:
        yield
    finally:
        _ports_refused.clear()


def install_guard(root: Path) -> None:
    """Note every write outside ``root``; refuse connections to other machines."""
    inside = (str(root.resolve()), *_DEVICES)

    def check(path: object) -> None:
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if isinstance(path, str | os.PathLike) and path not in ("", ":memory:"):
            try:
                full = os.path.realpath(os.fspath(path))
            except OSError:
                return  # the present folder is gone
            if not full.startswith(inside) and "__pycache__" not in full:
                _strays.append(full)

    def refuse(host: object) -> None:
        if host not in (*_LOOPBACK, None, ""):
            raise OSError("the campaign reaches no other machine")

    def watch(event: str, args: tuple[object, ...]) -> None:
        if event == "open" and isinstance(args[2], int) and args[2] & _WRITES:
            check(args[0])
        elif event == "sqlite3.connect" and "mode=ro" not in str(args[0]):
            check(str(args[0]).removeprefix("file:").partition("?")[0])
        elif event in _PATHS:
            if args[-1] == -1:  # else below an open folder, as `shutil.rmtree` removes
                for path in args[: _PATHS[event]]:
                    check(path)
        elif event == "socket.bind" and _ports_refused.is_set():
            raise OSError(errno.EADDRINUSE, "the campaign serves nobody")
        elif event == "socket.connect":
            refuse(args[1][0] if isinstance(args[1], tuple) else None)
        elif event == "socket.getaddrinfo":
            refuse(args[0])

    sys.addaudithook(watch)
