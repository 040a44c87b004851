"""A workspace as text: listings, the generated index, the compact tree of a prompt, and all of it as files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from baselines.horma.notes import Line, Note
from baselines.horma.paths import INDEX, RAW, SUFFIX, is_within, join_path
from baselines.horma.workspace import Workspace

__all__ = ["build_index", "build_tree", "format_count", "list_files", "list_folder", "read_page"]

_TREE_NAMES = 60
"""Names of notes that a compact tree shows of one folder."""


def list_folder(workspace: Workspace, folder: str) -> tuple[str, ...]:
    """Return a line for each thing in a folder, sorted by name: what it is, and how much it holds."""
    notes = {note.path: note for note in workspace.notes}
    return tuple(_describe(workspace, notes, join_path(folder, name)) for name in workspace.list_children(folder))


def read_page(workspace: Workspace, path: str) -> tuple[Line, ...]:
    """Return the lines of what is at a clean path, the index included. Raises: Refusal."""
    if path == INDEX:
        return tuple(map(Line, build_index(workspace)))
    return workspace.read(path)


def build_index(workspace: Workspace) -> tuple[str, ...]:
    """Return one line for each folder at the top."""
    tops = [name for name in workspace.list_children("") if name != INDEX]
    return tuple(_summarize_top(workspace, top, most=len(workspace.notes)) for top in tops)


def build_tree(workspace: Workspace, most: int = _TREE_NAMES) -> str:
    """Return one line for each folder at the top with at most ``most`` names of notes: those with the most lines."""
    tops = [name for name in workspace.list_children("") if name != INDEX]
    return "\n".join(_summarize_top(workspace, top, most) for top in tops)


def list_files(workspace: Workspace) -> tuple[tuple[str, str], ...]:
    """Return every file as path and text, sorted by path: Markdown that a person can read."""
    index = "\n".join(["# Index", "", *(f"- {line}" for line in build_index(workspace)), ""])
    notes = [(note.path, note.render()) for note in workspace.notes]
    raw = [(turn.path, turn.render()) for turn in workspace.raw.turns]
    return tuple(sorted([(INDEX, index), *notes, *raw]))


def format_count(n: int, what: str, many: str = "") -> str:
    """Return a number with its noun: ``1 entry``, ``2 entries``."""
    return f"{n} {what if n == 1 else many or f'{what}s'}"


def _format_span(first: str, last: str) -> str:
    """Return two times as one text; once if they are the same."""
    return first if first == last else f"{first} - {last}"


def _describe(workspace: Workspace, notes: Mapping[str, Note], path: str) -> str:
    name = path.rpartition("/")[2]
    if path == INDEX:
        return f"{name} (generated)"
    if turns := workspace.raw.list_folder(path):
        return f"{name}/ ({format_count(len(turns), 'turn')}, {turns[0].time})"
    if workspace.is_folder(path):
        return f"{name}/ ({format_count(len(workspace.list_children(path)), 'entry', 'entries')})"
    return _describe_note(name, notes[path]) if path in notes else f"{name} (1 turn)"


def _describe_note(name: str, note: Note) -> str:
    return f"{name} ({format_count(len(note.lines), 'line')}, {_format_span(note.time_from, note.time_to)})"


def _summarize_top(workspace: Workspace, top: str, most: int) -> str:
    if top == RAW:
        turns = workspace.raw.turns
        span = f", {_format_span(turns[0].time, turns[-1].time)}" if turns else ""
        return (
            f"{RAW}/ ({format_count(len(workspace.raw.folders), 'folder')}, {format_count(len(turns), 'turn')}{span})"
        )
    notes = [note for note in workspace.notes if is_within(note.path, top)]
    largest = sorted(notes, key=lambda note: (-len(note.lines), note.path))[:most]
    empty = [f"{one}/".removeprefix(f"{top}/") for one in _find_empty_folders(workspace, top, notes)]
    names = [*empty, *(_shorten(note, top) for note in sorted(largest, key=lambda note: note.path))]
    more = f", and {len(notes) - len(largest)} more" if len(notes) > len(largest) else ""
    return f"{top}/ {', '.join(names)}{more}" if names else f"{top}/ (empty)"


def _find_empty_folders(workspace: Workspace, top: str, notes: Sequence[Note]) -> list[str]:
    below = [one for one in workspace.folders if is_within(one, top) and one != top]
    return [one for one in below if not any(is_within(note.path, one) for note in notes)]


def _shorten(note: Note, top: str) -> str:
    name = note.path.removeprefix(f"{top}/").removesuffix(SUFFIX)
    return f"{name} ({len(note.lines)})"
