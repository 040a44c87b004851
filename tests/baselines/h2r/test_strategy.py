"""H2R's turn: who sees what, what a signal costs, and where the guards step in."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from baselines.h2r.reply import read_reply
from baselines.h2r.strategy import STRATEGY
from baselines.h2r.units import HighUnit, LowUnit
from bench.agents import EXPERIENCE_HEADING, PRESENT_HEADING
from bench.drivers import run_episode
from bench.types import Artifact, EndReason, Limits, Observation, Opening, Step
from tests.baselines.learners import FRAME, CountingEmbedder, Script, make_kit

GOAL = "You are in a kitchen.\n\nYour task is to: heat a mug."
LEARNED = Artifact(
    {
        "high/0001.txt": HighUnit("heat a cup", ("take a cup", "heat a cup"), (1, 2)).write(),
        "high/0002.txt": HighUnit("Your task is to: heat a mug.", ("take it", "warm it"), (1,)).write(),
        "low/0001.txt": LowUnit("take a mug", "[1] Action: take mug 9", (4,)).write(),
        "low/0002.txt": LowUnit("heat a mug", "[1] Action: heat mug 9").write(),
        "low/0003.txt": LowUnit("open a door", "[1] Action: open door 9").write(),
        "insights/high/0001.txt": "Plan ahead.\n(insight 1, count 2)\n",
        "insights/low/0001.txt": "Look first.\n(insight 4, count 2)\n",
    }
)


class Kitchen:
    """Is won by heating."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def reset(self) -> Opening:
        return Opening(GOAL, FRAME, "You see a mug 1.")

    def step(self, action: str) -> Observation:
        self.told.append(action)
        return Observation(f"You {action}.", executed=action, won=action.startswith("heat"))

    def close(self) -> None:
        pass


@dataclass
class Played:
    """What came of an episode."""

    script: Script
    embedder: CountingEmbedder
    world: Kitchen = field(default_factory=Kitchen)
    steps: list[Step] = field(default_factory=list)
    end: EndReason = EndReason.ERROR

    def notes(self) -> list[str]:
        return [note for step in self.steps for note in step.decision.notes]


def play(
    plan: str | list[str],
    act: str | list[str],
    *,
    artifact: Artifact = LEARNED,
    cap: int = 10,
    budget: int | None = None,
    **given: str,
) -> Played:
    done = Played(Script({"plan": plan, "act": act}), CountingEmbedder())
    kit = make_kit(STRATEGY, done.script, artifact=artifact, embedder=done.embedder, budget=budget, **given)
    opening = done.world.reset()
    done.end = run_episode(STRATEGY.build(kit), done.world, opening, Limits(step_cap=cap), done.steps)
    return done


PLAN = ["Subgoal: take a mug", "Subgoal: heat a mug"]
ACT = ["Action: take mug 1", "Signal: done", "Action: heat mug 1"]


def test_calls_are_one_a_sub_goal_an_action_and_a_signal() -> None:
    done = play(list(PLAN), list(ACT))
    assert done.end is EndReason.WON
    assert done.world.told == ["take mug 1", "heat mug 1"]
    assert done.script.calls == {"plan": 2, "act": 2 + 1}
    assert done.notes() == ["subgoal: take a mug", "signal: done", "subgoal: heat a mug"]
    assert [step.decision.reading.dialect for step in done.steps] == [("subgoal",), ("done", "subgoal")]


def test_query_embeddings_are_one_for_the_task_and_one_a_sub_goal() -> None:
    done = play(list(PLAN), list(ACT))
    queries = [texts[0] for texts in done.embedder.calls if len(texts) == 1]
    assert queries == ["Your task is to: heat a mug.", "take a mug", "heat a mug"]


def test_planner_sees_tasks_and_executor_sees_sub_goals_and_never_the_other() -> None:
    done = play(list(PLAN), list(ACT), k_low="1")
    for request in done.script.requests("plan"):
        assert "Its sub-goals, in order:\n1. take it" in request
        assert (
            request.count("Insights:\n- Plan ahead.") == request.count("Plan ahead.") == 1
        )  # of two units that name it
        assert "mug 9" not in request
        assert "Look first." not in request
    for request in done.script.requests("act"):
        assert EXPERIENCE_HEADING in request
        assert "Its sub-goals" not in request
        assert "Plan ahead." not in request
    first, second, third = done.script.requests("act")
    assert "take mug 9" in first
    assert "Insights:\n- Look first." in first
    assert "take mug 9" in second
    assert "heat mug 9" not in second
    assert "heat mug 9" in third
    assert "take mug 9" not in third


def test_nearest_unit_stands_last() -> None:
    request = play(list(PLAN), list(ACT)).script.requests("plan")[0]
    assert request.index("heat a cup") < request.index("Task (solved): Your task is to: heat a mug.")


