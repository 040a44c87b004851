"""The navigation environment: reward with its edge cases, penalties, ends, and what a session keeps safe."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.horma.navigation import NavigationLimits, NavigationSession
from baselines.horma.train.environment import NavEnv, NavQuestion, Penalties, jaccard
from bench.scoring import evidence as scoring
from tests.baselines.horma.train.sessions import ScriptedSession
from tests.baselines.horma.workspaces import make_workspace

REFS = st.lists(st.sampled_from("abcdef"), max_size=6)


def play(replies: list[str], evidence: tuple[str, ...], penalties: Penalties = Penalties()) -> NavEnv:
    env = NavEnv(penalties)
    env.reset(NavQuestion("q", ScriptedSession, evidence))
    for reply in replies:
        env.step(reply)
    return env


@pytest.mark.parametrize(
    ("replies", "evidence", "reward", "precision", "recall"),
    [
        (["done"], (), 1.0, None, None),
        (["select a", "done"], (), 0.0, None, None),
        (["done"], ("a",), 0.0, 0.0, 0.0),
        (["select a", "done"], ("a",), 1.0, 1.0, 1.0),
        (["select a", "select b", "done"], ("b", "c"), 1 / 3, 0.5, 0.5),
        (["select a", "select a", "done"], ("a",), 1.0, 1.0, 1.0),
    ],
)
def test_outcome_is_the_overlap_with_its_edge_cases(
    replies: list[str], evidence: tuple[str, ...], reward: float, precision: float | None, recall: float | None
) -> None:
    outcome = play(replies, evidence).outcome()
    assert outcome.reward == pytest.approx(reward)
    assert (outcome.jaccard, outcome.precision, outcome.recall) == (outcome.reward, precision, recall)
    assert outcome.finished


@given(REFS, REFS)
def test_jaccard_equals_the_metric_of_the_harness(selected: list[str], evidence: list[str]) -> None:
    assert jaccard(selected, evidence) == scoring.jaccard(selected, evidence)


def test_penalties_are_zero_unless_set_and_are_reported() -> None:
    replies = ["dance", "select zzz", "select a", "done"]
    free, paid = play(replies, ("a",)).outcome(), play(replies, ("a",), Penalties(invalid=0.1, length=0.01)).outcome()
    assert (free.reward, free.refused, free.replies) == (1.0, 2, 4)
    assert paid.reward == pytest.approx(1.0 - 2 * 0.1 - 4 * 0.01)
    assert (paid.jaccard, paid.refused, paid.replies) == (1.0, 2, 4)


def test_search_that_is_cut_off_counts_with_what_it_has_selected() -> None:
    outcome = play(["select a"], ("a", "b")).outcome()
    assert (outcome.reward, outcome.finished) == (0.5, False)


def test_search_is_given_up_after_two_replies_that_cannot_be_read() -> None:
    env = NavEnv()
    env.reset(NavQuestion("q", ScriptedSession, ()))
    assert env.step("dance")[1] is False
    assert env.step("look a")[1] is False
    assert [env.step("dance")[1], env.step("sing")[1]] == [False, True]


def test_step_out_of_turn_is_a_mistake_of_the_caller() -> None:
    env = NavEnv()
    with pytest.raises(RuntimeError, match="expected a search in progress, got none"):
        env.step("done")
    with pytest.raises(RuntimeError, match="expected a search, got none"):
        env.outcome()
    play_on = play(["done"], ())
    with pytest.raises(RuntimeError, match="call reset first"):
        play_on.step("done")


def test_reset_clears_the_search_before() -> None:
    env = play(["select a", "dance", "done"], ("a",))
    assert env.reset(NavQuestion("q", ScriptedSession, ())) == "question"
    env.step("done")
    outcome = env.outcome()
    assert (outcome.selected, outcome.refused, outcome.replies, outcome.reward) == ((), 0, 1, 1.0)


def ask(evidence: tuple[str, ...] = ("D1:1",), limits: NavigationLimits = NavigationLimits(turns=6)) -> NavQuestion:
    return NavQuestion("q", lambda: NavigationSession(make_workspace(), "Where did Ann move?", limits), evidence)


def test_environment_plays_a_session_over_a_workspace() -> None:
    env = NavEnv()
    assert env.reset(ask()).startswith("# Question\nWhere did Ann move?")
    observation, done = env.step("grep oslo")
    assert "entities/ann.md:1: moved to Oslo" in observation
    assert not done
    assert env.step("select entities/ann.md#1\ndone") == ("select: 1 line added\n\nThe search is over.", True)
    assert (env.outcome().reward, env.outcome().selected) == (1.0, ("D1:1",))


@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd", "entities/../../secret", "~/x", "con", "a\\..\\b"])
def test_paths_out_of_the_workspace_are_refused_and_select_nothing(path: str) -> None:
    env = NavEnv()
    env.reset(ask())
    for verb in ("cat", "ls", "cd", "select"):
        env.step(f"{verb} {path}")
    assert (env.outcome().selected, env.outcome().refused) == ((), 4)


@given(st.lists(st.text(max_size=60), max_size=8))
def test_any_reply_leaves_the_reward_within_bounds(replies: list[str]) -> None:
    env = NavEnv(Penalties(invalid=0.5))
    env.reset(ask())
    for reply in replies:
        if env.step(reply)[1]:
            break
    outcome = env.outcome()
    assert 0 <= outcome.jaccard <= 1
    assert outcome.reward == outcome.jaccard - 0.5 * outcome.refused


def test_session_ends_by_itself_at_its_limits() -> None:
    env = NavEnv()
    env.reset(ask(limits=NavigationLimits(turns=2)))
    assert [env.step("ls")[1], env.step("ls")[1]] == [False, True]
    env.reset(ask(limits=NavigationLimits(budget_tokens=5)))
    assert env.step("select D1:1")[1] in (True, False)
    assert env.outcome().replies == 1


def test_importing_the_environment_imports_no_library_for_learning() -> None:
    code = (
        "import sys, baselines.horma.train.environment, baselines.horma.training, baselines.horma.strategy\n"
        "print(sorted({'torch', 'transformers', 'peft'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
