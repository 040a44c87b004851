"""What the offline model adds in GenericAgent's dialect: a line about the turn, and key info every few turns.

From the messages alone. The suite's rule gets the prompt without the dialect and decides; the line says what the
current observation says (its sentences, a long list shortened to what the task names) and what is done next; the key
info, written when the prompt reminds of it, keeps each fact's latest statement: from the key info before and what the
past in view has shown since. It reads no file. The rules of the dialogue side stand in
``generic_agent.dialogue.offline``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from baselines.generic_agent.dialogue.offline import RULES as DIALOGUE_RULES
from baselines.shared.extractive import PromptEvent, condense, read_events, read_limit
from bench.protocols import OfflineDialect, OfflineRule
from bench.types import Message

__all__ = ["RULES", "AnchorDialect", "summarize_observation"]

_HERE = Path(__file__).parent
_DIALECT = (_HERE / "dialect.txt").read_text(encoding="utf-8").strip()
_KEY_HEADING = "Key info:"
_TURN = re.compile(r"^Turn (?P<turn>\d+)\.$", re.MULTILINE)
_LINE = re.compile(r"\[(?P<step>\d+)\] (?P<kind>Action|Observation|Feedback|Note): ")
_OWN = re.compile(rf"^(?P<head>{_KEY_HEADING}\n|(?=\[\d+\] Summary: ))(?P<turn>\[\d+\]) (?:Summary: )?", re.MULTILINE)
_THEN = "Then: "
_CHARS = 100
"""The longest line about a turn: what is longer loses its middle."""
_LIST = re.compile(r"(?P<lead>.*?\b(?:see|holds?|contains?|carrying:?)\b)\s*(?P<items>[^.]*)\.", re.IGNORECASE)
_STATE = re.compile(r"(?:\w+ )?state(?: now)?:\s*", re.IGNORECASE)
_DENIAL = re.compile(r"\b(?:no longer|not|longer)\s+", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"[^\W\d_]{3,}")
_CUT = "…"
_NUDGE = "Notice: write the key info"
_LISTED = 60
"""Characters of a sentence with a list, in the key info."""
_MANY = 10
"""Turns after which the key info is written again without a reminder."""


@dataclass(frozen=True, slots=True)
class _ActPrompt:
    """The parts of an acting prompt in this dialect."""

    plain: tuple[Message, ...]
    """The prompt as the suite's rule knows it."""
    task: str
    key_info: str
    past: tuple[str, ...]
    """Lines of past turns and of the raw past that came after the key info."""
    is_due: bool
    """The key info is old, or the prompt asks for it."""
    now: str
    key_info_tokens: int | None
    """The limit that the dialect tells."""


def _read_prompt(messages: Sequence[Message]) -> _ActPrompt:
    plain = tuple(map(_strip_dialect, messages))
    body = "\n".join(message.content for message in plain if message.role != "system")
    head, _, now = body.rpartition("# Now\n") if "# Now\n" in body else (body, "", "")
    task, _, memory = head.partition("# Memory\n")
    key = re.search(rf"^{_KEY_HEADING}\n\[(?P<turn>\d+)\] Note: (?P<text>.*)$", memory, re.MULTILINE)
    key_turn = int(key["turn"]) if key else 0
    past: list[str] = []
    for line in memory[key.end() if key else 0 :].splitlines():
        if found := _LINE.match(line):
            past.append(line if int(found["step"]) > key_turn - (found["kind"] != "Note") else "")
        elif past:
            past[-1] = f"{past[-1]} {line}" if past[-1] else ""  # the rest of an observation of several lines
    turn = int(found["turn"]) if (found := _TURN.search(memory)) else 1
    is_due = turn - key_turn >= _MANY or any(_NUDGE in message.content for message in messages)
    now = now.partition(": ")[2].strip()
    limit = read_limit("\n".join(part for message in messages for part in _find_dialect(message)))
    return _ActPrompt(plain, task, key["text"] if key else "", tuple(filter(None, past)), is_due, now, limit)


def _find_dialect(message: Message) -> list[str]:
    """Return the paragraph that is the dialect, if a message has it."""
    return [part for part in message.content.split("\n\n") if part.startswith(_DIALECT)]


def _strip_dialect(message: Message) -> Message:
    if message.role == "system":
        ours = _find_dialect(message)
        return replace(message, content="\n\n".join(part for part in message.content.split("\n\n") if part not in ours))
    lines = (line for line in message.content.split("\n") if not line.startswith("Notice: "))
    # What the agent wrote itself is a note to the suite's rule.
    return replace(message, content=_OWN.sub(r"\g<head>\g<turn> Note: ", "\n".join(lines)))


