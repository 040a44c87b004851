"""The offline model's cheatsheet: what an attempt did, or what was refused, above the lines that were there."""

from __future__ import annotations

from baselines.dynamic_cheatsheet.offline import CurateRule
from bench.types import Message

STEPS = "[1] Action: glaze bowl 1 with kiln 1\n[1] Observation: Glazed.\n[2] Action: hop it\n[2] Observation: Invalid."
GLAZE = "To glaze a bowl, go to a kiln and glaze it there."
SOLVED, FAILED = "The attempt solved the task.", "The attempt did not solve the task."


def curate(sheet: str, outcome: str, limit: int = 100) -> list[str]:
    request = (
        f"# Cheatsheet so far\n{sheet}\n\n# Task\nYour task is to: glaze a bowl.\n\n"
        f"# Attempt\n{STEPS}\n\n# Outcome\n{outcome}"
    )
    system = Message("system", f"about {limit * 3 // 4} words")
    return CurateRule().reply((system, Message("user", request))).splitlines()


def test_solved_attempt_puts_what_it_did_above_the_old_lines_once() -> None:
    assert curate("(empty)", SOLVED) == [GLAZE]
    assert curate(f"Old advice.\n{GLAZE}", SOLVED) == [GLAZE, "Old advice."]


def test_attempt_that_failed_adds_what_was_refused() -> None:
    assert curate("Old advice.", FAILED) == ['"hop it" had no effect.', "Old advice."]


def test_oldest_lines_go_where_room_is_short_and_nothing_left_is_said() -> None:
    assert curate("Old advice.", SOLVED, limit=18) == [GLAZE]
    assert curate("Old advice.", SOLVED, limit=4) == ["(empty)"]
