"""How what is selected stands in the context."""

from __future__ import annotations

import pytest

from baselines.horma.notes import Line
from baselines.horma.selection import Selection, make_unit, render_units
from baselines.horma.workspace import Workspace
from bench.protocols import count_words
from bench.types import Event, EventKind
from tests.baselines.horma.workspaces import make_turn, make_workspace


@pytest.mark.parametrize(
    ("refs", "head"),
    [
        (("D1:1",), "[note on the talk of 8 May, 2023]"),
        (("D1:1", "D1:3"), "[note on the talk of 8 May, 2023]"),
        (("D2:1", "D1:1"), "[note on the talks of 8 May, 2023 and 2 June, 2023]"),
        (("D3:1", "D2:1", "D1:1"), "[note on the talks of 8 May, 2023 to 9 July, 2023]"),
        (("o1",), "[note on step 1]"),
        (("a3", "o1"), "[note on steps 1 and 3]"),
        (("o1", "o2", "a3"), "[note on steps 1 to 3]"),
        (("U4:1",), "[note on session 4]"),
    ],
)
def test_a_line_of_a_note_tells_the_time_of_its_turns(refs: tuple[str, ...], head: str) -> None:
    workspace = make_workspace()
    workspace.write_raw(make_turn("D3:1", "Ann", "Hi", "9 July, 2023"))
    workspace.write_raw(make_turn("U4:1", "Ann", "Hi", ""))
    for ref, kind in (("o1", EventKind.OBSERVATION), ("o2", EventKind.OBSERVATION), ("a3", EventKind.ACTION)):
        workspace.write_raw(Event(ref, kind, "look", int(ref[1])))
    unit = make_unit(workspace.raw, "notes/a.md", 1, Line("it is so", workspace.raw.sort(refs)))
    assert unit
    assert unit.text == f"{head} it is so"


def test_render_units_leaves_out_a_line_only_where_all_its_turns_are_shown() -> None:
    raw = make_workspace().raw
    turns = [make_unit(raw, turn.path, turn.number, turn.line) for turn in raw.turns]
    note = make_unit(raw, "entities/ann.md", 1, Line("Ann moved to Oslo, and Momo came by train", ("D1:1", "D1:3")))
    first, third = turns[0], turns[2]
    assert note
    assert first
    assert third
    assert render_units([note, first]).splitlines() == [first.text, note.text]
    assert render_units([note, first, third]).splitlines() == [first.text, third.text]
    assert render_units([note, first], [third]) == first.text
    assert render_units([note], [first, third]) == ""


def test_a_selection_counts_what_it_renders() -> None:
    raw = make_workspace().raw
    selection = Selection(None, count_words)
    for turn in raw.turns[:2]:
        unit = make_unit(raw, turn.path, turn.number, turn.line)
        assert unit
        selection.add([unit])
    before = selection.tokens
    note = make_unit(raw, "entities/ann.md", 1, Line("Ann moved to Oslo last week", ("D1:1",)))
    assert note
    assert selection.add([note]) == [note]
    assert selection.tokens == before == len(selection.render().split())
    assert selection.refs == ("D1:1", "D1:2")


def test_workspace_without_turns_has_no_units() -> None:
    assert make_unit(Workspace().raw, "index.md", 1, Line("entities/ (empty)")) is None
