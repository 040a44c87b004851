"""How the offline model files turns: as a novice that the skill lines of its prompt can teach.

From the messages alone. Without skills it files one shortened sentence of each turn under who says it, or under the
first thing that it names, leaves relative dates as they are, and drops denials. Each skill that it knows makes it keep
more, or file it where it is found. It knows English, capitalised names, dates, and things with numbers such as
``mug 1``, and nothing of any suite.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from baselines.horma.manager import PRINCIPLES
from baselines.horma.offline.skills import Followed, find_skills
from baselines.horma.offline.wording import anchor_dates, find_names, find_things, shorten, split_statements
from baselines.shared.extractive import SMALL_WORDS, is_refusal
from bench.types import Message

__all__ = ["OrganiseRule"]

_TURN = re.compile(r"\[(?P<ref>[^\]\s]+)\] (?:(?P<who>[^\W\d][^:\[\]]{0,30}): )?(?P<text>.*)")
_TIME = re.compile(r"\((?P<time>[^()]+(?:\([^()]*\)[^()]*)*)\)")
_STEP_LABELS = ("Action", "Observation", "Note", "Feedback")
_COUNTED = re.compile(r"([\w./-]+) \((\d+)\)")
_PLACES = "notes/places"
_FULL_LINES = 200


def _read_section(text: str, heading: str) -> str:
    _, _, after = f"\n{text}".partition(f"\n# {heading}\n")
    return re.split(r"\n\n# [A-Z]", after, maxsplit=1)[0].strip("\n")


@dataclass(frozen=True, slots=True)
class _Turn:
    ref: str
    who: str
    text: str
    time: str


class OrganiseRule:
    """Role ``organise``: ``append`` operations, grouped by file."""

    role = "organise"
    header = PRINCIPLES.split("\n", 1)[0]

    def reply(self, messages: Sequence[Message]) -> str:
        if len(messages) > 2:
            return "none"  # its operations are never refused for what it could mend
        skills, request = find_skills(messages[0].content, self.role), messages[1].content
        task, files = _read_section(request, "Task"), dict[str, list[str]]()
        turns = list(_read_turns(_read_section(request, "New turns")))
        for place, turn in enumerate(turns):
            before = turns[place - 1] if place else None
            lines = _file_step(turn, before, task, skills) if turn.who in _STEP_LABELS else _file_speech(turn, skills)
            for path, line in lines:
                files.setdefault(path, []).append(f"- {line.replace('`', '')}")
        full = _find_full_notes(_read_section(request, "Files").partition("\n\n## ")[0])
        blocks = [
            "\n".join([f"append {_go_on(path, full)}.md", *dict.fromkeys(lines)])
            for path, lines in sorted(files.items())
        ]
        return "\n".join(filter(None, [skills.describe(), *blocks])) if blocks else "none"


def _read_turns(text: str) -> Iterator[_Turn]:
    time = ""
    for line in text.splitlines():
        if found := _TIME.fullmatch(line):
            time = found["time"]
        elif turn := _TURN.fullmatch(line):
            yield _Turn(turn["ref"], turn["who"] or "", turn["text"], time)


def _file_speech(turn: _Turn, skills: Followed) -> Iterator[tuple[str, str]]:
    """Yield files and lines for what somebody says."""
    statements = split_statements(turn.text, denials="denials" in skills, pictures="pictures" in skills)
    for sentence in statements if "all" in skills else statements[:1]:
        kept = sentence if "whole" in skills else shorten(sentence, "dates" in skills, "details" in skills)
        kept = anchor_dates(kept, turn.time) if "anchor" in skills else kept
        line = f"{turn.who}: {kept} [{turn.ref}]" if turn.who else f"{kept} [{turn.ref}]"
        names = find_names(sentence, turn.who) if "names" in skills else []
        for name in dict.fromkeys((turn.who or "somebody", *names)):
            yield f"entities/{_slug(name)}", line


def _file_step(turn: _Turn, before: _Turn | None, task: str, skills: Followed) -> Iterator[tuple[str, str]]:
    """Yield files and lines for what was done or observed in a task."""
    if turn.who == "Action":
        return
    if is_refusal(turn.text):
        if "failed" in skills and before and before.who == "Action":
            yield "notes/failed", f"{before.text}: {turn.text} [{before.ref}, {turn.ref}]"
        return
    sentences = [sentence for sentence in re.split(r"(?<=[.!?])\s+", turn.text) if sentence]
    things = find_things(turn.text)
    first = _slug(things[0]) if things else "task"
    kept = turn.text if "whole" in skills else shorten(sentences[0]) if sentences else ""
    if kept:
        yield f"entities/{first}", f"{kept} [{turn.ref}]"
    if "places" in skills:
        yield _PLACES, f"{turn.text} [{turn.ref}]"
    wanted = {word for word in re.findall(r"[a-z]{3,}", task.rpartition(": ")[2].lower()) if word not in SMALL_WORDS}
    for sentence in sentences if "goal" in skills else []:
        for thing in find_things(sentence):
            if wanted & set(thing.split()):
                yield f"entities/{_slug(thing)}", f"{sentence} [{turn.ref}]"


def _find_full_notes(tree: str) -> frozenset[str]:
    """Return the notes that have as many lines as one should have."""
    return frozenset(
        f"{line.partition('/')[0]}/{name}"
        for line in tree.splitlines()
        for name, count in _COUNTED.findall(line)
        if int(count) >= _FULL_LINES
    )


def _go_on(path: str, full: frozenset[str]) -> str:
    """Return a note, or the one that takes over where it is full."""
    part = 2
    go_on = path
    while go_on in full:
        go_on, part = f"{path}_{part}", part + 1
    return go_on


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:60] or "somebody"
