"""The file itself: template, styles, scripts and data, in one HTML document that can load nothing from anywhere.

Data stands in blocks of compressed JSON, which the page unpacks when it shows them: opening a large report unpacks the
first block alone. The policy of the document allows its own scripts by digest and no other, and forbids every request.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from html import escape

from bench.report.page.vendor import list_libraries, read_asset

__all__ = ["write_document"]

SCRIPTS = (
    "dom", "data", "state", "widgets", "leaderboard", "frontier", "tasks", "steps", "trial", "pair", "strategy",
    "ledger", "statistics", "sources", "live", "main",
)  # fmt: skip
"""The page's own scripts, in the order in which they need each other."""
_STYLES = ("page.css",)


def write_document(title: str, blocks: Iterator[tuple[str, str]], *, live: bool = False) -> Iterator[str]:
    """Yield the document piece by piece; ``blocks``: name and packed value, at least one; the first is
    what the page needs to be drawn.

    A ``live`` document may ask the server that it comes from, and nothing else.
    """
    scripts = [*(one.text for one in list_libraries() if one.file.endswith(".js")), _join_scripts()]
    styles = [*(one.text for one in list_libraries() if one.file.endswith(".css")), *map(read_asset, _STYLES)]
    head, tail = read_asset("page.html").split("<!-- data and scripts -->")
    yield (
        head.replace("<!-- policy -->", _write_policy(scripts, live=live))
        .replace("<!-- source -->", "live" if live else "file")
        .replace("<!-- title -->", escape(title))
        .replace("<!-- styles -->", "\n".join(f"<style>\n{_guard(text, 'style')}\n</style>" for text in styles))
    )
    # The scripts stand before all but the first block: they draw it while the rest of a large file is still being read.
    first = next(blocks)
    yield _write_block(*first)
    for text in scripts:
        yield f"<script>{_guard(text, 'script')}</script>\n"
    for name, packed in blocks:
        yield _write_block(name, packed)
    yield tail


def _write_block(name: str, packed: str) -> str:
    return f'<script type="application/octet-stream" id="{name}">{packed}</script>\n'


def _join_scripts() -> str:
    return "\n".join(read_asset(f"{name}.js") for name in SCRIPTS)


def _guard(text: str, tag: str) -> str:
    """Return a text that a tag can hold. Raises: ValueError for one that would end it."""
    if f"</{tag}" in text.lower():
        raise ValueError(f"page: expected a text without </{tag}, got one; write it in another way")
    return text


def _write_policy(scripts: list[str], *, live: bool) -> str:
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    source = "'self'" if live else "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; connect-src {source}; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types default"
    )
