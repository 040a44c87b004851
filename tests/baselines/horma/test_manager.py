"""The manager: what it is shown, what its replies do, and what comes of replies that cannot be used."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from baselines.horma.manager import Manager, build_system, show_turns
from baselines.horma.notes import Line, Meta
from baselines.horma.refusals import RefusalKind
from baselines.horma.workspace import Workspace
from bench.types import Artifact, Message, Reply
from tests.baselines.horma.managing import Script, make_kit
from tests.baselines.horma.workspaces import fill_raw, make_turn

FILED = "append entities/ann.md\n- moved to Oslo [D1:1]\n- came with Momo [D1:3]"


def organise(script: Script, artifact: Artifact = Artifact()) -> tuple[Workspace, Manager]:
    """Let a scripted model file the two sessions."""
    workspace = fill_raw(Workspace())
    manager = Manager(make_kit(script, artifact=artifact), workspace)
    manager.organise(workspace.raw.turns)
    return workspace, manager


def test_show_turns_gives_ids_and_dates_once() -> None:
    assert show_turns(fill_raw(Workspace()).raw.turns[1:4]).splitlines() == [
        "(8 May, 2023)",
        "[D1:2] Bob: Great! Did you take the cat?",
        "[D1:3] Ann: Yes, Momo came by train.",
        "(2 June, 2023)",
        "[D2:1] Bob: I broke my arm at the climbing hall.",
    ]


def test_organise_shows_principles_files_and_turns_and_keeps_what_is_filed() -> None:
    script = Script([FILED])
    workspace, manager = organise(script)
    ((system, request),) = script.prompts["organise"]
    assert system.content == build_system()
    assert "Four principles" in system.content
    assert request.content.startswith("# Files\nentities/ (empty)")
    assert "# New turns\n(8 May, 2023)\n[D1:1] Ann: I moved to Oslo last week." in request.content
    assert [str(line) for line in workspace.notes[0].lines] == ["moved to Oslo [D1:1]", "came with Momo [D1:3]"]
    assert manager.take_notes() == ()


def test_organise_shows_numbered_skills_of_the_artifact() -> None:
    script = Script([FILED])
    files = {
        "skills/organise/02.txt": "2. Keep denials.",
        "skills/organise/01.txt": "Anchor dates.",
        "skills/navigate/01.txt": "No.",
    }
    organise(script, Artifact(files))
    system = script.prompts["organise"][0][0].content
    assert "\n1. Anchor dates.\n2. Keep denials.\n\nReply with operations" in system
    assert "No." not in system


def test_refused_operations_are_shown_once_and_then_counted() -> None:
    bad = "append raw_logs/x.md\n- changed [D1:1]\n\nappend entities/bob.md\n- hurt his arm [D2:1]"
    script = Script([bad, "append entities/../x.md\n- again [D1:1]", FILED])
    workspace, manager = organise(script)
    assert len(script.prompts["organise"]) == 2
    again = script.prompts["organise"][1][-1].content
    assert "Refused: append raw_logs/x.md: raw_logs/x.md is not yours to write." in again
    assert [note.path for note in workspace.notes] == ["entities/bob.md"]
    assert workspace.refusals == {RefusalKind.READ_ONLY: 1, RefusalKind.PATH: 1}
    assert [note.partition(": append")[0] for note in manager.take_notes()] == [
        "organise_refused: read-only",
        "organise_refused: path",
    ]
    assert manager.take_notes() == ()


def test_lines_that_cite_turns_that_do_not_exist_are_left_out_and_the_others_kept() -> None:
    script = Script(["append entities/ann.md\n- moved [D1:1]\n- flew [D9:9]\n- slept", "none"])
    workspace, _ = organise(script)
    assert [line.text for line in workspace.notes[0].lines] == ["moved"]
    again = script.prompts["organise"][1][-1].content
    assert "there is no turn 'D9:9'; cite turns that you were shown; the other 1 lines are kept." in again
    assert workspace.refusals == {RefusalKind.UNKNOWN_SOURCE: 1}


def test_a_note_that_cites_nothing_that_exists_is_not_written() -> None:
    workspace, manager = organise(Script(["write notes/a.md\n- one [D9:9]\n- two", "write notes/a.md\n- one\n- two"]))
    assert workspace.notes == ()
    assert workspace.refusals == {RefusalKind.UNKNOWN_SOURCE: 1, RefusalKind.NO_SOURCE: 1}
    assert manager.take_notes()[-1] == "organise_nothing: of 5 turns"


@pytest.mark.parametrize("reply", ["none", "None.", "**none**", "<think>nothing new</think>\nnone"])
def test_none_files_nothing_and_asks_nothing_again(reply: str) -> None:
    script = Script([reply])
    workspace, manager = organise(script)
    assert len(script.prompts["organise"]) == 1
    assert (workspace.notes, workspace.refusals) == ((), {})
    assert manager.take_notes() == ("organise_nothing: of 5 turns",)


def test_a_reply_without_operations_is_asked_for_once_more() -> None:
    script = Script(["I have filed everything.", FILED])
    workspace, manager = organise(script)
    assert "Refused: reply: no operation could be read." in script.prompts["organise"][1][-1].content
    assert len(workspace.notes) == 1
    assert manager.take_notes() == ("organise_refused: grammar: reply: no operation could be read",)


def test_what_the_manager_looks_at_is_shown_before_it_ends() -> None:
    script = Script([f"{FILED}\n\ncat entities/ann.md\nls entities", "append entities/ann.md\n- paints [D2:2]"])
    workspace, _ = organise(script)
    again = script.prompts["organise"][1][-1].content
    assert "cat entities/ann.md:\n#1 moved to Oslo [D1:1]\n#2 came with Momo [D1:3]" in again
    assert "ls entities:\nann.md (2 lines, 8 May, 2023)" in again
    assert len(workspace.notes[0].lines) == 3


def test_a_second_call_shows_the_files_as_they_are_and_asks_only_for_what_was_refused() -> None:
    script = Script([f"{FILED}\nls entities", "none"])
    organise(script)
    again = script.prompts["organise"][1][-1].content
    assert "# Files as they are now\nentities/ ann (2)\n" in again
    assert "entities/ann.md\n#1 moved to Oslo [D1:1]\n#2 came with Momo [D1:3]" in again
    assert "refused" not in again
    script = Script([f"{FILED}\n- flew [D9:9]", "none"])
    organise(script)
    assert "Give what was refused again" in script.prompts["organise"][1][-1].content


def organise_again(*replies: str, lines: int = 3) -> tuple[Workspace, Manager, str]:
    """Let a scripted model file a session about Ann, whose note has some lines; return also its request."""
    workspace, script = fill_raw(Workspace()), Script(replies)
    about = ["Ann lives in Oslo", "Ann has the cat Momo", "Ann paints", "Ann sings"]
    workspace.write("entities/ann.md", Meta(sources=("D1:1",)), [Line(text) for text in about[:lines]])
    manager = Manager(make_kit(script), workspace)
    manager.organise(
        [workspace.write_raw(make_turn("D3:1", "Ann", "I left Oslo, I live in Rome now!", "9 July, 2023"))]
    )
    return workspace, manager, script.prompts["organise"][0][1].content


def list_lines(workspace: Workspace) -> list[str]:
    return [str(line) for note in workspace.notes for line in note.lines]


def test_a_manager_sees_the_lines_that_concern_new_turns_with_their_numbers() -> None:
    _, _, request = organise_again("none")
    shown = "## Lines that may concern the new turns\nentities/ann.md\n#1 Ann lives in Oslo [D1:1]\n"
    assert "# Files\nentities/ ann (3)\n" in request
    assert shown in request
    assert request.index(shown) < request.index("# New turns")
    script = Script()
    organise(script)
    assert "## Lines" not in script.prompts["organise"][0][1].content


def test_a_line_is_replaced_and_others_deleted_by_the_numbers_that_were_shown() -> None:
    workspace, manager, _ = organise_again(
        "append entities/ann.md\n- Ann likes Rome [D3:1]\ndelete entities/ann#2\n"
        "replace entities/ann.md#1\n- Ann lives in Rome, before in Oslo [D1:1, D3:1]\ndelete entities/ann.md#3",
    )
    assert list_lines(workspace) == ["Ann lives in Rome, before in Oslo [D1:1, D3:1]", "Ann likes Rome [D3:1]"]
    assert workspace.refusals == {}
    assert manager.take_notes() == (
        "organise_replace: replace entities/ann.md#1",
        "organise_delete: delete entities/ann.md#2,3",
    )


@pytest.mark.parametrize(
    ("reply", "kind", "message"),
    [
        ("replace entities/ann.md#1\n- flew [D9:9]", "unknown-source", "there is no turn 'D9:9'"),
        ("replace entities/ann.md#1\n- flew", "no-source", "no turn is cited"),
        ("replace entities/ann.md#1", "grammar", "name the lines"),
        ("replace entities/ann.md\n- flew [D3:1]", "grammar", "replace names one line"),
        ("replace entities/ann.md#1\n- a [D3:1]\n- b [D3:1]", "grammar", "replace names one line"),
        ("replace entities/ann.md#1,2\n- a [D3:1]", "grammar", "replace names one line"),
        ("replace entities/ann.md#9\n- a [D3:1]", "missing", "has lines 1 to 3, not 9"),
        ("delete entities/ann.md", "grammar", "name the lines by their numbers"),
        ("delete entities/ann.md#2,9", "missing", "has lines 1 to 3, not 9"),
        ("delete entities/zoe.md#1", "missing", "there is no entities/zoe.md"),
        ("delete raw_logs/session_001#1", "read-only", "is not yours to write"),
    ],
)
def test_edits_that_cannot_be_carried_out_are_refused_and_change_nothing(reply: str, kind: str, message: str) -> None:
    script = Script([reply, "none"])
    workspace = fill_raw(Workspace())
    workspace.write("entities/ann.md", Meta(sources=("D1:1",)), [Line("a"), Line("b"), Line("c")])
    before, manager = workspace.notes, Manager(make_kit(script), workspace)
    manager.organise([workspace.write_raw(make_turn("D3:1", "Ann", "Hi", "9 July, 2023"))])
    assert workspace.notes == before
    assert workspace.refusals == {RefusalKind(kind): 1}
    assert message in script.prompts["organise"][1][-1].content
    assert manager.take_notes()[0].startswith(f"organise_refused: {kind}: {reply.split()[0]} ")


def test_edits_are_counted_for_questions() -> None:
    _, manager, _ = organise_again("delete entities/ann.md#2\nreplace entities/ann.md#1\n- Ann lives in Rome [D3:1]")
    assert manager.count_notes() == ("organise_delete: 1 so far", "organise_replace: 1 so far")


def test_a_long_session_takes_several_calls() -> None:
    script, workspace = Script(["none"]), Workspace()
    for number in range(1, 9):
        workspace.write_raw(make_turn(f"D1:{number}", "Ann", "word " * 900, "8 May, 2023"))
    Manager(make_kit(script), workspace).organise(workspace.raw.turns)
    assert len(script.prompts["organise"]) == 3


@pytest.mark.parametrize("end", ["- planned to paint the", "append entities/b", "\nappend entities/bob.md\n- bro"])
def test_a_line_that_was_cut_off_is_no_line_and_the_rest_is_asked_for(
    end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kit, prompts = make_kit(Script()), list[Sequence[Message]]()

    def chat(messages: Sequence[Message], **_: object) -> Reply:
        prompts.append(messages)
        return Reply(f"{FILED}\n{end}", finish="length") if len(prompts) == 1 else Reply("none")

    monkeypatch.setattr(kit.model, "chat", chat)
    workspace = fill_raw(Workspace())
    Manager(kit, workspace).organise(workspace.raw.turns)
    assert [line.text for line in workspace.notes[0].lines] == ["moved to Oslo", "came with Momo"]
    assert workspace.refusals == {}
    assert "Cut off: the reply was too long" in prompts[1][-1].content


def test_count_notes_sums_by_kind_and_takes_nothing() -> None:
    _, manager = organise(Script(["append raw_logs/a.md\n- x [D1:1]\nappend raw_logs/b.md\n- y [D1:1]", "none"]))
    expected = ("organise_nothing: 1 so far", "organise_refused: read-only: 2 so far")
    assert manager.count_notes() == manager.count_notes() == expected
