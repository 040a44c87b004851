"""Getting benchmark data from its official place, checked before it is used; nothing is fetched unless asked."""

from __future__ import annotations

import hashlib
import shutil
import tarfile
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

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
    except (OSError, urllib.error.URLError, zipfile.BadZipFile, tarfile.TarError) as cause:
        said = " ".join(str(cause).split())  # tarfile tells of each method it tried on a line of its own
        raise StoreError(
            f"data: expected to get {source.url}, got {said}; check the network, or put the file at "
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
    if not source.inside:
        target.parent.mkdir(parents=True, exist_ok=True)
        part.replace(target)
        return
    # First beside the download, then moved: a member that turns out damaged leaves what was there before.
    unpacked = (part.parent / "unpacked").resolve()
    unpacked.mkdir()
    for member in _members(part):
        _, found, rest = f"/{member.name}".partition(f"/{source.inside}/")
        if not found or not rest:
            continue
        path = (unpacked / rest).resolve()
        if not path.is_relative_to(unpacked):
            raise StoreError(f"data: expected members inside {target}, got {member.name!r}; do not use it")
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as out:
            shutil.copyfileobj(member.stream, out)
    found_files = sorted(path for path in unpacked.rglob("*") if path.is_file())
    if not found_files:
        raise StoreError(f"data: expected a folder {source.inside} in {source.url}, got an archive without; report it")
    for path in found_files:
        place = target / path.relative_to(unpacked)
        place.parent.mkdir(parents=True, exist_ok=True)
        path.replace(place)


@dataclass(frozen=True, slots=True)
class _Member:
    name: str
    stream: IO[bytes]


def _members(archive: Path) -> Iterator[_Member]:
    """Yield the plain files of a zip or tar archive, one after the other."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as packed:
            for info in packed.infolist():
                if not info.is_dir():
                    with packed.open(info) as stream:
                        yield _Member(info.filename, stream)
        return
    with tarfile.open(archive) as packed_tar:
        for entry in packed_tar:
            opened = packed_tar.extractfile(entry) if entry.isfile() else None
            if opened is not None:
                with opened:
                    yield _Member(entry.name, opened)
