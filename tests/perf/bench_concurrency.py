"""Benchmark, not a test: how close 64 workers come to the wall time that the endpoint's latency alone would take.

A loopback server in a process of its own answers every call after 50 ms; 200 toy episodes of 20 steps are played,
everything stored. The ideal is calls x latency / workers. Episodes of one length on 64 workers would come in four
rounds, 1.28 of the ideal; so a run has more trials under way than calls, and they take turns.
Run: ``python tests/perf/bench_concurrency.py [--litellm] [--rounds N]``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import statistics
import tempfile
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter, process_time

from bench.config import RunConfig
from bench.runner.batch import run
from bench.store.dataframe import read_items

LATENCY_S, WORKERS, EPISODES, STEPS = 0.05, 64, 200, 20
GOAL = 1.15
_BODY = json.dumps(
    {
        "id": "1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Action: look"}}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 3, "total_tokens": 103},
    }
).encode()  # fmt: skip
_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(_BODY), _BODY)


class _Endpoint(asyncio.Protocol):
    """A minimal HTTP server: reads a complete request, answers after its latency."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport, self._got = transport, b""

    def data_received(self, data: bytes) -> None:
        self._got += data
        head, found, body = self._got.partition(b"\r\n\r\n")
        if found and len(body) >= int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]):
            self._got = b""
            asyncio.get_running_loop().call_later(LATENCY_S, self._transport.write, _ANSWER)  # type: ignore[attr-defined]


def _serve(pipe: Connection) -> None:
    async def forever() -> None:
        server = await asyncio.get_running_loop().create_server(_Endpoint, "127.0.0.1", 0, backlog=512)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(forever())


@dataclass(frozen=True)
class Round:
    """One run: what it took."""

    calls: int
    wall_s: float
    cpu_s: float


def once(port: int, client: str) -> Round:
    with tempfile.TemporaryDirectory() as folder:
        endpoint = Path(folder) / "endpoint.toml"
        endpoint.write_text(f'client = "{client}"\n')
        config = RunConfig(
            suites=(f"toy:houses={EPISODES}",), strategies=("no-memory",), steps=STEPS, workers=WORKERS,
            model="openai/fixed", base_url=f"http://127.0.0.1:{port}/v1", endpoint=str(endpoint),
        )  # fmt: skip
        began, spent = perf_counter(), process_time()
        run(config, Path(folder) / "run")
        wall_s, cpu_s = perf_counter() - began, process_time() - spent
        calls = int(read_items([Path(folder) / "run"])["calls"].sum())
    return Round(calls, wall_s, cpu_s)


def main() -> None:
    flags = argparse.ArgumentParser()
    flags.add_argument("--litellm", action="store_true")
    flags.add_argument("--rounds", type=int, default=3)
    given = flags.parse_args()
    client = "litellm" if given.litellm else "direct"
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    server = context.Process(target=_serve, args=(theirs,), daemon=True)
    server.start()
    try:
        port = ours.recv()
        once(port, client)  # imports, tokenizer, price list
        rounds = [once(port, client) for _ in range(given.rounds)]
    finally:
        server.terminate()
        server.join()
    calls = rounds[0].calls
    ideal_s = calls * LATENCY_S / WORKERS
    wall_s = statistics.median(r.wall_s for r in rounds)
    print(f"{client}, {WORKERS} workers, {EPISODES} episodes, {calls} calls of {1000 * LATENCY_S:.0f} ms")
    print(f"  wall   {wall_s:6.2f} s   (from {min(r.wall_s for r in rounds):.2f}; median of {given.rounds})")
    print(f"  calls x latency / workers {ideal_s:6.2f} s: ratio {wall_s / ideal_s:.3f} (goal: at most {GOAL})")
    print(f"  processor time a call     {1000 * statistics.median(r.cpu_s for r in rounds) / calls:6.2f} ms")


if __name__ == "__main__":
    main()
