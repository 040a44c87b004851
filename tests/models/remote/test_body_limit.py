"""The limit on bodies that httpx reads: for the thread that asks for it, while it asks for it."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator

import pytest

from bench.models.remote.body_limit import BodyTooLongError, limit_bodies

httpx = pytest.importorskip("httpx")


def read(size: int) -> int:
    """Return the length of a body that comes in pieces of 100 bytes."""

    def pieces() -> Iterator[bytes]:
        for _ in range(size // 100):
            yield b"x" * 100

    return len(httpx.Response(200, content=pieces()).read())


def test_body_over_the_limit_is_not_read_on() -> None:
    with limit_bodies(1000):
        assert read(1000) == 1000
        with pytest.raises(BodyTooLongError, match="expected at most 1,000 bytes, got more"):
            read(1_000_000_000)
    assert read(10_000) == 10_000


def test_limit_holds_for_what_is_unpacked() -> None:
    def packed() -> Iterator[bytes]:
        yield gzip.compress(b"x" * 100_000)

    headers = {"Content-Encoding": "gzip"}
    with limit_bodies(10_000), pytest.raises(BodyTooLongError):
        httpx.Response(200, headers=headers, content=packed()).read()


def test_limit_is_that_of_one_thread() -> None:
    lengths: list[int] = []
    with limit_bodies(1000):
        other = threading.Thread(target=lambda: lengths.append(read(10_000)))
        other.start()
        other.join()
    assert lengths == [10_000]
