"""What the workspace and the navigator's session say to an operation that they do not carry out."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Refusal", "RefusalKind"]


class RefusalKind(StrEnum):
    """Why an operation was refused; refusals are counted by it."""

    GRAMMAR = "grammar"  # no operation, or one without what it needs
    PATH = "path"  # a path that leaves the root, or a name of other characters than are allowed
    READ_ONLY = "read-only"  # raw logs and the index are written by the harness alone
    MISSING = "missing"  # no such file, folder, turn or line
    EXISTS = "exists"  # something is there already
    EMPTY = "empty"  # a note without a line
    NO_SOURCE = "no-source"  # a line that rests on no turn
    UNKNOWN_SOURCE = "unknown-source"  # a turn that was never seen
    TOO_LONG = "too-long"  # a name, line, file or workspace over its cap
    TOO_MANY = "too-many"  # more files or operations than there may be


class Refusal(Exception):
    """An operation that was not carried out; the message says what was expected, for whoever asked for it."""

    def __init__(self, kind: RefusalKind, message: str):
        super().__init__(message)
        self.kind = kind
