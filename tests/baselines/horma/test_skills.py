"""Skills in prompts, and which of them the offline model can follow."""

from __future__ import annotations

import pytest

from baselines.horma.manager import build_system
from baselines.horma.navigators import build_system as build_navigator_system
from baselines.horma.offline.skills import find_skills, read_skill_lines
from baselines.horma.skills import read_skills, render_skills
from bench.types import Artifact


def test_read_skills_takes_the_lines_of_a_role_and_of_both() -> None:
    files = {
        "skills/organise/b.txt": "3. Keep places.\n\n- Keep places.\n",
        "skills/organise/a.txt": "Anchor dates.",
        "skills/both.txt": "Be brief.",
        "skills/navigate/a.txt": "Grep rare words.",
        "skills/organise/a.md": "no",
        "log/skills.txt": "no",
    }
    assert read_skills(Artifact(files), "organise") == ("Be brief.", "Anchor dates.", "Keep places.")
    assert read_skills(Artifact(files), "navigate") == ("Be brief.", "Grep rare words.")
    assert read_skills(Artifact(), "organise") == ()


def test_render_skills_numbers_them_and_is_empty_for_none() -> None:
    assert render_skills(()) == ""
    assert render_skills(("One.", "Two.")).splitlines()[1:] == ["1. One.", "2. Two."]
    assert read_skill_lines(build_system(("One.", "Two."))) == ["One.", "Two."]
    assert read_skill_lines(build_navigator_system(8, ("One.",))) == ["One."]
    assert read_skill_lines(build_system()) == []


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Record exact dates.", {"dates"}),
        ("Anchor yesterday and other relative times to a date.", {"dates", "anchor"}),
        ("Rewrite 'last week' as the date that it was.", {"dates", "anchor"}),
        ("Keep places and numbers as they were said.", {"details"}),
        ("Keep denials: write down what somebody does not have.", {"denials"}),
        ("Preserve negative evidence, such as a statement that something never happened.", {"denials"}),
        ("File each fact under each name that it mentions.", {"names", "all"}),
        ("Index one fact under several paths.", {"names"}),
        ("Write one line for every fact that a turn states.", {"all"}),
        ("Keep the whole sentence.", {"whole"}),
        ("Record what shared photos show.", {"pictures"}),
        ("Note where an object of the goal was seen.", {"goal"}),
        ("Record the exact location on seeing a target object.", {"goal", "details"}),
        ("Note actions that failed.", {"failed"}),
        ("Detect and record loops in which nothing happens.", {"failed"}),
        ("List the places that were searched and found empty.", {"places", "details"}),
        ("Be kind.", set()),
    ],
)
def test_find_skills_reads_what_a_manager_can_follow(line: str, names: set[str]) -> None:
    found = find_skills(build_system((line,)), "organise")
    assert found.names == names
    assert (found.lines, found.understood) == (1, int(bool(names)))


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Grep the rarest word first.", {"rarest"}),
        ("Try several words.", {"several"}),
        ("Read the neighbours of a hit.", {"neighbours"}),
        ("Look at the turns around a match.", {"neighbours"}),
        ("Select every line that may help.", {"enough"}),
        ("Expand a note to the raw turns behind it.", {"turns"}),
        ("Take the notes on places already searched.", {"places"}),
        ("Prefer the latest state.", {"latest"}),
        ("Be kind.", set()),
    ],
)
def test_find_skills_reads_what_a_navigator_can_follow(line: str, names: set[str]) -> None:
    assert find_skills(build_navigator_system(8, (line,)), "navigate").names == names


def test_describe_counts_the_lines_that_say_nothing() -> None:
    assert find_skills(build_system(("Record exact dates.", "Be kind.")), "organise").describe() == (
        "Skills followed: 1 of 2."
    )
    assert find_skills(build_system(), "organise").describe() == ""
