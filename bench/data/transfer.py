"""One file from an address: through the client of the Hugging Face hub where it is there, else by ``pooch``.

Both show progress on a terminal and go on where a download was cut. Knows no digest of ours and no data root.
"""

from __future__ import annotations

import logging
import re
import sys
from http import HTTPStatus
from importlib.util import find_spec
from pathlib import Path
from shutil import copyfileobj

import pooch
import requests
from rich.console import Console
from rich.progress import wrap_file
from urllib3.exceptions import HTTPError

from bench.errors import Unreachable

__all__ = ["download", "has_part"]

_HUB = re.compile(r"https://huggingface\.co/datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.+)")
_PART, _HUB_PART = "part", "*.incomplete"
_TIMEOUT_S = 60
_CHUNK = 1 << 20


def download(url: str, folder: Path, *, resume: bool) -> Path:
    """Return the file of an address, downloaded into a folder of its own; what the folder holds of it is not got again.

    ``resume``: whether to trust what an earlier, interrupted download left. Raises: Unreachable.
    """
    found = _HUB.fullmatch(url)
    if found and find_spec("huggingface_hub"):
        return _download_from_hub(found[1], found[2], found[3], folder)
    part = folder / _PART
    if not resume:
        part.unlink(missing_ok=True)
    pooch.get_logger().setLevel(logging.WARNING)
    try:
        # The caller compares the digest and says what to do; pooch puts the file in its place when it is whole.
        return Path(pooch.retrieve(url, None, "download", folder, downloader=lambda *given: _resume(part, *given[:2])))
    except (requests.RequestException, HTTPError) as cause:
        inner = getattr(cause.args[0] if cause.args else cause, "reason", cause)  # without the count of tries
        raise Unreachable(str(inner)) from cause


def has_part(folder: Path) -> bool:
    """True if a folder holds a beginning of its file, with which the next download goes on."""
    return any(path.stat().st_size for pattern in (_PART, _HUB_PART) for path in folder.rglob(pattern))


def _resume(part: Path, url: str, target: str) -> None:
    """Download the rest of a file into ``part``, then move it to its target: what pooch's own downloader cannot do."""
    have = part.stat().st_size if part.is_file() else 0
    headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={have}-"} if have else {})}
    with requests.get(url, headers=headers, stream=True, timeout=_TIMEOUT_S) as reply:
        if reply.status_code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            have = 0  # it is whole, or of a longer file: the digest tells
        else:
            reply.raise_for_status()
            rest = reply.status_code == HTTPStatus.PARTIAL_CONTENT
            total = int(reply.headers.get("Content-Length", 0))
            screen = Console(stderr=True)
            with (
                part.open("ab" if rest else "wb") as out,
                wrap_file(
                    reply.raw, total, description=url.rpartition("/")[2], console=screen, transient=True,
                    disable=not sys.stderr.isatty(),
                ) as body,
            ):  # fmt: skip
                copyfileobj(body, out, _CHUNK)
    part.replace(target)


def _download_from_hub(name: str, revision: str, file: str, folder: Path) -> Path:
    from huggingface_hub import hf_hub_download  # noqa: PLC0415  # an extra

    logging.getLogger("huggingface_hub").setLevel(logging.CRITICAL)
    try:
        return Path(hf_hub_download(name, file, repo_type="dataset", revision=revision, local_dir=folder))
    except Exception as cause:  # its errors have no base of their own
        raise Unreachable(str(cause)) from cause
