"""The one prompt skeleton, and the one way to show events.

Every strategy's prompt is made here, so strategies differ in the context slot alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from bench.types import (
    ATTEMPTS_HEADING,
    EXPERIENCE_HEADING,
    EXPERIENCE_NOTE,
    PRESENT_HEADING,
    Event,
    EventKind,
    Frame,
    Message,
    Shape,
    Stimulus,
)

__all__ = [
    "ATTEMPTS_HEADING",
    "CONTEXT_HEADING",
    "EXPERIENCE_HEADING",
    "EXPERIENCE_NOTE",
    "GOAL_HEADING",
    "NOW_HEADING",
    "PRESENT_HEADING",
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


_HEADING = re.compile(r"^#{1,2}(?= )", re.MULTILINE)


def render_experience(experience: Iterable[str], present: str = "", *, attempts: Iterable[str] = ()) -> str:
    """Return a context that keeps what is only shown to learn from apart from the present.

    ``experience``: texts about other tasks (trajectories, insights, skills); a note above them says whose names they
    hold. ``attempts``: texts about earlier attempts at this task (trajectories, reflections). ``present``: what the
    memory shows of the episode so far. An empty part has no heading; with nothing to learn from, the result is
    ``present`` as it is. A heading inside a text becomes one of the third level, so that it cannot end its part.
    """
    sections = ((f"{EXPERIENCE_HEADING}\n{EXPERIENCE_NOTE}\n", experience), (ATTEMPTS_HEADING, attempts))
    parts = [f"{heading}\n{body}" for heading, texts in sections if (body := _join_texts(texts))]
    if not parts or not present:
        return "\n\n".join(parts) or present
    return "\n\n".join([*parts, f"{PRESENT_HEADING}\n{present}"])


def _join_texts(texts: Iterable[str]) -> str:
    stripped = (text.strip() for text in texts)
    return "\n\n".join(_HEADING.sub("###", text) for text in stripped if text)


def compose(frame: Frame, stimulus: Stimulus, context: str, *, dialect: str = "") -> tuple[Message, ...]:
    """Return the messages of one decision: the frame and the goal are fixed, the context is the strategy's.

    Order is from what never changes to what always does, so that a provider's prefix cache can help. A ``dialect``
    stands in place of the frame's answer format, and neither label nor cue at the end: its replies begin with other
    lines.
    """
    system = "\n\n".join(part for part in (frame.instructions, dialect or frame.answer_format, frame.examples) if part)
    parts = []
    if stimulus.shape is Shape.EPISODE:
        parts.append(f"{GOAL_HEADING}\n{stimulus.goal}")
    if context:
        parts.append(f"{CONTEXT_HEADING}\n{context}")
    if stimulus.shape is Shape.CONVERSATION:
        parts.append(f"{QUESTION_HEADING}\n{stimulus.goal}")
    elif stimulus.text:
        parts.append(f"{NOW_HEADING}\n{frame.stimulus_label} {stimulus.text}")
    parts += [frame.cue or frame.label] if frame.label and not dialect else []
    return (Message("system", system), Message("user", "\n\n".join(parts)))
