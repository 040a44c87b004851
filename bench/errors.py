"""What can go wrong, and what it does to a trial.

::

    BenchError
    ├── UsageError      the user asked for something that does not exist       exit 2, before any work
    ├── StoreError      the run folder cannot be used (locked, full, changed)  the run stops, what is recorded stays
    ├── BudgetStop      the run's money or token limit is reached              exit 3, resumable
    ├── EndpointStop    an endpoint refuses every call (key, name, credit)     exit 2, resumable
    ├── Interrupted     the user stopped the run                               exit 130, resumable
    ├── ContextOverflow a prompt is longer than the model's window             the trial ends with token-cap, scored
    ├── Refused         the model declined to act                              the trial ends with refused, scored
    ├── GaveUp          the agent ended its attempt                            the trial ends with gave-up, scored
    └── TrialError      one trial could not go on; ``status`` says what that means
        ├── StrategyError   scored, as a failure
        ├── ModelError      unscored, retried on resume
        ├── EnvError        unscored, retried on resume
        ├── JudgeError      unscored, retried on resume
        │   └── NoVerdict       one reply of a judge was no verdict; it is called again
        └── DataError       unscored, retried on resume
            └── Unreachable     a place on the network does not answer      exit 1, where it ends a command

Messages read ``<who>: expected <what>, got <value>; <what to do>``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

from bench.types import Attempt, Message, Status

__all__ = [
    "BenchError",
    "BudgetStop",
    "ContextOverflow",
    "DataError",
    "EndpointStop",
    "EnvError",
    "GaveUp",
    "Interrupted",
    "JudgeError",
    "ModelError",
    "NoVerdict",
    "Refused",
    "StoreError",
    "StrategyError",
    "TrialError",
    "Unreachable",
    "UsageError",
    "boundary",
    "nearest",
    "reading",
    "unknown_name",
    "writing",
]

_LONGEST = 300
"""Characters of a path or a reason in a message."""


class BenchError(Exception):
    """Anything this project raises on purpose."""


class UsageError(BenchError):
    """The user asked for something that does not exist or does not fit."""


class StoreError(BenchError):
    """The run folder cannot be used."""


class BudgetStop(BenchError):
    """The run's own limit on money or tokens is reached."""


class EndpointStop(BenchError):
    """An endpoint refuses every call in a way that no further try mends: a wrong key or name, an empty account."""


class Interrupted(BenchError):
    """The user asked the run to stop; ``attempts`` are the tries of the present call that failed, for the ledger."""

    def __init__(
        self,
        message: str = "run: stopped by the user; the same command goes on from here",
        attempts: Sequence[Attempt] = (),
    ):
        super().__init__(message)
        self.attempts = tuple(attempts)


class ContextOverflow(BenchError):
    """A prompt does not fit the model's context window: a limit that the strategy ran into, not an outage."""

    def __init__(self, message: str, prompt: Sequence[Message] = ()):
        super().__init__(message)
        self.prompt = tuple(prompt)
        """The prompt, where a meter knows it."""


class Refused(BenchError):
    """The model declined to act or answer: scored as a failure, with an end reason of its own."""


class GaveUp(BenchError):
    """The agent ended its attempt at an episode: it raises this in ``decide`` and does not act. Scored as a failure."""


class TrialError(BenchError):
    """One trial could not go on."""

    status: ClassVar[Status]


class StrategyError(TrialError):
    """A strategy raised, or broke a rule (context over budget, too many inner calls)."""

    status = Status.STRATEGY_ERROR


class ModelError(TrialError):
    """A model or embedder gave no usable reply; ``attempts`` are the tries that failed, for the ledger."""

    status = Status.MODEL_ERROR

    def __init__(self, message: str, attempts: Sequence[Attempt] = ()):
        super().__init__(message)
        self.attempts = tuple(attempts)


class EnvError(TrialError):
    """An environment crashed, hung or contradicted itself."""

    status = Status.ENV_ERROR


class JudgeError(TrialError):
    """A judge gave no verdict."""

    status = Status.JUDGE_ERROR


class NoVerdict(JudgeError):
    """One reply of a judge was not a verdict; ``reply`` is its text."""

    def __init__(self, reply: str):
        super().__init__(f"judge: expected a verdict and nothing else, got {reply[:80]!r}; ask again")
        self.reply = reply


class DataError(TrialError):
    """A task's own data is missing, altered or malformed."""

    status = Status.DATA_ERROR


class Unreachable(DataError):
    """Data that is to come from the network does not: no answer, no such address, or a cut connection."""


@contextmanager
def boundary(error: type[TrialError], who: str) -> Iterator[None]:
    """Turn any foreign exception raised inside into ``error``; this project's own pass through unchanged."""
    try:
        yield
    except BenchError:
        raise
    except Exception as cause:
        raise error(f"{who}: {type(cause).__name__}: {cause}") from cause


@contextmanager
def reading(who: str, what: str, hint: str) -> Iterator[None]:
    """Turn whatever goes wrong with a file that a user gave, its bytes, its nesting or its numbers, into a UsageError.

    ``what`` is what it should be (``TOML``), ``hint`` what to do.
    """
    try:
        yield
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"{_shorten(who)}: expected a {what} file, got nothing there; {hint}") from None
    except RecursionError:
        raise UsageError(f"{_shorten(who)}: expected {what}, got one nested too deeply; {hint}") from None
    except (OSError, ValueError) as cause:  # bytes that are no UTF-8, and numbers of too many digits, are a ValueError
        raise UsageError(
            f"{_shorten(who)}: expected {what}, got a file that is not ({_shorten(cause)}); {hint}"
        ) from cause


@contextmanager
def writing(who: str, path: object) -> Iterator[None]:
    """Turn an error of the disk, or a name that no file can have, into a StoreError."""
    try:
        yield
    except (OSError, ValueError) as cause:
        reason = getattr(cause, "strerror", None) or _shorten(cause)
        raise StoreError(
            f"{who}: expected a file that can be written, got {_shorten(path)} ({reason}); free space, or choose "
            "another with -o"
        ) from cause


def _shorten(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three known names close to ``name``, best first."""
    return difflib.get_close_matches(name, sorted(known), n=3, cutoff=0.5)


def unknown_name(who: str, what: str, got: str, known: Iterable[str]) -> UsageError:
    """Build the error for a name that does not exist: the value, what was expected, the nearest known names."""
    names = sorted(known)
    close = nearest(got, names)
    hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(names) or 'none'}"
    return UsageError(f"{who}: expected {what}, got {got!r}; {hint}")
