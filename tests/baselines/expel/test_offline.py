"""The offline model's insights: made of what the messages show, and good operations on the list in them."""

from __future__ import annotations

import json
from typing import Any

from baselines.expel.learning import learn
from baselines.expel.offline import RULES, CompareRule, SuccessRule
from baselines.expel.strategy import STRATEGY
from baselines.shared.insights import InsightPool
from bench.models.offline.reader import OfflineReader
from bench.protocols import Kit
from bench.types import Frame, Message
from tests.baselines.learners import Script, make_kit, make_trial

GLAZE = "To glaze a thing, take it to a kiln and glaze it there."
TAKE = "To take a bowl, go to a bench and take it there."
OPENING = "Your task is to: glaze a bowl."
STEPS = "[1] Action: take bowl 1 from bench 2\n[1] Observation: Taken."
MORE = "\n[2] Action: glaze bowl 1 with kiln 1\n[2] Observation: Glazed."
OPEN = "\n[3] Action: open crate 1 in {}\n[3] Observation: It is open."


def compare(failed: str, solved: str, insights: str = "(none)", system: str = "") -> list[dict[str, Any]]:
    request = (
        f"# Task\n{OPENING}\n\n# Failed attempt\n{failed}\n\n# Successful attempt\n{solved}\n\n"
        f"# Insights so far\n{insights}"
    )
    reply = json.loads(CompareRule().reply((Message("system", system), Message("user", request))))
    operations: list[dict[str, Any]] = reply["operations"]
    return operations


def test_what_only_the_success_did_is_added() -> None:
    assert compare(STEPS, STEPS + MORE) == [{"op": "add", "text": GLAZE}]
    assert compare(STEPS, STEPS) == []


def test_known_insight_is_voted_up() -> None:
    assert compare(STEPS, STEPS + MORE, f"#4 {GLAZE} (count 2)") == [{"op": "upvote", "id": 4}]


def test_two_places_of_one_deed_make_an_insight_wider_and_a_third_votes_it_up() -> None:
    wide = "To open a crate, with a thing in hand, go to where there is one and open it."
    solved = STEPS + OPEN.format("cellar")
    first = "To open a crate, with a thing in hand, go to a barn and open it there."
    assert compare(STEPS, solved, f"#1 {first} (count 2)") == [{"op": "edit", "id": 1, "text": wide}]
    assert compare(STEPS, solved, f"#1 {wide} (count 3)") == [{"op": "upvote", "id": 1}]


def test_full_list_loses_its_last_for_one_new_insight() -> None:
    shown = "#1 Look first. (count 3)\n#7 Hurry. (count 1)"
    assert compare("", STEPS + MORE, shown, "The list is full: ...") == [
        {"op": "downvote", "id": 7},
        {"op": "add", "text": GLAZE},
    ]


def test_success_rule_keeps_what_two_tasks_have_in_common_or_all_of_a_single_one() -> None:
    def ask(*attempts: str) -> list[str]:
        shown = "\n\n".join(f"# Task\n{OPENING}\n\n# Successful attempt\n{attempt}" for attempt in attempts)
        request = Message("user", f"{shown}\n\n# Insights so far\n(none)")
        return [one["text"] for one in json.loads(SuccessRule().reply((Message("system", ""), request)))["operations"]]

    assert ask(STEPS + MORE, STEPS) == [TAKE]
    assert ask(STEPS + MORE) == [GLAZE, TAKE]


def test_offline_model_understands_what_expel_asks() -> None:
    steps = (("take bowl 1 from bench 2", "Taken."), ("glaze bowl 1 with kiln 1", "Glazed."))
    trials = [
        make_trial("t1", OPENING, steps[0], won=False),
        make_trial("t1", OPENING, *steps, won=True, attempt=2),
        make_trial("t2", OPENING, *steps, won=True),
    ]
    plain = make_kit(STRATEGY, Script([""]))
    kit = Kit(OfflineReader(RULES), plain.embedder, Frame("f", "Act."), plain.budget, plain.params)
    pool = InsightPool.replay(learn(trials, kit).files["insights/operations.jsonl"])
    assert [(one.text, one.count) for one in pool.insights] == [(GLAZE, 3), (TAKE, 2)]
    assert not pool.rejected
