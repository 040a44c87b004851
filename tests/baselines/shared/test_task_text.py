"""The task within an opening."""

from __future__ import annotations

import pytest

from baselines.shared.task_text import find_task


@pytest.mark.parametrize(
    ("opening", "task"),
    [
        ("A room with a shelf.\n\nYour task is to: heat a\nmug.", "Your task is to: heat a mug."),
        ("Goal: ball1 is at roomb.\n\nThe ball is red.", "Goal: ball1 is at roomb."),
        ("Find the\ntreasure.", "Find the treasure."),
        ("", ""),
    ],
)
def test_task_is_the_paragraph_that_names_it_or_all(opening: str, task: str) -> None:
    assert find_task(opening) == task
