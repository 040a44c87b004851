"""Runs made through the store's own interface: as large, as hostile or as incomplete as a test needs them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.scoring.metrics import measure
from bench.store.database import Plan, Store
from bench.store.rows import PLANNED
from bench.types import (
    Call,
    Context,
    Decision,
    EndReason,
    Fingerprint,
    Item,
    Observation,
    Phase,
    Reading,
    Shape,
    Status,
    Step,
    Stimulus,
    Task,
    Trial,
    TrialKey,
    Usage,
    UsageSource,
)

__all__ = ["SCRIPT", "MadeRun", "make_run"]

SCRIPT = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"
"""What must be shown and never run."""
GROUPS = ("clean", "heat", "pick")


@dataclass(frozen=True)
class MadeRun:
    """What to make. ``reply`` stands in every text of a model or a world."""

    tasks: int = 6
    strategies: Sequence[str] = ("full-history", "no-memory", "window:k=5")
    steps: int = 5
    seeds: int = 1
    reply: str = ""
    task_name: str = "task"
    planned: int = 0
    """Of the last tasks, how many have not ended."""
    unscored: int = 0
    """Of the first tasks, how many ended with an error of the model."""


def make_run(folder: Path, made: MadeRun = MadeRun()) -> Path:
    """Write a run, or go on with one. Returns: its folder."""
    with Store(folder) as store:
        plans = list(_plan(made))
        store.plan(plans)
        open_keys = {row.key for row in store.trials() if row.status == PLANNED}
        for plan in plans:
            number = int(plan.task.id.rpartition("-")[2])
            if number < made.tasks - made.planned and plan.key in open_keys:
                _play(store, plan, made, lost=number < made.unscored)
    return folder


def _plan(made: MadeRun) -> Iterable[Plan]:
    for number in range(made.tasks):
        name = f"{made.task_name}-{number:03}"
        task = Task(name, "house-v1", "test", GROUPS[number % len(GROUPS)], name, optimal_steps=4)
        for strategy in made.strategies:
            for seed in range(made.seeds):
                yield Plan(TrialKey("house", "test", name, strategy, "offline/reader", seed), task)


def _play(store: Store, plan: Plan, made: MadeRun, *, lost: bool) -> None:
    key, rng = plan.key, random.Random(str(plan.key))
    won = rng.random() < {"full-history": 0.9, "no-memory": 0.2}.get(key.strategy, 0.6)
    history: list[str] = []
    steps, calls = [], []
    for index in range(1, made.steps + 1):
        step, call = _take_step(index, history, made, won=won and index == made.steps)
        history += [f"> {step.decision.text}", step.observation.text]
        steps.append(step)
        calls.append(call)
        store.commit_call(key, call)
    trial = Trial(
        key, Status.DONE, EndReason.WON if won else EndReason.STEP_CAP, steps=tuple(steps), calls=tuple(calls),
        opening=f"Put a clean mug on the desk. {made.reply}", wall_s=1.0,
        fingerprint=Fingerprint((("env.suite", "house-v1"), ("row.strategy", key.strategy))),
    )  # fmt: skip
    scores = measure(trial, optimal_steps=4)
    trial = replace(trial, items=(Item(key.task, plan.task.group, key.task, scores),))
    if lost:
        trial = replace(trial, status=Status.MODEL_ERROR, end=EndReason.ERROR, items=(), error=f"timeout {made.reply}")
    store.finish(trial)


def _take_step(index: int, history: Sequence[str], made: MadeRun, *, won: bool) -> tuple[Step, Call]:
    action = f"go to shelf {index}{made.reply}"
    reply = f"I look at the next place.{made.reply}\nAction: {action}"
    context = "\n".join(history[-80:])
    seen = f"You are at shelf {index}. It holds a mug, a plate and a {'red' if index % 2 else 'blue'} box.{made.reply}"
    step = Step(
        index, Stimulus(Shape.EPISODE, "", "", index),
        Decision(action, reply, Context(context, tuple(f"o{n}" for n in range(index)), index % 9 == 0),
                 (f"subgoal: shelf {index}",), Reading(repairs=("bold",) if index % 5 == 0 else ())),
        Observation(seen, won, won, index / made.steps if won else 0.0, index % 4 != 0, invalid_reason="no such thing"),
        len(context) // 4, 400 + len(context) // 4,
    )  # fmt: skip
    usage = Usage(400 + len(context) // 4, None, None, 20, None, UsageSource.OFFLINE)
    return step, Call(index - 1, Phase.ACT, "act", "offline/reader", f"h{index}", reply, usage, index, cost_usd=0.0)
