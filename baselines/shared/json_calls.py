"""Calls of a learner whose replies are one JSON object: read, asked for once more with what is wrong, then given up.

What was asked again and given up is counted, and written beside what was learned.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from bench.protocols import Kit
from bench.replies import JsonNode, ReplyError, read_json, read_text, trim_to_sentence
from bench.types import Artifact, Message, Reply

__all__ = ["JsonAnswer", "JsonCalls", "ask_json", "list_operations", "read_plain"]

T = TypeVar("T")
R = TypeVar("R")
_LOG = "log/learning.txt"
_REPLY_TOKENS = 1024
_MOST_CHARACTERS = 4000
"""How much of an unreadable reply is shown when the model is asked again."""
_PLAIN_TOKENS = 200
"""The most of a reply without JSON that is kept."""
_MARKED_NUMBER = re.compile(r"(?<=[:,\[])(\s*)#(?=\d+\s*[,\]}])")
"""A number as prompts show that of an insight, ``#3``, without the quotes that JSON needs."""


@dataclass(frozen=True, slots=True)
class JsonAnswer(Generic[T]):
    """What came of asking for JSON."""

    value: T | None
    """None: neither of two replies could be used."""
    reply: Reply
    """The last one."""
    tries: int


def ask_json(kit: Kit, role: str, system: str, request: str, read: Callable[[JsonNode], T]) -> JsonAnswer[T]:
    """Return what ``read`` makes of the reply, or of a second one.

    ``read`` raises ReplyError for what it cannot use; the model is told that once. Raises: ModelError.
    """
    messages: tuple[Message, ...] = (Message("system", system), Message("user", request))
    for tries in (1, 2):
        reply = kit.model.chat(messages, role=role, max_tokens=_REPLY_TOKENS)
        try:
            return JsonAnswer(read(read_json(_MARKED_NUMBER.sub(r"\1", reply.text), arrays=True)), reply, tries)
        except ReplyError as fault:
            again = f"That reply cannot be used: {fault}. Reply again with the one JSON object and nothing else."
            messages = (*messages, Message("assistant", reply.text[:_MOST_CHARACTERS]), Message("user", again))
    return JsonAnswer(None, reply, tries)


def list_operations(reply: JsonNode, read: Callable[[JsonNode], T], refused: Counter[R], fault: R) -> tuple[T, ...]:
    """Return the operations of a reply, which may be a bare list or one of them.

    An entry that ``read`` refuses is counted, in ``refused`` as ``fault``. Raises: ReplyError for JSON without
    operations.
    """
    if isinstance(reply.value, dict) and "op" in reply:
        entries: Sequence[JsonNode] = (reply,)
    else:
        entries = reply.entries() if isinstance(reply.value, list) else reply["operations"].entries()
    found: list[T] = []
    for entry in entries:
        try:
            found.append(read(entry))
        except ReplyError:
            refused[fault] += 1
    return tuple(found)


def read_plain(kit: Kit, reply: Reply) -> str:
    """Return a reply without JSON as one line of whole sentences; may be empty."""
    plain = trim_to_sentence(read_text(reply.text).value, _PLAIN_TOKENS, kit.budget.count, cut=reply.finish == "length")
    return " ".join(plain.split())


class JsonCalls:
    """Asks for JSON in learning, and counts the replies that were not what was asked for."""

    def __init__(self, kit: Kit):
        self._kit = kit
        self.counts: Counter[str] = Counter()
        """By role, ``infer: asked again``, ``infer: given up``; and what else a learner counts."""

    def ask(self, role: str, system: str, request: str, read: Callable[[JsonNode], T]) -> T | None:
        """Return what ``read`` makes of the reply; None if it refuses two replies (see ``ask_json``)."""
        return self.ask_answer(role, system, request, read).value

    def ask_answer(self, role: str, system: str, request: str, read: Callable[[JsonNode], T]) -> JsonAnswer[T]:
        """Do the same, and return the last reply with it: for what a caller makes of one that is no JSON."""
        answer = ask_json(self._kit, role, system, request, read)
        if answer.tries > 1:
            self.counts[f"{role}: asked again"] += 1
        if answer.value is None:
            self.counts[f"{role}: given up"] += 1
        return answer

    def write_log(self) -> Artifact:
        """Return the counts as a file, a line each; it is based on all tasks."""
        return Artifact({_LOG: "".join(f"{name} = {n}\n" for name, n in sorted(self.counts.items()))})
