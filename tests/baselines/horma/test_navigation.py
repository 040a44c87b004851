"""A search through a workspace: what each reply shows, what it selects, and what ends it."""

from __future__ import annotations

import pytest

from baselines.horma.navigation import NavigationLimits, NavigationSession
from baselines.horma.notes import Line, Meta
from baselines.horma.refusals import RefusalKind
from baselines.horma.selection import render_units
from baselines.horma.workspace import Workspace
from tests.baselines.horma.managing import list_steps
from tests.baselines.horma.workspaces import make_turn, make_workspace


def make_session(limits: NavigationLimits = NavigationLimits()) -> NavigationSession:
    return NavigationSession(make_workspace(), "Where did Ann move?", limits)


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
        "Room for what you select: 100 tokens. Replies left: 8",
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
        "[note on the talk of 8 May, 2023] Ann and the cat Momo moved",
        "[2 June, 2023] Ann: Oh no! I painted a sunset for you.",
    ]


def test_a_line_of_an_entity_stands_behind_its_name_unless_it_says_it() -> None:
    session = make_session()
    session.step("select entities/ann.md, entities/bob")
    assert render_units(session.selected_units).splitlines() == [
        "[note on the talk of 8 May, 2023] Ann: moved to Oslo around 1 May 2023",
        "[note on the talk of 2 June, 2023] Bob: broke his arm climbing",
        "[note on the talk of 2 June, 2023] Ann: painted a sunset for Bob",
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


def test_cat_cuts_long_lines_and_says_how_to_go_on() -> None:
    session = make_session(NavigationLimits(cat_tokens=18, grep_tokens=10, line_chars=30))
    assert session.step("cat raw_logs/session_001").observation.splitlines()[:4] == [
        "cat raw_logs/session_001: 3 lines",
        "D1:1: [8 May, 2023] Ann: I moved to …",
        "D1:2: [8 May, 2023] Bob: Great! Did …",
        "and 1 more; go on with cat D1:3-D1:3",
    ]
    assert "D1:3: [8 May, 2023]" in session.step("cat D1:3-D1:3").observation
    assert "climbing hall" in session.step("grep climbing raw_logs").observation


def test_what_cat_says_to_go_on_with_shows_the_rest_of_a_long_note() -> None:
    workspace = make_workspace()
    workspace.append("entities/ann.md", [Line(f"said word{number} once", ("D1:1",)) for number in range(3, 92)])
    session, shown, command = NavigationSession(workspace, "?"), list[str](), "cat entities/ann"
    while command:
        lines = session.step(command).observation.splitlines()
        shown += [line for line in lines if line.startswith("entities/ann.md:")]
        command = next((line.partition("go on with ")[2] for line in lines if "go on with" in line), "")
    assert session.turns == 1
    assert len(shown) == 91
    session, shown, command = (
        NavigationSession(workspace, "?", NavigationLimits(cat_tokens=200)),
        [],
        "cat entities/ann",
    )
    while command:
        lines = session.step(command).observation.splitlines()
        shown += [line for line in lines if line.startswith("entities/ann.md:")]
        command = next((line.partition("go on with ")[2] for line in lines if "go on with" in line), "")
    assert session.turns == 3
    assert len(set(shown)) == len(shown) == 91


def test_grep_shows_the_newest_notes_and_turns_where_there_are_too_many() -> None:
    workspace = make_workspace()
    for number in range(1, 31):
        workspace.write_raw(make_turn(f"D3:{number}", "Ann", f"walk number {number}", "9 July, 2023"))
        workspace.append("notes/walks.md", [Line(f"walk {number}", (f"D3:{number}",))])
    session = NavigationSession(workspace, "?", NavigationLimits(grep_tokens=40))
    lines = session.step("grep walk").observation.splitlines()
    assert lines[0] == "grep walk: 60 lines"
    assert [line.partition(": ")[0] for line in lines[1:-3]] == [
        *(f"notes/walks.md:{number}" for number in range(26, 31)),
        *(f"D3:{number}" for number in (29, 30)),
    ]
    assert lines[-3] == "and 53 older ones; look in one folder or file for them"
    only_notes = session.step("grep walk notes").observation.splitlines()
    assert only_notes[-4].startswith("notes/walks.md:30")
    assert len([line for line in only_notes if line.startswith("notes/walks.md:")]) == 10
    assert len([line for line in session.step("grep walk raw_logs").observation.splitlines() if "D3:" in line]) == 5


def test_grep_says_where_it_fell_back_to_single_words() -> None:
    observation = make_session().step('grep "climbing arm"|Oslo').observation
    assert 'No line holds "climbing arm" as it is; these hold all of its words.' in observation.splitlines()[1]
    assert "bob.md:1" in observation
    assert "No line holds" not in make_session().step("grep arm").observation


def test_cd_moves_and_addresses_from_the_root_still_hold() -> None:
    session = make_session()
    assert "You are in entities." in session.step("cd entities").observation
    assert "moved to Oslo" in session.step("cat ann.md").observation
    assert "moved to Oslo" in session.step("cat entities/ann.md").observation
    assert "bob.md:1" not in session.step("cd ..\ncd events\ngrep climbing").observation
    assert session.step("cd ../../..").refused == "path"


def make_episode(*notes: tuple[str, str]) -> NavigationSession:
    """A search at step 2, with lines of one note and the turns that each rests on."""
    workspace = Workspace()
    for event in list_steps("a mug 1 is on the shelf 1", "a mug 2 is on the desk 1")[1:]:
        workspace.write_raw(event)
    for text, refs in notes:
        workspace.append("notes/mugs.md", [Line(text, tuple(refs.split()))])
    return NavigationSession(workspace, "put a mug in the desk", hidden="o2")


def test_opening_of_an_episode_tells_the_task_from_the_current_observation() -> None:
    assert (
        make_episode()
        .opening()
        .startswith(
            "# Task\nput a mug in the desk\n\n# Current observation, o2\na mug 2 is on the desk 1\n\n# Workspace\n"
        )
    )


def test_the_current_observation_is_named_and_not_shown_or_selected() -> None:
    session = make_episode()
    shown = session.step("cat raw_logs/step_002\ngrep mug\ncat o2\nls raw_logs").observation
    assert "cat raw_logs/step_002: 2 lines\na2: [2] Action: act 2\no2: (the current observation, which is" in shown
    assert "grep mug: 2 lines\no1: " in shown
    assert "step_002/ (2 turns, step 2)" in shown
    assert "a mug 2" not in shown
    result = session.step("select o2")
    assert ("0 lines added, o2 is shown anyway" in result.observation, result.refused) == (True, "")
    assert "1 line added, o2 is shown anyway" in session.step("select a2-o2").observation
    assert session.selected == ("a2",)


def test_notes_on_the_current_observation_alone_are_shown_and_selected() -> None:
    session = make_episode(("mug 1 is on shelf 1", "o1"), ("mug 2 is the one to take next", "o2"))
    shown = session.step("cat notes/mugs.md\ngrep next\nls notes").observation
    assert "cat notes/mugs.md: 2 lines\nnotes/mugs.md:1: mug 1 is on shelf 1 [o1]\n" in shown
    assert "\nnotes/mugs.md:2: mug 2 is the one to take next [o2]\n\ngrep next" in shown
    assert "grep next: 1 line\nnotes/mugs.md:2: " in shown
    assert "mugs.md (2 lines, step 1 - step 2)" in shown
    session.step("select notes/mugs.md")
    assert session.selected == ("o1",)
    assert session.render().splitlines() == [
        "[note on step 1] mug 1 is on shelf 1",
        "[note on step 2] mug 2 is the one to take next",
    ]


def test_a_note_that_only_repeats_turns_that_are_shown_is_left_out() -> None:
    repeats = (
        ("the mug 1 is on the shelf 1", "o1"),
        ("mug 2 is on desk 1", "o2"),
        ("a mug on shelf 1 and on desk 1", "o1 o2"),
    )
    adds = (("no mug 2 is on the desk 1", "o2"), ("mug 1 is on the shelf 1 still", "o1"))
    session = make_episode(*repeats, *adds)
    session.step("select notes/mugs.md o1\ndone")
    assert session.render().splitlines() == [
        "[1] Observation: a mug 1 is on the shelf 1",
        "[note on step 1] mug 1 is on the shelf 1 still",
        "[note on step 2] no mug 2 is on the desk 1",
    ]
    session = make_episode(*repeats)
    session.step("select notes/mugs.md#1,3")
    assert session.render().splitlines() == [
        "[note on step 1] the mug 1 is on the shelf 1",
        "[note on steps 1 and 2] a mug on shelf 1 and on desk 1",
    ]


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
