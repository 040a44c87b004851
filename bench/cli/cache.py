"""``bench cache``: where replies are cached, what is there, and cassettes out of it and into it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from rich.markup import escape
from rich.table import Table

from bench.cli.console import screen
from bench.errors import UsageError, unknown_name
from bench.models.cache.cassette import read_cassette, write_cassette
from bench.models.cache.key import hash_key
from bench.models.cache.store import ReplyCache, cache_path
from bench.runner.sources import IDENTITY, JUDGE, name_identity
from bench.secrets import Secrets
from bench.store.ledger_queries import ReplyUse, count_unscored, read_meta, read_reply_uses
from bench.store.printing import say
from bench.types import Role, Status

__all__ = ["ACTIONS", "cache_command"]


def cache_command(action: str, file: Path | None, run: Path | None) -> None:
    """Do one action. Raises: UsageError, StoreError."""
    if action not in ACTIONS:
        raise unknown_name("cache", "an action", action, ACTIONS)
    if run is not None and action != "export":
        raise UsageError(f"cache {action}: expected no --run, got {run}; it says what to export")
    if (file is None) == (action in ("export", "import")):
        given = "none" if file is None else str(file)
        raise UsageError(
            f"cache {action}: expected {'a file' if file is None else 'no file'}, got {given}; "
            "write e.g. bench cache export table.jsonl.gz"
        )
    ACTIONS[action](file or Path(), run)


def _print_path(_file: Path, _run: Path | None) -> None:
    path = cache_path()
    print(f"{path}{'' if path.exists() else ' (not there yet)'}")


def _print_stats(_file: Path, _run: Path | None) -> None:
    path = cache_path()
    if not path.exists() or not path.stat().st_size:
        print(f"0 replies in {path}; a run with --cache read-write fills it")
        return
    grid = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    grid.add_column("requests (model, address, parameters)", overflow="fold")
    for name in ("replies", "prompt tokens", "completion tokens", "US$ paid once"):
        grid.add_column(name, justify="right")
    replies = ReplyCache(path, writable=False)
    try:
        totals = replies.sum_by_identity()
    finally:
        replies.close()
    for one in totals:
        cost = f"{one.cost_usd:,.4f}" + (f" (+{one.unpriced} of unknown price)" if one.unpriced else "")
        grid.add_row(
            escape(one.identity), f"{one.replies:,}", f"{one.prompt_tokens:,}", f"{one.completion_tokens:,}", cost
        )
    screen().print(grid)
    print(f"{sum(one.replies for one in totals):,} replies, {path.stat().st_size / 1e6:.1f} MB in {path}")


def _export(file: Path, run: Path | None) -> None:
    replies = ReplyCache(cache_path(), writable=False)
    try:
        keys = None if run is None else _list_keys(run, replies)
        seal = write_cassette(replies.entries(keys), file, Secrets(os.environ))
    finally:
        replies.close()
    print(f"{seal.replies} replies in {file}, {file.stat().st_size:,} bytes, digest {seal.digest}")


def _list_keys(run: Path, replies: ReplyCache) -> list[str]:
    """Return the keys of a run's requests. Raises: UsageError if not all of them are in the cache."""
    acting = read_meta(run, IDENTITY)
    if acting is None:
        raise UsageError(
            f"cache export: expected a run with a recorded model identity, got {run}; resume it once, then export"
        )
    uses = list(read_reply_uses(run))
    names = {_name_source(use) for use in uses}
    identities = {name: read_meta(run, name_identity(name)) or acting for name in names}
    keys = {_to_key(use, identities[_name_source(use)]) for use in uses}
    missing = len(keys) - replies.count(keys)
    if missing:
        raise UsageError(
            f"cache export: expected all {len(keys):,} replies of {run} in {replies.path}, got {missing:,} less; "
            "make the run with --cache read-write"
        )
    scored = tuple(status.value for status in Status if status.scored)
    if left := count_unscored(run, scored):
        say(f"cache: {left} trials of {run} are unscored; a replay will stop where they did")
    return sorted(keys)


def _name_source(use: ReplyUse) -> str:
    """Return under which name the run recorded the identity of what replied; the acting model has none of its own."""
    return JUDGE if use.role == Role.JUDGE else use.model


def _to_key(use: ReplyUse, identity: str) -> str:
    # Equal texts have equal vectors in every run: an embedder is its own identity.
    return hash_key(use.model if use.role == Role.EMBED else identity, use.request_hash, use.seed, use.sample)


def _import(file: Path, _run: Path | None) -> None:
    total = sum(1 for _ in read_cassette(file))  # a damaged last line is found before the first is used
    replies = ReplyCache(cache_path(), writable=True)
    try:
        new = replies.add(read_cassette(file))
    finally:
        replies.close()
    print(f"{total} replies read from {file}, {new} of them new in {replies.path}")


ACTIONS: dict[str, Callable[[Path, Path | None], None]] = {
    "where": _print_path,
    "stats": _print_stats,
    "export": _export,
    "import": _import,
}
