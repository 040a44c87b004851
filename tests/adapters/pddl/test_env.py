"""One episode: what is said, what counts as valid, how progress moves."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.pddl.domain import DOMAINS, Atom
from adapters.pddl.env import PddlEnvironment
from adapters.pddl.frames import first_line, load_frame
from adapters.pddl.generate import GeneratedTask, generate_tasks, problem_text
from adapters.pddl.problem import parse_problem
from adapters.pddl.wording import REACHED, START_LEAD, STATE_LEAD, VALID_LEAD, load_wording
from adapters.pddl.world import build_world
from bench.errors import EnvError
from bench.replies import read_action

EXAMPLES = Path(__file__).parent / "examples"

BLOCKS = """
(define (problem b) (:domain blocksworld-4ops) (:objects b1 b2 b3)
  (:init (arm-empty) (on-table b1) (on b2 b1) (clear b2) (on-table b3) (clear b3))
  (:goal (and (on b2 b1) (on b3 b2))))
"""


def environment(name: str, text: str = "", number: int = 1) -> PddlEnvironment:
    env = PddlEnvironment(parse_problem(text or problem_text(name, number), name, name))
    env.reset()
    return env


def list_valid_actions(env: PddlEnvironment) -> list[str]:
    text = env.step("check valid actions").text
    assert text.startswith(VALID_LEAD)
    return text.removeprefix(VALID_LEAD).strip().rstrip(".").split("; ")


def test_reset_returns_goal_and_state_at_the_start_apart() -> None:
    opening = PddlEnvironment(parse_problem(BLOCKS, "blockworld", "b")).reset()
    assert opening.goal == (
        "Your goal is that all of the following hold at once: Block b2 is on block b1. Block b3 is on block b2."
    )
    assert opening.observation == (
        "State at the start: Block b1 is on the table. Block b2 is on block b1. Block b3 is on the table. "
        "Nothing is on top of block b2. Nothing is on top of block b3. The hand is empty."
    )
    assert opening.frame == load_frame("blockworld")


def test_progress_counts_initial_facts_after_first_change() -> None:
    env = environment("blockworld", BLOCKS)
    assert env.step("check valid actions").progress == 0.0
    assert env.step("putdown b1").progress == 0.0
    assert env.step("unstack b2 from b1").progress == 0.5  # the goal fact is gone, but it did hold
    assert env.step("putdown b2").progress == 0.5


def test_step_reports_success_when_all_goal_facts_hold() -> None:
    env = environment("blockworld", BLOCKS)
    assert not env.step("pickup b3").won
    last = env.step("stack b3 on b2")
    assert (last.won, last.done, last.progress, last.valid) == (True, True, 1.0, True)
    assert last.text.endswith(REACHED)
    with pytest.raises(EnvError, match="after its end"):
        env.step("check valid actions")


def test_step_is_not_won_if_goal_facts_hold_at_different_times() -> None:
    env = environment("blockworld", BLOCKS)
    for action in ("unstack b2 from b1", "putdown b2", "pickup b3", "stack b3 on b2"):
        observation = env.step(action)
    assert (observation.won, observation.progress) == (False, 0.5)


def test_step_before_reset_is_an_error() -> None:
    with pytest.raises(EnvError, match="before reset"):
        PddlEnvironment(parse_problem(BLOCKS, "blockworld", "b")).step("pickup b3")


@pytest.mark.parametrize(
    ("action", "reason"),
    [("sing", "unparsable"), ("stack b3", "unparsable"), ("stack b3 on b2", "precondition"), ("", "unparsable")],
)
def test_step_gives_reason_for_invalid_action(action: str, reason: str) -> None:
    env = environment("blockworld", BLOCKS)
    before = env.step("check valid actions").text
    observation = env.step(action)
    assert (observation.valid, observation.invalid_reason, observation.helper) == (False, reason, False)
    assert env.step("check valid actions").text == before


def test_step_marks_action_without_effect() -> None:
    env = environment("gripper")
    here = re.search(r"The robot is in (\w+)", env.reset().observation)
    assert here
    observation = env.step(f"move from {here[1]} to {here[1]}")
    assert (observation.valid, observation.invalid_reason) == (False, "no-effect")


def test_step_treats_wrong_type_as_failed_precondition() -> None:
    assert environment("barman").step("shot1 grasp left").invalid_reason == "precondition"


def test_step_records_executed_text_and_repairs() -> None:
    env = environment("blockworld", BLOCKS)
    observation = env.step("Please pick up B3")
    assert (observation.executed, observation.repairs) == ("pickup b3", ("rephrased",))
    observation = env.step("Putdown  b3")
    assert (observation.executed, observation.repairs) == ("putdown b3", ("case-or-space",))
    observation = env.step("pickup b3")
    assert (observation.executed, observation.repairs) == ("pickup b3", ())


def test_observation_is_whole_state_in_blockworld_and_gripper() -> None:
    assert environment("blockworld", BLOCKS).step("pickup b3").text == (
        "Current state: Block b1 is on the table. Block b2 is on block b1. "
        "Nothing is on top of block b2. The hand holds block b3."
    )


def test_observation_is_changes_in_barman() -> None:
    assert environment("barman").step("left grasp shot1").text == (
        "The hand left holds shot1. Shot1 is no longer on the table. The hand left is no longer empty."
    )


def test_look_around_returns_whole_state_if_observations_are_changes() -> None:
    for name in ("barman", "tyreworld"):
        env = environment(name)
        first = env.reset().observation.replace(START_LEAD, STATE_LEAD)
        observation = env.step("look around")
        assert (observation.text, observation.valid, observation.helper) == (first, True, True)
    assert environment("blockworld", BLOCKS).step("look around").invalid_reason == "unparsable"


def test_check_valid_actions_returns_sorted_list_and_is_valid() -> None:
    for name in DOMAINS:
        env = environment(name, number=9)
        observation = env.step("check valid actions")
        assert (observation.valid, observation.helper, observation.executed) == (True, True, "check valid actions")
        actions = list_valid_actions(env)
        assert actions == sorted(set(actions))


@settings(max_examples=25)
@given(st.sampled_from(generate_tasks()), st.randoms(use_true_random=False))
def test_listed_actions_are_valid_and_observations_describe_the_state(item: GeneratedTask, rng: random.Random) -> None:
    """Walk at random; listed actions work, and a reader of the observations knows the state at all times."""
    problem = parse_problem(item.text, item.domain, item.task)
    words, env = load_wording(item.domain), PddlEnvironment(problem)
    env.reset()
    known: set[Atom] = set(problem.init)
    progress = 0.0
    for _ in range(15):
        actions = list_valid_actions(env)
        possible = build_world(problem).valid(frozenset(known))
        assert actions == sorted(words.phrase(action.call) for action in possible)
        chosen = rng.choice(actions)
        observation = env.step(chosen)
        assert (observation.valid, observation.executed) == (True, chosen)
        assert progress <= observation.progress <= 1.0
        assert (observation.progress == 1.0) == observation.won
        progress = observation.progress
        known = set() if observation.text.startswith(STATE_LEAD) else known
        for sentence in re.findall(r"[^.]+\.", observation.text.removeprefix(STATE_LEAD)):
            literal = words.read(sentence)
            assert literal or sentence.strip() == REACHED
            if literal:
                (known.add if literal.holds else known.discard)(literal.atom)
        if observation.won:
            break


@pytest.mark.parametrize("name", DOMAINS)
def test_frame_example_equals_real_observations(name: str) -> None:
    env = PddlEnvironment(parse_problem((EXAMPLES / f"{name}.pddl").read_text(encoding="utf-8"), name, name))
    opening = env.reset()
    lines = ["An example:", f"Task: {opening.goal}", f"Observation: {opening.observation}"]
    for action in re.findall(r"^Action: (.*)$", opening.frame.examples, re.M):
        observation = env.step(action)
        lines += [f"Action: {action}", f"Observation: {observation.text}"]
    assert observation.won
    assert opening.frame.examples == "\n".join(lines)


def test_bare_frame_has_the_actions_and_no_example() -> None:
    for name in DOMAINS:
        bare, full = load_frame(name, "bare"), load_frame(name)
        assert (bare.instructions, bare.examples) == (full.instructions, "")
        assert bare.id != full.id


def test_frame_names_every_action_and_no_suite() -> None:
    assert len({first_line(name) for name in DOMAINS}) == len(DOMAINS)
    for name in DOMAINS:
        text = load_frame(name).instructions + load_frame(name).examples
        assert all(form.text.split("{")[0].strip() in text for form in load_wording(name).actions)
        assert not re.search(r"pddl|agentboard|strips|benchmark|suite", text, re.I)
        assert (load_frame(name).id, load_frame(name).label) == (f"pddl-v1/{name}", "Action:")


@pytest.mark.parametrize("command", ["look around", "check valid actions"])
@pytest.mark.parametrize("style", ["**Action:** {}", "**Action: {}**", "Action: `{}`.", "```\n{}\n```", "Action:\n{}"])
def test_helper_commands_are_understood_once_a_reply_is_read(style: str, command: str) -> None:
    observation = environment("barman").step(read_action(style.format(command)).value)
    assert (observation.executed, observation.helper, observation.valid) == (command, True, True)


def test_thought_that_names_a_command_is_not_executed() -> None:
    env = environment("blockworld", BLOCKS)
    before = env.step("check valid actions").text
    observation = env.step("To pickup b3, I first need to see whether the hand is empty")
    assert (observation.valid, observation.invalid_reason) == (False, "unparsable")
    assert env.step("check valid actions").text == before
