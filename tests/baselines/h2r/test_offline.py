"""The offline model in H2R's calls: it cuts and lifts what the messages show, and signals around the suite's acting."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from baselines.h2r.learning import learn
from baselines.h2r.offline import RULES, GroundRule, HighInsightRule, LowInsightRule
from baselines.h2r.strategy import STRATEGY
from baselines.h2r.units import HighUnit, LowUnit, read_high, read_low
from baselines.shared.insights import read_insights
from bench.agents import EXPERIENCE_HEADING
from bench.drivers import run_episode
from bench.models.offline.reader import OfflineReader
from bench.protocols import Kit
from bench.types import Artifact, EndReason, Limits, Message, Observation, Opening, Step
from tests.baselines.learners import FRAME, CountingEmbedder, Script, make_kit, make_trial

GOAL = "A kitchen.\n\nYour task is to: heat a {thing} and put it on the shelf."
STEPS = [
    ("go to shelf 1", "A shelf 1."),
    ("go to drawer 2", "A {thing} 3."),
    ("take {thing} 3 from drawer 2", "You take it."),
    ("go to oven 1", "An oven 1."),
    ("heat {thing} 3 with oven 1", "It is hot."),
    ("put {thing} 3 on shelf 1", "You put it there."),
]
REFUSED = [("heat {thing} 3 with lamp 1", "Nothing happens.")]


class Actor:
    """A suite's own rule: says the next of some actions, and keeps what it was shown."""

    role = "act"
    header = FRAME.instructions

    def __init__(self, actions: Sequence[str]):
        self._actions = list(actions)
        self.seen: list[Sequence[Message]] = []

    def reply(self, messages: Sequence[Message]) -> str:
        self.seen.append(messages)
        return f"Action: {self._actions[len(self.seen) - 1]}"


class Room:
    """Answers with the observations of some steps; the last wins."""

    def __init__(self, answers: Sequence[str]):
        self._answers = list(answers)

    def reset(self) -> Opening:
        return Opening(fill("plate", GOAL), FRAME)

    def step(self, action: str) -> Observation:
        text = self._answers.pop(0)
        return Observation(text, executed=action, won=not self._answers)

    def close(self) -> None:
        pass


def fill(thing: str, text: str) -> str:
    return text.replace("{thing}", thing)


def fill_steps(thing: str, steps: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(fill(thing, action), fill(thing, seen)) for action, seen in steps]


def make_offline_kit(actor: Actor, artifact: Artifact | None = None) -> Kit:
    kit = make_kit(STRATEGY, Script({}), artifact=artifact)
    return Kit(OfflineReader((*RULES, actor)), CountingEmbedder(), FRAME, kit.budget, kit.params, artifact=kit.artifact)


def learn_offline() -> Artifact:
    goal = fill("mug", GOAL)
    trials = [
        make_trial("task-1", goal, *fill_steps("mug", REFUSED), won=False),
        make_trial("task-1", goal, *fill_steps("mug", STEPS), won=True, attempt=2),
    ]
    return learn(trials, make_offline_kit(Actor(())))


def test_sub_goals_are_the_telling_actions_without_numbers() -> None:
    (unit,) = read_high(learn_offline()).values()
    assert unit.subgoals == ("take mug from drawer", "heat mug with oven", "put mug on shelf")


def test_parts_end_where_their_sub_goal_was_reached() -> None:
    first, second, third = read_low(learn_offline()).values()
    assert first.steps.count("Action:") == 3
    assert second.steps.startswith("[3] Observation: You take it.\n[4] Action: go to oven 1")
    assert third.subgoal == "put mug on shelf"


def test_insights_join_lifted_actions_and_name_what_was_refused() -> None:
    artifact = learn_offline()
    assert [one.text for one in read_insights(artifact, "insights/high/")] == [
        "For a task such as 'heat a thing and put it on the place': take thing from somewhere, "
        "then heat thing with oven, then put thing on place."
    ]
    low = [one.text for one in read_insights(artifact, "insights/low/")]
    assert "To heat mug with oven, first go to oven." in low
    assert "To heat mug with lamp had no effect." in low


