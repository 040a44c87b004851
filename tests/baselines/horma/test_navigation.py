"""A search through a workspace: what each reply shows, what it selects, and what ends it."""

from __future__ import annotations

import pytest

from baselines.horma.navigation import NavigationLimits, NavigationSession
from baselines.horma.notes import Line, Meta
from baselines.horma.refusals import RefusalKind
from baselines.horma.selection import render_units
from baselines.horma.workspace import Workspace
from tests.baselines.horma.workspaces import make_workspace


def make_session(limits: NavigationLimits = NavigationLimits(), hidden: str = "") -> NavigationSession:
    return NavigationSession(make_workspace(), "Where did Ann move?", limits, hidden)


def test_opening_shows_question_tree_and_room() -> None:
    assert make_session(NavigationLimits(turns=8, budget_tokens=100)).opening().splitlines() == [
        "# Question",
        "Where did Ann move?",
        "",
        "# Workspace",
        "entities/ ann (2), bob (1)",
        "events/ 2023-05-01_move (1)",
        "notes/ (empty)",
        "raw_logs/ (2 folders, 5 turns, 8 May, 2023 - 2 June, 2023)",
        "",
        "Room: 100 tokens. Replies left: 8",
    ]


def test_step_shows_hits_with_addresses_and_sources() -> None:
    result = make_session().step("grep oslo")
    assert result.observation.splitlines() == [
        "grep oslo: 2 lines",
        "entities/ann.md:1: moved to Oslo around 1 May 2023 [D1:1]",
        "D1:1: [8 May, 2023] Ann: I moved to Oslo last week.",
        "",
        "Selected: 0 tokens. Replies left: 9",
    ]
    assert (result.done, result.refused) == (False, "")


def test_selecting_a_note_line_selects_its_turns_and_a_raw_turn_itself() -> None:
    session = make_session()
    session.step("select events/2023-05-01_move.md#1\nselect D2:2")
    assert session.selected == ("D1:1", "D1:3", "D2:2")
    assert [unit.text for unit in session.selected_units] == [
        "[8 May, 2023] Ann and the cat Momo moved",
        "[2 June, 2023] Ann: Oh no! I painted a sunset for you.",
    ]


def test_a_line_of_an_entity_stands_behind_its_name_unless_it_says_it() -> None:
    session = make_session()
    session.step("select entities/ann.md, entities/bob")
    assert render_units(session.selected_units).splitlines() == [
        "[8 May, 2023] Ann: moved to Oslo around 1 May 2023",
        "[2 June, 2023] Bob: broke his arm climbing",
        "[2 June, 2023] Ann: painted a sunset for Bob",
    ]


def test_render_units_is_in_the_order_of_time_and_selected_is_not() -> None:
    session = make_session()
    session.step("select D2:1, D1:3 D1:1")
    assert session.selected == ("D2:1", "D1:3", "D1:1")
    assert [line[:13] for line in render_units(session.selected_units).splitlines()] == ["[8 May, 2023]"] * 2 + [
        "[2 June, 2023"
    ]


def test_selecting_again_adds_nothing() -> None:
    session = make_session()
    session.step("select D1:1")
    assert "select: 1 line added, 1 already selected" in session.step("select D1:1-2").observation
    assert session.selected == ("D1:1", "D1:2")


def test_done_ends_the_search_alone_or_behind_select() -> None:
    assert make_session().step("done").done
    assert make_session().step("select D1:1\ndone").done
    result = make_session().step("cat D1:1\ndone")
    assert (result.done, result.refused) == (False, "grammar")
    assert "look at what it shows first" in result.observation


def test_search_ends_after_its_turns_even_if_nothing_is_selected() -> None:
    session = make_session(NavigationLimits(turns=3))
    results = [session.step(reply) for reply in ("ls", "well ...", "", "select D1:1")]
    assert [result.done for result in results] == [False, False, True, True]
    assert session.selected == ()
    assert results[2].observation.endswith("The search is over.")
    assert session.refusals == {RefusalKind.GRAMMAR: 2}


def test_units_that_do_not_fit_are_passed_and_end_the_search() -> None:
    session = make_session(NavigationLimits(budget_tokens=12))
    result = session.step("select D2:1")  # 11 words
    assert result.done
    assert session.selected == ("D2:1",)
    session = make_session(NavigationLimits(budget_tokens=14))
    assert not session.step("select D2:1").done
    result = session.step("select D1:1")
    assert "0 lines added, 1 too long for the room" in result.observation
    assert result.done
    assert session.left_out


