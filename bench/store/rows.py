"""Records to database rows and back. Knows the columns of ``schema.sql`` and nothing about files or locks."""

from __future__ import annotations

import json
import sqlite3
import zlib
from dataclasses import dataclass

from bench.types import (
    Call,
    CallStatus,
    Context,
    Decision,
    EndReason,
    Evidence,
    Fingerprint,
    Item,
    Observation,
    Phase,
    Reading,
    Score,
    Shape,
    Status,
    Step,
    Stimulus,
    Timings,
    Trial,
    TrialKey,
    Usage,
    UsageSource,
)

__all__ = [
    "CALL_COLUMNS",
    "ITEM_COLUMNS",
    "KEY_COLUMNS",
    "PLANNED",
    "STEP_COLUMNS",
    "TRIAL_COLUMNS",
    "TrialRow",
    "Value",
    "pack_text",
    "read_call",
    "read_evidence",
    "read_item",
    "read_key",
    "read_reading",
    "read_step",
    "read_trial",
    "to_call_row",
    "to_evidence_row",
    "to_item_row",
    "to_key_values",
    "to_reading_text",
    "to_step_row",
    "to_trial_values",
    "unpack_text",
]

KEY_COLUMNS = ("suite", "split", "task", "strategy", "model", "seed", "attempt")
ITEM_COLUMNS = ("trial", "item", "grp", "cluster", "scores", "reasons")
STEP_COLUMNS = (
    "trial", "step", "stimulus", "goal", "context", "refs", "ranking", "truncated", "reply", "decision", "notes",
    "observation", "executed", "repairs", "valid", "invalid_reason", "helper", "done", "won", "progress",
    "context_tokens", "prompt_tokens", "wall_model_s", "wall_env_s", "wall_memory_s", "reading",
)  # fmt: skip
CALL_COLUMNS = (
    "trial", "call", "attempt", "phase", "role", "step", "model", "request_hash", "prompt", "cached_read",
    "cache_write", "completion", "reasoning", "usage_source", "cost_usd", "price_date", "latency_s", "status",
    "finish", "reply",
)  # fmt: skip

TRIAL_COLUMNS = (
    "status", "end_reason", "error", "fingerprint", "opening", "wall_s", "wall_model_s", "wall_env_s", "wall_memory_s",
)  # fmt: skip
"""What ``to_trial_values`` fills."""

PLANNED = "planned"
"""The status of a trial that has not ended yet."""

Value = str | int | float | bytes | None
_PLAIN = Reading()
_PACK_FROM = 2048
"""Contexts from this many characters are stored compressed: a full history repeats itself at every step."""


@dataclass(frozen=True, slots=True)
class TrialRow:
    """One planned trial as the database knows it."""

    id: int
    key: TrialKey
    status: str
    """A ``Status`` value, or ``planned``."""
    error: str = ""
    end: str = ""
    """An ``EndReason`` value, empty while it is planned."""


def read_key(row: sqlite3.Row) -> TrialKey:
    return TrialKey(*(row[name] for name in KEY_COLUMNS))


def to_key_values(key: TrialKey) -> tuple[Value, ...]:
    """Return the values of ``KEY_COLUMNS``."""
    return (key.suite, key.split, key.task, key.strategy, key.model, key.seed, key.attempt)


def pack_text(text: str) -> Value:
    """Return a text as stored: itself, or zlib bytes where that is much shorter."""
    return zlib.compress(text.encode(errors="replace"), 1) if len(text) >= _PACK_FROM else text


def unpack_text(value: str | bytes) -> str:
    """Return the text that ``pack_text`` stored."""
    return value if isinstance(value, str) else zlib.decompress(value).decode()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def to_trial_values(trial: Trial) -> tuple[Value, ...]:
    """Return the values of ``TRIAL_COLUMNS``."""
    timings = trial.timings
    return (
        trial.status.value, trial.end.value, trial.error, _json(dict(trial.fingerprint.entries)), trial.opening,
        trial.wall_s, timings.model_s, timings.env_s, timings.memory_s,
    )  # fmt: skip


def to_item_row(trial_id: int, item: Item) -> tuple[Value, ...]:
    scores = {score.name: score.value for score in item.scores}
    reasons = {score.name: score.reason for score in item.scores if score.reason}
    return (trial_id, item.id, item.group, item.cluster, _json(scores), _json(reasons))


def to_step_row(trial_id: int, step: Step, opening: str) -> tuple[Value, ...]:
    stimulus, decision, context = step.stimulus, step.decision, step.decision.context
    observation, timings = step.observation, step.timings
    return (
        trial_id, step.index, stimulus.text, "" if stimulus.goal == opening else stimulus.goal, pack_text(context.text),
        _json(context.refs), _json(context.ranking), int(context.truncated), decision.reply, decision.text,
        _json(decision.notes), observation.text, observation.executed, _json(observation.repairs),
        int(observation.valid), observation.invalid_reason, int(observation.helper), int(observation.done),
        int(observation.won), observation.progress, step.context_tokens, step.prompt_tokens, timings.model_s,
        timings.env_s, timings.memory_s, to_reading_text(decision.reading),
    )  # fmt: skip


