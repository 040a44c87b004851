"""The offline model's items: what a solved attempt did, what the world refused in another."""

from __future__ import annotations

import json

from baselines.reasoning_bank.offline import DistillRule
from bench.types import Message

STEPS = (
    "[1] Action: take bowl 1 from bench 2\n[1] Observation: Taken.\n"
    "[2] Action: shake kiln 1\n[2] Observation: Nothing happens.\n"
    "[3] Action: glaze bowl 1 with kiln 1\n[3] Observation: Glazed."
)


def distill(steps: str, outcome: str) -> list[dict[str, str]]:
    request = f"# Task\nYour task is to: glaze a bowl.\n\n# Attempt\n{steps}\n\n# Outcome\n{outcome}"
    items: list[dict[str, str]] = json.loads(DistillRule().reply((Message("system", ""), Message("user", request))))[
        "items"
    ]
    return items


def test_solved_attempt_gives_what_it_did_with_the_last_first() -> None:
    items = distill(STEPS, "The attempt solved the task.")
    assert [item["title"] for item in items] == ["Glaze a thing", "Take a bowl"]
    assert items[0]["content"] == "To glaze a thing, take it to a kiln and glaze it there."


def test_attempt_that_failed_gives_what_was_refused() -> None:
    items = distill(STEPS, "The attempt did not solve the task.")
    assert [item["content"] for item in items] == ['The action "shake kiln" had no effect.']


def test_at_most_three_items_are_written_and_none_of_an_empty_attempt() -> None:
    steps = "\n".join(f"[{n}] Action: {verb} lid 1\n[{n}] Observation: It cannot." for n, verb in enumerate("abcd"))
    assert len(distill(steps, "The attempt did not solve the task.")) == 3
    assert distill("", "The attempt solved the task.") == []
