"""A recorded trial as the object that the page reads: every step with what was recalled, said, read, done and spent.

Texts stay as they are: the page shows them as text and never as markup. What is as usual is left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from bench.report.evidence_text import describe_evidence
from bench.report.formats import round_all
from bench.types import Call, CallStatus, Item, Role, Step, Trial, TrialKey

__all__ = ["Reference", "describe_trial", "name_trial"]

Record = dict[str, Any]
Reference = tuple[str, str]
"""The right answer to a question, and the rule that a judge grades it by; either may be empty."""

_ID_LENGTH = 12
_MOST_RANKED = 50


def name_trial(run: str, key: TrialKey) -> str:
    """Return the short name of a trial that stands in links: the same whenever the report is made again."""
    return hashlib.sha256(f"{run}|{key}".encode()).hexdigest()[:_ID_LENGTH]


def describe_trial(run: str, trial: Trial, references: Mapping[str, Reference]) -> Record:
    """Return a trial; ``references`` by question."""
    key = trial.key
    record = {
        "id": name_trial(run, key),
        "run": run,
        **{name: getattr(key, name) for name in TrialKey.__slots__},
        "status": trial.status.value,
        "end": trial.end.value,
        "error": trial.error,
        "opening": trial.opening,
        "feedback": trial.feedback,
        "items": [_describe_item(item, references.get(item.id)) for item in trial.items],
        "steps": _describe_steps(trial),
        "calls": [_describe_call(call, key.model) for call in trial.calls if call.step == 0 and _is_shown(call)],
    }
    return _leave_out_empty(record)


def _leave_out_empty(record: Record) -> Record:
    return {name: value for name, value in record.items() if not _is_usual(value)}


def _is_usual(value: object) -> bool:
    """True for what need not be said; 0 is a number that somebody may want to see."""
    return value is None or value is False or value in ("", (), [], {})


def _describe_item(item: Item, reference: Reference | None) -> Record:
    answer, rubric = reference or ("", "")
    return _leave_out_empty(
        {
            "id": item.id,
            "group": item.group,
            "scores": [[score.name, round_all(score.value), score.reason] for score in item.scores],
            "reference": answer,
            "rubric": rubric,
        }
    )


def _describe_steps(trial: Trial) -> list[Record]:
    questions = trial.items if any(item.id != trial.key.task for item in trial.items) else ()
    calls: dict[int, list[Call]] = {}
    for call in trial.calls:
        calls.setdefault(call.step, []).append(call)
    before: Sequence[str] = ()
    found = []
    for step in trial.steps:
        item = questions[step.index - 1] if step.index <= len(questions) else None
        lines = step.decision.context.text.split("\n")
        found.append(_describe_step(step, item, trial, calls.get(step.index, ())) | _share_lines(before, lines))
        before = lines
    return found


def _share_lines(before: Sequence[str], lines: Sequence[str]) -> Record:
    """Return a context as the number of first lines that are those of the context before, and the text of the rest: a
    history repeats itself at every step."""
    same = 0
    for old, new in zip(before, lines, strict=False):
        if old != new:
            break
        same += 1
    return {"context": [same, "\n".join(lines[same:])] if same < len(lines) else [same]}


def _describe_step(step: Step, item: Item | None, trial: Trial, calls: Sequence[Call]) -> Record:
    decision, got, context = step.decision, step.observation, step.decision.context
    reading = decision.reading
    return _leave_out_empty(
        {
            "index": step.index,
            "stimulus": step.stimulus.text,
            "goal": "" if step.stimulus.goal in (trial.opening, step.stimulus.text) else step.stimulus.goal,
            "refs": context.refs,
            "ranking": context.ranking[:_MOST_RANKED],
            "truncated": context.truncated,
            "reply": "" if decision.reply == decision.text else decision.reply,
            "decision": decision.text,
            "notes": decision.notes,
            "reading": _leave_out_empty({name: getattr(reading, name) for name in reading.__slots__}),
            "observation": got.text,
            "executed": "" if got.executed == decision.text else got.executed,
            "repairs": got.repairs,
            "invalid": "" if got.valid else got.invalid_reason or "invalid",
            "helper": got.helper,
            "won": got.won,
            "progress": round_all(got.progress),
            "tokens": [step.context_tokens, step.prompt_tokens],
            "evidence": describe_evidence(step, item),
            "calls": [_describe_call(call, trial.key.model) for call in calls if _is_shown(call)],
            "embeds": sum(call.role == Role.EMBED for call in calls),
        }
    )


def _is_shown(call: Call) -> bool:
    return call.role != Role.EMBED


def _describe_call(call: Call, acting: str) -> Record:
    usage = call.usage
    return _leave_out_empty(
        {
            "role": str(call.role),
            "phase": call.phase.value,
            "model": "" if call.model == acting else call.model,
            "tokens": [usage.prompt, usage.cached_read, usage.completion],
            "source": usage.source.value,
            "usd": round_all(call.cost_usd),
            "status": "" if call.status is CallStatus.OK else call.status.value,
            "finish": "" if call.finish == "stop" else call.finish,
            "reply": call.reply,
        }
    )
