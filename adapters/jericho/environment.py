"""One episode of one game: text in, text out, with progress, validity and the end.

Progress counts milestones, or the game's own score as a share of its maximum, as a running maximum. Success is progress
1 (AgentBoard's reward 1); the game's own end without it is none. Knows no data folder and no prompt text.
Deviation from AgentBoard: an action is invalid if the game's reply is a refusal; helper commands are those that ask.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from adapters.jericho.commands import Command, read_command
from adapters.jericho.engine import Engine, Told
from adapters.jericho.frames import frame
from adapters.jericho.milestones import Reached
from adapters.jericho.replies import ended, opening_text, refusal, said
from bench.errors import DataError, EnvError
from bench.types import Observation, Opening

__all__ = ["GOAL_LEAD", "JerichoEnvironment", "Measure", "Milestones", "NativeScore", "Play"]

GOAL_LEAD = "Your goal:"
_NOTHING_TYPED = "Nothing was typed."
_WITHHELD = "That command is not possible here."
_SILENCE = "The game says nothing."
_FAULT = "The game cannot carry out that command."


class Measure(Protocol):
    """How far an episode has come, from what it was told so far."""

    def see(self, told: Told, text: str) -> float:
        """Take note of one reply and return the progress, 0..1."""


class Milestones:
    """The milestones reached, as a share of all."""

    def __init__(self, texts: tuple[str, ...]):
        self._reached = Reached(texts)

    def see(self, told: Told, text: str) -> float:
        return self._reached.see(text)


class NativeScore:
    """The game's own score as a share of its maximum. Raises DataError for a game that tells neither."""

    def __init__(self, game: str, max_score: int):
        self._game, self._max = game, max_score

    def see(self, told: Told, text: str) -> float:
        most = told.max_score or self._max
        if told.score is None or most <= 0:
            raise DataError(f"jericho {self._game}: expected a score and its maximum, got none; use measure=milestones")
        return min(1.0, max(0.0, told.score / most))


@dataclass(frozen=True, slots=True)
class Play:
    """What is played: a story file, with which seed of its dice, to what end."""

    game: str
    story: Path
    goal: str
    seed: int = 1


class JerichoEnvironment:
    """Made for one task, reset once, closed once."""

    def __init__(self, play: Play, measure: Measure, engine: Engine):
        self._play, self._measure, self._engine = play, measure, engine
        self._best = 0.0
        self._open = False

    def reset(self) -> Opening:
        """Load the game and return the goal with its first text."""
        told = self._engine.start(self._play.story, self._play.seed)
        text = opening_text(told.text)
        self._best, self._open = self._measure.see(told, text), True
        return Opening(f"{GOAL_LEAD} {self._play.goal}\n{text}", frame())

    def step(self, action: str) -> Observation:
        """Take one command. Raises: EnvError before reset, after the end, or if the engine does not answer."""
        if not self._open:
            who = f"jericho {self._play.game}"
            raise EnvError(f"{who}: expected a step within an open episode, got one before reset or after its end")
        command = read_command(action)
        if not command.text:
            return self._refuse(command, _NOTHING_TYPED, "unparsable")
        if command.withheld:
            return self._refuse(command, _WITHHELD, "withheld")
        told = self._engine.step(command.text)
        text = said(told.text)
        if told.halted and not text:
            return self._refuse(command, _FAULT, "engine-fault")
        self._best = max(self._best, self._measure.see(told, text))
        reason = refusal(text)
        won = self._best == 1.0
        done = won or told.over or told.won or told.halted or ended(text)
        self._open = not done
        return Observation(
            text=text or _SILENCE,
            done=done,
            won=won,
            progress=self._best,
            valid=not reason,
            executed=command.text,
            repairs=command.repairs,
            helper=command.helper and not reason,
            invalid_reason=reason,
        )

    def close(self) -> None:
        self._open = False
        self._engine.close()

    def _refuse(self, command: Command, text: str, reason: str) -> Observation:
        return Observation(
            text,
            progress=self._best,
            valid=False,
            executed=command.text,
            repairs=command.repairs,
            invalid_reason=reason,
        )
