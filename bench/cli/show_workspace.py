"""``bench show --workspace`` and ``--tree``: the files that the memory of a trial keeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path, PurePosixPath

from rich.console import Console
from rich.markup import escape

from bench.errors import UsageError
from bench.protocols import HasFiles
from bench.runner.rebuilding import rebuild_memory
from bench.store.printing import format_trial, make_printable
from bench.types import Trial

__all__ = ["read_workspace", "show_files", "write_workspace"]

_MOST_IN_FOLDER = 40


def show_files(console: Console, folder: Path, trial: Trial, *, to: Path | None, tree: bool) -> None:
    """Print the tree of a trial's files, and write them to a folder. Raises: UsageError."""
    files, key = read_workspace(folder, trial), trial.key
    if tree:
        _print_tree(console, files)
    if to:
        write_workspace(files, to)
        name = format_trial(key.strategy, key.task, key.seed, key.attempt)
        console.print(f"{len(files)} files of {escape(name)} in {escape(str(to))}")


def read_workspace(folder: Path, trial: Trial) -> tuple[tuple[str, str], ...]:
    """Return the files of a trial's memory at its end. Raises: UsageError if it keeps none, or cannot be rebuilt."""
    memory = rebuild_memory(folder, trial)
    if not isinstance(memory, HasFiles):
        raise UsageError(
            f"show: expected a strategy that keeps files, got {trial.key.strategy}; leave --workspace and --tree out"
        )
    files = memory.files()
    for path, _ in files:
        parts = PurePosixPath(path).parts
        if not parts or PurePosixPath(path).is_absolute() or ".." in parts or "\\" in path or "\0" in path:
            raise UsageError(
                f"show: expected paths below a folder, got {path!r} of {trial.key.strategy}; mend its files()"
            )
    return files


def write_workspace(files: Sequence[tuple[str, str]], to: Path) -> None:
    """Write files below a folder that is new or empty. Raises: UsageError."""
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        what = "a folder with files in it" if to.is_dir() else "a file"
        raise UsageError(f"show: expected a new or empty folder for --workspace, got {what}, {to}; name another")
    try:
        to.mkdir(parents=True, exist_ok=True)
        for path, text in files:
            place = to.joinpath(*PurePosixPath(path).parts)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8", errors="replace", newline="\n")
    except OSError as error:
        raise UsageError(f"show: expected a folder that can be written, got {to} ({error}); name another") from error


def _print_tree(console: Console, files: Sequence[tuple[str, str]]) -> None:
    """Print the paths as a tree, each file with its lines."""
    for line in _format_tree([(PurePosixPath(path).parts, text.count("\n")) for path, text in files], 0):
        console.print(escape(make_printable(line)))


def _format_tree(files: Sequence[tuple[tuple[str, ...], int]], depth: int) -> Iterator[str]:
    indent = "  " * depth
    shown = 0
    for name, group in groupby(sorted(files), key=lambda file: file[0][depth]):
        within = list(group)
        if len(within[0][0]) > depth + 1:
            yield f"{indent}{name}/"
            yield from _format_tree(within, depth + 1)
            continue
        shown += 1
        if shown <= _MOST_IN_FOLDER:
            yield f"{indent}{name}  {within[0][1]} lines"
    if shown > _MOST_IN_FOLDER:
        yield f"{indent}… {shown - _MOST_IN_FOLDER} more files"
