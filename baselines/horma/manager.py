"""The manager: a model that files new turns in the workspace, by operations that are checked one by one.

Source: HORMA (arXiv 2606.11680), the memory manager: a prompt of domain-neutral principles and learned skills,
shell-like operations, construction not trained. The grammar, the checks, the lines that are shown and the second call
are ours.

One call files some turns. It sees those lines of the notes that share words with the turns or the task, so that it can
replace and delete them by their numbers; both are carried out before the rest of a reply, while the numbers hold. What
it looked at and what was refused is shown to it once more, with the files as they are then; after the second reply
refusals are only counted. A line that cites no turn, or one that does not exist, is left out, and the others of its
operation are kept. A reply ``none`` files nothing; the turns stay in the raw logs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from baselines.horma.listing import build_tree, list_folder, read_page
from baselines.horma.notes import Line
from baselines.horma.operations import EDITS, NOTE_VERBS, Operation, read_operations
from baselines.horma.raw_logs import RawTurn
from baselines.horma.refusals import Refusal, RefusalKind
from baselines.horma.related import render_related
from baselines.horma.skills import read_skills, render_skills
from baselines.horma.workspace import Workspace
from baselines.shared.task_text import find_task
from bench.protocols import Kit
from bench.replies import read_text
from bench.types import EventKind, Message

__all__ = ["PRINCIPLES", "Manager", "build_system", "show_turns"]

_PIECE_TOKENS = 3000
"""The most of the new turns that one call sees; more take more calls."""
_MOST_TOKENS, _SPARE_TOKENS, _TOKENS_A_TOKEN = 4000, 300, 3
"""How long a reply may be: so much, and so much for each token it files."""
_SHOWN_LINES, _SHOWN_CHARS, _REPLY_CHARS = 60, 300, 4000
_RELATED_TOKENS = 1000
"""The most of the lines that may concern the new turns."""
_NOTE_CHARS = 160
_CUT = "Cut off: the reply was too long, and its last line is dropped; go on from there."
_REFUSAL = "Refused:"
_REFUSED, _NOTHING = "organise_refused", "organise_nothing"
_RELATED = "## Lines that may concern the new turns"
_BY_SOURCE = (RefusalKind.NO_SOURCE, RefusalKind.UNKNOWN_SOURCE)


def _read_text(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8").strip()


PRINCIPLES, _OPERATIONS, _AGAIN, _MEND = map(
    _read_text, ("principles.txt", "operations.txt", "again.txt", "refused.txt")
)


def build_system(skills: tuple[str, ...] = ()) -> str:
    """Return the instructions of a manager with these skills."""
    return "\n\n".join(filter(None, (PRINCIPLES, render_skills(skills), _OPERATIONS)))


def show_turns(turns: Sequence[RawTurn]) -> str:
    """Return turns as the manager sees them: a line each, its id first, below the time where that changes."""
    lines, time = list[str](), ""
    for turn in turns:
        if turn.time != time:
            time = turn.time
            lines.append(f"({time})")
        event = turn.event
        shown = turn.line.text.removeprefix(f"[{event.time}] ").removeprefix(f"[{event.step}] ")
        lines.append(f"[{event.ref}] {shown if event.kind is not EventKind.TURN or event.time else turn.line.text}")
    return "\n".join(lines)


class Manager:
    """Files turns, and notes what it was refused."""

    def __init__(self, kit: Kit, workspace: Workspace):
        self._kit, self._workspace = kit, workspace
        self._system = build_system(read_skills(kit.artifact, "organise"))
        self._notes: list[str] = []
        self.task = ""
        """What an episode is about, as its opening says."""

    def organise(self, turns: Sequence[RawTurn]) -> None:
        """Let the model file new turns, at most two calls for each piece of them. Raises: ModelError."""
        for piece in self._split(turns):
            self._file(piece)

    def take_notes(self) -> tuple[str, ...]:
        """Return what there is to report since the last time: refusals, and calls that filed nothing."""
        notes, self._notes = tuple(self._notes), []
        return notes

    def count_notes(self) -> tuple[str, ...]:
        """Return how often there was what to report, by kind, and take nothing: for questions, in any order."""
        kinds = Counter(": ".join(note.split(": ")[: 2 if note.startswith(_REFUSED) else 1]) for note in self._notes)
        return tuple(f"{kind}: {count} so far" for kind, count in sorted(kinds.items()))

    def _split(self, turns: Sequence[RawTurn]) -> Iterator[list[RawTurn]]:
        piece, used = list[RawTurn](), 0
        for turn in turns:
            tokens = self._kit.budget.count(turn.line.text)
            if piece and used + tokens > _PIECE_TOKENS:
                yield piece
                piece, used = [], 0
            piece.append(turn)
            used += tokens
        if piece:
            yield piece

    def _file(self, piece: Sequence[RawTurn]) -> None:
        before = self._workspace.notes
        shown = show_turns(piece)
        parts = (("Task", self.task), ("Files", self._show_files(piece)), ("New turns", shown))
        request = "\n\n".join(f"# {heading}\n{body}" for heading, body in parts if body)
        messages: tuple[Message, ...] = (Message("system", self._system), Message("user", request))
        longest = min(_MOST_TOKENS, _SPARE_TOKENS + _TOKENS_A_TOKEN * self._kit.budget.count(shown))
        for is_last in (False, True):
            reply = self._kit.model.chat(messages, role="organise", max_tokens=longest)
            is_cut = reply.finish == "length"
            # What is cut off in the middle of a line is no line.
            text = reply.text.rpartition("\n")[0] if is_cut and "\n" in reply.text else reply.text
            results = [*self._carry_out(text, is_cut=is_cut), *([_CUT] if is_cut else [])]
            if is_last or not results:
                break
            mend = [_MEND] if any(result.startswith(_REFUSAL) for result in results) else []
            files = ["", "# Files as they are now", self._show_files(piece), ""]
            again = "\n".join(["# Results", *results, *files, *mend, _AGAIN])
            messages = (*messages, Message("assistant", text[-_REPLY_CHARS:]), Message("user", again))
        if self._workspace.notes == before:
            self._notes.append(f"{_NOTHING}: of {len(piece)} turns")

    def _show_files(self, turns: Sequence[RawTurn]) -> str:
        """Return the tree of the files, and the lines that share words with some turns."""
        task, count = find_task(self.task) if self.task else "", self._kit.budget.count
        related = render_related(self._workspace.notes, turns, task, _RELATED_TOKENS, count)
        return "\n\n".join([build_tree(self._workspace), *([f"{_RELATED}\n{related}"] if related else [])])

    def _carry_out(self, text: str, *, is_cut: bool) -> list[str]:
        """Apply the operations of a reply; return what the model is to see: what it looked at and what was refused."""
        operations = read_operations(text, self._workspace.raw)
        if is_cut and operations and operations[-1].verb in NOTE_VERBS and not operations[-1].lines:
            operations = operations[:-1]
        if not operations and not _says_none(text):
            self._workspace.refusals[RefusalKind.GRAMMAR] += 1
            return [self._refuse("reply", Refusal(RefusalKind.GRAMMAR, "no operation could be read"))]
        results = list[str]()
        for operation in self._sort(operations):
            try:
                results += self._apply(operation)
            except Refusal as refusal:
                results.append(self._refuse(str(operation), refusal))
        return results

    def _sort(self, operations: Sequence[Operation]) -> list[Operation]:
        """Return operations with those first that name lines by their numbers: replacements, one deletion a note."""
        others = [one for one in operations if one.verb not in EDITS]
        replaced = [one for one in operations if one.verb == "replace"]
        deleted = dict[str, Operation]()
        for one in operations:
            if one.verb == "delete":
                path = self._resolve(one.path)
                before = deleted.get(path, one).numbers
                deleted[path] = replace(one, numbers=tuple(dict.fromkeys((*before, *one.numbers))))
        return [*replaced, *deleted.values(), *others]

    def _resolve(self, path: str) -> str:
        try:
            return self._workspace.find(path)
        except Refusal:
            return path

    def _refuse(self, what: str, refusal: Refusal) -> str:
        self._notes.append(f"{_REFUSED}: {refusal.kind.value}: {what}: {refusal}"[:_NOTE_CHARS])
        return f"{_REFUSAL} {what[:_NOTE_CHARS]}: {refusal}."

    def _apply(self, operation: Operation) -> list[str]:
        """Carry out one operation; return what a reading one shows. Raises: Refusal."""
        workspace = self._workspace
        if operation.verb == "mkdir":
            workspace.mkdir(operation.path)
        elif operation.verb == "mv":
            workspace.mv(operation.path, operation.target)
        elif operation.verb in EDITS:
            self._edit(operation)
        elif operation.verb == "ls":
            return [f"ls {operation.path}:", *list_folder(workspace, workspace.find(operation.path, upward=True))]
        elif operation.verb == "cat":
            return self._show(workspace.find(operation.path, upward=True))
        else:
            self._write(operation)
        return []

    def _edit(self, operation: Operation) -> None:
        """Replace one line of a note, or delete some. Raises: Refusal."""
        workspace, lines = self._workspace, operation.lines
        if not operation.numbers or (operation.verb == "replace" and (len(operation.numbers), len(lines)) != (1, 1)):
            workspace.refusals[RefusalKind.GRAMMAR] += 1
            form = "replace names one line, as in entities/ann.md#2, with one line below it"
            raise Refusal(
                RefusalKind.GRAMMAR, form if lines else "name the lines by their numbers, as in entities/ann.md#2,5"
            )
        if operation.verb == "replace":
            line = replace(lines[0], sources=lines[0].sources or operation.meta.sources)
            workspace.replace_line(operation.path, operation.numbers[0], line)
        else:
            workspace.delete_lines(operation.path, operation.numbers)
        self._notes.append(f"organise_{operation.verb}: {operation}"[:_NOTE_CHARS])

    def _write(self, operation: Operation) -> None:
        """Write or append the lines of an operation. Raises: Refusal; lines with turns that exist are kept even so."""
        try:
            self._store(operation)
        except Refusal as refusal:
            kept = tuple(line for line in operation.lines if self._is_sound(operation, line))
            if refusal.kind not in _BY_SOURCE or not kept or len(kept) == len(operation.lines):
                raise
            self._store(replace(operation, lines=kept, meta=replace(operation.meta, sources=self._know(operation))))
            raise Refusal(refusal.kind, f"{refusal}; the other {len(kept)} lines are kept") from None

    def _know(self, operation: Operation) -> tuple[str, ...]:
        return tuple(ref for ref in operation.meta.sources if self._workspace.raw.get(ref))

    def _is_sound(self, operation: Operation, line: Line) -> bool:
        """True if every turn that a line cites exists, and it cites one or gets those of its operation."""
        return all(self._workspace.raw.get(ref) for ref in line.sources) and bool(line.sources or self._know(operation))

    def _store(self, operation: Operation) -> None:
        if operation.verb == "write":
            self._workspace.write(operation.path, operation.meta, operation.lines)
        else:
            self._workspace.append(operation.path, operation.lines, operation.meta.sources)

    def _show(self, path: str) -> list[str]:
        lines = [f"#{at} {str(line)[:_SHOWN_CHARS]}" for at, line in enumerate(read_page(self._workspace, path), 1)]
        more = [f"and {len(lines) - _SHOWN_LINES} lines above these"] if len(lines) > _SHOWN_LINES else []
        return [f"cat {path}:", *lines[-_SHOWN_LINES:], *more]


def _says_none(text: str) -> bool:
    return read_text(text).value.strip(" .`*\"'").lower() in ("none", "nothing", "no operations")
