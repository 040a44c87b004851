"""G-Memory for one agent: when insights are drawn and merged, what a search reaches, what is shown."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from baselines.g_memory.nodes import Node, read_nodes
from baselines.g_memory.offline import MergeRule, ReflectRule
from baselines.g_memory.strategy import STRATEGY
from baselines.shared.insights import read_insights
from bench.agents import EXPERIENCE_HEADING
from bench.types import Artifact, Event, EventKind, Message, Query, Trial
from tests.baselines.learners import CountingEmbedder, Reply, Script, make_kit, make_trial

STEPS = [("go to oven 1", "An oven."), ("heat mug 1", "It is hot."), ("go to door 1", "A door.")]
ADD = '{"operations": [{"op": "add", "text": "Heat it in the oven."}]}'


def goal(what: str) -> str:
    return f"A kitchen.\n\nYour task is to: {what}."


def make_trials(n: int) -> list[Trial]:
    return [make_trial(f"task-{i:02d}", goal(f"heat mug number {i}"), *STEPS, won=i % 2 == 0) for i in range(n)]


def learn(trials: Sequence[Trial], reply: Reply = ADD, **given: str) -> tuple[Artifact, Script]:
    script = Script({"insight": reply})
    assert STRATEGY.learn is not None
    return STRATEGY.learn(trials, make_kit(STRATEGY, script, **given)), script


def show(artifact: Artifact, what: str, **given: str) -> str:
    memory = STRATEGY.build(make_kit(STRATEGY, Script({}), artifact=artifact, **given)).memory
    memory.observe(Event("goal", EventKind.GOAL, goal(what)))
    return memory.recall(Query("", goal(what))).text


@pytest.mark.parametrize(("n", "calls"), [(0, 0), (1, 1), (5, 1), (6, 2), (20, 5), (21, 6), (40, 10)])
def test_insights_are_drawn_every_five_tasks_and_merged_every_twenty(n: int, calls: int) -> None:
    _, script = learn(make_trials(n))
    assert script.calls["insight"] == calls
    assert sum("You tidy" in messages[0].content for _, messages in script.asked) == n // 20


def test_one_attempt_stands_for_a_task_and_a_solved_one_before_a_failed_one() -> None:
    text, longer = goal("heat a mug"), [*STEPS, *STEPS]
    trials = [
        make_trial("a", text, *STEPS[:1], won=False),
        make_trial("a", text, *longer, won=True, attempt=2),
        make_trial("a", text, *STEPS, won=True, attempt=3),
        make_trial("b", text, *STEPS[:1], won=False),
        make_trial("b", text, *STEPS[:2], won=False, attempt=2),
        make_trial("c", text, won=False),
    ]
    first, second = read_nodes(learn(trials)[0]).values()
    assert (first.solved, first.steps.count("Action:")) == (True, 3)
    assert (second.solved, second.steps.count("Action:")) == (False, 2)


def test_similar_tasks_are_joined_and_others_are_not() -> None:
    texts = ("heat a mug in the oven", "heat a mug in the stove", "zzz qqq xxx")
    artifact, _ = learn([make_trial(text, text, *STEPS, won=True) for text in texts], similarity="0.5")
    assert [node.neighbors for node in read_nodes(artifact).values()] == [(2,), (1,), ()]


def make_graph(*hidden: str) -> Artifact:
    files = {
        "tasks/0001.txt": Node("Your task is to: heat a mug.", False, "[1] Action: wait", (3, 2), (1,)).write(),
        "tasks/0002.txt": Node("dig a hole", True, "[1] Action: dig", (1,), (2,)).write(),
        "tasks/0003.txt": Node("paint a wall", True, "[1] Action: paint", (1,), (3,)).write(),
        "tasks/0004.txt": Node("sing a song", True, "[1] Action: sing", (), (4,)).write(),
        **{f"insights/{n:04d}.txt": f"Advice {n}.\n(insight {n}, count 2)\n" for n in range(1, 5)},
    }
    return Artifact({name: text for name, text in files.items() if name not in hidden})


def test_search_goes_one_step_beyond_the_nearest_task() -> None:
    text = show(make_graph(), "heat a mug", k="1")
    assert text.startswith(EXPERIENCE_HEADING)
    assert [n for n in range(1, 5) if f"- Advice {n}." in text] == [1, 2, 3]
    assert "Action: dig" in text
    assert "Action: paint" in text
    assert "Action: wait" not in text
    assert "Action: sing" not in text


def test_nearest_neighbor_is_shown_where_only_one_may_be() -> None:
    text = show(make_graph(), "heat a mug", k="1", shown="1")
    assert "Action: paint" in text
    assert "Action: dig" not in text


def test_what_the_harness_left_out_is_not_reached() -> None:
    text = show(make_graph("tasks/0003.txt", "insights/0002.txt"), "heat a mug", k="1")
    assert "paint" not in text
    assert [n for n in range(1, 5) if f"- Advice {n}." in text] == [1]


def test_insights_hang_on_the_tasks_they_come_from() -> None:
    artifact, _ = learn(make_trials(7))
    assert [node.insights for node in read_nodes(artifact).values()] == [(1,)] * 5 + [()] * 2
    assert artifact.sources["tasks/0001.txt"] == artifact.sources["vectors/tasks/0001.txt"] == ("task-00",)


def test_merged_insight_is_based_on_all_that_it_may_hold() -> None:
    def reply(request: str) -> str:
        if request.startswith("# No tasks"):
            return '{"operations": [{"op": "edit", "id": 1, "text": "Both."}, {"op": "downvote", "id": 2}]}'
        return json.dumps({"operations": [{"op": "add", "text": f"Advice {hash_of(request)}."}]})

    artifact, _ = learn(make_trials(20), reply)
    assert read_insights(artifact, "insights/")[0].text == "Both."
    assert len(artifact.sources["insights/0001.txt"]) == 20


def hash_of(request: str) -> str:
    return request.partition("number ")[2].partition(".")[0]


@pytest.mark.parametrize("trials", [[], make_trials(1)[:0]])
def test_nothing_to_learn_from_shows_nothing(trials: list[Trial]) -> None:
    artifact, script = learn(trials)
    assert not script.asked
    assert show(artifact, "heat a mug") == ""


def test_unreadable_replies_leave_the_tasks_without_insights() -> None:
    artifact, script = learn(make_trials(2), "I cannot help with that.")
    assert script.calls["insight"] == 2
    assert "no JSON" in artifact.files["insights/operations.jsonl"]
    assert "heat mug 1" in show(artifact, "heat mug number 0")


def test_search_embeds_the_task_once() -> None:
    embedder = CountingEmbedder()
    kit = make_kit(STRATEGY, Script({}), artifact=learn(make_trials(3))[0], embedder=embedder)
    STRATEGY.build(kit).memory.observe(Event("goal", EventKind.GOAL, goal("heat a mug")))
    assert embedder.calls == [["Your task is to: heat a mug."]]


def test_offline_rules_lift_what_solved_a_task_and_vote_against_doubles() -> None:
    def reply(request: str) -> str:
        return ReflectRule().reply((Message("system", ""), Message("user", request)))

    artifact, _ = learn(make_trials(2), reply)
    assert [one.text for one in read_insights(artifact, "insights/")] == [
        "For a task such as 'heat thing number': heat thing, then go to door."
    ]
    listed = "# Insights so far\n#3 Heat a mug. (count 2)\n#5 Heat the mug. (count 2)\n#6 Cool it. (count 2)"
    merged = json.loads(MergeRule().reply((Message("system", ""), Message("user", listed))))
    assert merged == {"operations": [{"op": "downvote", "id": 5}]}
