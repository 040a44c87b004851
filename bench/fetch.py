"""Getting benchmark data from its official place, checked before it is used; nothing is fetched unless asked."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path

from bench.errors import StoreError
from bench.protocols import DataSource

__all__ = ["fetch"]

_CHUNK = 1 << 20
_TIMEOUT_S = 60


def fetch(source: DataSource, root: Path, say: Callable[[str], None] = lambda _: None) -> None:
    """Download one source under the data root. A failed or altered download leaves what was there before.

    Raises: StoreError naming the address and what to do.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=root, prefix=".fetch-") as folder:
            part = Path(folder) / "download"
            say(f"data: getting {source.url}")
            got = _download(source.url, part)
            if source.sha256 and got != source.sha256:
                raise StoreError(
                    f"data: expected sha256 {source.sha256} from {source.url}, got {got}; "
                    "the file changed upstream or was cut on its way: try again, else report it"
                )
            _place(part, source, root)
    except (OSError, urllib.error.URLError, zipfile.BadZipFile) as cause:
        raise StoreError(
            f"data: expected to get {source.url}, got {cause}; check the network, or put the file at "
            f"{root / source.to} by hand"
        ) from cause


def _download(url: str, path: Path) -> str:
    digest = hashlib.sha256()
    with urllib.request.urlopen(url, timeout=_TIMEOUT_S) as reply, path.open("wb") as out:
        while chunk := reply.read(_CHUNK):
            digest.update(chunk)
            out.write(chunk)
    return digest.hexdigest()


def _place(part: Path, source: DataSource, root: Path) -> None:
    target = root / source.to
    if not zipfile.is_zipfile(part) or target.suffix == ".zip":
        target.parent.mkdir(parents=True, exist_ok=True)
        part.replace(target)
        return
    # First beside the target, then moved: a member that turns out damaged leaves what was there before.
    unpacked = part.parent / "unpacked"
    with zipfile.ZipFile(part) as archive:
        for member in archive.infolist():
            if member.is_dir() or source.keep not in member.filename:
                continue
            path = (unpacked / member.filename).resolve()
            if not path.is_relative_to(unpacked.resolve()):
                raise StoreError(
                    f"data: expected members inside {target}, got {member.filename!r}; do not use this file"
                )
            path.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as inside, path.open("wb") as out:
                shutil.copyfileobj(inside, out)
    for path in sorted(file for file in unpacked.rglob("*") if file.is_file()):
        place = target / path.relative_to(unpacked)
        place.parent.mkdir(parents=True, exist_ok=True)
        path.replace(place)
