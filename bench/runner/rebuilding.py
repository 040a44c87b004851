"""The memory of a recorded trial as it was at its end: the trial is played again from its calls, without a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench.config import RUN_FILE, read_config
from bench.errors import UsageError
from bench.models.cache.store import MissingReplyError
from bench.models.ledger.meter import reserve_nothing
from bench.protocols import Agent, Kit, Memory
from bench.runner.artifacts import read_artifact
from bench.runner.build import RunContext
from bench.runner.evaluating import list_folders
from bench.runner.resolve import resolve_run
from bench.runner.simulate import Job, simulate
from bench.store.read import read_attempt
from bench.types import Call, Trial, TrialKey

__all__ = ["rebuild_memories", "rebuild_memory"]


class _NoRecorder:
    """Where no call goes: every one is recorded already."""

    def commit_call(self, key: TrialKey, call: Call) -> None:
        raise MissingReplyError(
            f"{key.strategy} on {key.task}: expected recorded calls alone, got one more ({call.role})"
        )

    def supersede(self, key: TrialKey) -> None:
        pass

    reserve = staticmethod(reserve_nothing)


def rebuild_memory(folder: Path, trial: Trial, root: Path | None = None) -> Memory:
    """Return the memory of a trial of a run. See ``rebuild_memories``."""
    return rebuild_memories(folder, [trial], root)[0]


def rebuild_memories(folder: Path, trials: Sequence[Trial], root: Path | None = None) -> list[Memory]:
    """Return the memories of trials of a run, at least one, in their order; the run's objects are made once.

    ``root``: folder of the benchmark data; None = the user's data root.
    Raises: UsageError if the recorded calls do not lead there: the strategy or the data have changed since, or the run
    is a stream, whose artifacts are those of its last block.
    """
    config = read_config(folder / RUN_FILE)
    if config.stream:
        raise _refuse(trials[0], "a stream, which keeps the artifacts of its last block only")
    context = RunContext(resolve_run(config, root), replays=True)
    try:
        context.use(tuple(map(read_artifact, list_folders(config, folder))))
        return [_rebuild(context, folder, trial) for trial in trials]
    finally:
        context.close()


def _rebuild(context: RunContext, folder: Path, trial: Trial) -> Memory:
    agents, key = list[Agent](), trial.key
    parts = context.build_parts(key)
    strategy = parts.strategy

    def build(kit: Kit) -> Agent:
        agents.append(strategy.build(kit))
        return agents[0]

    # Verdicts change no memory: they are left out.
    parts = replace(parts, strategy=replace(strategy, build=build), judge=None, judge_cached=None)
    task = context.suites[key.suite].tasks.get(key.task)
    if task is None:
        raise _refuse(trial, "data without this task")
    reflects = strategy.reflect is not None and key.attempt > 1
    previous = read_attempt(folder, replace(key, attempt=key.attempt - 1)) if reflects else None
    try:
        replayed = simulate(Job(key, task, trial.calls, previous), parts, _NoRecorder())
    except MissingReplyError as missing:
        raise _refuse(trial, "a call that is not recorded") from missing
    if not agents or replayed.error != trial.error:
        raise _refuse(trial, replayed.error or "another end of the trial")
    return agents[0].memory


def _refuse(trial: Trial, got: str) -> UsageError:
    return UsageError(
        f"show: expected the recorded calls of {trial.key.strategy} on {trial.key.task} to lead to its memory, got "
        f"{got}; use the version, the data and the artifacts that the run was made with"
    )
