"""``bench serve``: a local model or the offline player behind an address on this machine, until Ctrl-C."""

from __future__ import annotations

import sys

from bench.errors import UsageError
from bench.models.local.source import PREFIX
from bench.models.openai_api.chat_server import ChatServer
from bench.models.openai_api.local_server import LocalServer
from bench.models.openai_api.offline_server import OfflineServer
from bench.registry import OFFLINE_READER
from bench.runner.stopping import catch_signals

__all__ = ["serve_command"]


def serve_command(model: str, port: int) -> int:
    """Print the address on stdout as soon as it answers, then serve. Raises: UsageError."""
    with _open_server(model, port) as server, catch_signals(says=False) as stop:
        print(server.url, flush=True)
        # A local model answers one call at a time: more would wait in a queue until their time is up.
        workers = " --workers 1" if model.startswith(PREFIX) else ""
        example = f"bench run ... -m openai/{server.name} --base-url {server.url}{workers}"
        print(f"serve: {example}", file=sys.stderr, flush=True)
        stop.wait()
    return 0


def _open_server(model: str, port: int) -> ChatServer:
    if model == OFFLINE_READER:
        return OfflineServer(port)
    if not model.startswith(PREFIX):
        raise UsageError(
            f"serve: expected {OFFLINE_READER} or a local model ({PREFIX}smollm2-135m, {PREFIX}PATH.gguf), got "
            f"{model!r}; any other model can get an address with `bench proxy --upstream {model}`"
        )
    return LocalServer(model, port)
