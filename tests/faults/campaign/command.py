"""Runs ``bench`` commands: in this process, with its output caught, or in one of its own that can be killed."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.cli.app import main
from tests.faults.campaign.tries import ROOT

__all__ = ["Done", "call", "describe_badness", "environment", "last_frame", "start"]

_COMMAND = (sys.executable, "-c", "from bench.cli.app import main; main()")
_FRAME = re.compile(r'File "([^"]+)", line (\d+), in (\S+)')


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended. ``code`` None = an exception left ``main``."""

    code: int | None
    out: str
    err: str


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of a command: nothing of the user's, every place to write below ``folder``."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "HF_HUB_OFFLINE") if name in os.environ}
    home = str(folder / "home")
    return {
        **kept, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "HOME": home, "TMPDIR": str(folder),
        "XDG_CACHE_HOME": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home, "MPLCONFIGDIR": f"{home}/matplotlib",
        "BENCH_DATA": str(folder / "data"), "BENCH_CACHE": str(folder / "cache"), "COLUMNS": "160",
    }  # fmt: skip


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    """Start a command in a process of its own, and in a group of its own."""
    return subprocess.Popen(
        [*_COMMAND, *words], cwd=folder, env=environment(folder), text=True, errors="replace",
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip


def call(folder: Path, *words: str) -> Done:
    """Run a command in this process, from ``folder``. stdout is strict UTF-8, as it is in a pipe."""
    out, err = _stream("strict"), _stream("backslashreplace")
    before = sys.stdout, sys.stderr, sys.argv
    with _environ(environment(folder)):
        os.chdir(folder)
        sys.stdout, sys.stderr, sys.argv = out, err, ["bench", *words]
        code: int | None = None
        try:
            main()
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 1
        except BaseException:
            err.write(traceback.format_exc())
        finally:
            sys.stdout, sys.stderr, sys.argv = before
    return Done(code, _read(out), _read(err))


def _stream(errors: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors=errors, newline="")


def _read(stream: io.TextIOWrapper) -> str:
    stream.flush()
    data = stream.buffer.getvalue()  # type: ignore[attr-defined]
    return str(data, "utf-8", "replace")


@contextmanager
def _environ(wanted: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(wanted)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def describe_badness(done: Done, codes: tuple[int, ...] = (0, 1, 2)) -> str:
    """Return what is wrong with the end of a command, empty if nothing is: its code, a traceback, a long message."""
    if "Traceback (most recent call last)" in done.out + done.err:
        return f"exit {done.code}, {last_frame(done.err or done.out)}"
    if done.code not in codes:
        return f"exit {done.code}: {done.err[-200:].strip()}"
    lines = done.err.splitlines()
    said = [number for number, line in enumerate(lines) if line.startswith("bench: ")]
    if done.code == 2 and (not said or said[0] != len(lines) - 1):
        return f"exit 2 with no message of one line `bench: ...` at the end: {done.err[-300:]!r}"
    return ""


def last_frame(text: str) -> str:
    """Return the exception of a traceback and the last line of the product that it went through."""
    ours = [found for found in _FRAME.findall(text) if str(ROOT) in found[0] and "/tests/" not in found[0]]
    where = f" at {Path(ours[-1][0]).relative_to(ROOT)}:{ours[-1][2]}" if ours else ""
    lines = [line for line in text.strip().splitlines() if line and not line.startswith(" ")]
    return f"{lines[-1][:200] if lines else 'nothing'}{where}"
