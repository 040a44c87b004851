"""One running program and its JSON lines: what is too long, too late or no JSON ends it. Knows no trial.

Nothing is read while nobody waits for a reply, so a program that prints without end stands still, and takes no memory
here.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, cast

from bench.errors import StrategyError

__all__ = ["Process"]

_GUARD = Path(__file__).with_name("guard.py")
_MOST_BYTES_OF_LINE, _MOST_BYTES = 1 << 20, 1 << 26
_PIECE, _MOST_PIECES = 1 << 16, 100
_TAIL = 2000
"""Bytes of standard error that are kept."""
_SHOWN = 300
_LOOK_EVERY_S = 0.1
_END_S = 5.0


class Process:
    """A program in a group of processes and an empty folder of its own, both gone when it is closed or collected."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str]):
        folder = tempfile.mkdtemp(prefix="bench-agent-")
        control, self._control = os.pipe()
        guard = [sys.executable, "-I", "-S", str(_GUARD), str(control), folder, *words]
        try:
            self._process = subprocess.Popen(
                guard, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
                cwd=folder, env={**environment, "TMPDIR": folder}, pass_fds=(control,), start_new_session=True,
            )  # fmt: skip
        finally:
            os.close(control)
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._in, self._out, self._err = (cast(IO[bytes], pipe).fileno() for pipe in pipes)
        os.set_blocking(self._in, False)
        self._finalizer = weakref.finalize(self, _end, self._process, self._control)
        self._left, self._line, self._read = b"", bytearray(), 0
        self._tail, self._errs = b"", True

    def send(self, message: Mapping[str, Any]) -> None:
        """Give the program one line, as soon as it takes it. Raises: StrategyError if it spoke before."""
        if self._line or (_is_ready(self._out) and self._take()):
            shown = bytes(self._line[:_SHOWN]).decode(errors="replace")
            raise self.fail("expected no line before one is asked for", repr(shown))
        self.tell(message)

    def tell(self, message: Mapping[str, Any]) -> None:
        """Give the program one line that needs no reply, with the next one that does."""
        self._left += json.dumps(message, ensure_ascii=False).encode(errors="replace") + b"\n"

    def receive(self, timeout_s: float, look: Callable[[], bool]) -> dict[str, Any]:
        """Return the program's next line. ``look`` is called now and then: True while the program waits for others,
        which takes none of its time; what it raises ends the wait.

        Raises: StrategyError for no line within ``timeout_s`` seconds, or one that is no JSON object, or too long.
        """
        used_s, at = 0.0, time.perf_counter()
        while b"\n" not in self._line:
            ended = not self._move()
            waits = look()
            now = time.perf_counter()
            used_s, at = used_s + (0.0 if waits else now - at), now
            if ended:
                raise self.fail("expected a line", f"the end {self._describe_exit()}")
            if used_s > timeout_s:
                raise self.fail(f"expected a line within {timeout_s:g} s", "none")
        line, _, rest = bytes(self._line).partition(b"\n")
        self._line = bytearray(rest)
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise self.fail("expected a line with a JSON object", repr(line[:_SHOWN].decode(errors="replace")))
        return message

    def _move(self) -> bool:
        """Pass bytes in all directions, after a while at the latest; False once the program's output has ended."""
        watched = select.poll()
        watched.register(self._out, select.POLLIN)
        if self._errs:
            watched.register(self._err, select.POLLIN)
        if self._left:
            watched.register(self._in, select.POLLOUT)
        ready = dict(watched.poll(1000 * _LOOK_EVERY_S))
        if self._err in ready:
            self._take_error()
        if self._in in ready:
            self._give()
        return self._out not in ready or self._take()

    def _give(self) -> None:
        try:
            self._left = self._left[os.write(self._in, self._left[:_PIECE]) :]
        except BlockingIOError:
            pass
        except OSError:  # it does not read any more: what it says, or its end, comes next
            self._left = b""

    def _take(self) -> bool:
        """Read on; False at the end. Raises: StrategyError over the limits."""
        piece = os.read(self._out, _PIECE)
        self._line += piece
        self._read += len(piece)
        length = self._line.find(b"\n")
        if (length if length >= 0 else len(self._line)) > _MOST_BYTES_OF_LINE:
            raise self.fail(f"expected lines of at most {_MOST_BYTES_OF_LINE:,} bytes", "a longer one")
        if self._read > _MOST_BYTES:
            raise self.fail(f"expected at most {_MOST_BYTES:,} bytes in all", "more")
        return bool(piece)

    def _take_error(self) -> None:
        piece = os.read(self._err, _PIECE)
        self._errs = bool(piece)
        self._tail = (self._tail + piece)[-_TAIL:]

    def _describe_exit(self) -> str:
        try:
            return f"(exit {self._process.wait(_END_S)})"
        except subprocess.TimeoutExpired:
            return "of its output"

    def fail(self, expected: str, got: str) -> StrategyError:
        """End the program and return the error, with the last that it wrote to standard error."""
        for _ in range(_MOST_PIECES):  # of one that writes without end, no more
            if not (self._errs and _is_ready(self._err)):
                break
            self._take_error()
        self.close()
        tail = " ".join(self._tail.decode(errors="replace").split())[-_SHOWN:]
        return StrategyError(f"agent: {expected}, got {got}" + (f"; its standard error ends: {tail}" if tail else ""))

    def close(self, message: Mapping[str, Any] | None = None, wait_s: float = 0.0) -> None:
        """End the program and all that it started; after a last line to it, and ``wait_s`` seconds to leave by
        itself. Closing twice does nothing."""
        if message is not None and self._finalizer.alive:
            self._left = json.dumps(message).encode() + b"\n"
            self._give()
            cast(IO[bytes], self._process.stdin).close()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(wait_s)
        self._finalizer()


def _is_ready(pipe: int) -> bool:
    watched = select.poll()
    watched.register(pipe, select.POLLIN)
    return bool(watched.poll(0))


def _end(process: subprocess.Popen[bytes], control: int) -> None:
    os.close(control)
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
