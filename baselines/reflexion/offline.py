"""What the offline model writes about a failed attempt: what the world said is where, each place as it was first seen.

Extractive: whole observations that state what is somewhere, without what the agent itself did to things, because the
next attempt begins from the start again. It knows English and nothing of any suite or task.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from baselines.shared.extractive import is_refusal, read_events, read_limit
from bench.protocols import OfflineRule
from bench.types import Message

__all__ = ["RULES", "ReflectRule"]

_HEADER = Path(__file__).with_name("reflect.txt").read_text(encoding="utf-8").split("\n", 1)[0]
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_STATES = re.compile(r"\b(?:you see|you can see|holds?|contains?|lies?|is empty|are empty|there (?:is|are))\b", re.I)
_CHANGES = re.compile(r"\byou (?:pick up|take|put|drop|move|place|heat|cool|clean|slice|turn|throw|give)\b", re.I)
_WORDS_A_TOKEN = 0.7


class ReflectRule:
    """Role ``reflect`` with Reflexion's prompt."""

    role = "reflect"
    header = _HEADER

    def reply(self, messages: Sequence[Message]) -> str:
        request = messages[1].content
        before = request.partition("# Written after earlier attempts\n")[2].partition("\n\n# The failed attempt\n")[0]
        attempt = request.partition("# The failed attempt\n")[2].partition("\n\n# End\n")[0]
        room = int((read_limit(messages[0].content) or 200) * _WORDS_A_TOKEN)
        facts: list[str] = []
        for fact in dict.fromkeys([*_list_facts(attempt), *filter(None, before.splitlines())]):
            room -= len(fact.split())
            if room < 0:
                break
            facts.append(fact)
        return "\n".join(facts) or "Nothing was found out."


def _list_facts(attempt: str) -> Iterator[str]:
    """Yield the observations that state what is where, as far as the agent had changed nothing yet."""
    for event in read_events(attempt):
        if event.kind != "Observation" or is_refusal(event.text):
            continue
        if _CHANGES.search(event.text):
            return  # from here on things may lie where the agent has put them
        if any(map(_STATES.search, _SENTENCE_END.split(event.text))):
            yield event.text


RULES: tuple[OfflineRule, ...] = (ReflectRule(),)
"""What the offline model knows about this strategy."""
