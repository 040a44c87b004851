"""What a feedback prompt shows of a contrast."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from baselines.horma.refine.contrast import choose_whole, find_contrasts
from baselines.horma.refine.showing import find_nearest, show_contrast
from bench.types import Trial
from tests.baselines.horma.refine.played import PAST, make_episode, make_talk


def show(whole: Trial, noted: Trial) -> list[str]:
    return [show_contrast(one) for one in find_contrasts(choose_whole([whole]), [noted], {whole.key.task})]


def test_episode_is_shown_in_both_courses_with_what_the_notes_gave() -> None:
    noted = make_episode("t1", won=False, notes="[1] Observation: a\n[2] Observation: b")
    (text,) = show(make_episode("t1", won=True), noted)
    assert text == (
        "# Task\nA room.\n\nYour task is to: put a mug in the desk.\n\n"
        "# With the whole past: done\n[1] Action: go to shelf 1\n[1] Observation: On the shelf 1, you see a mug 1.\n"
        "[2] Action: look\n[2] Observation: Nothing.\n\n"
        "# With notes: not done\n[1] Notes: [1] Observation: a | [2] Observation: b\n[1] Action: go to shelf 1\n"
        "[1] Observation: On the shelf 1, you see a mug 1.\n[2] Action: look\n[2] Observation: Nothing.\n"
        "It was stopped after 2 actions, the most that were allowed."
    )


def test_long_episode_is_shown_in_part() -> None:
    steps = [(f"go {n}", "x" * 900) for n in range(40)]
    (text,) = show(make_episode("t1", won=True), make_episode("t1", won=False, steps=steps))
    assert "[25] Action" in text
    assert "[26] Action" not in text
    assert "(15 more steps)" in text
    assert max(map(len, text.splitlines())) < 450


def test_steps_that_go_round_in_circles_are_shown_twice() -> None:
    circle = [("go a", "A."), ("go b", "B.")]
    (text,) = show(make_episode("t1", won=True), make_episode("t1", won=False, steps=[*circle * 9, ("wait", "C.")]))
    course = text.partition("# With notes")[2].splitlines()
    assert [line for line in course if "Action" in line] == [
        "[1] Action: go a", "[2] Action: go b", "[3] Action: go a", "[4] Action: go b", "[19] Action: wait",
    ]  # fmt: skip
    assert "(14 more of the same steps)" in course
    assert "It was stopped after 19 actions, the most that were allowed." in course


def test_question_is_shown_with_both_answers_the_notes_the_search_and_the_past_around_the_answer() -> None:
    whole = make_talk("c1", {1: ("7 May 2023", True)}, whole=True)
    (text,) = show(whole, make_talk("c1", {1: ("yesterday", False)}, notes="[8 May, 2023] Ann: I went"))
    assert text == (
        "# Question 1\nWhen did Ann go to the fair? (asked on 10 May)\nWith the whole past: right, 7 May 2023\n"
        "With notes: wrong, yesterday\nSearched: grep fair; done\nWhat the notes gave:\n[8 May, 2023] Ann: I went\n"
        f"The past, where it is nearest to the question and its right answer:\n{PAST}"
    )


def test_question_that_nothing_was_found_for_says_so() -> None:
    whole = make_talk("c1", {2: ("the ferry", True)}, whole=True)
    (text,) = show(whole, make_talk("c1", {2: ("", False)}))
    assert "With notes: wrong, (no answer)\n" in text
    assert "What the notes gave:\n(nothing)\n" in text


def test_many_questions_are_spread_evenly() -> None:
    numbers = range(1, 4)
    whole = make_talk("c1", dict.fromkeys(numbers, ("a", True)), whole=True)
    (text,) = show(whole, make_talk("c1", dict.fromkeys(numbers, ("b", False))))
    assert text.count("# Question") == 3
    assert "more questions" not in text


def test_find_nearest_returns_the_best_line_with_its_neighbours_and_two_more_in_order() -> None:
    past = "\n".join(["a cat sat", "b", "the cello was sold", "c", "d", "cello practice", "e", "a sold house", "f"])
    assert find_nearest(past, "When was the cello sold?") == [
        "b",
        "the cello was sold",
        "c",
        "cello practice",
        "a sold house",
    ]
    assert find_nearest(past, "zebra") == []
    assert find_nearest("", "cello") == []


@given(st.text(max_size=200), st.text(max_size=60))
def test_find_nearest_returns_lines_of_the_past_in_order(past: str, wanted: str) -> None:
    lines = [line for line in past.splitlines() if line.strip()]
    found = find_nearest(past, wanted)
    rest = iter(lines)
    assert all(line in rest for line in found)
    assert len(found) <= 5
