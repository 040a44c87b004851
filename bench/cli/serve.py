"""``bench serve``: a local model behind an address on this machine, until Ctrl-C."""

from __future__ import annotations

import signal
import sys
import threading
from types import FrameType

from bench.errors import UsageError
from bench.models.local.source import PREFIX
from bench.models.openai_api.local_server import LocalServer

__all__ = ["serve_command", "wait_for_signal"]


def serve_command(model: str, port: int) -> int:
    """Print the address on stdout as soon as it answers, then serve. Raises: UsageError."""
    if not model.startswith(PREFIX):
        raise UsageError(
            f"serve: expected a local model ({PREFIX}smollm2-135m, {PREFIX}PATH.gguf), got {model!r}; "
            f"any other model can get an address with `bench proxy --upstream {model}`"
        )
    with LocalServer(model, port) as server:
        print(server.url, flush=True)
        # It answers one call at a time: more would wait in a queue until their time is up.
        example = f"bench run ... -m openai/{server.name} --base-url {server.url} --workers 1"
        print(f"serve: {example}", file=sys.stderr, flush=True)
        wait_for_signal()
    return 0


def wait_for_signal() -> None:
    """Sleep until Ctrl-C or the end signal."""
    ended = threading.Event()

    def finish(_signal: int, _frame: FrameType | None) -> None:
        ended.set()

    before = {which: signal.signal(which, finish) for which in (signal.SIGINT, signal.SIGTERM)}
    try:
        ended.wait()
    finally:
        for which, handler in before.items():
            signal.signal(which, handler)
