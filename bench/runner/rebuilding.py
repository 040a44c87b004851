"""The memory of a recorded trial as it was at its end: the trial is played again from its calls, without a model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bench.config import RUN_FILE, read_config
from bench.errors import UsageError
from bench.models.cache.store import MissingReplyError
from bench.protocols import Agent, Kit, Memory
from bench.runner.artifacts import read_artifact
from bench.runner.build import RunContext
from bench.runner.evaluating import list_folders
from bench.runner.resolve import resolve_run
from bench.runner.simulate import Job, simulate
from bench.store.read import read_attempt
from bench.types import Call, Trial, TrialKey

__all__ = ["rebuild_memory"]


class _NoRecorder:
    """Where no call goes: every one is recorded already."""

    def commit_call(self, key: TrialKey, call: Call) -> None:
        raise MissingReplyError(
            f"{key.strategy} on {key.task}: expected recorded calls alone, got one more ({call.role})"
        )

    def supersede(self, key: TrialKey) -> None:
        pass


def rebuild_memory(folder: Path, trial: Trial, root: Path | None = None) -> Memory:
    """Return the memory of a trial of a run. ``root``: folder of the benchmark data; None = the user's data root.

    Raises: UsageError if the recorded calls do not lead there: the strategy or the data have changed since, or the run
    is a stream, whose artifacts are those of its last block.
    """
    config = read_config(folder / RUN_FILE)
    if config.stream:
        raise _refuse(trial, "a stream, which keeps the artifacts of its last block only")
    context = RunContext(resolve_run(config, root), replays=True)
    try:
        context.use(tuple(map(read_artifact, list_folders(config, folder))))
        agents = list[Agent]()
        # Verdicts change no memory: they are left out.
        parts = replace(context.build_parts(trial.key), judge=None, judge_cached=None)

        def build(kit: Kit) -> Agent:
            agents.append(strategy.build(kit))
            return agents[0]

        strategy = parts.strategy
        parts = replace(parts, strategy=replace(strategy, build=build))
        task = context.suites[trial.key.suite].tasks.get(trial.key.task)
        if task is None:
            raise _refuse(trial, "data without this task")
        key = trial.key
        previous = read_attempt(folder, replace(key, attempt=key.attempt - 1)) if key.attempt > 1 else None
        replayed = simulate(Job(key, task, trial.calls, previous if strategy.reflect else None), parts, _NoRecorder())
    except MissingReplyError as missing:
        raise _refuse(trial, "a call that is not recorded") from missing
    finally:
        context.close()
    if not agents or replayed.error != trial.error:
        raise _refuse(trial, replayed.error or "another end of the trial")
    return agents[0].memory


def _refuse(trial: Trial, got: str) -> UsageError:
    return UsageError(
        f"show: expected the recorded calls of {trial.key.strategy} on {trial.key.task} to lead to its memory, got "
        f"{got}; use the version, the data and the artifacts that the run was made with"
    )
