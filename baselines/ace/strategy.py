"""ACE: a playbook of single bullets with counters, changed a little after each training attempt and never rewritten.

Source: Agentic Context Engineering (arXiv 2510.04618, sec. 3). Its code has no licence and was not used. Knows no
suite; needs a learning stage, or a stream.

Paper step -> function:

* the generator acts with the playbook in its prompt -> ``baselines.shared.experience.ExperienceMemory``
* the reflector draws lessons from an attempt and tags bullets as helpful or harmful -> ``calls.reflect``
* the curator writes a delta, which is merged without a model -> ``calls.curate``, ``Playbook.apply``
* grow and refine: bullets that an embedder finds alike become one -> ``Playbook.apply``
* several epochs over the training tasks -> ``learn``, parameter ``epochs`` (the paper: up to 5)

Differences from the paper:

* Prompts, names of sections and limits are our own: at most four operations of a delta, ``cap`` bullets.
* Attempts are recorded by another agent, or by this one in a stream. It does not say which bullets it used, and the
  reflector judges them by what was done. Its prompt shows texts alone, the best supported of a section first.
* One pass of the reflector, without rounds of refinement, since an attempt cannot be played again while learning.
  Whether it solved its task is what the world said; no reference answer is shown.
* A curator may also rewrite and remove a bullet. Where the reflector has no lesson it is not asked.
* A reply that cannot be read is asked for once more; then its text, or each lesson as it stands, becomes a bullet.
* Doubles are looked for after each delta (proactive refinement). Two bullets become one by rule: the text that more
  speaks for, the sums of the counts. The threshold is our own.
* What comes from the task at hand, or from twins of it alone, is not shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from baselines.ace.calls import curate, reflect
from baselines.ace.playbook import SECTIONS, Playbook, read_playbook
from baselines.shared.artifacts import join_artifacts
from baselines.shared.experience import ExperienceMemory, choose_trials
from baselines.shared.json_calls import JsonCalls
from baselines.shared.trajectory import is_won
from bench.agents import default_agent
from bench.protocols import Kit, Param, Strategy
from bench.types import Artifact, Shape, Trial

__all__ = ["STRATEGY", "learn"]

_LOG = "log/deltas.jsonl"


def learn(trials: Sequence[Trial], kit: Kit) -> Artifact:
    """Return the playbook after the last attempt, a log of its deltas, and counts. Raises: ModelError.

    Calls: one of role reflect for each attempt and epoch, and one of role update where that found lessons.
    """
    playbook = Playbook(kit.embedder, kit.params.integer("cap"), kit.params.number("similar"))
    calls, log = JsonCalls(kit), list[str]()
    for _ in range(kit.params.integer("epochs")):
        for trial in choose_trials(trials, failures=True):
            if trial.steps:
                log.append(f"{_learn_one(kit, calls, playbook, trial)}\n")
    calls.counts.update({f"rejected: {reason}": n for reason, n in playbook.rejected.items()})
    return join_artifacts([playbook.write(), Artifact({_LOG: "".join(log)}), calls.write_log()])


def _learn_one(kit: Kit, calls: JsonCalls, playbook: Playbook, trial: Trial) -> str:
    """Change the playbook by one attempt; return the line of the log."""
    calls.counts["attempts"] += 1
    found = reflect(kit, calls, playbook, trial)
    playbook.count(found.tags)
    operations = curate(calls, playbook, trial, found) if found.lessons else ()
    playbook.apply(operations, trial.key.task)
    entry = {
        "task": trial.key.task,
        "won": is_won(trial),
        **asdict(found),
        "operations": [asdict(one) for one in operations],
        "bullets": len(playbook.bullets),
    }
    return json.dumps(entry, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class _Section:
    """A section of the playbook as an acting prompt shows it."""

    name: str
    texts: tuple[str, ...]

    def render(self) -> str:
        """Return it below its name."""
        return "\n".join([f"Playbook, {self.name}:", *(f"- {text}" for text in self.texts)])


def _list_sections(artifact: Artifact) -> Iterator[_Section]:
    """Yield the sections that hold a bullet, the best supported bullet of each first."""
    bullets = sorted(read_playbook(artifact), key=lambda one: -one.support)
    for section in SECTIONS:
        if texts := tuple(one.text for one in bullets if one.section == section):
            yield _Section(section, texts)


def _build_memory(kit: Kit) -> ExperienceMemory:
    sections = tuple(_list_sections(kit.artifact))
    return ExperienceMemory(kit, lambda _opening: sections)


STRATEGY = Strategy(
    name="ace-v1",
    build=default_agent(_build_memory),
    keeps_budget=False,
    learn=learn,
    serves=frozenset({Shape.EPISODE}),
    params=(
        Param("cap", 60, "most bullets of the playbook", minimum=1),
        Param("similar", 0.95, "cosine from which on two bullets become one", minimum=0, maximum=1),
        Param("epochs", 1, "how often the attempts are gone through", minimum=1),
    ),
    source="ACE (arXiv 2510.04618), without reference answers; recorded attempts; own prompts",
)
"""The strategy."""
