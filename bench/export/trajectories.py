"""Trials as JSON lines that can be read without this project: ``docs/trajectories.md``, ``trajectory.schema.json``.

One trial a line, in the order of the runs and of the keys. Wall times are left out: equal runs give equal files.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from bench.errors import UsageError
from bench.export.targets import Request
from bench.export.trials import stream_trials
from bench.export.writing import put_lines
from bench.report.row import is_stable
from bench.store.printing import escape_json
from bench.types import Call, Evidence, Item, Step, Trial

__all__ = ["SCHEMA", "build_messages", "describe_trial", "refuse_columns", "write_trajectories"]

SCHEMA = "memfrontier-trajectory-1"


def write_trajectories(request: Request) -> None:
    """Write the trials of runs to a file or to stdout. Raises: UsageError, StoreError."""
    refuse_columns(request, "trajectories")
    put_lines(_write_lines(request), request.out)


def refuse_columns(request: Request, target: str) -> None:
    """Raises: UsageError for options that choose columns of a table."""
    given = "--columns" if request.columns else "--timing" if request.timing else ""
    if given:
        raise UsageError(f"export: expected no {given} for {target}, which has no columns, got it; leave it out")


def _write_lines(request: Request) -> Iterator[str]:
    for folder in request.folders:
        for trial in stream_trials(folder):
            yield escape_json(json.dumps(describe_trial(trial), ensure_ascii=False)) + "\n"


def describe_trial(trial: Trial) -> dict[str, Any]:
    """Return a trial as the schema has it."""
    key = trial.key
    return {
        "schema": SCHEMA,
        "suite": key.suite,
        "split": key.split,
        "task": key.task,
        "strategy": key.strategy,
        "model": key.model,
        "seed": key.seed,
        "attempt": key.attempt,
        "shape": "episode" if trial.opening else "conversation" if trial.steps else "unknown",
        "status": str(trial.status),
        "end": str(trial.end),
        "error": trial.error,
        "fingerprint": dict(trial.fingerprint.entries),
        "opening": trial.opening,
        "feedback": list(trial.feedback),
        "items": [_describe_item(item) for item in trial.items],
        "messages": build_messages(trial),
        "steps": [_describe_step(step) for step in trial.steps],
        "calls": [_describe_call(call) for call in trial.calls],
    }


def build_messages(trial: Trial) -> list[dict[str, Any]]:
    """Return a trial as a chat: what the world or the asker said, and what the model replied, with its step."""
    messages: list[dict[str, Any]] = []
    if trial.opening:
        messages.append({"role": "user", "content": trial.opening, "step": 0})
    if trial.opening and trial.steps and (first := trial.steps[0].stimulus.text):
        messages.append({"role": "user", "content": first, "step": 0})
    for step in trial.steps:
        if not trial.opening:
            messages.append({"role": "user", "content": step.stimulus.goal, "step": step.index})
        messages.append({"role": "assistant", "content": step.decision.reply or step.decision.text, "step": step.index})
        if trial.opening:
            messages.append({"role": "user", "content": step.observation.text, "step": step.index})
    return messages


def _finite(value: float | None) -> float | None:
    """Return a number that JSON has; None for one that is none."""
    return value if value is not None and math.isfinite(value) else None


def _describe_item(item: Item) -> dict[str, Any]:
    return {
        "item": item.id,
        "group": item.group,
        "cluster": item.cluster,
        "scores": {score.name: _finite(score.value) for score in item.scores if is_stable(score.name)},
        "reasons": {score.name: score.reason for score in item.scores if score.reason},
    }


def _describe_step(step: Step) -> dict[str, Any]:
    decision, context, observation = step.decision, step.decision.context, step.observation
    return {
        "step": step.index,
        "stimulus": step.stimulus.text,
        "goal": step.stimulus.goal,
        "context": {
            "text": context.text,
            "tokens": step.context_tokens,
            "refs": list(context.refs),
            "ranking": list(context.ranking),
            "truncated": context.truncated,
        },
        "prompt_tokens": step.prompt_tokens,
        "reply": decision.reply,
        "action": decision.text,
        "thought": decision.reading.thought,
        "notes": list(decision.notes),
        "asked_again": decision.reading.asked_again,
        "unreadable": decision.reading.unreadable,
        "cut": decision.reading.cut,
        "observation": {
            "text": observation.text,
            "executed": observation.executed,
            "valid": observation.valid,
            "invalid_reason": observation.invalid_reason,
            "repairs": list(observation.repairs),
            "helper": observation.helper,
            "done": observation.done,
            "won": observation.won,
            "progress": _finite(observation.progress),
        },
        "evidence": _describe_evidence(step.evidence),
    }


def _describe_evidence(evidence: Evidence | None) -> dict[str, Any] | None:
    if evidence is None:
        return None
    return {"needed": list(evidence.needed), "reached": list(evidence.reached), "missed": evidence.missed}


def _describe_call(call: Call) -> dict[str, Any]:
    usage = call.usage
    return {
        "call": call.index,
        "attempt": call.attempt,
        "step": call.step,
        "phase": str(call.phase),
        "role": str(call.role),
        "model": call.model,
        "status": str(call.status),
        "finish": call.finish,
        "request_hash": call.request_hash,
        "reply": call.reply,
        "tokens": {
            "prompt": usage.prompt,
            "cached_read": usage.cached_read,
            "cache_write": usage.cache_write,
            "completion": usage.completion,
            "reasoning": usage.reasoning,
            "source": str(usage.source),
        },
        "cost_usd": call.cost_usd,
        "price_date": call.price_date,
    }
