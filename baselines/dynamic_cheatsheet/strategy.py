"""Dynamic Cheatsheet: one text of advice, which the model writes anew after each training attempt.

Source: Dynamic Cheatsheet (arXiv 2504.07952), the cumulative variant (DC-Cu). Knows no suite; needs a learning stage.

Paper step -> function:

* the curator writes the whole cheatsheet anew after each query and answer -> ``update``; ``learn`` for all attempts
* the generator sees the cheatsheet -> ``baselines.shared.experience.ExperienceMemory``

Differences from the paper:

* Learned from a training side and frozen, not a stream of test queries.
* The prompt is our own; the cheatsheet has a length, the parameter ``tokens``.
* The curator is told whether the attempt solved its task, as the world said; in the paper it judges that itself.
* An empty reply leaves the cheatsheet as it was.

A cheatsheet is one text from all training tasks: what comes from a twin of the task at hand cannot be left out.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from baselines.shared.experience import ExperienceMemory, choose_trials
from baselines.shared.summarizer import Summarizer, tell_limit
from baselines.shared.trajectory import is_won, render_case
from bench.agents import default_agent
from bench.protocols import Kit, Param, Strategy
from bench.types import Artifact, Message, Role, Shape, Trial

__all__ = ["STRATEGY"]

_PROMPT = Path(__file__).with_name("curate.txt").read_text(encoding="utf-8").strip()
_SHEET, _LOG = "cheatsheet.txt", "curate.jsonl"
_EMPTY = "(empty)"
"""A cheatsheet without a line, as prompt and reply write it: a reply without a text is a fault of the model."""


def learn(trials: Sequence[Trial], kit: Kit) -> Artifact:
    """Return the cheatsheet after the last attempt, in the order of tasks, and a log."""
    artifact = Artifact({_LOG: ""})
    for trial in choose_trials(trials, failures=True):
        artifact = update(trial, replace(kit, artifact=artifact))
    return artifact


def update(trial: Trial, kit: Kit) -> Artifact:
    """Return the cheatsheet and its log after one more attempt: one call of role distill, none without a step."""
    if not trial.steps:
        return kit.artifact
    files, sources = kit.artifact.files, kit.artifact.sources
    sheet, log = files.get(_SHEET, "").removesuffix("\n"), files.get(_LOG, "")
    writer = Summarizer(kit, Role.DISTILL, kit.params.integer("tokens"))
    system = Message("system", tell_limit(_PROMPT, writer.limit_tokens))
    written = writer.ask((system, Message("user", _show(sheet, trial))))
    sheet = "" if written == _EMPTY else written or sheet
    log += json.dumps({"task": trial.key.task, "won": is_won(trial), "written": bool(written)}) + "\n"
    made = {_LOG: log, **({_SHEET: f"{sheet}\n"} if sheet else {})}
    return Artifact(made, dict.fromkeys(made, tuple(sorted({*sources.get(_LOG, ()), trial.key.task}))))


def _show(sheet: str, trial: Trial) -> str:
    return f"# Cheatsheet so far\n{sheet or _EMPTY}\n\n{render_case(trial)}"


@dataclass(frozen=True, slots=True)
class _Cheatsheet:
    """The text as a prompt shows it."""

    text: str

    def render(self) -> str:
        """Return it under its name."""
        return f"Cheatsheet:\n{self.text}"


def _build_memory(kit: Kit) -> ExperienceMemory:
    text = kit.artifact.files.get(_SHEET, "").strip()
    return ExperienceMemory(kit, lambda _opening: (_Cheatsheet(text),) if text else ())


STRATEGY = Strategy(
    name="dynamic-cheatsheet-v2",
    build=default_agent(_build_memory),
    keeps_budget=False,
    learn=learn,
    update=update,
    serves=frozenset({Shape.EPISODE}),
    params=(Param("tokens", 1000, "most tokens of the cheatsheet", minimum=1),),
    source="Dynamic Cheatsheet (arXiv 2504.07952), cumulative; learned on a training side, then frozen; own prompt",
)
"""The strategy."""
