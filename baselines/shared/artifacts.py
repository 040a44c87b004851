"""The text files of an artifact: numbered files of folders, and texts in sections below headings. Knows no strategy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bench.types import Artifact

__all__ = ["join_artifacts", "list_files", "name_file", "read_sections", "write_sections"]

_END = ".txt"


def name_file(folder: str, number: int) -> str:
    """Return the name of a file; names sort as their numbers do. ``folder`` ends with a slash, or is empty."""
    return f"{folder}{number:04d}{_END}"


def list_files(artifact: Artifact, folder: str) -> dict[str, str]:
    """Return the texts of the ``.txt`` files of a folder by name, in order."""
    found = ((name, text) for name, text in artifact.files.items() if name.startswith(folder) and name.endswith(_END))
    return dict(sorted(found))


def write_sections(names: Sequence[str], values: Sequence[str]) -> str:
    """Return the values, each below its name as a heading."""
    return "\n\n".join(f"# {name}\n{value}" for name, value in zip(names, values, strict=True))


def read_sections(names: Sequence[str], text: str) -> list[str]:
    """Return the values of a text that ``write_sections`` wrote, one for each name; empty for one that is not there."""
    rest, values = text.removeprefix(f"# {names[0]}\n"), list[str]()
    for name in names[1:]:
        value, _, rest = rest.partition(f"\n\n# {name}\n")
        values.append(value)
    return [*values, rest]


def join_artifacts(parts: Iterable[Artifact]) -> Artifact:
    """Return the files of several artifacts as one; of one name the last."""
    found = list(parts)
    files = {name: text for part in found for name, text in part.files.items()}
    return Artifact(files, {name: tasks for part in found for name, tasks in part.sources.items()})
