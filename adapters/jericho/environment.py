"""One episode of one game: text in, text out, progress, validity and end.

Progress is the share of milestones reached, or the game's own score as a share of its maximum; a running maximum in
0..1. Success is progress 1 (AgentBoard's reward 1); the end of the game alone is no success. Knows no data folder.
Differences from AgentBoard: an action is invalid if the game's reply is a refusal; helper commands are those that ask.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from adapters.jericho.commands import Command, read_command
from adapters.jericho.engine import Engine, GameReply
from adapters.jericho.frames import load_frame
from adapters.jericho.milestones import MilestoneTracker
from adapters.jericho.replies import extract_opening, find_refusal, is_end, strip_status_line
from bench.errors import DataError, EnvError
from bench.types import Observation, Opening

__all__ = ["GOAL_LEAD", "JerichoEnvironment", "Measure", "Milestones", "NativeScore", "Play"]

GOAL_LEAD = "Your goal:"
_NOTHING_TYPED = "Nothing was typed."
_WITHHELD = "That command is not possible here."
_SILENCE = "The game says nothing."
_FAULT = "The game cannot carry out that command."


class Measure(Protocol):
    """Measures the progress of an episode from the game's replies."""

    def update(self, reply: GameReply, text: str) -> float:
        """Take in one reply (``text``: its cleaned text) and return the progress, in 0..1."""


class Milestones:
    """The share of the milestones that have been reached."""

    def __init__(self, texts: tuple[str, ...]):
        self._tracker = MilestoneTracker(texts)

    def update(self, reply: GameReply, text: str) -> float:
        return self._tracker.update(text)


class NativeScore:
    """The game's own score as a share of its maximum. Raises: DataError for a game without a score."""

    def __init__(self, game: str, max_score: int):
        self._game, self._max = game, max_score

    def update(self, reply: GameReply, text: str) -> float:
        most = reply.max_score or self._max
        if reply.score is None or most <= 0:
            raise DataError(f"jericho {self._game}: expected a score and its maximum, got none; use measure=milestones")
        return min(1.0, max(0.0, reply.score / most))


@dataclass(frozen=True, slots=True)
class Play:
    """A game to play: the story file, the goal text and the seed of the game's random numbers."""

    game: str
    story: Path
    goal: str
    seed: int = 1
    asks_score: bool = False
    """Read the score of a game that the engine does not know off its reply to SCORE."""


class JerichoEnvironment:
    """An ``Environment`` for one task; it is reset once and closed once."""

    def __init__(self, play: Play, measure: Measure, engine: Engine):
        self._play, self._measure, self._engine = play, measure, engine
        self._best = 0.0
        self._open = False

    def reset(self) -> Opening:
        """Load the game and return the goal with its first text."""
        reply = self._engine.start(self._play.story, self._play.seed, asks_score=self._play.asks_score)
        text = extract_opening(reply.text)
        self._best, self._open = self._measure.update(reply, text), True
        return Opening(f"{GOAL_LEAD} {self._play.goal}\n{text}", load_frame())

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
        reply = self._engine.step(command.text)
        text = strip_status_line(reply.text)
        if reply.halted and not text:
            return self._refuse(command, _FAULT, "engine-fault")
        self._best = max(self._best, self._measure.update(reply, text))
        reason = find_refusal(text)
        won = self._best == 1.0
        done = won or reply.over or reply.won or reply.halted or is_end(text)
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