def test_planner_sees_outcomes_and_executor_the_open_sub_goal_with_its_first_step() -> None:
    done = play(list(PLAN), list(ACT))
    assert "Sub-goals so far:\nnone" in done.script.requests("plan")[0]
    assert "Sub-goals so far:\n1. take a mug: done after 1 actions" in done.script.requests("plan")[1]
    _, second, third = done.script.requests("act")
    assert f"{PRESENT_HEADING}\nSubgoal: take a mug (from step 1)\n[0] Observation: You see a mug 1.\n[1]" in second
    assert f"{PRESENT_HEADING}\nSubgoal: heat a mug (from step 2)\n[0] Observation" in third


def test_sub_goal_parts_no_action_from_its_outcome() -> None:
    for request in play(list(PLAN), list(ACT)).script.requests("act"):
        above, _, below = request.partition("\nSubgoal: ")
        assert "Action:" not in above.rpartition(PRESENT_HEADING)[2]
        assert below.count("] Action:") == below.count("Observation:") - 1  # one was seen before the first action


def test_example_of_the_dialect_shows_a_sub_goal_and_ends_with_a_signal() -> None:
    subgoal, *_, last = STRATEGY.dialect.rpartition("\nSubgoal: ")[2].splitlines()
    assert subgoal == "find and take the matches (from step 2)"
    assert read_reply(last, FRAME).signal == "done"


def test_invalid_sub_goal_is_told_to_the_planner() -> None:
    done = play(["Subgoal: fly", "Subgoal: heat a mug"], ["Signal: invalid", "Action: heat mug 1"])
    assert "1. fly: invalid after 0 actions" in done.script.requests("plan")[1]
    assert done.end is EndReason.WON
    assert len(done.steps) == 1


@pytest.mark.parametrize(("given", "role"), [({"high": "off"}, "plan"), ({"low": "off"}, "act")])
def test_level_that_is_off_is_not_shown_and_not_embedded(given: dict[str, str], role: str) -> None:
    done = play(list(PLAN), list(ACT), **given)
    assert not any(EXPERIENCE_HEADING in request for request in done.script.requests(role))
    other = "act" if role == "plan" else "plan"
    assert all(EXPERIENCE_HEADING in request for request in done.script.requests(other))
    queries = [texts[0] for texts in done.embedder.calls if len(texts) == 1]
    assert len(queries) == (2 if role == "plan" else 1)


def test_planner_loop_without_action_ends_with_the_task_itself() -> None:
    done = play("Subgoal: fly", ["Signal: done"] * 3 + ["Action: heat mug 1"])
    assert done.script.calls == {"plan": 3, "act": 4}
    assert done.notes()[-1] == "guard: signals"
    assert "Subgoal: Your task is to: heat a mug." in done.script.requests("act")[-1]
    assert "no signal can be given now" in done.script.requests("act")[-1]
    assert done.end is EndReason.WON


def test_signals_without_end_lose_the_step_and_not_the_episode() -> None:
    done = play("Subgoal: fly", "Signal: done", cap=2)
    assert [step.decision.text for step in done.steps] == ["", ""]
    assert all(step.decision.reading.unreadable for step in done.steps)
    assert done.world.told == []
    assert done.script.calls["act"] <= 2 * (STRATEGY.inner_calls + 1)


def test_planner_is_asked_no_more_than_subgoals_times() -> None:
    act = ["Action: a", "Signal: done", "Action: b", "Signal: done", "Action: c", "Action: d"]
    done = play("Subgoal: wait", act, subgoals="2", cap=4)
    assert done.script.calls["plan"] == 2
    assert done.notes().count("guard: subgoals") == 1
    assert "no signal can be given now" in done.script.requests("act")[-1]


def test_planner_without_a_sub_goal_is_asked_once_more() -> None:
    done = play(["I would look around.", "Subgoal: heat a mug"], "Action: heat mug 1")
    assert "No sub-goal could be made out" in done.script.requests("plan")[1]
    assert done.notes() == ["subgoal: heat a mug"]


def test_planner_that_never_gives_one_leaves_the_task_itself() -> None:
    done = play("I cannot help with that.", "Action: heat mug 1")
    assert done.script.calls["plan"] == 2
    assert done.notes() == ["fallback: plan", "subgoal: Your task is to: heat a mug."]
    assert done.end is EndReason.WON


def test_without_an_artifact_both_see_nothing_to_learn_from_and_nothing_is_embedded() -> None:
    done = play(list(PLAN), list(ACT), artifact=Artifact())
    assert not any(EXPERIENCE_HEADING in messages[-1].content for _, messages in done.script.asked)
    assert not done.embedder.calls


def test_units_are_dropped_where_the_budget_has_no_room() -> None:
    done = play(list(PLAN), list(ACT), budget=60)
    assert done.end is EndReason.WON
    assert any(step.decision.context.truncated for step in done.steps)
    full = play(list(PLAN), list(ACT))
    assert not any(step.decision.context.truncated for step in full.steps)


def test_insight_that_was_left_out_is_not_shown() -> None:
    files = {name: text for name, text in LEARNED.files.items() if not name.startswith("insights/")}
    done = play(list(PLAN), list(ACT), artifact=Artifact(files))
    assert not any("Insights:" in messages[-1].content for _, messages in done.script.asked)
