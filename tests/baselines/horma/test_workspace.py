"""The workspace: what a manager may write and where, what every line rests on, and raw turns that stay as they came."""

from __future__ import annotations

import pytest

from baselines.horma.notes import Line, Meta
from baselines.horma.paths import WorkspaceLimits
from baselines.horma.refusals import Refusal, RefusalKind
from baselines.horma.workspace import Workspace
from bench.types import Event, EventKind
from tests.baselines.horma.workspaces import fill_raw, make_turn, make_workspace


def refuse(workspace: Workspace, kind: RefusalKind, path: str, *lines: Line) -> None:
    """Assert that a write is refused with this kind, counted, and changes nothing."""
    before = (workspace.notes, workspace.folders, workspace.state, workspace.refusals[kind])
    with pytest.raises(Refusal) as caught:
        workspace.write(path, Meta(), lines or [Line("a line", ("D1:1",))])
    assert caught.value.kind is kind
    assert (workspace.notes, workspace.folders, workspace.state, workspace.refusals[kind] - 1) == before


def test_write_raw_makes_one_file_a_turn_by_session_and_date() -> None:
    paths = [turn.path for turn in fill_raw(Workspace()).raw.turns]
    assert paths[2:4] == [
        "raw_logs/session_001_2023-05-08/turn_0003.md",
        "raw_logs/session_002_2023-06-02/turn_0001.md",
    ]


def test_write_raw_puts_steps_of_an_episode_into_folders() -> None:
    workspace = Workspace()
    for ref, kind in (("a3", EventKind.ACTION), ("o3", EventKind.OBSERVATION)):
        workspace.write_raw(Event(ref, kind, "open drawer 1", 3))
    assert [turn.path for turn in workspace.raw.turns] == [
        "raw_logs/step_003/turn_0001.md",
        "raw_logs/step_003/turn_0002.md",
    ]
    assert workspace.raw.turns[1].render() == "---\nref: o3\nkind: observation\ntime: step 3\n---\nopen drawer 1\n"


def test_write_raw_refuses_a_second_turn_of_a_ref() -> None:
    workspace = fill_raw(Workspace())
    with pytest.raises(ValueError, match=r"expected a new ref, got 'D1:1' again"):
        workspace.write_raw(make_turn("D1:1", "Ann", "I stayed in Bergen.", "8 May, 2023"))
    turn = workspace.raw.get("D1:1")
    assert turn
    assert turn.event.text == "I moved to Oslo last week."


def test_session_keeps_its_folder_when_the_date_of_a_turn_differs() -> None:
    workspace = fill_raw(Workspace())
    turn = workspace.write_raw(make_turn("D2:3", "Bob", "Past midnight!", "3 June, 2023"))
    assert turn.path == "raw_logs/session_002_2023-06-02/turn_0003.md"


def test_write_gives_a_line_its_sources_in_time_order_and_the_note_its_times() -> None:
    workspace = make_workspace()
    note = workspace.write("notes/pets", Meta(), [Line("Momo is a cat", ("D2:2", "D1:2", "D1:3"))])
    assert note.path == "notes/pets.md"
    assert note.lines[0].sources == ("D1:2", "D1:3", "D2:2")
    assert (note.kind, note.time_from, note.time_to) == ("note", "8 May, 2023", "2 June, 2023")


def test_write_lets_a_bare_line_inherit_from_the_note_or_its_lines() -> None:
    workspace = make_workspace()
    note = workspace.write("notes/a.md", Meta(sources=("D1:1",)), [Line("one"), Line("two", ("D2:1",))])
    assert [line.sources for line in note.lines] == [("D1:1",), ("D2:1",)]
    note = workspace.write("notes/a.md", Meta(), [Line("one"), Line("two", ("D2:1",))])
    assert [line.sources for line in note.lines] == [("D2:1",), ("D2:1",)]


def test_append_adds_lines_and_does_not_inherit_from_older_ones() -> None:
    workspace = make_workspace()
    with pytest.raises(Refusal) as caught:
        workspace.append("entities/ann.md", [Line("likes tea")])
    assert caught.value.kind is RefusalKind.NO_SOURCE
    note = workspace.append("entities/ann.md", [Line("likes tea")], ("D1:3",))
    assert [line.sources for line in note.lines] == [("D1:1",), ("D2:2",), ("D1:3",)]
    assert workspace.append("notes/new", [Line("made", ("D1:1",))]).path == "notes/new.md"


@pytest.mark.parametrize(
    "path",
    [
        "../ann.md", "entities/../../ann.md", "/etc/passwd", "/entities/ann.md", "entities/.hidden.md", "C:\\ann.md",
        "entities/a\x00b.md", "entities/．．/ann.md", "entities/%2e%2e/ann.md", "entities/‮nna.md", "entities/аnn.md",
        "entities/con.md", "entities/a*.md", "~/ann.md", "entities/a\nb.md", "ann.md", "entities/a.md/b.md",
    ],
)  # fmt: skip
def test_write_refuses_paths_and_names(path: str) -> None:
    refuse(make_workspace(), RefusalKind.PATH, path)


