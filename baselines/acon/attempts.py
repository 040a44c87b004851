"""What ACON's guidelines are learned from: attempts with a compressed memory, and what that memory had lost or kept.

Which of the two compressions took a sentence out is read off the memory: an observation whose step still stands there
was shortened, any other went into the history. Knows no suite.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from baselines.shared.experience import choose_trials
from baselines.shared.trajectory import is_won, render_attempt
from bench.agents import render_event
from bench.types import Event, EventKind, Trial

__all__ = ["KINDS", "Contrast", "Lost", "Success", "find_contrasts", "find_successes", "list_lost"]

KINDS = ("history", "observation")
"""The two compressions."""
_HELD = "…"
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True)
class Lost:
    """What a prompt did not hold word for word of an earlier observation."""

    step: int
    text: str
    """Its sentences; ``…`` stands for those that the prompt did hold, or that an earlier one has said."""
    kind: str
    """Which compression took them out."""


def list_lost(trial: Trial, step: int = -1) -> list[Lost]:
    """Return what the prompt of a step, the last by default, did not hold of earlier observations, in order.

    What the attempt was shown directly, as the observation to react to, is held.
    """
    if not trial.steps:
        return []
    now = trial.steps[step]
    seen = [(trial.steps[0].index - 1, trial.steps[0].stimulus.text)]
    seen += [(one.index, one.observation.text) for one in trial.steps[: step % len(trial.steps)]]
    memory = now.decision.context.text
    shown, said, found = _plain(f"{memory}\n{now.stimulus.text}"), set[str](), list[Lost]()
    for number, text in seen:
        sentences = list(filter(None, _SENTENCE_END.split(_plain(text))))
        missing = {one for one in sentences if one not in shown} - said
        if missing:
            parts = [key for key, _ in groupby(one if one in missing else _HELD for one in sentences)]
            is_there = render_event(Event("", EventKind.OBSERVATION, "", number)) in memory
            found.append(Lost(number, " ".join(parts), "observation" if is_there else "history"))
        said |= missing
    return found


def _plain(text: str) -> str:
    return " ".join(text.split())


def _render_sections(sections: Mapping[str, str]) -> str:
    return "\n\n".join(f"# {heading}\n{text or '(nothing)'}" for heading, text in sections.items())


def _render_view(trial: Trial, step: int) -> str:
    """Return the memory before an action, with the observation that the attempt reacted to."""
    one = trial.steps[step]
    now = Event("", EventKind.OBSERVATION, one.stimulus.text, one.index - 1) if one.stimulus.text else None
    return "\n".join(filter(None, (one.decision.context.text, render_event(now) if now else "")))


@dataclass(frozen=True, slots=True)
class Contrast:
    """A failed attempt with a compressed memory, and a success at the same task."""

    won: Trial
    lost: Trial

    @property
    def task(self) -> str:
        return self.won.key.task

    def render(self) -> str:
        """Return it as a prompt shows it."""
        missing = list_lost(self.lost)
        listed = {kind: "\n".join(f"[{one.step}] {one.text}" for one in missing if one.kind == kind) for kind in KINDS}
        compressed = "compressed as well" if list_lost(self.won) else "not compressed"
        return _render_sections(
            {
                "Task": self.won.opening,
                f"Attempt that succeeded (its memory was {compressed})": render_attempt(self.won),
                "Attempt that failed": render_attempt(self.lost),
                "What it saw before its last action": _render_view(self.lost, -1),
                "Not there word for word: taken out with the history": listed["history"],
                "Not there word for word: taken out of a long observation": listed["observation"],
            }
        )


@dataclass(frozen=True, slots=True)
class Success:
    """A success whose memory was compressed, and the step whose prompt was the first to lack something."""

    won: Trial
    step: int
    """Its place among the steps, from 0."""

    @property
    def task(self) -> str:
        return self.won.key.task

    def render(self) -> str:
        """Return it as a prompt shows it."""
        before = self.won.steps[self.step].index
        return _render_sections(
            {
                "Task": self.won.opening,
                "Attempt that succeeded": render_attempt(self.won),
                f"What it saw before action {before}, compressed for the first time": _render_view(self.won, self.step),
            }
        )


def find_contrasts(trials: Sequence[Trial]) -> list[Contrast]:
    """Return each failure that had lost something with the success of its task that had lost least, in task order."""
    ordered = choose_trials(trials, failures=True)
    best: dict[str, Trial] = {}
    for trial in filter(is_won, ordered):
        known = best.get(trial.key.task)
        if known is None or _rank(trial) < _rank(known):
            best[trial.key.task] = trial
    failed = (trial for trial in ordered if not is_won(trial) and trial.key.task in best and list_lost(trial))
    return [Contrast(best[trial.key.task], trial) for trial in failed]


def _rank(trial: Trial) -> tuple[int, int]:
    return len(list_lost(trial)), len(trial.steps)


def find_successes(trials: Sequence[Trial]) -> list[Success]:
    """Return each success that had lost something before its last action, in task order."""
    found = []
    for trial in filter(is_won, choose_trials(trials, failures=True)):
        if list_lost(trial):
            step = next(at for at in range(len(trial.steps)) if list_lost(trial, at))
            found.append(Success(trial, step))
    return found