@pytest.mark.parametrize("rule", [HighInsightRule(), LowInsightRule()])
def test_advice_that_the_list_holds_gets_a_vote(rule: HighInsightRule | LowInsightRule) -> None:
    shown = "# Task\nheat a mug\n\n# Its sub-goals\n1. heat mug\n\n# Sub-goal\nheat mug\n\n# Its steps (reached)\n"
    shown += "[1] Action: go to oven 1\n[1] Observation: An oven.\n[2] Action: heat mug 1\n[2] Observation: Hot.\n\n"
    known = ("For a task such as 'heat a thing': heat thing.", "To heat mug, first go to oven.")
    listed = "\n".join(f"#{number} {text} (count 2)" for number, text in enumerate(known, start=5))
    reply = rule.reply((Message("system", ""), Message("user", f"{shown}# Insights so far\n{listed}")))
    expected = 5 if isinstance(rule, HighInsightRule) else 6
    assert json.loads(reply) == {"operations": [{"op": "upvote", "id": expected}]}


def test_insights_that_share_words_with_the_piece_are_chosen() -> None:
    listed = "#3 Heat the mug at the oven. (count 2)\n#4 Open the window. (count 2)"
    text = f"# The piece\n## Sub-goal\nheat mug with oven\n\n# Insights\n{listed}"
    assert json.loads(GroundRule().reply((Message("system", ""), Message("user", text)))) == {"insights": [3]}


def play(actions: Sequence[tuple[str, str]], artifact: Artifact) -> tuple[EndReason, list[Step], Actor]:
    actor, steps = Actor([action for action, _ in actions]), list[Step]()
    world = Room([seen for _, seen in actions])
    agent = STRATEGY.build(make_offline_kit(actor, artifact))
    return run_episode(agent, world, world.reset(), Limits(step_cap=len(actions)), steps), steps, actor


def test_planner_follows_the_nearest_unit_with_the_words_of_the_present_task() -> None:
    end, steps, _ = play(fill_steps("plate", STEPS), learn_offline())
    assert end is EndReason.WON
    notes = [note for step in steps for note in step.decision.notes]
    assert notes == [
        "subgoal: take plate from drawer",
        "signal: done",
        "subgoal: heat plate with oven",
        "signal: done",
        "subgoal: put plate on shelf",
    ]


def test_acting_rule_gets_the_prompt_without_the_dialect_and_the_sub_goal_as_advice() -> None:
    _, _, actor = play(fill_steps("plate", STEPS), learn_offline())
    for messages in actor.seen:
        text = messages[-1].content
        assert "Signal" not in messages[0].content
        assert "\nSubgoal: " not in text
        assert f"# Memory\n{EXPERIENCE_HEADING}\nSub-goal: " in text
        assert text.count(EXPERIENCE_HEADING) == 1


def test_without_units_the_task_itself_is_the_sub_goal_and_is_never_given_up() -> None:
    steps = [("wait", f"Hour {hour}.") for hour in range(20)]
    _, played, actor = play(steps, Artifact())
    notes = [note for step in played for note in step.decision.notes]
    assert notes == ["subgoal: heat a plate and put it on the shelf"]
    assert f"# Memory\n{EXPERIENCE_HEADING}\nSub-goal: heat a plate" in actor.seen[-1][-1].content


def test_sub_goal_that_is_refused_twice_or_takes_too_long_is_given_up() -> None:
    unit = HighUnit("heat a mug", ("fly to the moon", "dig a hole")).write()
    steps = [("fly", "Nothing happens.")] * 2 + [("wait", f"Hour {hour}.") for hour in range(13)]
    _, played, _ = play(steps, Artifact({"high/0001.txt": unit, "low/0001.txt": LowUnit("fly", "-").write()}))
    invalid = [place for place, step in enumerate(played) if "signal: invalid" in step.decision.notes]
    assert invalid == [2, 14]
