"""How a command that cannot go on says so: one line without secrets, with the nearest words that are known."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

from typer.models import CommandInfo

from bench.errors import nearest
from bench.secrets import scrub

__all__ = ["describe_usage_error", "leave"]


def leave(message: str, code: int) -> NoReturn:
    """Print a message to stderr and end the process with an exit code."""
    print(f"bench: {scrub(message)}", file=sys.stderr)
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
    return f", got {found[0]['input']!r}" if found else ""