@pytest.mark.parametrize("path", ["raw_logs/x.md", "RAW_LOGS/session_001_2023-05-08/turn_0001.md", "index.md", "", "."])
def test_write_refuses_what_the_harness_writes(path: str) -> None:
    refuse(make_workspace(), RefusalKind.READ_ONLY, path)


def test_write_refuses_lines_without_sources_or_with_unknown_ones() -> None:
    workspace = make_workspace()
    refuse(workspace, RefusalKind.EMPTY, "notes/a.md", Line("  \n ", ("D1:1",)))
    refuse(workspace, RefusalKind.NO_SOURCE, "notes/a.md", Line("nobody said this"))
    refuse(workspace, RefusalKind.UNKNOWN_SOURCE, "notes/a.md", Line("fine", ("D1:1",)), Line("not", ("D9:1",)))


def test_write_folds_case_accents_and_spaces() -> None:
    workspace = make_workspace()
    assert workspace.write("Entities/Élise Roy's", Meta(), [Line("x", ("D1:1",))]).path == "entities/elise_roys.md"


def test_write_refuses_over_each_cap() -> None:
    limits = WorkspaceLimits(line_chars=40, file_chars=300, total_chars=420, name_chars=12, depth=3, entries=8)
    workspace = fill_raw(Workspace(limits))
    refuse(workspace, RefusalKind.TOO_LONG, "notes/a.md", Line("x" * 41, ("D1:1",)))
    refuse(workspace, RefusalKind.TOO_LONG, "notes/a.md", *[Line("x" * 40, ("D1:1",))] * 5)
    refuse(workspace, RefusalKind.TOO_LONG, "notes/abcdefghijk.md")
    refuse(workspace, RefusalKind.TOO_LONG, "notes/a/b/c.md")
    refuse(workspace, RefusalKind.TOO_LONG, "notes/" + "a/" * 600)
    for name in "abc":
        workspace.write(f"notes/{name}.md", Meta(), [Line("x", ("D1:1",))])
    refuse(workspace, RefusalKind.TOO_LONG, "notes/d.md", Line("x" * 40, ("D1:1",)))
    workspace = fill_raw(Workspace(limits))
    for name in ("one/a", "two/b"):
        workspace.mkdir(f"notes/{name}")
    refuse(workspace, RefusalKind.TOO_MANY, "notes/x.md") if len(workspace.folders) == 8 else None
    with pytest.raises(Refusal):
        workspace.mkdir("notes/three/c")


def test_replace_line_checks_sources_and_keeps_the_other_lines() -> None:
    workspace = make_workspace()
    note = workspace.replace_line("entities/ann", 1, Line("lives in Bergen", ("D1:3", "D1:1")))
    assert [str(line) for line in note.lines] == ["lives in Bergen [D1:1, D1:3]", "painted a sunset for Bob [D2:2]"]
    for line in (Line("flew", ("D9:9",)), Line("flew"), Line(" ", ("D1:1",)), Line("x" * 1001, ("D1:1",))):
        with pytest.raises(Refusal):
            workspace.replace_line("entities/ann.md", 2, line)
    assert workspace.read("entities/ann.md") == note.lines
    assert set(workspace.refusals) == {
        RefusalKind.UNKNOWN_SOURCE, RefusalKind.NO_SOURCE, RefusalKind.EMPTY, RefusalKind.TOO_LONG
    }  # fmt: skip


def test_delete_lines_goes_by_the_numbers_as_they_were_and_takes_an_empty_note_away() -> None:
    workspace = make_workspace()
    workspace.append("entities/bob.md", [Line("two", ("D1:2",)), Line("three", ("D2:1",)), Line("four", ("D1:2",))])
    before = workspace.state
    workspace.delete_lines("entities/bob.md", (1, 3, 4))
    (bob,) = [note for note in workspace.notes if note.path == "entities/bob.md"]
    assert (str(bob.lines[0]), len(bob.lines)) == ("two [D1:2]", 1)
    assert (bob.time_from, bob.time_to) == ("8 May, 2023", "8 May, 2023")
    workspace.delete_lines("entities/bob.md", (1,))
    assert "bob.md" not in workspace.list_children("entities")
    assert workspace.state > before + 1
    assert workspace.write("entities/bob.md", Meta(), [Line("again", ("D1:2",))]).lines


