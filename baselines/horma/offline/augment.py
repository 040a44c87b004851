"""How the offline model changes the list of skills: it adds what several feedbacks advise in the same words.

From the messages alone. It follows the form of sentence that its own feedback has, and no other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from baselines.horma.refine.calls import AUGMENT, AUGMENT_PROMPT, FEEDBACK_HEADING, SKILLS_HEADING
from bench.types import Message

__all__ = ["AugmentRule"]

_ADVICE = re.compile(r"\b(?P<reader>Manager|Navigator): (?P<text>[^.]+\.)")
_FEEDBACK = re.compile(r"^\[(?P<number>\d+)\] (?P<text>.*)$", re.MULTILINE)
_SKILL = re.compile(r"^#\d+ \w+: (?P<text>.+) \([^()]*\)$", re.MULTILINE)
_READERS = {"Manager": "organise", "Navigator": "navigate"}
_MOST = 6
_MANY = 4
"""Feedbacks from which on at least two have to ask for a skill."""


class AugmentRule:
    """Role ``horma/augment``."""

    role = AUGMENT
    header = AUGMENT_PROMPT.split("\n", 1)[0]

    def reply(self, messages: Sequence[Message]) -> str:
        skills, _, said = messages[1].content.partition(f"\n{FEEDBACK_HEADING}\n")
        known = {found["text"] for found in _SKILL.finditer(skills.removeprefix(f"{SKILLS_HEADING}\n"))}
        asked: dict[tuple[str, str], list[int]] = {}
        feedback = list(_FEEDBACK.finditer(said))
        for one in feedback:
            for reader, text in dict.fromkeys(_ADVICE.findall(one["text"])):
                asked.setdefault((reader, text), []).append(int(one["number"]))
        least = 2 if len(feedback) >= _MANY else 1
        new = [advice for advice, numbers in asked.items() if len(numbers) >= least and advice[1] not in known]
        best = sorted(new, key=lambda advice: -len(asked[advice]))[:_MOST]
        operations = [
            {"op": "add", "for": _READERS[reader], "text": text, "from": asked[reader, text]} for reader, text in best
        ]
        return json.dumps({"operations": operations}, ensure_ascii=False)
