"""Who looks through the workspace: a model, a random walk, or a rule that greps the rarest words.

All of them see what a session shows and reply with commands. The walk and the rule make no call and are there to
compare with.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from baselines.horma.navigation import NavigationLimits, NavigationSession
from baselines.horma.refusals import RefusalKind
from baselines.horma.skills import read_skills, render_skills
from baselines.horma.trained import TrainedModel, check_trained
from baselines.shared.extractive import SMALL_WORDS
from bench.errors import unknown_name
from bench.protocols import Kit, Model
from bench.types import Message

__all__ = [
    "MOST_UNREADABLE",
    "NAVIGATORS",
    "GrepNavigator",
    "Navigator",
    "PromptedNavigator",
    "RandomNavigator",
    "build_instructions",
    "build_system",
    "choose_navigator",
    "find_now",
    "find_trained",
    "list_hits",
    "play",
]

_PROMPT = (Path(__file__).parent / "navigate.txt").read_text(encoding="utf-8").strip()
_REPLY_TOKENS, _REPLY_CHARS = 400, 1000
MOST_UNREADABLE = 2
"""Replies in a row without a command that can be read, after which a search is given up."""
_TRAIL_CHARS = 120
_WORD = re.compile(r"[^\W_]+")
_QUESTION = re.compile(r"# (?:Question|Task)\n(?P<text>.*?)(?: \(asked on [^\n]{1,60}\))?\n\n# Workspace\n", re.DOTALL)
_HEADING = re.compile(r"^# .*$", re.MULTILINE)
_HIT = re.compile(r"^(?P<address>\S*\d\S*?): (?!\d+ entr)(?P<text>.+)$", re.MULTILINE)
_CITED = re.compile(r" \[([^\[\]]+)\]$")
_NOW = re.compile(r"^# Current observation, (?P<ref>\S+)$", re.MULTILINE)
_FOUND = re.compile(r"^grep (?P<word>\S+)[^\n]*: (?P<lines>\d+) lines?$", re.MULTILINE)
_ENTRY = re.compile(r"^(?P<name>[\w.-]+/?) \(", re.MULTILINE)
_GREPPED, _SELECTED = 5, 10


class Navigator(Protocol):
    """One search of one navigator."""

    def reply(self, observation: str) -> str:
        """Return the next commands; the first observation is the session's opening."""


