"""Lines of notes that may concern new turns."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.horma.notes import Line, Note
from baselines.horma.related import render_related
from baselines.horma.workspace import Workspace
from bench.protocols import count_words
from bench.types import Event, EventKind
from tests.baselines.horma.workspaces import make_turn


def make_notes(**lines: list[str]) -> list[Note]:
    return [
        Note(f"entities/{name}.md", tuple(Line(text, ("D1:1",)) for text in texts)) for name, texts in lines.items()
    ]


def relate(notes: list[Note], text: str, tokens: int = 1000) -> list[str]:
    turn = Workspace().write_raw(make_turn("D9:1", "Dmitri", text, "9 July, 2023"))
    return render_related(notes, [turn], "", tokens, count_words).splitlines()


def test_lines_that_share_rare_words_are_shown_and_the_speaker_alone_is_not_enough() -> None:
    dmitri = [f"Dmitri said thing{number}" for number in range(20)]
    notes = make_notes(bo=["rows"], dmitri=[*dmitri, "Dmitri takes web design at evening school"])
    assert relate(notes, "I dropped the course at evening school.") == [
        "entities/dmitri.md",
        "#21 Dmitri takes web design at evening school [D1:1]",
    ]
    assert relate(notes, "Nothing of the kind!")[0] == "entities/dmitri.md"  # his name is all there is
    assert relate(make_notes(bo=["rows"]), "I sing.") == []
    assert relate([], "I sing.") == []


def test_the_name_of_a_file_is_part_of_its_lines_and_numbers_tell_things_apart() -> None:
    notes = make_notes(desk_1=["holds a bowl"], desk_2=["holds a pen", "was empty"])
    turn = Workspace().write_raw(Event("o3", EventKind.OBSERVATION, "You arrive at desk 2.", 3))
    assert render_related(notes, [turn], "", 1000, count_words).splitlines() == [
        "entities/desk_2.md",
        "#1 holds a pen [D1:1]",
        "#2 was empty [D1:1]",
    ]


def test_lines_about_the_task_are_shown() -> None:
    notes = make_notes(desk_1=["holds a bowl"], search=["no mug on desk 1, shelves not searched"])
    turn = Workspace().write_raw(Event("o3", EventKind.OBSERVATION, "You arrive at desk 2.", 3))
    assert render_related(notes, [turn], "", 1000, count_words) == ""
    shown = render_related(notes, [turn], "Your task is to: put a mug in desk.", 1000, count_words).splitlines()
    assert shown == ["entities/search.md", "#1 no mug on desk 1, shelves not searched [D1:1]"]


def test_the_best_lines_are_kept_where_room_is_short() -> None:
    notes = make_notes(a=["red boat", "red boat sails", "red"], b=["boat sails home"])
    assert relate(notes, "The red boat sails.", 5) == ["entities/a.md", "#2 red boat sails [D1:1]"]
    assert relate(notes, "The red boat sails.", 4) == []


@given(st.lists(st.text(max_size=30), max_size=8), st.text(max_size=60), st.integers(0, 40))
@settings(max_examples=100, deadline=None)
def test_related_lines_keep_to_their_room_and_to_lines_that_exist(texts: list[str], said: str, tokens: int) -> None:
    notes = make_notes(x=[" ".join(text.split()) for text in texts])
    shown = relate(notes, said, tokens)
    assert sum(count_words(line) for line in shown[1:]) <= tokens
    assert len(shown) <= 1 + len(texts)