def to_evidence_row(trial_id: int, step: Step) -> tuple[Value, ...] | None:
    """Return what a decision had to rest on; None where nothing is known."""
    known = step.evidence
    if known is None:
        return None
    missed = None if known.missed is None else int(known.missed)
    return (trial_id, step.index, _json(known.needed), _json(known.reached), _json(known.facts), missed)


def read_evidence(row: sqlite3.Row) -> Evidence:
    needed, reached = (tuple(json.loads(row[name])) for name in ("needed", "reached"))
    missed = None if row["missed"] is None else bool(row["missed"])
    return Evidence(needed, reached, tuple(map(tuple, json.loads(row["facts"]))), missed)


def to_reading_text(reading: Reading) -> str:
    """Return how the replies of a decision were read as JSON, without what is as usual."""
    fields = {name: getattr(reading, name) for name in Reading.__slots__}
    return _json({name: value for name, value in fields.items() if value != getattr(_PLAIN, name)})


def read_reading(text: str) -> Reading:
    """Return what ``to_reading_text`` stored."""
    stored = json.loads(text)
    return Reading(
        stored.get("asked_again", 0),
        stored.get("unreadable", False),
        stored.get("cut", False),
        tuple(stored.get("repairs", ())),
        tuple(stored.get("dialect", ())),
        stored.get("thought", ""),
    )


def to_call_row(trial_id: int, call: Call) -> tuple[Value, ...]:
    use = call.usage
    return (
        trial_id, call.index, call.attempt, call.phase.value, str(call.role), call.step, call.model, call.request_hash,
        use.prompt, use.cached_read, use.cache_write, use.completion, use.reasoning, use.source.value, call.cost_usd,
        call.price_date, call.latency_s, str(call.status), call.finish, call.reply,
    )  # fmt: skip


def read_call(row: sqlite3.Row) -> Call:
    usage = Usage(
        row["prompt"], row["cached_read"], row["cache_write"], row["completion"], row["reasoning"],
        UsageSource(row["usage_source"]),
    )  # fmt: skip
    return Call(
        row["call"], Phase(row["phase"]), row["role"], row["model"], row["request_hash"], row["reply"], usage,
        row["step"], row["attempt"], CallStatus(row["status"]), row["cost_usd"], row["price_date"], row["latency_s"],
        row["finish"],
    )  # fmt: skip


def read_item(row: sqlite3.Row) -> Item:
    reasons = json.loads(row["reasons"])
    scores = tuple(Score(name, value, reasons.get(name, "")) for name, value in json.loads(row["scores"]).items())
    return Item(row["item"], row["grp"], row["cluster"], scores)


def read_step(row: sqlite3.Row, opening: str, shape: Shape, evidence: Evidence | None = None) -> Step:
    columns = row.keys()  # schema 1 has no column "reading"
    refs, ranking = (tuple(json.loads(row[name])) for name in ("refs", "ranking"))
    context = Context(unpack_text(row["context"]), refs, bool(row["truncated"]), ranking)
    reading = read_reading(row["reading"]) if "reading" in columns else _PLAIN
    return Step(
        row["step"],
        Stimulus(shape, row["stimulus"], row["goal"] or opening, row["step"]),
        Decision(row["decision"], row["reply"], context, tuple(json.loads(row["notes"])), reading),
        Observation(
            row["observation"], bool(row["done"]), bool(row["won"]), row["progress"], bool(row["valid"]),
            row["executed"], tuple(json.loads(row["repairs"])), bool(row["helper"]), row["invalid_reason"],
        ),
        row["context_tokens"],
        row["prompt_tokens"],
        Timings(row["wall_model_s"], row["wall_env_s"], row["wall_memory_s"]),
        evidence,
    )  # fmt: skip


def read_trial(
    row: sqlite3.Row,
    items: tuple[Item, ...],
    steps: tuple[Step, ...],
    calls: tuple[Call, ...],
    feedback: tuple[str, ...] = (),
) -> Trial:
    """Build a trial from its row and what belongs to it; the row must not be ``planned``."""
    return Trial(
        read_key(row), Status(row["status"]), EndReason(row["end_reason"]), items, steps, calls, row["error"],
        row["opening"], Fingerprint(tuple(sorted(json.loads(row["fingerprint"]).items()))), row["wall_s"],
        Timings(row["wall_model_s"], row["wall_env_s"], row["wall_memory_s"]), feedback,
    )  # fmt: skip
