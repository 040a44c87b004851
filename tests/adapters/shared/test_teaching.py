"""A context divided into the present and what is only shown to learn from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.shared.teaching import divide, divide_by_headings, find_task
from bench.agents import EXPERIENCE_NOTE, render_experience

OPENING = "You are in a room.\n\nYour task is to: put a mug in shelf."
OTHER = "Your task is to: cool some egg and put it in desk."
FOREIGN = "[1] Action: go to fridge 1\n[1] Observation: A fridge.\n[2] Action: open fridge 1\n[2] Observation: Open."
OWN = "[1] Action: go to shelf 1\n[1] Observation: A shelf.\n[2] Action: look"
NOTES = "Turn 4.\nKey info:\n[3] Note: The shelf is full.\nPast turns:\n[1] Note: went\n[2] Note: looked"


@pytest.mark.parametrize(
    ("memory", "present"),
    [
        (OWN, OWN),
        (f"{FOREIGN}\n{OWN}", OWN),
        (f"{OTHER}\n{FOREIGN}\n{OWN}", OWN),
        (f"{OWN}\n{OTHER}\n{FOREIGN}", OWN),
        (f"{OTHER}\n{FOREIGN}", ""),
        (f"Task: heat an egg\n{FOREIGN}\nTask: cool a pan\n{FOREIGN}\n{OWN}", OWN),
        (f"Insights:\n- Eggs are in fridges.\n- On the desk 1, you see a mug 1.\n{OWN}", OWN),
        (f"# Skills\n- Open the fridge.\n\n# Notes\nThe shelf is full.\n{OWN}", f"# Notes\nThe shelf is full.\n{OWN}"),
        (f"**Examples**:\n{FOREIGN}\n{FOREIGN}\n{OWN}", OWN),
        (f"Earlier attempt:\nYour task is to: put a mug in shelf.\n{FOREIGN}\n{OWN}", OWN),
        (f"Your task is to: put a mug in shelf.\n{FOREIGN}\n{OWN}", f"Your task is to: put a mug in shelf.\n{OWN}"),
        (
            f"Sub-goal: find a pan\n> go to stove 1\nYou see a pan 1.\n> take pan 1\n{OWN}",
            f"Sub-goal: find a pan\n{OWN}",
        ),
        (f"Unit\nAction: open safe 1\nObservation: Open.\n{OWN}", f"Unit\n{OWN}"),
        (f"{NOTES}\n{OWN}", f"{NOTES}\n{OWN}"),
        ("[7] Observation: late\n[2] Action: early\n[3] mid", "[7] Observation: late\n[2] Action: early\n[3] mid"),
        ("[7] Action: late\n[2] Action: early\n[7] Action: other", "[2] Action: early\n[7] Action: other"),
        ("Summary so far:\nThe mug is here.", "Summary so far:\nThe mug is here."),
        ("Action: look\nObservation: A shelf.", "Action: look\nObservation: A shelf."),
    ],
)
def test_divide_keeps_the_present(memory: str, present: str) -> None:
    assert divide(memory, OPENING).present == present


def test_divide_before_the_first_action_has_no_step_of_the_present() -> None:
    assert divide(f"A hint.\n{FOREIGN}", OPENING, started=False).present == "A hint."
    assert divide("A hint.\n> go to fridge 1\nA fridge.", OPENING, started=False).present == "A hint."


def test_divide_tells_attempts_from_experience() -> None:
    text = render_experience(["Eggs are in fridges."], OWN, attempts=[f"{FOREIGN}\nI should have looked."])
    parts = divide(text, OPENING)
    assert (parts.present, parts.experience) == (OWN, "Eggs are in fridges.")
    assert parts.attempts == f"{FOREIGN}\nI should have looked."


def test_divide_keeps_headings_inside_a_documented_part() -> None:
    text = render_experience([f"# Now\n{FOREIGN}", f"# Notes\nKey info:\n{OTHER}"], OWN)
    assert divide(text, OPENING).present == OWN
    assert "## Notes\nKey info:" in divide(text, OPENING).experience


def test_note_about_the_names_of_other_tasks_is_no_teaching() -> None:
    text = render_experience(["Eggs are in fridges."], OWN)
    assert EXPERIENCE_NOTE in text
    assert divide(text, OPENING).experience == divide_by_headings(text).experience == "Eggs are in fridges."


def test_divide_by_headings_knows_the_documented_ones_alone() -> None:
    assert divide_by_headings(f"Task: x\n{FOREIGN}\n{OWN}").present == f"Task: x\n{FOREIGN}\n{OWN}"
    parts = divide_by_headings(render_experience(["a"], "b", attempts=["c"]))
    assert (parts.present, parts.experience, parts.attempts) == ("b", "a", "c")


@pytest.mark.parametrize(
    ("line", "task"),
    [
        (OTHER, "cool some egg and put it in desk."),
        ("[0] Task: look around", "look around"),
        ("Your goal is that all of the following hold at once: Ball-x lies in yard.", "Ball-x lies in yard."),
        ("Your goal: Find it.", "Find it."),
        ("3 Subgoal: find it", ""),
        ("Task:", ""),
    ],
)
def test_find_task_reads_the_line_of_a_task(line: str, task: str) -> None:
    assert find_task(line) == task


LINES = st.sampled_from([*OWN.split("\n"), *FOREIGN.split("\n"), OTHER, "# Notes", "# Insights", "Key info:", "", "x."])


@given(st.lists(LINES, max_size=12), st.booleans())
def test_divide_loses_no_line(lines: list[str], started: bool) -> None:
    parts = divide("\n".join(lines), OPENING, started)
    found = [line for part in (parts.present, parts.experience, parts.attempts) for line in part.split("\n")]
    assert sorted(filter(None, found)) == sorted(filter(None, lines))


@given(st.lists(LINES, max_size=8), st.lists(LINES, max_size=8))
def test_render_experience_keeps_the_present_apart(foreign: list[str], own: list[str]) -> None:
    """Whatever is taught, the part of the present is what it was alone, up to what it says of other tasks itself."""
    text = render_experience(["\n".join(foreign)], "\n".join(own))
    assert set(divide(text, OPENING).present.split("\n")) <= set(own) | {""}