def build_system(turns: int, skills: tuple[str, ...] = ()) -> str:
    """Return the instructions of a model that has so many replies, and these skills."""
    limits = NavigationLimits()
    most = {"cat_words": limits.cat_tokens, "grep_words": limits.grep_tokens}
    told = {"turns": turns, "commands": limits.commands} | {name: tokens * 3 // 4 for name, tokens in most.items()}
    prompt = re.sub(r"\{(\w+)\}", lambda name: str(told[name[1]]), _PROMPT)
    return "\n\n".join(filter(None, (prompt, render_skills(skills))))


def play(session: NavigationSession, navigator: Navigator) -> tuple[str, ...]:
    """Play a session to its end, and return its replies in short. Raises: what the navigator raises."""
    observation, trail, unreadable = session.opening(), list[str](), 0
    while unreadable < MOST_UNREADABLE:
        reply = navigator.reply(observation)
        result = session.step(reply)
        trail.append(_shorten(reply))
        if result.done:
            break
        unreadable = unreadable + 1 if result.refused == RefusalKind.GRAMMAR else 0
        observation = result.observation
    return tuple(trail)


def find_now(opening: str) -> str:
    """Return the ref of the current observation that an opening shows; empty for a question."""
    found = _NOW.search(opening)
    return found["ref"] if found else ""


def list_hits(observation: str, now: str = "") -> dict[str, str]:
    """Return the lines that were shown, by address, but those that are or rest on the turn ``now`` alone."""
    hits = {found["address"]: found["text"] for found in _HIT.finditer(observation)}
    cited = {address: found[1] for address, text in hits.items() if (found := _CITED.search(text))}
    return {address: text for address, text in hits.items() if not now or now not in (address, cited.get(address))}


def build_instructions(kit: Kit) -> str:
    """Return the instructions of a trial: its replies, and the skills of its artifact."""
    return build_system(kit.params.integer("turns"), read_skills(kit.artifact, "navigate"))


class PromptedNavigator:
    """A model that is asked, role ``navigate``: that of the run, or one of its own."""

    def __init__(self, kit: Kit, _seed: str = "", model: Model | None = None):
        self._model = model or kit.model
        self._messages = [Message("system", build_instructions(kit))]

    def reply(self, observation: str) -> str:
        """Return what the model replies. Raises: ModelError."""
        self._messages.append(Message("user", observation))
        reply = self._model.chat(tuple(self._messages), role="navigate", max_tokens=_REPLY_TOKENS).text
        self._messages.append(Message("assistant", reply[:_REPLY_CHARS]))
        return reply


class GrepNavigator:
    """Greps the question's content words, names and long ones first, and selects the lines that hold most of them.

    A word counts the more, the fewer lines hold it.
    """

    def __init__(self, _kit: Kit | None = None, _seed: str = ""):
        self._words: list[str] = []
        self._now = ""

    def reply(self, observation: str) -> str:
        """Return the greps, then the selection and the end of the search."""
        if not self._words:
            self._words, self._now = _list_words(observation)[:_GREPPED], find_now(observation)
            return "\n".join(f"grep {word}" for word in self._words) or "done"
        lines = {found["word"]: int(found["lines"]) for found in _FOUND.finditer(observation)}
        points: dict[str, float] = {}
        for address, text in list_hits(observation, self._now).items():
            held = [word for word in self._words if lines.get(word) and word.lower() in text.lower()]
            points[address] = sum(1 / lines[word] for word in held)
        best = sorted(points, key=lambda address: -points[address])[:_SELECTED]  # of equals, what was shown first
        return f"select {', '.join(best)}\ndone" if best else "done"


class RandomNavigator:
    """Walks about by chance: lists, reads, greps words of the question, selects what it was shown, or stops."""

    def __init__(self, _kit: Kit | None = None, seed: str = ""):
        self._rng = random.Random(seed)
        self._words: list[str] = []
        self._seen: list[str] = []

    def reply(self, observation: str) -> str:
        """Return one command."""
        self._words = self._words or _list_words(observation) or ["the"]
        self._seen += list_hits(observation)
        self._seen += [found["name"] for found in _ENTRY.finditer(observation)]
        seen = self._rng.choice(self._seen) if self._seen else "entities"
        grep = f"grep {self._rng.choice(self._words)}"
        return self._rng.choice((grep, grep, f"cat {seen}", f"ls {seen}", f"select {seen}", f"select {seen}", "done"))


NAVIGATORS: dict[str, Callable[[Kit, str], Navigator]] = {
    "prompted": PromptedNavigator,
    "random": RandomNavigator,
    "grep": GrepNavigator,
}
"""By the name that the parameter ``navigator`` has for them; each is built for one search, with a seed of its own."""


def find_trained(name: str) -> Mapping[str, Path]:
    """Return the folder that the parameter ``navigator`` names, none for the name of a navigator without weights.

    Raises: UsageError if there is no such folder, or it cannot be used.
    """
    if name in NAVIGATORS:
        return {}
    if "/" not in name and not Path(name).exists():
        raise unknown_name("navigator", "the name of a navigator, or the folder of a trained one", name, NAVIGATORS)
    check_trained(Path(name))
    return {"navigator": Path(name)}


def choose_navigator(name: str) -> Callable[[Kit, str], Navigator]:
    """Return what builds a navigator. Raises: UsageError, as ``find_trained``."""
    if not find_trained(name):
        return NAVIGATORS[name]
    model = TrainedModel(Path(name))
    return lambda kit, seed: PromptedNavigator(kit, seed, kit.meter(model))


def _list_words(opening: str) -> list[str]:
    """Return the content words of the question, each once: names and numbers first, then the longest."""
    found = _QUESTION.search(opening)
    ranks: dict[str, tuple[bool, int, int]] = {}
    text = _HEADING.sub("", found["text"]) if found else ""
    for at, match in enumerate(_WORD.finditer(text)):
        word = match[0]
        if word.lower() not in SMALL_WORDS and (len(word) > 1 or word.isdigit()):
            is_name = word[0].isdigit() or (word[0].isupper() and at > 0)
            ranks.setdefault(word, (not is_name, -len(word), at))
    return sorted(ranks, key=ranks.__getitem__)


def _shorten(reply: str) -> str:
    text = " ".join(reply.split())
    return text if len(text) <= _TRAIL_CHARS else f"{text[:_TRAIL_CHARS]}..."
