"""One episode on a scripted engine: progress, the end, validity, commands that never reach the game."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adapters.jericho.engine import GameReply
from adapters.jericho.environment import JerichoEnvironment, Milestones, NativeScore, Play
from bench.errors import DataError, EnvError

PLAY = Play("hut", Path("hut.z3"), "Find the lamp.")
OPENING = GameReply("THE GAME\nRelease 1\n\nHut\nA hut.\n", score=0)


@pytest.fixture
def episode(scripted: Any) -> Callable[..., Any]:
    def make(*replies: GameReply, measure: Any = None) -> Any:
        engine = scripted([OPENING, *replies])
        return JerichoEnvironment(PLAY, measure or Milestones(("A lamp.", "Light!")), engine), engine

    return make


def test_reset_returns_goal_and_first_room(episode: Callable[..., Any]) -> None:
    env, _ = episode()
    opening = env.reset()
    assert opening.goal == "Your goal: Find the lamp.\nHut\nA hut."
    assert opening.observation == ""
    assert opening.frame.id == "jericho-v1/commands"


def test_progress_counts_milestones_and_all_are_success(episode: Callable[..., Any]) -> None:
    env, engine = episode(GameReply("A lamp."), GameReply("Nothing."), GameReply("Light!"))
    env.reset()
    seen = [env.step(text) for text in ("look", "wait", "turn on lamp")]
    assert [o.progress for o in seen] == [0.5, 0.5, 1.0]
    assert [(o.done, o.won) for o in seen] == [(False, False), (False, False), (True, True)]
    assert [o.helper for o in seen] == [True, False, False]
    assert engine.commands == ["look", "wait", "turn on lamp"]
    with pytest.raises(EnvError, match="before reset or after its end"):
        env.step("look")


def test_native_score_is_share_of_maximum_and_never_falls(episode: Callable[..., Any]) -> None:
    env, _ = episode(GameReply("a", 5), GameReply("b", -3), GameReply("c", 10), measure=NativeScore("hut", 10))
    env.reset()
    seen = [env.step("wait") for _ in range(3)]
    assert [o.progress for o in seen] == [0.5, 0.5, 1.0]
    assert seen[-1].won


def test_native_score_prefers_maximum_of_engine(episode: Callable[..., Any]) -> None:
    env, _ = episode(GameReply("a", 5, max_score=20), measure=NativeScore("hut", 10))
    env.reset()
    assert env.step("wait").progress == 0.25


def test_native_score_rejects_game_without_score(episode: Callable[..., Any]) -> None:
    env, _ = episode(measure=NativeScore("hut", 0))
    with pytest.raises(DataError, match="jericho hut: expected a score and its maximum, got none; use measure=mile"):
        env.reset()


@pytest.mark.parametrize(
    "reply",
    [
        GameReply("Would you like to restart the game?"),
        GameReply("You are dead.", over=True),
        GameReply("You have found it all.", won=True),
        GameReply("Farewell.", halted=True),
    ],
)
def test_end_of_game_is_no_success(reply: GameReply, episode: Callable[..., Any]) -> None:
    env, _ = episode(reply)
    env.reset()
    seen = env.step("wait")
    assert (seen.done, seen.won, seen.valid) == (True, False, True)


def test_step_refuses_command_that_halts_engine(episode: Callable[..., Any]) -> None:
    env, _ = episode(GameReply("", halted=True), GameReply("A lamp."))
    env.reset()
    seen = env.step("take seal")
    assert (seen.done, seen.valid, seen.invalid_reason) == (False, False, "engine-fault")
    assert env.step("look").progress == 0.5


def test_step_marks_refusal_invalid_and_replaces_empty_text(episode: Callable[..., Any]) -> None:
    env, _ = episode(GameReply("You can't go that way."), GameReply(""), GameReply("I beg your pardon?"))
    env.reset()
    assert env.step("north").invalid_reason == "precondition"
    assert env.step("pray").text == "The game says nothing."
    asked = env.step("look")
    assert (asked.valid, asked.helper) == (False, False)


@pytest.mark.parametrize(("written", "reason"), [("", "unparsable"), (" . ", "unparsable"), ("quit", "withheld")])
def test_step_sends_no_empty_or_withheld_command(written: str, reason: str, episode: Callable[..., Any]) -> None:
    env, engine = episode()
    env.reset()
    seen = env.step(written)
    assert (seen.valid, seen.invalid_reason, seen.done) == (False, reason, False)
    assert seen.text
    assert engine.commands == []


def test_step_before_reset_is_an_error_and_close_returns_engine(episode: Callable[..., Any]) -> None:
    env, engine = episode()
    with pytest.raises(EnvError, match="before reset"):
        env.step("look")
    env.close()
    assert engine.closed == 1
