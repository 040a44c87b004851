"""AWM: workflows that solved training tasks have in common, with placeholders, stand in every prompt.

Source: Agent Workflow Memory (arXiv 2409.07429), the offline mode; its code is written for web pages. Knows no suite;
needs a learning stage.

Paper step -> function:

* induce workflows from solved tasks (LM-based) -> ``learn``, ``_induce``
* add them to the agent's memory, all of them -> ``_build_memory``

Differences from the paper:

* The prompt is our own, without examples of workflows of a website.
* The paper induces once for each website. No task type is known here, so ``batch`` solved tasks, in the order of their
  names, make one call. Workflows with the same steps are kept once.
* A reply that cannot be read is asked for once more; then the actions of each task stand in for its workflow, counted
  in ``log/learning.txt``.
* Only the offline mode: nothing is learned in evaluation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from baselines.shared.artifacts import join_artifacts, list_files, name_file, read_sections, write_sections
from baselines.shared.experience import ExperienceMemory, choose_trials
from baselines.shared.json_calls import JsonCalls
from baselines.shared.lists import number_lines
from baselines.shared.task_text import find_task
from baselines.shared.trajectory import render_attempt
from bench.agents import default_agent
from bench.protocols import Kit, Param, Strategy
from bench.replies import JsonNode, strip_label
from bench.types import Artifact, Role, Shape, Trial

__all__ = ["STRATEGY", "Workflow", "learn"]

_PROMPT = Path(__file__).with_name("induce.txt").read_text(encoding="utf-8").strip()
_FOLDER, _SECTIONS = "workflows/", ("Workflow", "Steps")
_MOST_STEPS, _LONGEST = 30, 200
"""Steps of a workflow that are kept, and characters of one."""


@dataclass(frozen=True, slots=True)
class Workflow:
    """A routine with placeholders."""

    title: str
    steps: tuple[str, ...]

    def write(self) -> str:
        """Return it as the text of its file."""
        return write_sections(_SECTIONS, (self.title, "".join(f"{step}\n" for step in self.steps)))

    def render(self) -> str:
        """Return it as a prompt shows it."""
        return f"Workflow: {self.title}\n{number_lines(self.steps)}"


def learn(trials: Sequence[Trial], kit: Kit) -> Artifact:
    """Return a file for each workflow, and a log; of each task the shortest solved trial counts. Raises: ModelError."""
    solved = choose_trials(trials, failures=False)
    calls, size = JsonCalls(kit), kit.params.integer("batch")
    calls.counts["solved tasks"] = len(solved)
    sources: dict[Workflow, set[str]] = {}
    for start in range(0, len(solved), size):
        batch = solved[start : start + size]
        found = calls.ask(Role.DISTILL, _PROMPT, "\n\n".join(map(_render, batch)), _read_workflows)
        calls.counts["batches left as they were"] += found is None
        for workflow, tasks in _name_sources(found, batch):
            same = next((one for one in sources if one.steps == workflow.steps), workflow)
            sources.setdefault(same, set()).update(tasks)
    names = {one: name_file(_FOLDER, number) for number, one in enumerate(sources, start=1)}
    files = {name: one.write() for one, name in names.items()}
    learned = Artifact(files, {name: tuple(sorted(sources[one])) for one, name in names.items()})
    return join_artifacts([learned, calls.write_log()])


def _render(trial: Trial) -> str:
    return f"# Solved task\n{find_task(trial.opening)}\n{render_attempt(trial)}"


def _name_sources(found: Sequence[Workflow] | None, batch: Sequence[Trial]) -> list[tuple[Workflow, list[str]]]:
    """Return each workflow with the tasks it comes from; without any, the actions of each task."""
    if found is not None:
        return [(workflow, [trial.key.task for trial in batch]) for workflow in found]
    return [
        (Workflow(find_task(trial.opening), tuple(step.decision.text for step in trial.steps)), [trial.key.task])
        for trial in batch
    ]


def _read_workflows(reply: JsonNode) -> tuple[Workflow, ...]:
    node = reply["workflows"] if isinstance(reply.value, dict) and "workflows" in reply else reply
    entries = node.entries() if isinstance(node.value, list) else (node,)
    found = [
        Workflow(strip_label(entry["title"].text(), "Title", "Workflow")[:_LONGEST], _read_steps(entry["steps"]))
        for entry in entries
    ]
    if not found:
        raise node.error("at least one workflow")
    return tuple(found)


def _read_steps(node: JsonNode) -> tuple[str, ...]:
    texts = (strip_label(text, "Step") for text in node.each(JsonNode.text)[0])
    steps = [text[:_LONGEST] for text in texts if text]
    if not steps:
        raise node.error("at least one step")
    return tuple(steps[:_MOST_STEPS])


def _read_artifact(artifact: Artifact) -> list[Workflow]:
    found = (read_sections(_SECTIONS, text) for text in list_files(artifact, _FOLDER).values())
    return [Workflow(title, tuple(steps.splitlines())) for title, steps in found]


def _build_memory(kit: Kit) -> ExperienceMemory:
    workflows = _read_artifact(kit.artifact)[: kit.params.integer("most") or None]
    return ExperienceMemory(kit, lambda _opening: workflows)


STRATEGY = Strategy(
    name="awm-v2",
    build=default_agent(_build_memory),
    keeps_budget=False,
    learn=learn,
    serves=frozenset({Shape.EPISODE}),
    params=(
        Param("batch", 8, "how many solved tasks one call sees", minimum=1),
        Param("most", 0, "how many workflows are shown; 0 = all that fit", minimum=0),
    ),
    source="AWM (arXiv 2409.07429), offline mode; own prompt; learned on a training side, then frozen",
)
"""The strategy."""
