"""Frozen records that travel between the parts; plug-ins import them from here.

``event``: what is seen and decided, one turn at a time. ``trial``: the record of a whole task. ``call``: one request
to a model and what it cost. ``headings``: the headings inside a context.
"""

from bench.types.call import (
    MOST_TOKENS,
    Attempt,
    Call,
    CallStatus,
    Message,
    Phase,
    Reply,
    Role,
    Usage,
    UsageSource,
    count_prompt_tokens,
)
from bench.types.event import (
    BOTH,
    Context,
    Decision,
    Event,
    EventKind,
    Fingerprint,
    Frame,
    Observation,
    Opening,
    Query,
    Reading,
    Shape,
    Stimulus,
    ThoughtRule,
)
from bench.types.evidence import Evidence
from bench.types.headings import ATTEMPTS_HEADING, EXPERIENCE_HEADING, EXPERIENCE_NOTE, PRESENT_HEADING
from bench.types.latency import Latency
from bench.types.trial import (
    NOTICES,
    ROLE_MODEL,
    Artifact,
    EndReason,
    Item,
    JudgeCase,
    Limits,
    Score,
    Status,
    Step,
    Task,
    Timings,
    Trial,
    TrialKey,
    read_role_models,
)

__all__ = [
    "ATTEMPTS_HEADING",
    "BOTH",
    "EXPERIENCE_HEADING",
    "EXPERIENCE_NOTE",
    "MOST_TOKENS",
    "NOTICES",
    "PRESENT_HEADING",
    "ROLE_MODEL",
    "Artifact",
    "Attempt",
    "Call",
    "CallStatus",
    "Context",
    "Decision",
    "EndReason",
    "Event",
    "EventKind",
    "Evidence",
    "Fingerprint",
    "Frame",
    "Item",
    "JudgeCase",
    "Latency",
    "Limits",
    "Message",
    "Observation",
    "Opening",
    "Phase",
    "Query",
    "Reading",
    "Reply",
    "Role",
    "Score",
    "Shape",
    "Status",
    "Step",
    "Stimulus",
    "Task",
    "ThoughtRule",
    "Timings",
    "Trial",
    "TrialKey",
    "Usage",
    "UsageSource",
    "count_prompt_tokens",
    "read_role_models",
]

_RENAMED = {"Exhibit": "JudgeCase", "Walls": "Timings"}


def __getattr__(name: str) -> object:
    if name in _RENAMED:
        raise ImportError(f"bench.types: {name} is now {_RENAMED[name]}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
