"""The toy walk: what a new model imitates before it is trained, so that it begins with the grammar of the commands."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from baselines.horma.navigators import Navigator
from baselines.horma.train.environment import NavEnv, NavQuestion, Outcome
from baselines.horma.train.toy import KINDS

__all__ = ["Search", "ToyWalk", "search"]

_QUESTION = re.compile(r"# Question\n(.*)")
_FILED = re.compile(r"^now/ (.*)$", re.MULTILINE)
_VERBS, _WEIGHTS = ("cat", "grep", "select", "done"), (2, 1, 4, 2)


class ToyWalk:
    """Writes valid commands at random: it knows no answer, nor when to stop.

    Half the time a command is about the thing that the question names, if that is filed, else about any; half the time
    about the folder that the question names. That a question has to do with what its words name is all it knows.
    """

    def __init__(self, seed: str):
        self._chance = random.Random(seed)
        self._opening = ""

    def reply(self, observation: str) -> str:
        """Return one command; the first observation is the session's opening."""
        self._opening = self._opening or observation
        words, things = _read_opening(self._opening)
        verb = self._chance.choices(_VERBS, _WEIGHTS)[0]
        if verb == "done":
            return verb
        thing = self._choose([one for one in things if one in words], things)
        if verb == "grep":
            return f"grep {thing}"
        return f"{verb} {self._choose([one for one in KINDS if one in words], list(KINDS))}/{thing}"

    def _choose(self, named: list[str], every: list[str]) -> str:
        return named[0] if named and self._chance.random() < 0.5 else self._chance.choice(every)


@dataclass(frozen=True, slots=True)
class Search:
    """The texts of one search in turn: opening, reply, observation, reply, ... and what it came to."""

    texts: tuple[str, ...]
    outcome: Outcome


def search(question: NavQuestion, navigator: Navigator) -> Search:
    """Let a navigator without weights search for one question."""
    env = NavEnv()
    texts, done = [env.reset(question)], False
    while not done:
        reply = navigator.reply(texts[-1])
        observation, done = env.step(reply)
        texts += [reply, observation]
    return Search(tuple(texts), env.outcome())


def _read_opening(opening: str) -> tuple[list[str], list[str]]:
    """Return the words of the question, and the things that are filed."""
    question, listing = _QUESTION.search(opening), _FILED.search(opening)
    assert question is not None
    assert listing is not None
    return re.findall(r"[a-z]+", question[1].lower()), re.findall(r"([a-z]+) \(", listing[1])
