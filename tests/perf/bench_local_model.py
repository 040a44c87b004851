"""How fast the local model reads and writes, and what its prefix cache saves.

``python tests/perf/bench_local_model.py``. Times are seconds of processor time, so that a busy machine changes little.
Plays the prompts of a five-step episode twice: on one copy of the model, whose cache stays, and with a fresh copy a
step. Prints Markdown; ends with 1 if a reply differs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from bench.models.local.llama_cpp import Llama, Sampling
from bench.models.local.source import weights_file
from bench.types import Message, Reply

STEPS, TOKENS = 5, 16
SYSTEM = "You are in a house. Answer with one action. " + "First look, then take, then put. " * 40


def prompt(step: int) -> tuple[Message, ...]:
    seen = [
        f"[{n}] Action: go to shelf {n}\n[{n}] Observation: On the shelf {n}, you see a mug {n}." for n in range(step)
    ]
    return (Message("system", SYSTEM), Message("user", "\n".join(["# Task\nFind the mug.", *seen, "Action:"])))


def play(copy: Callable[[], Llama]) -> tuple[list[Reply], float]:
    """Return the replies and the seconds spent in them, loading excluded."""
    replies, spent_s = [], 0.0
    for step in range(STEPS):
        llama = copy()
        began = time.process_time()
        replies.append(llama.complete(prompt(step), Sampling(), TOKENS))
        spent_s += time.process_time() - began
    return replies, spent_s


def main() -> int:
    path = weights_file("smollm2-135m")
    began = time.process_time()
    cached = Llama(path)
    load_s = time.process_time() - began
    warm, warm_s = play(lambda: cached)
    cold, cold_s = play(lambda: Llama(path))
    read = [sum((r.usage.prompt or 0) - (r.usage.cached_read or 0) for r in replies) for replies in (cold, warm)]
    wrote = sum(reply.usage.completion or 0 for reply in warm)
    prompt_tokens = sum(reply.usage.prompt or 0 for reply in warm)
    print(f"load {load_s:.2f} s; {STEPS} steps, {prompt_tokens:,} prompt and {wrote} new tokens\n")
    print("| prefix cache | prompt tokens computed | seconds |\n| --- | ---: | ---: |")
    print(f"| fresh copy a step | {read[0]:,} | {cold_s:.1f} |\n| cached | {read[1]:,} | {warm_s:.1f} |\n")
    one = cached.complete((Message("user", "Tell me a long story."),), Sampling(), 1)
    began = time.process_time()
    many = cached.complete((Message("user", "Tell me a long story."),), Sampling(), 65)
    write_s = time.process_time() - began
    new = (many.usage.completion or 0) - (one.usage.completion or 0)
    print(f"reading about {(read[0] - read[1]) / (cold_s - warm_s):.0f} tokens/s, writing {new / write_s:.0f} tokens/s")
    return 0 if [reply.text for reply in warm] == [reply.text for reply in cold] else 1


if __name__ == "__main__":
    sys.exit(main())
