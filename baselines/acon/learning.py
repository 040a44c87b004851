"""How ACON's guidelines are learned: what compressed memories lacked in failed attempts, and guidelines that keep it.

Calls of role guideline: one for each failure that is compared with a success of its task, and two for each batch of
them, one a guideline. Knows no suite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from baselines.acon.memory import read_guideline
from baselines.shared.summarizer import Summarizer
from baselines.shared.trajectory import is_won, render_trajectory
from bench.protocols import Kit
from bench.types import Artifact, Message, Trial

__all__ = ["Contrast", "find_contrasts", "learn", "list_lost"]

_ANALYSE, _REWRITE = (
    Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8").strip() for name in ("analyse", "rewrite")
)
_KINDS = {"history": "the history of a task", "observation": "one long text that a world answered"}
_ROLE, _LOG = "guideline", "log/analyses.txt"
_ANALYSIS_TOKENS, _GUIDELINE_TOKENS = 120, 200


@dataclass(frozen=True, slots=True)
class Contrast:
    """A failed attempt with a compressed context, and a success at the same task."""

    won: Trial
    lost: Trial

    def render(self) -> str:
        """Return it as a prompt shows it."""
        missing = "\n".join(" ".join(text.split()) for text in list_lost(self.lost))
        sections = {
            "Task": self.won.opening,
            "Attempt that succeeded": render_trajectory(self.won),
            "Attempt that failed": render_trajectory(self.lost),
            "Its memory at the end": self.lost.steps[-1].decision.context.text or "(nothing)",
            "What it no longer held": missing,
        }
        return "\n\n".join(f"# {heading}\n{text}" for heading, text in sections.items())


def list_lost(trial: Trial) -> list[str]:
    """Return the observations of an attempt that its last prompt did not hold word for word, each once, in order."""
    if not trial.steps:
        return []
    last = trial.steps[-1]
    seen = [trial.steps[0].stimulus.text, *(step.observation.text for step in trial.steps[:-1])]
    shown = f"{last.decision.context.text}\n{last.stimulus.text}"
    return [text for text in dict.fromkeys(seen) if text.strip() and text not in shown]


def find_contrasts(trials: Sequence[Trial]) -> list[Contrast]:
    """Return each failure that had lost something with the success of its task that had lost least, in task order."""
    ordered = sorted(trials, key=lambda trial: (trial.key.task, trial.key.seed, trial.key.attempt))
    best: dict[str, Trial] = {}
    for trial in filter(is_won, ordered):
        known = best.get(trial.key.task)
        if known is None or _rank(trial) < _rank(known):
            best[trial.key.task] = trial
    failed = (trial for trial in ordered if not is_won(trial) and trial.key.task in best and list_lost(trial))
    return [Contrast(best[trial.key.task], trial) for trial in failed]


def _rank(trial: Trial) -> tuple[int, int]:
    return len(list_lost(trial)), len(trial.steps)


def learn(trials: Sequence[Trial], kit: Kit) -> Artifact:
    """Return both guidelines with the analyses that they were written from; nothing without a contrast."""
    contrasts = find_contrasts(trials)
    if not contrasts:
        return Artifact()
    analyst = Summarizer(kit, _ROLE, _ANALYSIS_TOKENS)
    found = [_analyse(one, analyst) for one in contrasts]
    batch = kit.params.integer("batch")
    files = {_LOG: "".join(f"{text}\n" for text in found)}
    for kind in _KINDS:
        guideline = read_guideline(kind, {})
        for start in range(0, len(found), batch):
            guideline = _rewrite(kind, guideline, found[start : start + batch], kit) or guideline
        files[f"{kind}_guideline.txt"] = f"{guideline}\n"
    tasks = tuple(sorted({one.won.key.task for one in contrasts}))
    return Artifact(files, dict.fromkeys(files, tasks))


def _analyse(contrast: Contrast, analyst: Summarizer) -> str:
    return " ".join(analyst.ask((Message("system", _ANALYSE), Message("user", contrast.render()))).split())


def _rewrite(kind: str, guideline: str, analyses: Sequence[str], kit: Kit) -> str:
    """Return the guideline as the model writes it again; empty where it writes nothing."""
    system = _REWRITE.replace("{what}", _KINDS[kind]).replace("{limit}", str(_GUIDELINE_TOKENS))
    listed = "\n".join(f"- {text}" for text in analyses if text)
    request = f"# Guideline so far\n{guideline}\n\n# What was missing\n{listed or '(nothing)'}"
    writer = Summarizer(kit, _ROLE, _GUIDELINE_TOKENS)
    return writer.ask((Message("system", system), Message("user", request))).strip()
