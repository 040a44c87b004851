"""What the offline model says about a contrast: which usual faults of notes explain it, in sentences of ``advice.txt``.

From the messages alone. It knows nothing of what a manager or a navigator can follow.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from baselines.horma.offline.answers import explain_answer
from baselines.horma.offline.courses import explain_course
from baselines.horma.refine.calls import FEEDBACK, FEEDBACK_PROMPT
from bench.types import Message

__all__ = ["FeedbackRule"]

_ADVICE = {
    name: f"{reader}: {sentence}"
    for name, reader, sentence in (
        line.split(" | ")
        for line in Path(__file__).with_name("advice.txt").read_text(encoding="utf-8").strip().splitlines()
    )
}
"""By the name of a fault; the graver ones first."""
_QUESTION = re.compile(r"^# Question \d+\n", re.MULTILINE)
_MOST = 3


class FeedbackRule:
    """Role ``horma/feedback``: the advice that most of what it is shown asks for, at most three sentences."""

    role = FEEDBACK
    header = FEEDBACK_PROMPT.split("\n", 1)[0]

    def reply(self, messages: Sequence[Message]) -> str:
        request = messages[1].content
        blocks = _QUESTION.split(request)[1:]
        faults = [explain_answer(block) for block in blocks] if blocks else [explain_course(request)]
        counts = Counter(name for names in faults for name in set(names))
        best = sorted(counts, key=lambda name: (-counts[name], [*_ADVICE].index(name)))[:_MOST]
        return " ".join(_ADVICE[name] for name in best) or "Nothing in the notes explains it."
