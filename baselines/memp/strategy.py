"""MemP: procedural memory, each solved task with its trajectory and a script of how such a task is done.

Source: MemP (arXiv 2508.06433). Knows no suite; needs a learning stage.

Paper step -> function:

* build: trajectory, script, or both ("proceduralization") -> ``learn``, ``_write_script``; parameter ``form``
* retrieve by the similarity of tasks -> ``_build_memory``
* update with correction after a failure -> ``_correct``; parameter ``correct``

Differences from the paper:

* Prompts are our own; the key of a search is the text that states the task (the key used on ALFWorld is not clear).
* What fails in the paper is an execution with the retrieved procedure. Here memory is frozen before evaluation, so a
  script is corrected once, in learning, by the last failed attempt at its own task.
* Only solved tasks are kept, of each the shortest trial. A script that cannot be read is asked for once more; then the
  trajectory stands alone, counted in ``log/learning.txt``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from baselines.shared.artifacts import join_artifacts, list_files, name_file, read_sections, write_sections
from baselines.shared.experience import ExperienceMemory, choose_trials
from baselines.shared.json_calls import JsonCalls
from baselines.shared.lists import number_lines
from baselines.shared.nearest import NearestTexts, write_vectors
from baselines.shared.task_text import find_task
from baselines.shared.trajectory import is_won, render_attempt, render_trajectory
from bench.agents import default_agent
from bench.protocols import Kit, Param, Strategy
from bench.replies import JsonNode, strip_label
from bench.types import Artifact, Role, Shape, Trial

__all__ = ["STRATEGY", "Procedure", "learn"]

_SCRIPT, _CORRECT = (
    Path(__file__).with_name(name).read_text(encoding="utf-8").strip() for name in ("script.txt", "correct.txt")
)
_FOLDER, _SECTIONS = "procedures/", ("Task", "Script", "Steps")
_MOST_STEPS, _LONGEST = 30, 300
"""Steps of a script that are kept, and characters of one."""


@dataclass(frozen=True, slots=True)
class Procedure:
    """A solved task; its script, its trajectory, or both."""

    task: str
    script: tuple[str, ...]
    steps: str

    def write(self) -> str:
        """Return it as the text of its file."""
        return write_sections(_SECTIONS, (self.task, "\n".join(self.script), self.steps))

    def render(self) -> str:
        """Return it as a prompt shows it."""
        parts = [f"Task (solved): {self.task}"]
        if self.script:
            parts += ["Script:", number_lines(self.script), *(["Its steps:"] if self.steps else [])]
        return "\n".join(filter(None, [*parts, self.steps]))


def learn(trials: Sequence[Trial], kit: Kit) -> Artifact:
    """Return a procedure for each solved task, vectors to find it by, and a log. Raises: ModelError."""
    form, calls = kit.params.text("form"), JsonCalls(kit)
    procedures: dict[str, Procedure] = {}
    sources: dict[str, tuple[str, ...]] = {}
    for number, trial in enumerate(choose_trials(trials, failures=False), start=1):
        name = name_file(_FOLDER, number)
        script = _write_script(trial, trials, calls, kit) if form != "trajectory" else ()
        steps = render_trajectory(trial) if form != "script" or not script else ""
        procedures[name], sources[name] = Procedure(find_task(trial.opening), script, steps), (trial.key.task,)
    vectors = write_vectors(kit.embedder, {name: one.task for name, one in procedures.items()}, sources)
    calls.counts["procedures"] = len(procedures)
    texts = Artifact({name: one.write() for name, one in procedures.items()}, sources)
    return join_artifacts([texts, vectors, calls.write_log()])


def _write_script(solved: Trial, trials: Sequence[Trial], calls: JsonCalls, kit: Kit) -> tuple[str, ...]:
    """Return the script of a solved task, corrected by its last failed attempt; empty if none can be made out."""
    request = f"# Task\n{find_task(solved.opening)}\n\n# Steps (solved)\n{render_attempt(solved)}"
    script = calls.ask(Role.DISTILL, _SCRIPT, request, _read_script) or ()
    failed = [one for one in trials if one.key.task == solved.key.task and not is_won(one) and one.steps]
    if not script or not failed or not kit.params.flag("correct"):
        return script
    return _correct(script, max(failed, key=lambda one: (one.key.seed, one.key.attempt)), calls)


def _correct(script: tuple[str, ...], failed: Trial, calls: JsonCalls) -> tuple[str, ...]:
    """Return a script as it is after a failed attempt; as it was where no reply can be read."""
    parts = (
        f"# Task\n{find_task(failed.opening)}",
        f"# Script\n{number_lines(script)}",
        f"# Steps (not solved)\n{render_attempt(failed)}",
    )
    return calls.ask(Role.UPDATE, _CORRECT, "\n\n".join(parts), _read_script) or script


def _read_script(reply: JsonNode) -> tuple[str, ...]:
    entries = (reply["script"] if isinstance(reply.value, dict) else reply).each(JsonNode.text)[0]
    if not (found := [text[:_LONGEST] for entry in entries if (text := strip_label(entry, "Step"))]):
        raise reply.error("at least one step")
    return tuple(found[:_MOST_STEPS])


def _read_artifact(artifact: Artifact) -> dict[str, Procedure]:
    procedures: dict[str, Procedure] = {}
    for name, text in list_files(artifact, _FOLDER).items():
        task, script, steps = read_sections(_SECTIONS, text)
        procedures[name] = Procedure(task, tuple(script.splitlines()), steps)
    return procedures


def _build_memory(kit: Kit) -> ExperienceMemory:
    procedures, k = _read_artifact(kit.artifact), kit.params.integer("k")
    nearest = NearestTexts(kit, {name: one.task for name, one in procedures.items()})
    return ExperienceMemory(kit, lambda opening: [procedures[name] for name in nearest.find(find_task(opening), k)])


STRATEGY = Strategy(
    name="memp-v2",
    build=default_agent(_build_memory),
    keeps_budget=False,
    learn=learn,
    serves=frozenset({Shape.EPISODE}),
    params=(
        Param("k", 2, "how many procedures are shown", minimum=1),
        Param("form", "both", "what a procedure holds", choices=("both", "trajectory", "script")),
        Param("correct", True, "a failed attempt at the same task corrects the script"),
    ),
    source="MemP (arXiv 2508.06433); own prompts; learned on a training side, then frozen",
)
"""The strategy."""