class AnchorDialect:
    """Role ``act`` in GenericAgent's dialect."""

    role = "act"
    block = _DIALECT

    def reply_with(self, messages: Sequence[Message], ask: Callable[[Sequence[Message]], str]) -> str:
        """Return the suite's action below a line about the turn, and below the key info where it is due."""
        prompt = _read_prompt(messages)
        reply = ask(prompt.plain)
        action = reply.partition(":")[2].strip() or reply
        then = f"{_THEN}{action}"
        summary = summarize_observation(prompt.now, prompt.task, _CHARS)
        line = f"{summary} {then}".strip()
        lines = [f"<summary>{line if len(line) <= _CHARS else summary}</summary>"]
        if prompt.is_due and (key_info := _build_key_info(prompt)):
            lines.append(f"checkpoint({key_info})")
        return "\n".join([*lines, reply])


def _build_key_info(prompt: _ActPrompt) -> str:
    """Return what is still so: the key info before, then what was observed since, each fact once."""
    events = [PromptEvent("Observation", prompt.key_info)]
    for event in read_events("\n".join(prompt.past)):
        condensed = event.text.partition(_THEN)[0] if event.kind == "Note" else event.text
        events.append(PromptEvent("" if event.kind == "Action" else "Observation", condensed))
    events = [
        event for event in (*events, PromptEvent("Observation", prompt.now)) if event.kind and _CUT not in event.text
    ]
    task_words = _find_task_words(prompt.task)
    events = [
        replace(
            event, text=" ".join(_shorten_list(part, task_words, _LISTED) for part in _SENTENCE_END.split(event.text))
        )
        for event in _drop_reversed(events)
    ]
    limit, full = prompt.key_info_tokens, condense(events)
    condensed = condense(events, limit)
    if condensed != full:  # what is as it was at the start goes first
        condensed = condense([replace(event, text=_select_news(event.text, prompt)) for event in events], limit)
    return " ".join(condensed.split())


def _select_news(text: str, prompt: _ActPrompt) -> str:
    """Return the sentences of a text but those that the opening implies, if nothing in view says otherwise."""
    opening, past = prompt.task.lower(), "\n".join(prompt.past).lower()

    def is_news(sentence: str) -> bool:
        fact = _DENIAL.sub("", sentence).lower()
        return (fact in opening) == bool(_DENIAL.search(sentence)) or fact in past

    return " ".join(part for part in _SENTENCE_END.split(text) if is_news(part))


def _drop_reversed(events: Sequence[PromptEvent]) -> list[PromptEvent]:
    """Return the events without what a later one reverses, so that only the last word on each fact is left.

    ``condense`` would leave out a change that was taken back; but a line of a past turn may still tell of the change.
    """
    last: dict[str, bool] = {}
    events_left: list[PromptEvent] = []
    for event in reversed(events):
        sentences = [part for part in _SENTENCE_END.split(event.text) if part]
        for sentence in reversed(sentences):
            last.setdefault(_DENIAL.sub("", sentence).lower(), bool(_DENIAL.search(sentence)))
        current = [s for s in sentences if last[_DENIAL.sub("", s).lower()] == bool(_DENIAL.search(s))]
        events_left.append(PromptEvent(event.kind, " ".join(current)))
    return events_left[::-1]


def summarize_observation(observation: str, task: str, chars: int) -> str:
    """Return what fits of an observation: whole sentences, what is so before what is no longer so, and what the task
    names before the rest."""
    text = " ".join(observation.split())
    if len(text) <= chars:
        return text
    task_words = _find_task_words(task)
    facts = _STATE.sub("", condense([PromptEvent("Observation", text)]))
    sentences = [_shorten_list(part, task_words, chars) for part in _SENTENCE_END.split(facts)]
    chosen: list[int] = []
    room = chars

    def rank(at: int) -> tuple[bool, int, int]:
        return (bool(_DENIAL.search(sentences[at])), -_count_shared(sentences[at], task_words), at)

    for at in sorted(range(len(sentences)), key=rank):
        if sentences[at] and len(sentences[at]) + 1 <= room + (not chosen):
            chosen.append(at)
            room -= len(sentences[at]) + 1
    return " ".join(sentences[at] for at in sorted(chosen))


def _find_task_words(task: str) -> set[str]:
    """Return the words of what is to be done: the last clause of the opening."""
    return {word.lower() for word in _WORD.findall(task.rpartition(":")[2] or task)}


def _count_shared(sentence: str, task_words: set[str]) -> int:
    return len(task_words & {word.lower() for word in _WORD.findall(sentence)})


def _shorten_list(sentence: str, task_words: set[str], chars: int) -> str:
    """Return a sentence whose list holds no more than fits, the task's own things first."""
    found = _LIST.fullmatch(sentence)
    if len(sentence) <= chars or not found:
        return sentence
    items = [item for item in re.split(r",\s*(?:and\s+)?|\s+and\s+", found["items"]) if item]
    room = chars - len(found["lead"]) - 2
    chosen: list[str] = []
    for item in sorted(items, key=lambda item: -_count_shared(item, task_words)):
        if len(item) + 2 <= room:
            chosen.append(item)
            room -= len(item) + 2
    return f"{found['lead']} {', '.join(item for item in items if item in chosen)}." if chosen else sentence


RULES: tuple[OfflineRule | OfflineDialect, ...] = (AnchorDialect(), *DIALOGUE_RULES)
"""What the offline model knows about this strategy."""
