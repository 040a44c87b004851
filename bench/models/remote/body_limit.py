"""A limit on the bodies that a library reads by httpx, which has none of its own, for the calls of one thread.

litellm and the libraries below it make clients of their own, so the limit sits where all of them read: in the method of
a response that gives its decoded bytes.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

__all__ = ["BodyTooLongError", "limit_bodies"]

_HTTPX = ("httpx", "httpx2")
_thread = threading.local()
_lock = threading.Lock()


class BodyTooLongError(Exception):
    """A body was longer than allowed; it was not read to its end."""


@contextmanager
def limit_bodies(most_bytes: int) -> Iterator[None]:
    """Let no body that this thread reads meanwhile be longer, unpacked. Raises: BodyTooLongError, in that read."""
    _install()
    _thread.most = most_bytes
    try:
        yield
    finally:
        _thread.most = None


def _install() -> None:
    """Put the limit into every httpx that is imported by now, once."""
    with _lock:
        for module in filter(None, map(sys.modules.get, _HTTPX)):
            response: Any = getattr(module, "Response", None)
            if response is not None and not hasattr(response.iter_bytes, "limited"):
                response.iter_bytes = _limit(response.iter_bytes)


def _limit(read: Callable[..., Iterator[bytes]]) -> Callable[..., Iterator[bytes]]:
    @wraps(read)
    def iter_bytes(*args: Any, **kwargs: Any) -> Iterator[bytes]:
        most, length = getattr(_thread, "most", None), 0
        for chunk in read(*args, **kwargs):
            length += len(chunk)
            if most is not None and length > most:
                raise BodyTooLongError(f"expected at most {most:,} bytes, got more")
            yield chunk

    iter_bytes.limited = True  # type: ignore[attr-defined]
    return iter_bytes
