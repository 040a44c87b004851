"""H2R's learning: what is asked how often, which units and insights come of it, and what comes of bad replies."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from baselines.h2r.strategy import STRATEGY
from baselines.h2r.units import read_high, read_low
from baselines.shared.insights import InsightPool, read_insights
from bench.types import Artifact, Trial
from tests.baselines.learners import CountingEmbedder, Reply, Script, make_kit, make_trial

OPENING = "You are in a kitchen. You see a shelf 1.\n\nYour task is to: heat a mug."
WON = [("go to shelf 1", "A mug 1."), ("take mug 1", "You take it."), ("heat mug 1", "It is hot.")]
LOST = [("heat shelf 1", "Nothing happens.")]
SUBGOALS = '{"subgoals": ["take a mug", "heat it"]}'
PARTS = '{"parts": [{"subgoal": 1, "first": 1, "last": 2}, {"subgoal": 2, "first": 3, "last": 3}]}'
ADD = '{"operations": [{"op": "add", "text": "Take it first."}]}'
REPLIES: Mapping[str, Reply | Sequence[str]] = {
    "infer": SUBGOALS,
    "segment": PARTS,
    "insight": ADD,
    "ground": '{"insights": [1, 9]}',
}


def learn(trials: Sequence[Trial], script: Script, **given: str) -> Artifact:
    assert STRATEGY.learn is not None
    return STRATEGY.learn(trials, make_kit(STRATEGY, script, **given))


def make_pair(task: str = "task-1") -> list[Trial]:
    return [make_trial(task, OPENING, *LOST, won=False), make_trial(task, OPENING, *WON, won=True, attempt=2)]


def read_log(artifact: Artifact) -> dict[str, int]:
    pairs = (line.split(" = ") for line in artifact.files["log/learning.txt"].splitlines())
    return {name: int(n) for name, n in pairs}


@pytest.mark.parametrize("pairs", [1, 3])
def test_calls_are_five_for_each_pair_and_two_for_each_sub_goal(pairs: int) -> None:
    script = Script(REPLIES)
    learn([trial for n in range(pairs) for trial in make_pair(f"task-{n}")], script)
    k = 2
    assert script.calls == {
        "infer": 2 * pairs,
        "segment": pairs,
        "insight": pairs * (1 + k),
        "ground": pairs * (1 + k),
    }
    assert script.calls.total() == 5 * pairs + 2 * k * pairs


def test_units_hold_sub_goals_their_steps_and_the_insights_that_were_chosen() -> None:
    artifact = learn(make_pair(), Script(REPLIES))
    (high,) = read_high(artifact).values()
    first, second = read_low(artifact).values()
    assert (high.task, high.subgoals, high.insights) == (
        "Your task is to: heat a mug.",
        ("take a mug", "heat it"),
        (1,),
    )
    assert first.steps == (
        "[1] Action: go to shelf 1\n[1] Observation: A mug 1.\n[2] Action: take mug 1\n[2] Observation: You take it."
    )
    assert second.steps == "[2] Observation: You take it.\n[3] Action: heat mug 1\n[3] Observation: It is hot."
    assert second.insights == (1,)
    assert [one.text for one in read_insights(artifact, "insights/low/")] == ["Take it first."]
    assert read_log(artifact)["unknown insights chosen"] == 3


def test_steps_of_an_agent_that_had_read_notes_say_so_in_every_prompt_and_unit() -> None:
    knew = "The agent had read notes on earlier attempts"
    lost, won = make_pair()
    script = Script(REPLIES)
    artifact = learn([lost, replace(won, feedback=("The mug is on shelf 1.",))], script)
    assert all(unit.steps.startswith(knew) for unit in read_low(artifact).values())
    assert all(knew in request for request in (*script.requests("insight"), *script.requests("segment")))
    assert all(knew in request for request in script.requests("ground") if "# The piece\nSub-goal" in request)


def test_own_label_and_number_of_a_sub_goal_is_not_kept() -> None:
    reply = '{"subgoals": ["1. **Sub-goal 1:** take a mug", "Subgoal: heat it"]}'
    (high,) = read_high(learn(make_pair(), Script({**REPLIES, "infer": reply}))).values()
    assert high.subgoals == ("take a mug", "heat it")


def test_failed_attempt_is_shown_for_contrast_and_makes_no_unit() -> None:
    script = Script(REPLIES)
    artifact = learn(make_pair(), script)
    assert all("heat shelf 1" in request for request in script.requests("insight"))
    assert not any("heat shelf 1" in request for request in script.requests("segment") + script.requests("ground"))
    assert len(read_high(artifact)) == 1


def test_insights_on_a_sub_goal_are_asked_for_with_its_task_and_chosen_below_one_heading() -> None:
    script = Script(REPLIES)
    learn(make_pair(), script)
    assert all(request.startswith("# Task\nYour task is to: heat a mug.") for request in script.requests("insight"))
    piece = script.requests("ground")[1]
    assert piece.startswith("# The piece\nSub-goal (reached): take a mug\n[1] Action: go to shelf 1")
    assert piece.endswith("\n\n# Insights\n#1 Take it first. (count 2)")
    assert all(request.count("Insights") == 1 and "none" not in request for request in script.requests("ground"))


@pytest.mark.parametrize("chosen", ["[1, 9]", '["#1", "[9]"]', "[#1, #9]", "[[1]]"])
def test_chosen_insights_are_read_however_they_are_written(chosen: str) -> None:
    artifact = learn(make_pair(), Script({**REPLIES, "ground": f'{{"insights": {chosen}}}'}))
    assert [unit.insights for unit in read_low(artifact).values()] == [(1,), (1,)]


def test_grounding_waits_for_all_pairs() -> None:
    script = Script({**REPLIES, "insight": lambda text: ADD.replace("first", "first" if "task-9" in text else "now")})
    learn([*make_pair("task-1"), *make_pair("task-2")], script)
    roles = [role for role, _ in script.asked]
    assert "ground" not in roles[: roles.index("ground")]
    assert set(roles[roles.index("ground") :]) == {"ground"}


def test_every_file_but_the_logs_names_its_task() -> None:
    artifact = learn([*make_pair("task-1"), *make_pair("task-2")], Script(REPLIES))
    logs = {name for name in artifact.files if name.startswith("log/") or name.endswith(".jsonl")}
    assert set(artifact.sources) == set(artifact.files) - logs
    assert artifact.sources["high/0002.txt"] == artifact.sources["vectors/high/0002.txt"] == ("task-2",)
    assert artifact.sources["low/0002.txt"] == ("task-1",)


def test_log_of_the_pool_plays_again() -> None:
    artifact = learn(make_pair(), Script(REPLIES))
    pool = InsightPool.replay(artifact.files["insights/low/operations.jsonl"])
    assert [one.text for one in pool.insights] == ["Take it first."]


def test_pools_keep_their_size() -> None:
    script = Script({**REPLIES, "insight": lambda text: json.dumps({"operations": [_number(text)]})})
    artifact = learn([trial for n in range(4) for trial in make_pair(f"t{n}")], script, insights="2")
    assert len(read_insights(artifact, "insights/low/")) == len(read_insights(artifact, "insights/high/")) == 2


def _number(text: str) -> dict[str, str]:
    ids = re.findall(r"(?m)^#(\d+) ", text.partition("# Insights so far")[2])
    return {"op": "add", "text": f"Advice {max(map(int, ids), default=0) + 1}."}


def test_success_without_failure_makes_units_and_is_counted() -> None:
    script = Script(REPLIES)
    artifact = learn([make_trial("t", OPENING, *WON, won=True)], script)
    assert len(read_low(artifact)) == 2
    assert read_log(artifact)["units without a failed attempt"] == 1
    assert script.calls["infer"] == 1
    assert all("solved at once" in request for request in script.requests("insight"))


@pytest.mark.parametrize("trials", [[], [make_trial("t", OPENING, *LOST, won=False)]], ids=["nothing", "failures only"])
def test_pool_without_success_makes_no_unit_and_no_call(trials: list[Trial]) -> None:
    script = Script({})
    artifact = learn(trials, script)
    assert not script.asked
    assert not read_high(artifact)
    assert not read_low(artifact)
    assert read_log(artifact).get("tasks without a solved attempt", 0) == len(trials)


def test_equal_attempts_count_once_and_every_pair_of_the_others_is_compared() -> None:
    again = make_trial("task-1", OPENING, *WON, won=True, attempt=4)
    other = make_trial("task-1", OPENING, *LOST, *LOST, won=False, attempt=3)
    script = Script(REPLIES)
    artifact = learn([*make_pair(), other, again], script)
    assert len(read_high(artifact)) == 1
    assert read_log(artifact)["pairs"] == 2
    assert script.calls["infer"] == 3


@pytest.mark.parametrize(
    "bad",
    [
        '{"parts": [{"first": 1, "last": 1}, {"first": 3, "last": 3}]}',
        '{"parts": [{"first": 1, "last": 2}, {"first": 2, "last": 3}]}',
        '{"parts": [{"first": 1, "last": 3}]}',
        "I cannot.",
    ],
    ids=["gap", "overlap", "too few", "prose"],
)
def test_parts_that_do_not_fit_are_asked_for_once_more(bad: str) -> None:
    script = Script({**REPLIES, "segment": [bad, PARTS]})
    artifact = learn(make_pair(), script)
    assert len(read_low(artifact)) == 2
    assert "cannot be used" in script.requests("segment")[1]
    assert read_log(artifact)["segment: asked again"] == 1


def test_parts_that_never_fit_leave_one_unit_for_the_whole_task() -> None:
    artifact = learn(make_pair(), Script({**REPLIES, "segment": '{"parts": []}'}))
    (unit,) = read_low(artifact).values()
    assert unit.subgoal == "Your task is to: heat a mug."
    assert "[1] Action: go to shelf 1" in unit.steps
    assert "[3] Action: heat mug 1" in unit.steps
    assert read_log(artifact)["attempts left whole"] == read_log(artifact)["segment: given up"] == 1


def test_unreadable_replies_everywhere_leave_a_whole_task_unit_without_insights() -> None:
    script = Script(dict.fromkeys(REPLIES, "I cannot help with that."))
    artifact = learn(make_pair(), script)
    (high,) = read_high(artifact).values()
    assert high.subgoals == ("Your task is to: heat a mug.",)
    assert not high.insights
    log = read_log(artifact)
    assert log["infer: given up"] == 2
    assert log["insight, low: no JSON"] == 1
    assert "ground" not in script.calls


def test_learning_twice_gives_the_same_files() -> None:
    trials = [*make_pair("task-2"), *make_pair("task-1")]
    assert learn(trials, Script(REPLIES)) == learn(trials[::-1], Script(REPLIES))


def test_vectors_are_made_in_one_call() -> None:
    embedder = CountingEmbedder()
    assert STRATEGY.learn is not None
    STRATEGY.learn(make_pair(), make_kit(STRATEGY, Script(REPLIES), embedder=embedder))
    assert embedder.calls == [["Your task is to: heat a mug.", "take a mug", "heat it"]]
