"""What the offline model replies to the library's own prompt: one memory a message, of its sentences but questions.

It knows the prompt by its opening and its headings, and sees nothing but the messages of the call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from bench.protocols import OfflineRule
from bench.types import Message

__all__ = ["RULES", "ExtractRule"]

_OPENING = "You are a Memory Extractor"
_NEW = re.compile(r"^## New Messages\n(.*?)\n*^## Observation Date$", re.MULTILINE | re.DOTALL)
_LINE = re.compile(r"(user|assistant): (?:([^\W\d][^:\[\],]{0,30}): )?(.*)")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+(?=[^\[\s])")
_TALK = re.compile(
    r"(?:hi|hey|hello|bye|thanks?|thank you|wow|congrat\w*|that's|sounds|you|your|you're)\b", re.IGNORECASE
)
_FEWEST_WORDS, _TALK_WORDS = 3, 10


class ExtractRule:
    """Role ``extract`` under the prompt of ``mem0ai``."""

    role = "extract"
    header = _OPENING

    def reply(self, messages: Sequence[Message]) -> str:
        found = _NEW.search(messages[-1].content)
        memories = [memory for line in (found[1] if found else "").split("\n") if (memory := _read_memory(line))]
        return json.dumps({"memory": [{"id": str(at), **one} for at, one in enumerate(memories)]}, ensure_ascii=False)


def _read_memory(line: str) -> dict[str, str]:
    """Return what one message states; empty if it states nothing."""
    match = _LINE.match(line)
    statements = (
        [sentence for sentence in _SENTENCE.split(match[3].strip()) if _makes_statement(sentence)] if match else []
    )
    if match is None or not statements:
        return {}
    text = " ".join(statements)
    return {"text": f"{match[2]}: {text}" if match[2] else text, "attributed_to": match[1]}


def _makes_statement(sentence: str) -> bool:
    words = len(sentence.split())
    if sentence.endswith("?") or words < _FEWEST_WORDS:
        return False
    return words > _TALK_WORDS or not _TALK.match(sentence)


RULES: tuple[OfflineRule, ...] = (ExtractRule(),)
"""What the offline model knows about this strategy."""
