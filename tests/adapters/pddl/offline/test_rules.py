"""The offline reader: competent with full history, lost without, and blind to all but the messages."""

from __future__ import annotations

import ast
import itertools
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.pddl.domain import DOMAINS
from adapters.pddl.env import PddlEnvironment
from adapters.pddl.generate import GeneratedTask, generate_tasks
from adapters.pddl.offline import rules as offline
from adapters.pddl.offline.rules import RULES, PddlRule
from adapters.pddl.offline.view import read_view
from adapters.pddl.problem import parse_problem
from adapters.pddl.wording import UNCHANGED
from adapters.pddl.world import build_world
from bench.agents import compose
from bench.models.offline.rule_table import RuleTable
from bench.types import EndReason, Message, Shape, Stimulus

PACKAGE = Path(offline.__file__).parent


def prompt(task: str, memory: str = "", now: str = "", number: int = 0) -> tuple[Message, ...]:
    """Return the messages of a decision in a generated problem: the first, or one whose memory holds the start."""
    item = next(item for item in generate_tasks() if item.task == task)
    opening = PddlEnvironment(parse_problem(item.text, item.domain, task)).reset()
    if not memory and not now:
        return compose(opening.frame, Stimulus(Shape.EPISODE, opening.observation, opening.goal, 1), "")
    started = f"[0] Observation: {opening.observation}\n{memory}"
    return compose(opening.frame, Stimulus(Shape.EPISODE, now or "?", opening.goal, number), started)


def answer(messages: tuple[Message, ...]) -> str:
    rule = RuleTable(RULES).find(messages, "act")
    assert rule is not None
    return rule.reply(messages)


def test_offline_model_with_full_history_wins_every_generated_problem(arena: Any) -> None:
    assert arena.wins(arena.suite("generated")) == dict.fromkeys(DOMAINS, 10)


def test_offline_model_without_memory_repeats_itself_if_only_changes_are_shown(arena: Any) -> None:
    suite = arena.suite("generated")
    won = arena.wins(suite, recent_steps=0)
    assert won["barman"] + won["tyreworld"] <= 1
    assert won["blockworld"] == won["gripper"] == 10  # the whole state is told after each action
    task = next(task for task in suite.tasks() if task.id == "barman/g07")
    outcome = arena.episode(suite, task, recent_steps=0)
    actions = [step.decision.text for step in outcome.steps[-20:]]
    assert outcome.end is EndReason.STEP_CAP
    assert len(set(actions)) <= len(actions) / 2  # it goes in circles


def test_offline_model_wins_more_with_a_larger_window(arena: Any) -> None:
    suite = arena.suite("generated", domain="barman")
    none, some, everything = (arena.wins(suite, recent_steps=k)["barman"] for k in (0, 8, None))
    assert none < some < everything == 10


@pytest.mark.data
def test_offline_model_with_full_history_wins_agentboard_in_near_optimal_steps(arena: Any, data_root: Path) -> None:
    suite = arena.suite("agentboard", data_root)
    for task in suite.tasks():
        outcome = arena.episode(suite, task)
        assert outcome.end is EndReason.WON
        assert all(step.observation.valid for step in outcome.steps)
        assert task.optimal_steps is not None
        assert task.optimal_steps <= len(outcome.steps) <= task.optimal_steps + 1


def test_reply_depends_on_messages_alone(arena: Any) -> None:
    """Replayed in another order, by a fresh rule, with nothing cached, every call gets the same reply."""
    suite = arena.suite("generated")
    calls: list[tuple[tuple[Message, ...], str]] = []
    for task in suite.tasks()[::5]:
        outcome = arena.episode(suite, task, recent_steps=4)
        calls += zip(outcome.calls, [step.decision.reply for step in outcome.steps], strict=True)
    random.Random(0).shuffle(calls)
    offline._plan.cache_clear()
    for messages, reply in calls:
        assert answer(messages) == reply


def test_offline_modules_import_no_world_and_open_no_file() -> None:
    allowed = {"domain", "frames", "phrases", "wording"}
    allowed |= {"adapters.shared.lessons", "adapters.shared.sections", "adapters.shared.teaching"}
    paths = sorted(PACKAGE.glob("*.py"))
    assert len(paths) == 11
    for path in paths:
        imported = {
            node.module.removeprefix("adapters.pddl.")
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("adapters.")
        }
        assert {name for name in imported if not name.startswith("offline")} <= allowed
        assert not {"open(", "read_text", "environ", "Path("} & set(path.read_text(encoding="utf-8").split())


def test_matches_only_own_frame_and_role() -> None:
    for name, item in itertools.product(DOMAINS, generate_tasks()):
        messages = prompt(item.task)
        rules = RuleTable([PddlRule(name)])
        assert bool(rules.find(messages, "act")) == (item.domain == name)
        assert rules.find(messages, "summarize") is None
    assert RuleTable(RULES).find((Message("user", "Hello"),), "act") is None


