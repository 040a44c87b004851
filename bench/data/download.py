"""Getting benchmark data from its official address and checking it; only at the user's command.

What was downloaded so far of a file whose digest is known is kept when a download is interrupted, and the next one goes
on from there.
"""

from __future__ import annotations

import filecmp
import hashlib
import shutil
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import IO

import pooch

from bench.data.transfer import download, has_part
from bench.errors import StoreError, Unreachable
from bench.protocols import DataSource

__all__ = ["fetch"]

_PARTIAL = ".partial"
"""The folder below the data root that holds what is not complete."""


def fetch(source: DataSource, root: Path, report: Callable[[str], None] = lambda _: None) -> None:
    """Download one source under the data root. A failed or altered download leaves what was there before.

    A file that is there and differs may be the user's own: it is kept beside the new one, as ``NAME.replaced``.

    Raises: Unreachable if the address does not answer, naming it and what to do; StoreError for what came from there,
    or if it cannot be written.
    """
    folder = root / _PARTIAL / hashlib.sha256(source.url.encode()).hexdigest()[:16]
    keep = False
    try:
        folder.mkdir(parents=True, exist_ok=True)
        report(f"data: getting {source.url}")
        part = download(source.url, folder, resume=bool(source.sha256))
        digest = pooch.file_hash(str(part))
        if source.sha256 and digest != source.sha256:
            raise StoreError(
                f"data: expected sha256 {source.sha256} from {source.url}, got {digest}; "
                "the file changed upstream or was cut on its way: try again, else report it"
            )
        _place(part, source, root, report)
    except Unreachable as cause:
        keep = bool(source.sha256)
        raise Unreachable(_explain(source, root, cause)) from cause
    except (OSError, zipfile.BadZipFile, tarfile.TarError) as cause:
        raise StoreError(_explain(source, root, cause)) from cause
    finally:
        if not keep or not has_part(folder):
            shutil.rmtree(folder, ignore_errors=True)
        if not any(folder.parent.glob("*")):
            shutil.rmtree(folder.parent, ignore_errors=True)


def _explain(source: DataSource, root: Path, cause: Exception) -> str:
    detail = " ".join(str(cause).split())  # tarfile writes one line for each method it tried
    return (
        f"data: expected to get {source.url}, got {detail}; check the network and say it again, or put the file at "
        f"{root / source.to} by hand"
    )


def _put(new: Path, place: Path, report: Callable[[str], None]) -> None:
    """Move a file to its place, and another one that is there aside."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_file() and not filecmp.cmp(new, place, shallow=False):
        names = (f"{place.name}.replaced{number or ''}" for number in count())
        aside = next(path for name in names if not (path := place.with_name(name)).exists())
        place.replace(aside)
        report(f"data: {place} was another file; it is kept as {aside.name}")
    new.replace(place)


def _place(part: Path, source: DataSource, root: Path, report: Callable[[str], None]) -> None:
    target = root / source.to
    if not source.inside:
        _put(part, target, report)
        return
    # First staging next to the download, then moved: a damaged member leaves what was there before.
    staging = (part.parent / "unpacked").resolve()
    staging.mkdir()
    for member in _read_members(part):
        _, found, rest = f"/{member.name}".partition(f"/{source.inside}/")
        if not found or not rest:
            continue
        path = (staging / rest).resolve()
        if not path.is_relative_to(staging):
            raise StoreError(f"data: expected members inside {target}, got {member.name!r}; do not use it")
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as out:
            shutil.copyfileobj(member.stream, out)
    found_files = sorted(path for path in staging.rglob("*") if path.is_file())
    if not found_files:
        raise StoreError(f"data: expected a folder {source.inside} in {source.url}, got an archive without; report it")
    for path in found_files:
        _put(path, target / path.relative_to(staging), report)


@dataclass(frozen=True, slots=True)
class _Member:
    """One plain file of an archive; ``stream`` is open until the next member is read."""

    name: str
    stream: IO[bytes]


def _read_members(archive: Path) -> Iterator[_Member]:
    """Yield the plain files of a zip or tar archive, one after the other."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as zip_file:
            for info in zip_file.infolist():
                if not info.is_dir():
                    with zip_file.open(info) as stream:
                        yield _Member(info.filename, stream)
        return
    with tarfile.open(archive) as tar_file:
        for entry in tar_file:
            opened = tar_file.extractfile(entry) if entry.isfile() else None
            if opened is not None:
                with opened:
                    yield _Member(entry.name, opened)