def test_a_unit_longer_than_the_room_does_not_end_the_search() -> None:
    session = make_session(NavigationLimits(budget_tokens=10))
    assert not session.step("select D2:1").done
    session.step("select D1:1")
    assert session.selected == ("D1:1",)


def test_step_carries_out_no_more_commands_than_it_may() -> None:
    session = make_session(NavigationLimits(commands=2))
    result = session.step("select D1:1\nselect D1:2\nselect D1:3")
    assert session.selected == ("D1:1", "D1:2")
    assert (result.refused, session.refusals) == ("too-many", {RefusalKind.TOO_MANY: 1})


def test_step_cuts_long_lists_and_lines() -> None:
    session = make_session(NavigationLimits(lines=2, line_chars=30))
    assert session.step("cat raw_logs/session_001").observation.splitlines()[:4] == [
        "cat raw_logs/session_001: 3 lines",
        "D1:1: [8 May, 2023] Ann: I moved to …",
        "D1:2: [8 May, 2023] Bob: Great! Did …",
        "and 1 more",
    ]
    assert "climbing hall" in session.step("grep climbing raw_logs").observation


def test_cd_moves_and_addresses_from_the_root_still_hold() -> None:
    session = make_session()
    assert "You are in entities." in session.step("cd entities").observation
    assert "moved to Oslo" in session.step("cat ann.md").observation
    assert "moved to Oslo" in session.step("cat entities/ann.md").observation
    assert "bob.md:1" not in session.step("cd ..\ncd events\ngrep climbing").observation
    assert session.step("cd ../../..").refused == "path"


def test_what_is_hidden_is_found_and_selected_by_nothing() -> None:
    session = make_session(hidden="D1:3")
    assert "by train" not in session.step("cat raw_logs/session_001\ngrep train").observation
    session.step("select raw_logs/session_001\nselect events/2023-05-01_move.md")
    assert session.selected == ("D1:1", "D1:2")
    assert session.step("select D1:3").refused == "missing"


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ("cat ../../etc/passwd", "path"),
        ("cat entities", "missing"),
        ("cd entities/ann.md", "missing"),
        ("ls nowhere", "missing"),
        ("grep", "grammar"),
        ("select", "missing"),
        ("select index.md", "missing"),
        ("select notes/a.md, notes/b.md", "missing"),
        ("rm -rf /", "grammar"),
        ("cat " + "a/" * 2000, "too-long"),
    ],
)
def test_step_refuses_with_a_kind(reply: str, kind: str) -> None:
    session = make_session()
    result = session.step(reply)
    assert result.refused == kind
    assert "Refused: " in result.observation
    assert session.selected == ()


def test_select_takes_what_is_there_and_names_what_is_not() -> None:
    session = make_session()
    assert "1 line added, not there: notes/none.md" in session.step("select D1:1, notes/none.md").observation
    assert session.refusals == {RefusalKind.MISSING: 1}


def test_search_changes_nothing_in_the_workspace() -> None:
    workspace = make_workspace()
    before = (workspace.state, workspace.notes, workspace.folders, workspace.refusals.copy())
    session = NavigationSession(workspace, "?")
    for reply in ("ls", "cd entities", "cat ann", "select ann", "grep x", "../../x", "select nothing/here", "done"):
        session.step(reply)
    assert (workspace.state, workspace.notes, workspace.folders, workspace.refusals) == before


def test_empty_workspace_can_be_searched() -> None:
    session = NavigationSession(Workspace(), "What is there?")
    assert "raw_logs/ (0 folders, 0 turns)" in session.opening()
    assert "grep x: 0 lines" in session.step("grep x\nls raw_logs").observation
    assert session.step("select raw_logs").refused == "missing"
    assert session.step("done").done


def test_a_note_with_twenty_sources_selects_twenty_turns() -> None:
    workspace = make_workspace()
    workspace.write("notes/all.md", Meta(sources=workspace.raw.refs), [Line("everything")])
    session = NavigationSession(workspace, "?")
    session.step("select notes/all.md#1")
    assert session.selected == workspace.raw.refs
