"""The one prompt skeleton, the one way to ask a model and read its reply, and the default agent.

Strategies that change the turn write their own agent from the same pieces. Knows no suite and no strategy.
"""

from bench.agents.asking import Parsed, ReadingLog, ask, ask_plain, read_value
from bench.agents.default import DefaultAgent, default_agent, recall, recall_with_notice
from bench.agents.prompt import (
    ATTEMPTS_HEADING,
    CONTEXT_HEADING,
    EXPERIENCE_HEADING,
    EXPERIENCE_NOTE,
    GOAL_HEADING,
    NOW_HEADING,
    PRESENT_HEADING,
    QUESTION_HEADING,
    compose,
    render,
    render_event,
    render_experience,
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
    "DefaultAgent",
    "Parsed",
    "ReadingLog",
    "ask",
    "ask_plain",
    "compose",
    "default_agent",
    "read_value",
    "recall",
    "recall_with_notice",
    "render",
    "render_event",
    "render_experience",
]
