"""``bench proxy``: record the calls of any program that takes an OpenAI base URL, until Ctrl-C; then print the sums."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.models.openai_api.ledger_proxy import CallTotals, LedgerProxy
from bench.models.options import ModelOptions
from bench.protocols import HasStop
from bench.registry import load_embedder, load_source
from bench.runner.stopping import catch_signals
from bench.types import Phase

__all__ = ["ProxyOptions", "proxy_command", "summarize"]

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
    """Print the address on stdout, serve, and print the sums at the end. Raises: UsageError before any work."""
    source = load_source(options.upstream, options.model)
    try:
        model, embedder = source.model(0), load_embedder(options.embedder)
        proxy = LedgerProxy(model, embedder, options.out, options.port, tuple(options.leave_out))
        try:
            with catch_signals() as stop:
                if isinstance(source, HasStop):
                    stop.add(source.stop)
                print(proxy.url, flush=True)
                template = proxy.url_for("TRIAL", Phase.READ).replace("/read/", "/PHASE/")
                print(
                    f"proxy: {source.name}, ledger {options.out}; by trial and phase: {template}",
                    file=sys.stderr,
                    flush=True,
                )
                stop.wait()
                proxy.close()  # here a second signal still leaves at once
        finally:
            proxy.close()
        print("\n".join(summarize(proxy.totals)))
        if proxy.ignored_parameters:
            print(f"proxy: sent but without effect: {', '.join(proxy.ignored_parameters)}", file=sys.stderr)
    finally:
        source.close()
    return 0


def summarize(totals: Mapping[tuple[str, str, str], CallTotals]) -> Iterator[str]:
    """Yield the lines of the sums, tab-separated; ``?`` where an endpoint did not report."""
    yield "\t".join(_HEAD)
    for names, sums in totals.items():
        numbers = (sums.calls, sums.prompt, sums.cached, sums.completion)
        cost = "?" if sums.cost_usd is None else f"{sums.cost_usd:.6f}"
        yield "\t".join((*names, *("?" if number is None else str(number) for number in numbers), cost))
