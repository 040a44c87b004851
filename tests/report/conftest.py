"""A made-up run that looks like a real one: two suites, five strategies, one outage, one strategy that broke."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

STRATEGIES = {  # chance of success, context tokens per step
    "full-history": (0.80, 1900.0),
    "window:k=5": (0.62, 420.0),
    "embedding": (0.66, 610.0),
    "bm25": (0.55, 650.0),
    "no-memory": (0.20, 0.0),
}
GROUPS = ("clean", "heat", "pick")


def item(rng: random.Random, suite: str, number: int, strategy: str, seed: int) -> dict[str, Any]:
    """One scored episode; easier tasks are easier for every strategy, so that rows are paired as real ones are."""
    chance, context = STRATEGIES[strategy]
    ease = (number * 37 % 100) / 100
    won = 0.6 * ease + 0.4 * rng.random() < chance
    steps = 8 + number % 9 + (0 if won else 50 - 8 - number % 9)
    progress = 1.0 if won else rng.choice([0.0, 1 / 3, 2 / 3])
    act = steps * (900 + context + rng.randrange(40))
    record: dict[str, Any] = {
        "run": "demo", "suite": suite, "split": "test", "task": f"task-{number:03}", "strategy": strategy,
        "model": "offline/reader", "offline": True, "seed": seed, "attempt": 1, "status": "done", "scored": True,
        "end": "won" if won else "step-cap", "error": "", "item": f"task-{number:03}", "group": GROUPS[number % 3],
        "cluster": f"room-{number // 4}", "optimal_steps": 6,
        "fingerprint": json.dumps({"env.data": "d1", "env.grammar": "move" if number % 2 else "put", "package": "1"}),
        "success": float(won), "progress": progress, "steps": float(steps),
        "steps_won": float(steps) if won else math.nan,
        "valid_action_rate": 0.9 + 0.1 * rng.random(), "helper_calls": 0.0, "repairs": float(rng.randrange(2)),
        "context_tokens_mean": context, "context_tokens_max": context * 2, "truncated_contexts": 0.0,
        "prompt_tokens_mean": 900 + context, "prompt_tokens_max": 900 + 2 * context,
        "tokens_act": act, "tokens_write": 0.0, "tokens_read": 30.0 * steps if strategy == "embedding" else 0.0,
        "tokens_learn": 0.0, "tokens_gather": 0.0, "tokens_judge": 0.0,
        "cached_tokens": math.nan, "estimated_calls": 0.0, "cost_usd": 0.0, "judge_cost_usd": 0.0,
        "calls": float(steps), "embed_calls": float(steps) if strategy == "embedding" else 0.0, "retries": 0.0,
        "wall_s": 0.5, "wall_model_s": 0.1 + rng.random() / 100, "wall_env_s": 0.3, "wall_memory_s": 0.01,
        "wall_harness_s": 0.01,
        "progress_at_5": progress / 2, "progress_at_10": progress if steps >= 10 else math.nan,
    }  # fmt: skip
    record["tokens_total"] = record["tokens_act"] + record["tokens_write"] + record["tokens_read"]
    return record


def unscored(record: dict[str, Any], status: str = "model-error") -> dict[str, Any]:
    """The same trial after an outage: a row without numbers."""
    numbers = {name: math.nan for name, value in record.items() if isinstance(value, float)}
    return record | numbers | {"status": status, "scored": False, "end": "error", "fingerprint": "{}"}


def make_items(tasks: int = 40, seeds: tuple[int, ...] = (0,), suites: tuple[str, ...] = ("house-v1",)) -> pd.DataFrame:
    rng = random.Random(2024)
    records = [
        item(rng, suite, number, strategy, seed)
        for suite in suites
        for strategy in STRATEGIES
        for seed in seeds
        for number in range(tasks)
    ]
    return pd.DataFrame.from_records(records)


def spoil(frame: pd.DataFrame, strategy: str, task: str, status: str = "model-error") -> pd.DataFrame:
    """Return the frame with one trial lost to an outage."""
    hit = (frame["strategy"] == strategy) & (frame["task"] == task)
    records = [
        unscored(record, status) if lost else record for record, lost in zip(frame.to_dict("records"), hit, strict=True)
    ]
    return pd.DataFrame.from_records(records)


@pytest.fixture
def build() -> Callable[..., pd.DataFrame]:
    return make_items


@pytest.fixture
def items() -> pd.DataFrame:
    return make_items()


@pytest.fixture
def lost() -> Callable[..., pd.DataFrame]:
    return spoil


@pytest.fixture
def full() -> pd.DataFrame:
    """What the golden outputs show: two suites, bm25 lacking one trial, no-memory with one error of its own."""
    frame = spoil(make_items(24, suites=("house-v1", "stack-v1")), "bm25", "task-003")
    broken = (frame["strategy"] == "no-memory") & (frame["task"] == "task-001")
    frame.loc[broken, ["success", "status", "end"]] = [0.0, "strategy-error", "error"]
    return frame
