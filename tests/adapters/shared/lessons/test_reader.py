"""The lesson reader as a whole: what outranks what, how places are counted, that any text can be read."""

from __future__ import annotations

import ast
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import adapters.shared.lessons as package
from adapters.shared.lessons import PlaceCounts, describe_reader, read_lessons
from adapters.shared.lessons.trajectories import parse_text

ROOT = Path(package.__file__).parents[3]
SHOWN = "> heat cup 1 with microwave 1\nYou heat the cup 1 using the microwave 1."


def test_what_was_shown_outranks_what_was_told() -> None:
    told = "Heat with the fridge.\nHeat with the fridge."
    assert read_lessons(f"{told}\n{SHOWN}").tools["heat"] == ("microwave", "fridge")


def test_among_words_count_and_then_the_latest_decides() -> None:
    assert read_lessons("Heat with the oven.\nHeat with the stove.").tools["heat"] == ("stove", "oven")
    assert read_lessons("Heat with the oven.\nHeat with the oven.\nHeat with the stove.").tools["heat"][0] == "oven"


def test_failed_at_one_moment_is_forgiven_where_it_worked_at_another() -> None:
    failed = "> heat cup 1 with microwave 1\nNothing happens.\n"
    assert read_lessons(failed).failed_tools == {("heat", "microwave")}
    assert read_lessons(failed + SHOWN).failed_tools == frozenset()


def test_places_are_counted_per_look_and_without_what_the_player_put_there() -> None:
    text = """
    > go to shelf 1
    On the shelf 1, you see a pen 1.
    > go to shelf 2
    On the shelf 2, you see a mug 1, and a mug 2.
    > take mug 1 from shelf 2
    You pick up the mug 1 from the shelf 2.
    > go to desk 1
    On the desk 1, you see nothing.
    > move mug 1 to desk 1
    You move the mug 1 to the desk 1.
    > go to shelf 2
    On the shelf 2, you see a mug 2.
    > go to desk 1
    On the desk 1, you see a mug 1."""
    lessons = read_lessons(text)
    assert lessons.looks == {"shelf": 2, "desk": 1}
    assert lessons.contents == {"shelf": 3, "desk": 0}
    assert lessons.places["mug"] == {"shelf": PlaceCounts(seen=1)}


def test_recipes_come_from_solved_trajectories_latest_first() -> None:
    first = f"Your task is to: heat some cup and put it in shelf.\n{SHOWN}\n> put cup 1 in/on shelf 1\nYou put it."
    second = first.replace("microwave", "oven")
    recipes = read_lessons(f"{first}\n{second}").recipes
    assert [recipe.steps for recipe in recipes] == [("heat X oven", "put X Y"), ("heat X microwave", "put X Y")]
    assert read_lessons(first.replace("in shelf", "in desk")).recipes == ()


def test_text_is_read_once() -> None:
    assert read_lessons("Heat with the oven.") is read_lessons("Heat with the oven.")


def test_describe_reader_names_version_and_digest() -> None:
    assert describe_reader() == describe_reader()
    assert describe_reader().split()[:2] == ["lessons", package.VERSION]


def test_no_strategy_uses_the_lesson_reader() -> None:
    """Writers of lessons that shared its rules would write what it can read."""
    for path in (ROOT / "baselines").rglob("*.py"):
        imported = {
            node.module or "" for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)
        }
        assert not any("lessons" in name for name in imported), path


PIECES = st.sampled_from([
    "Action: go to desk 1", "Observation: On the desk 1, you see a pen 1.", "> heat pen 1 with desk 1", "OK.", "",
    "Nothing happens.", "Task: put a pen in desk", "# Insights", "- Heat with it.", "1. use the lamp", "> think: hm",
    "STATUS: FAIL", "look at it under the", "pen:", "Heat with", "There was no pen in", "search last", "not with",
])  # fmt: skip


@given(st.lists(PIECES, max_size=14), st.lists(PIECES, max_size=4))
def test_any_text_can_be_read(lines: list[str], own: list[str]) -> None:
    lessons = read_lessons("\n".join(lines), "\n".join(own))
    assert 0 <= lessons.understood <= lessons.lines == sum(bool(line) for line in (*lines, *own))


@given(st.text(max_size=80))
def test_any_characters_can_be_read(text: str) -> None:
    assert read_lessons(text).lines <= text.count("\n") + 1
    assert parse_text(text.split("\n")).trajectories is not None
