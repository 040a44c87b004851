"""The browser libraries of the page: what they are, and that they are what npm delivered.

``python -m bench.report.page.vendor`` prints them, and ends with 1 if a file was changed.
"""

from __future__ import annotations

import hashlib
import sys
import tomllib
from dataclasses import dataclass
from importlib.resources import files

__all__ = ["Library", "list_libraries", "read_asset"]

_FIELDS = ("name", "version", "integrity", "file", "sha256", "license", "license_file")


@dataclass(frozen=True, slots=True)
class Library:
    """One file of one npm package."""

    name: str
    version: str
    integrity: str
    """Of the npm package, as npm writes it."""
    file: str
    sha256: str
    """Of the file."""
    license: str
    license_file: str

    @property
    def text(self) -> str:
        """The file, without the comment that names a map for debuggers, which is not there."""
        lines = read_asset(f"vendor/{self.file}").rstrip().splitlines()
        return "\n".join(lines[:-1] if "sourceMappingURL=" in lines[-1] else lines)

    @property
    def intact(self) -> bool:
        return hashlib.sha256(files(__package__).joinpath("vendor", self.file).read_bytes()).hexdigest() == self.sha256


def read_asset(path: str) -> str:
    """Return the text of a file of the page."""
    return files(__package__).joinpath(*path.split("/")).read_text(encoding="utf-8")


def list_libraries() -> tuple[Library, ...]:
    """Return the libraries in the order in which the page needs them."""
    listed = tomllib.loads(read_asset("vendor/vendor.toml"))["library"]
    return tuple(Library(**{name: one[name] for name in _FIELDS}) for one in listed)


def _check() -> int:
    for one in list_libraries():
        print(f"{one.name} {one.version} {one.license} {one.file}: {'intact' if one.intact else 'changed'}")
    return 0 if all(one.intact for one in list_libraries()) else 1


if __name__ == "__main__":
    sys.exit(_check())
