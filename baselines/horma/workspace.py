"""A workspace in memory: raw turns that the harness writes and nobody changes, and notes that a manager files.

``raw_logs/<session or step>/turn_NNNN.md`` holds one event each, as it came. ``entities/``, ``events/``, ``notes/`` and
folders that the manager adds hold notes; each line names the raw turns that it rests on, which is checked at every
write. ``index.md`` is generated. Nothing touches a disk, and there is no shell and no link.
Source: HORMA (arXiv 2606.11680), the workspace; the checks, caps and names are ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from baselines.horma.notes import Line, Meta, Note, flatten
from baselines.horma.paths import (
    INDEX,
    RAW,
    SUFFIX,
    WorkspaceLimits,
    check_target,
    clean_path,
    clean_target,
    is_within,
    join_path,
    refuse_generated,
    split_path,
)
from baselines.horma.raw_logs import RawLogs, RawTurn
from baselines.horma.refusals import Refusal, RefusalKind
from baselines.horma.sources import check_lines
from bench.types import Event

__all__ = ["FOLDERS", "Workspace"]

FOLDERS = ("entities", "events", "notes")
"""The folders that are there from the start, beside the raw logs."""


class Workspace:
    """The files of one episode or conversation."""

    def __init__(self, limits: WorkspaceLimits = WorkspaceLimits()):
        self._limits = limits
        self._folders: set[str] = set(FOLDERS)
        self._notes: dict[str, Note] = {}
        self._sizes: dict[str, int] = {}
        self.raw = RawLogs()  # ``write_raw`` alone adds to it
        self.refusals: Counter[RefusalKind] = Counter()
        """Writing operations that were refused, by kind."""
        self.state = 0
        """Another number after every write."""

    def write_raw(self, event: Event) -> RawTurn:
        """Add a raw turn; for the harness alone. Raises: ValueError if a turn of that ref is there already."""
        turn = self.raw.write(event)
        self.state += 1
        return turn

    def mkdir(self, path: str) -> str:
        """Make a folder and those above it; one that is there already is fine. Returns its path. Raises: Refusal."""
        with self._count_refusals():
            clean = clean_target(path, self._limits, is_note=False)
            self._add_folders(clean)
            self.state += 1
            return clean

    def write(self, path: str, meta: Meta, lines: Sequence[Line]) -> Note:
        """Make a note, or put another in its place; folders are made as needed. Raises: Refusal; then nothing changes.

        A line without sources gets those of the note: ``meta.sources``, or if there are none, those of its other lines.
        """
        with self._count_refusals():
            clean = clean_target(path, self._limits, is_note=True)
            inherited = meta.sources or [ref for line in lines for ref in line.sources]
            return self._store(Note(clean, self._check(lines, inherited), meta.time_from, meta.time_to))

    def append(self, path: str, lines: Sequence[Line], sources: Sequence[str] = ()) -> Note:
        """Add lines at the end of a note; one that is not there is made. Raises: Refusal; then nothing changes.

        A line without sources gets ``sources``: those of the note so far say nothing about a new line.
        """
        with self._count_refusals():
            clean = clean_target(path, self._limits, is_note=True)
            old = self._notes.get(clean, Note(clean, ()))
            return self._store(replace(old, lines=(*old.lines, *self._check(lines, sources)), time_to=""))

    def replace_line(self, path: str, number: int, line: Line) -> Note:
        """Put a line in the place of line ``number`` of a note; its times are those of its turns. Raises: Refusal."""
        with self._count_refusals():
            note = self._find_lines(path, [number])
            lines = (*note.lines[: number - 1], *self._check([line]), *note.lines[number:])
            return self._store(Note(note.path, lines))

    def delete_lines(self, path: str, numbers: Sequence[int]) -> None:
        """Take lines out of a note, and out of the folder a note without any. Raises: Refusal; then nothing changes."""
        with self._count_refusals():
            note = self._find_lines(path, numbers)
            if kept := tuple(line for at, line in enumerate(note.lines, start=1) if at not in numbers):
                self._store(Note(note.path, kept))
            else:
                del self._notes[note.path], self._sizes[note.path]
                self.state += 1

    def mv(self, path: str, target: str) -> str:
        """Move or rename a note or a folder; into the target if that is a folder. Returns the new path.

        Raises: Refusal if the target exists or lies within what is moved; then nothing changes.
        """
        with self._count_refusals():
            source = self.find(path)
            refuse_generated(source)
            moved = self._find_new_path(source, target)
            if moved in self._notes or moved in self._folders:
                raise Refusal(RefusalKind.EXISTS, f"{moved} is there already")
            if source in FOLDERS or is_within(moved, source):
                raise Refusal(RefusalKind.PATH, f"{source} cannot be moved to {moved}")
            inside = [one for one in (*self._notes, *self._folders) if is_within(one, source)]
            new_paths = {one: moved + one.removeprefix(source) for one in inside}
            for new in new_paths.values():
                check_target(new, self._limits, is_note=new.endswith(SUFFIX))
            self._add_folders(moved.rpartition("/")[0])
            self._folders = {new_paths.get(one, one) for one in self._folders}
            self._sizes = {new_paths.get(one, one): size for one, size in self._sizes.items()}
            notes = (replace(note, path=new_paths.get(one, one)) for one, note in self._notes.items())
            self._notes = {note.path: note for note in notes}
            self.state += 1
            return moved

    def find(self, text: str, folder: str = "", *, upward: bool = False) -> str:
        """Return the path of what a text names: a path, with or without ``.md``, its unique beginning, or a ref.

        What is not there seen from ``folder`` is looked for from the root. Raises: Refusal if there is no such thing.
        """
        if len(turns := self.raw.find_range(text)) == 1:
            return turns[0].path
        clean = clean_path(text, folder, upward=upward)
        found = self._find_beginning(clean)
        if found is None and folder:
            found = self._find_beginning(clean_path(text, upward=upward))
        if found is None:
            raise Refusal(RefusalKind.MISSING, f"there is no {clean}")
        return found

    def list_children(self, folder: str) -> list[str]:
        """Return the names in a folder, sorted; none if there is no such folder."""
        above = f"{folder}/" if folder else ""
        everything = (*self._folders, *self._notes, *self.raw.folders, RAW, INDEX)
        found = {one.removeprefix(above).split("/")[0] for one in everything if one.startswith(above)}
        return sorted(found | {turn.path.rpartition("/")[2] for turn in self.raw.list_folder(folder)})

    def is_folder(self, path: str) -> bool:
        """True if there is a folder of that clean path."""
        return path in ("", RAW) or path in self._folders or bool(self.raw.list_folder(path))

    def read(self, path: str) -> tuple[Line, ...]:
        """Return the lines of a page: a note, a raw turn, or all turns of a folder of raw logs. Raises: Refusal."""
        if note := self._notes.get(path):
            return note.lines
        if turns := self.raw.list_folder(path):
            return tuple(turn.line for turn in turns)
        if turn := self.raw.find_path(path):
            return (turn.line,)
        what = "is a folder" if self.is_folder(path) else "is not there to be read"
        raise Refusal(RefusalKind.MISSING, f"{path or 'the root'} {what}")

    def list_pages(self, folder: str = "") -> list[str]:
        """Return the paths of all pages within a folder: notes, then folders of raw turns, each sorted."""
        return [one for one in (*sorted(self._notes), *self.raw.folders) if is_within(one, folder)]

    @property
    def notes(self) -> tuple[Note, ...]:
        """All notes, sorted by path."""
        return tuple(self._notes[path] for path in sorted(self._notes))

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders of notes, sorted."""
        return tuple(sorted(self._folders))

    @contextmanager
    def _count_refusals(self) -> Iterator[None]:
        try:
            yield
        except Refusal as refusal:
            self.refusals[refusal.kind] += 1
            raise

    def _exists(self, path: str) -> bool:
        return path in self._notes or path == INDEX or self.is_folder(path) or self.raw.find_path(path) is not None

    def _find_beginning(self, clean: str) -> str | None:
        """Return the path that a clean path is, or is the only beginning of; None if there is none."""
        if not clean or self._exists(clean):
            return clean
        above, _, name = clean.rpartition("/")
        longer = [one for one in self.list_children(above) if one.startswith((f"{name}_", f"{name}."))]
        found = [one for one in longer if one == f"{name}{SUFFIX}"] or longer
        return join_path(above, found[0]) if len(found) == 1 else None

    def _find_new_path(self, source: str, target: str) -> str:
        """Return where ``source`` goes: into a folder that is there, or to a path of its own. Raises: Refusal."""
        is_note = source in self._notes
        if (folder := clean_path(target)) not in self._folders:
            return clean_target(target, self._limits, is_note=is_note)
        moved = join_path(folder, split_path(source)[-1])
        check_target(moved, self._limits, is_note=is_note)
        return moved

    def _check(self, lines: Sequence[Line], inherited: Sequence[str] = ()) -> tuple[Line, ...]:
        return check_lines(lines, self.raw, self._limits.line_chars, inherited)

    def _find_lines(self, path: str, numbers: Sequence[int]) -> Note:
        """Return the note that has lines of these numbers, from 1. Raises: Refusal."""
        found = self.find(path)
        refuse_generated(found)
        last = len(self.read(found))
        if missing := [number for number in numbers if not 1 <= number <= last]:
            raise Refusal(RefusalKind.MISSING, f"{found} has lines 1 to {last}, not {missing[0]}")
        return self._notes[found]

    def _store(self, note: Note) -> Note:
        """Keep a note if it fits; times that nobody gave are those of its turns. Raises: Refusal."""
        first, last = self.raw.describe_span(note.sources)
        note = replace(note, time_from=flatten(note.time_from or first), time_to=flatten(note.time_to or last))
        size, limits = len(note.render()), self._limits
        total = sum(self._sizes.values()) - self._sizes.get(note.path, 0) + size
        if size > limits.file_chars or max(len(note.time_from), len(note.time_to)) > limits.line_chars:
            raise Refusal(RefusalKind.TOO_LONG, f"{note.path} is full ({size} characters); use another")
        if total > limits.total_chars:
            raise Refusal(RefusalKind.TOO_LONG, f"all notes would have {total} characters of {limits.total_chars}")
        self._add_folders(note.path.rpartition("/")[0], is_new_note=note.path not in self._notes)
        self._notes[note.path], self._sizes[note.path] = note, size
        self.state += 1
        return note

    def _add_folders(self, path: str, *, is_new_note: bool = False) -> None:
        """Add a folder and those above it. Raises: Refusal if there would be too many files and folders."""
        names = split_path(path)
        added = {join_path(*names[:depth]) for depth in range(1, len(names) + 1)} - self._folders
        if len(self._folders) + len(self._notes) + len(added) + is_new_note > self._limits.entries:
            raise Refusal(RefusalKind.TOO_MANY, f"there may be at most {self._limits.entries} files and folders")
        self._folders |= added