@pytest.mark.parametrize(
    ("path", "number", "kind"),
    [
        ("entities/ann.md", 0, RefusalKind.MISSING),
        ("entities/ann.md", 3, RefusalKind.MISSING),
        ("entities/zoe.md", 1, RefusalKind.MISSING),
        ("entities", 1, RefusalKind.MISSING),
        ("index.md", 1, RefusalKind.READ_ONLY),
        ("raw_logs/session_001", 1, RefusalKind.READ_ONLY),
        ("D1:1", 1, RefusalKind.READ_ONLY),
        ("../entities/ann.md", 1, RefusalKind.PATH),
    ],
)
def test_lines_that_are_not_there_or_not_the_managers_are_refused(path: str, number: int, kind: RefusalKind) -> None:
    workspace = make_workspace()
    before = (workspace.state, workspace.notes)
    with pytest.raises(Refusal):
        workspace.delete_lines(path, (1, number))
    with pytest.raises(Refusal):
        workspace.replace_line(path, number, Line("changed", ("D1:1",)))
    assert workspace.refusals == {kind: 2}
    assert (workspace.state, workspace.notes) == before


def test_mv_renames_notes_and_moves_folders_with_what_they_hold() -> None:
    workspace = make_workspace()
    assert workspace.mv("events/2023-05-01_move", "notes/oslo") == "notes/oslo.md"
    workspace.mkdir("people")
    assert workspace.mv("entities/bob", "people") == "people/bob.md"
    assert workspace.mv("people", "notes") == "notes/people"
    assert [note.path for note in workspace.notes] == ["entities/ann.md", "notes/oslo.md", "notes/people/bob.md"]
    assert workspace.read("notes/people/bob.md")[0].sources == ("D2:1",)


@pytest.mark.parametrize(
    ("source", "target", "kind"),
    [
        ("entities/ann", "entities/bob.md", RefusalKind.EXISTS),
        ("entities", "notes/entities", RefusalKind.PATH),
        ("entities/nobody", "notes/x", RefusalKind.MISSING),
        ("entities/ann", "../ann.md", RefusalKind.PATH),
        ("entities/ann", "raw_logs/ann.md", RefusalKind.READ_ONLY),
        ("raw_logs/session_001", "notes/first", RefusalKind.READ_ONLY),
        ("D1:1", "notes/first.md", RefusalKind.READ_ONLY),
    ],
)
def test_mv_refuses(source: str, target: str, kind: RefusalKind) -> None:
    workspace = make_workspace()
    before = workspace.notes
    with pytest.raises(Refusal) as caught:
        workspace.mv(source, target)
    assert caught.value.kind is kind
    assert workspace.notes == before
    assert workspace.refusals == {kind: 1}


def test_mv_refuses_a_folder_into_itself() -> None:
    workspace = make_workspace()
    workspace.mkdir("people/old")
    with pytest.raises(Refusal, match="cannot be moved"):
        workspace.mv("people", "people/old")


def test_find_takes_paths_beginnings_and_refs() -> None:
    workspace = make_workspace()
    assert workspace.find("entities/ann") == "entities/ann.md"
    assert workspace.find("events/2023-05-01") == "events/2023-05-01_move.md"
    assert workspace.find("raw_logs/session_002") == "raw_logs/session_002_2023-06-02"
    assert workspace.find("[D2:1]") == "raw_logs/session_002_2023-06-02/turn_0001.md"
    assert workspace.find("../entities/bob", "notes", upward=True) == "entities/bob.md"
    with pytest.raises(Refusal, match="there is no entities/an"):
        workspace.find("entities/an")


def test_read_gives_notes_turns_and_whole_sessions_line_by_line() -> None:
    workspace = make_workspace()
    session = workspace.read("raw_logs/session_002_2023-06-02")
    assert [line.sources for line in session] == [("D2:1",), ("D2:2",)]
    assert session[1].text == "[2 June, 2023] Ann: Oh no! I painted a sunset for you."
    with pytest.raises(Refusal, match="entities is a folder"):
        workspace.read("entities")


def test_notes_name_the_turns_that_they_rest_on() -> None:
    assert {ref for note in make_workspace().notes for ref in note.sources} == {"D1:1", "D1:3", "D2:1", "D2:2"}


def test_no_operation_changes_a_raw_turn() -> None:
    workspace = make_workspace()
    before = [(turn.path, turn.render()) for turn in workspace.raw.turns]
    for path in ("raw_logs/session_001_2023-05-08/turn_0001.md", "raw_logs", "D1:1"):
        with pytest.raises(Refusal):
            workspace.write(path, Meta(), [Line("changed", ("D1:1",))])
        with pytest.raises(Refusal):
            workspace.append(path, [Line("changed", ("D1:1",))])
        with pytest.raises(Refusal):
            workspace.mv(path, "notes/gone")
    assert [(turn.path, turn.render()) for turn in workspace.raw.turns] == before
