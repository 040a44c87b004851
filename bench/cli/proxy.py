"""``bench proxy``: meter any program that takes an OpenAI base URL, until Ctrl-C; then say what it spent."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.cli.serve import wait_for_the_end
from bench.models.openai_api.proxy import LedgerProxy, Spent
from bench.models.options import ModelOptions
from bench.registry import load_embedder, load_source
from bench.types import Phase

__all__ = ["ProxyOptions", "proxy_command", "summary"]

_HEAD = ("trial", "phase", "role", "calls", "prompt", "cached", "completion", "usd")


@dataclass(frozen=True, slots=True)
class ProxyOptions:
    """The flags of ``bench proxy``."""

    upstream: str
    model: ModelOptions = ModelOptions()
    embedder: str = "hash"
    out: Path = Path("calls.jsonl")
    port: int = 0
    leave_out: Sequence[str] = ()
    """Parameters of a request that may be ignored although they could change a reply."""


def proxy_command(options: ProxyOptions) -> int:
    """Print the address on stdout, serve, and print what was spent at the end. Raises: UsageError before any work."""
    source = load_source(options.upstream, options.model)
    try:
        model, embedder = source.model(0), load_embedder(options.embedder)
        proxy = LedgerProxy(model, embedder, options.out, options.port, tuple(options.leave_out))
        try:
            print(proxy.url, flush=True)
            apart = proxy.url_for("TRIAL", Phase.READ).replace("/read/", "/PHASE/")
            print(f"proxy: {source.name}, ledger {options.out}; told apart: {apart}", file=sys.stderr, flush=True)
            wait_for_the_end()
        finally:
            proxy.close()
        print("\n".join(summary(proxy.spent)))
        if proxy.set_aside:
            print(f"proxy: sent but without effect: {', '.join(proxy.set_aside)}", file=sys.stderr)
    finally:
        source.close()
    return 0


def summary(spent: Mapping[tuple[str, str, str], Spent]) -> Iterator[str]:
    """Yield the lines of what was spent, tab-separated; ``?`` where an endpoint did not tell."""
    yield "\t".join(_HEAD)
    for names, sums in spent.items():
        numbers = (sums.calls, sums.prompt, sums.cached, sums.completion)
        cost = "?" if sums.cost_usd is None else f"{sums.cost_usd:.6f}"
        yield "\t".join((*names, *("?" if number is None else str(number) for number in numbers), cost))
