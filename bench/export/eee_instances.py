"""The scored items of a trial as instances of Every Eval Ever: a question as one turn, an episode as a chat."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from bench.export.trajectories import build_messages
from bench.types import Call, Item, Phase, Step, Trial

__all__ = ["MAIN", "build_instances"]

MAIN = "success"
"""The score that an instance has."""
_PASS_MARK = 0.5
"""A score below it is a failure."""


def build_instances(trial: Trial) -> Iterator[dict[str, Any]]:
    """Yield an instance for each item with a main score, without the fields that all instances of a file share."""
    for number, item in enumerate(trial.items):
        score = next((one.value for one in item.scores if one.name == MAIN), None)
        if score is None:
            continue
        if trial.opening:
            yield _describe_episode(trial, item, score)
        elif number < len(trial.steps):  # questions and their items have one order
            yield _describe_question(trial, item, trial.steps[number], score)


def _describe_episode(trial: Trial, item: Item, score: float) -> dict[str, Any]:
    said = build_messages(trial)
    messages = [
        {"turn_idx": place, "role": message["role"], "content": message["content"]}
        for place, message in enumerate(said)
    ]
    return {
        **_describe_input(trial, item, trial.opening),
        "interaction_type": "agentic",
        "output": None,
        "messages": messages,
        "answer_attribution": [],
        "evaluation": {"score": score, "is_correct": score >= _PASS_MARK, "num_turns": max(1, len(messages))},
        "token_usage": _sum_tokens(trial.calls),
        "error": trial.error or None,
    }


def _describe_question(trial: Trial, item: Item, step: Step, score: float) -> dict[str, Any]:
    reply = step.decision.reply or step.decision.text
    answer = {
        "turn_idx": 0, "source": "output.raw", "extracted_value": step.decision.text, "extraction_method": "custom",
        "is_terminal": True,
    }  # fmt: skip
    return {
        **_describe_input(trial, item, step.stimulus.goal),
        "interaction_type": "single_turn",
        "output": {"raw": [reply]},
        "messages": None,
        "answer_attribution": [answer],
        "evaluation": {"score": score, "is_correct": score >= _PASS_MARK},
        "token_usage": _sum_tokens([call for call in trial.calls if call.step == step.index]),
        "error": trial.error or None,
    }


def _describe_input(trial: Trial, item: Item, text: str) -> dict[str, Any]:
    """Return what was asked. A run does not record the right answers, so there is no reference."""
    key = trial.key
    repeat = f"#{key.seed}" if key.seed else ""
    return {
        "sample_id": f"{item.id}{repeat}",
        "sample_hash": hashlib.sha256(text.encode(errors="replace")).hexdigest(),
        "input": {"raw": text, "reference": []},
        "metadata": {"group": item.group, "task": key.task, "seed": str(key.seed), "end": str(trial.end)},
    }


def _sum_tokens(calls: list[Call] | tuple[Call, ...]) -> dict[str, int] | None:
    """Return the tokens of the agent's calls; None where one was not reported."""
    counted = [call.usage for call in calls if call.phase is not Phase.JUDGE and call.status.completed]
    if any(use.prompt is None for use in counted):
        return None
    sent = sum(use.prompt or 0 for use in counted)
    written = sum(use.completion or 0 for use in counted)
    return {"input_tokens": sent, "output_tokens": written, "total_tokens": sent + written}
