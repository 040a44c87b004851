"""The one prompt skeleton, and the one way to show events.

Every strategy's prompt is made here, so strategies differ in the context slot alone.
"""

from __future__ import annotations

from collections.abc import Iterable

from bench.types import Event, EventKind, Frame, Message, Shape, Stimulus

__all__ = [
    "ATTEMPTS_HEADING",
    "CONTEXT_HEADING",
    "EXPERIENCE_HEADING",
    "GOAL_HEADING",
    "HISTORY_HEADING",
    "NOW_HEADING",
    "QUESTION_HEADING",
    "compose",
    "render",
    "render_event",
    "render_experience",
]

GOAL_HEADING = "# Task"
CONTEXT_HEADING = "# Memory"
NOW_HEADING = "# Now"
QUESTION_HEADING = "# Question"
EXPERIENCE_HEADING = "# Experience from other tasks"
ATTEMPTS_HEADING = "# Earlier attempts at this task"
HISTORY_HEADING = "# This attempt so far"
"""Inside a context: what was learned on other tasks, what was said about earlier attempts, and the trial's own past. A
section ends where the next heading begins."""

_LABELS = {
    EventKind.GOAL: "Task",
    EventKind.OBSERVATION: "Observation",
    EventKind.ACTION: "Action",
    EventKind.NOTE: "Note",
    EventKind.FEEDBACK: "Feedback",
}


def render_event(event: Event) -> str:
    """Return one event as its line in a prompt; empty for the end of a session, which has no text.

    Episode: ``[3] Action: go to shelf 1`` and ``[3] Observation: On the shelf 1, you see a mug 2.``
    Conversation: ``[8 May, 2023] Ann: I moved to Oslo.``
    """
    if event.kind is EventKind.SESSION_END:
        return ""
    if event.kind is EventKind.TURN:
        return f"[{event.time}] {event.speaker}: {event.text}" if event.time else f"{event.speaker}: {event.text}"
    return f"[{event.step}] {_LABELS[event.kind]}: {event.text}"


def render(events: Iterable[Event]) -> str:
    """Return the events as prompt lines, one each, in the order given."""
    return "\n".join(line for line in map(render_event, events) if line)


def render_experience(heading: str, parts: Iterable[str]) -> str:
    """Return a section of a context: its heading and the parts below, a blank line between; empty if there are none."""
    return "\n\n".join(found) if len(found := [heading, *filter(None, parts)]) > 1 else ""


def compose(frame: Frame, stimulus: Stimulus, context: str, *, dialect: str = "") -> tuple[Message, ...]:
    """Return the messages of one decision: the frame and the goal are fixed, the context is the strategy's.

    Order is from what never changes to what always does, so that a provider's prefix cache can help.
    """
    system = "\n\n".join(part for part in (frame.instructions, dialect, frame.examples) if part)
    parts = []
    if stimulus.shape is Shape.EPISODE:
        parts.append(f"{GOAL_HEADING}\n{stimulus.goal}")
    if context:
        parts.append(f"{CONTEXT_HEADING}\n{context}")
    if stimulus.shape is Shape.CONVERSATION:
        parts.append(f"{QUESTION_HEADING}\n{stimulus.goal}")
    elif stimulus.text:
        parts.append(f"{NOW_HEADING}\n{frame.stimulus_label} {stimulus.text}")
    parts.append(frame.label)
    return (Message("system", system), Message("user", "\n\n".join(parts)))