def test_read_view_finds_goal_and_initial_state() -> None:
    messages = prompt("gripper/g03")
    item = next(item for item in generate_tasks() if item.task == "gripper/g03")
    problem = parse_problem(item.text, "gripper", "g")
    view = read_view(messages, "gripper")
    assert view.goal == problem.goal
    assert view.belief == problem.init


GAP = "\n[2] Note: The observation after step 1 is not in view."
STEPS = (
    "[1] Action: left grasp shot2\n"
    "[1] Observation: The hand left holds shot2. Shot2 is no longer on the table. The hand left is no longer empty."
)


def test_read_view_sorts_lines_by_step() -> None:
    later = "[2] Action: left leave shot2\n[2] Observation: Shot2 is on the table. The hand left is empty. "
    later += "The hand left no longer holds shot2."
    forwards = read_view(prompt("barman/g02", f"{STEPS}\n{later}", UNCHANGED), "barman")
    backwards = read_view(prompt("barman/g02", f"{later}\n{STEPS}", UNCHANGED), "barman")
    assert forwards.belief == backwards.belief == read_view(prompt("barman/g02"), "barman").belief
    assert forwards.tried == ("left grasp shot2", "left leave shot2")


def test_read_view_believes_facts_in_prose() -> None:
    start = read_view(prompt("barman/g02"), "barman").belief
    summary = "So far: - The hand left holds shot2. Shot2 is no longer on the table. I think this is going well."
    view = read_view(prompt("barman/g02", "Summary\n- The hand left holds shot2.\n" + summary), "barman")
    assert {a.name for a in view.belief - start} == {"holding"}
    assert {a.name for a in start - view.belief} == {"ontable"}


def test_read_view_ignores_objects_outside_the_task() -> None:
    start = read_view(prompt("barman/g02"), "barman").belief
    assert read_view(prompt("barman/g02", "In another bar: Shot99 contains ingredient1."), "barman").belief == start


def test_read_view_executes_possible_action_without_observation() -> None:
    start = read_view(prompt("barman/g02"), "barman").belief
    assert read_view(prompt("barman/g02", f"[1] Action: left grasp shot2{GAP}", "?"), "barman").belief != start
    assert read_view(prompt("barman/g02", f"[1] Action: left leave shot2{GAP}", "?"), "barman").belief == start


def test_read_view_takes_the_start_from_an_observation() -> None:
    """The opening may hold the goal alone; the first observation then tells the state, under a label of its own."""
    item = next(item for item in generate_tasks() if item.task == "barman/g02")
    problem = parse_problem(item.text, item.domain, item.task)
    opening = PddlEnvironment(problem).reset()
    goal = opening.goal
    for label in ("Current state:", "State at the start:", "Initial state:"):
        told = opening.observation.replace("State at the start:", label)
        first = compose(opening.frame, Stimulus(Shape.EPISODE, told, goal, 1), "")
        later = compose(opening.frame, Stimulus(Shape.EPISODE, "?", goal, 2), f"[0] Observation: {told}")
        assert read_view(first, "barman").belief == read_view(later, "barman").belief == problem.init
        assert answer(first) == answer(later) == answer(prompt("barman/g02"))


def test_read_view_replaces_belief_by_whole_state() -> None:
    view = read_view(prompt("barman/g02", STEPS, "Current state: The hand right is empty."), "barman")
    assert [(a.name, a.args) for a in view.belief] == [("handempty", ("right",))]


FAILED = "The action is understood, but its conditions are not met. Nothing happens."


def test_reply_after_failure_asks_for_valid_actions_then_chooses_one() -> None:
    planned = answer(prompt("barman/g02"))
    action = planned.removeprefix("Action: ")
    memory = f"[1] Action: {action}"
    assert answer(prompt("barman/g02", now=FAILED, number=2)) == planned  # it cannot see what it was that failed
    assert answer(prompt("barman/g02", memory, FAILED, 2)) == "Action: check valid actions"
    memory += f"\n[1] Observation: {FAILED}\n[2] Action: check valid actions"
    listed = f"Valid actions: {action}; right grasp shot1."
    assert answer(prompt("barman/g02", memory, listed, 3)) == "Action: right grasp shot1"
    assert answer(prompt("barman/g02", "", listed, 3)) == planned


@settings(max_examples=200)
@given(st.sampled_from(generate_tasks()), st.randoms(use_true_random=False))
def test_policies_accept_any_belief(item: GeneratedTask, rng: random.Random) -> None:
    """Any subset of facts, consistent or not, gets one action line."""
    problem = parse_problem(item.text, item.domain, item.task)
    facts = sorted({a for action in build_world(problem).actions for a in action.add} | problem.init)
    belief = frozenset(rng.sample(facts, rng.randint(0, len(facts))))
    action = offline._plan(item.domain, problem.goal, belief)
    assert action is None or action.name in {op.name for op in problem.domain.operators}


@pytest.mark.parametrize("name", DOMAINS)
def test_reply_to_empty_prompt_is_an_action(name: str) -> None:
    rule = PddlRule(name)
    assert rule.reply((Message("user", ""),)) == "Action: check valid actions"
