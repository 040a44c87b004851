"""How a command that cannot go on says so: one line without secrets, with the nearest words that are known."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NoReturn

from typer import Typer
from typer.models import CommandInfo

from bench.cli.console import flush_output, prepare_streams, silence_output
from bench.errors import BenchError, BudgetStop, Interrupted, Unreachable, nearest
from bench.secrets import scrub
from bench.store.printing import make_line, make_printable

__all__ = ["describe_usage_error", "leave", "run_app"]

_UNFINISHED, _BUDGET, _INTERRUPTED = 1, 3, 130
_CODES = ((BudgetStop, _BUDGET), (Interrupted, _INTERRUPTED), (Unreachable, _UNFINISHED))
"""The exit codes of errors that are no wrong usage."""
_PIPE_CLOSED = 1
"""As rich and typer end a process whose output nobody reads."""
_LONGEST = 200
"""Characters of a value in a message."""


def run_app(app: Typer) -> None:
    """Run the command line.

    Exit codes: 0 done, 1 finished with unscored trials or failed checks, or the network did not answer, 2 wrong usage
    or unusable folder, 3 stopped by budget, 130 interrupted. A process whose output nobody reads any more (``| head``)
    ends with 1 and says nothing.
    """
    prepare_streams()
    try:
        with _take_sigterm_as_interrupt():
            code = app(standalone_mode=False, prog_name="bench")
        flush_output()
    except BenchError as error:
        leave(make_line(str(error)), next((code for kind, code in _CODES if isinstance(error, kind)), 2))
    except KeyboardInterrupt:
        _leave_at_once()
    except OSError as error:
        _leave_after(error)
    except Exception as error:
        # typer brings its own copy of click or uses the installed one; both name a usage error's text the same way.
        if not (hasattr(error, "format_message") and hasattr(error, "exit_code")):
            leave(traceback.format_exc(), 1)
        told = describe_usage_error(error.format_message(), error.__cause__, app.registered_commands)
        leave(make_line(told), 2)
    else:
        if code == _INTERRUPTED:  # typer's own way to say that Ctrl-C came
            _leave_at_once()
        sys.exit(code if isinstance(code, int) else 0)


@contextmanager
def _take_sigterm_as_interrupt() -> Iterator[None]:
    """End a command that is asked to terminate as Ctrl-C does: what it has open is closed, what it has is kept."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _leave_at_once() -> NoReturn:
    """End the process without a wait for the threads that still have a call in flight."""
    print("bench: interrupted", file=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(_INTERRUPTED)


def _leave_after(error: OSError) -> NoReturn:
    """End the process after an error of the system: quietly if it is that nobody reads the output (``| head``)."""
    if isinstance(error, BrokenPipeError):
        silence_output()
        sys.exit(_PIPE_CLOSED)
    if error.filename is None:
        leave(f"output: expected room for what is printed, got none ({error.strerror or error}); print it elsewhere", 2)
    place = str(error.filename)[:_LONGEST]
    leave(f"files: expected one that can be used, got {place} ({error.strerror}); name another, or free space", 2)


def leave(message: str, code: int) -> NoReturn:
    """Print a message to stderr and end the process with an exit code."""
    with suppress(OSError):
        print(make_printable(f"bench: {scrub(message)}"), file=sys.stderr, flush=True)
    try:
        flush_output()
    except OSError:
        silence_output()
    sys.exit(code)


def describe_usage_error(message: str, cause: BaseException | None, commands: Sequence[CommandInfo]) -> str:
    """Return one line: what was wrong, and the nearest command or where help is. ``message`` is typer's own."""
    message += _describe_value(cause)
    known = [command.name or command.callback.__name__ for command in commands if command.callback]
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    if word in known:
        return f"{message.rstrip('.')}; see `bench {word} --help`"
    close = nearest(word, known)
    hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(sorted(known))}"
    return f"expected a command, got {word!r}; {hint}"


def _describe_value(cause: BaseException | None) -> str:
    """Return the value that an option could not take: typer has it from pydantic and does not print it."""
    errors = getattr(cause, "errors", None)
    found = errors() if callable(errors) else []
    return f", got {str(found[0]['input'])[:_LONGEST]!r}" if found else ""
