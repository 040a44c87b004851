"""How the offline model condenses what an environment or two speakers said: it keeps sentences, and writes none.

One plain scheme for every strategy that asks for a summary, so that they differ by what they ask for and when. Of what
a world said, each fact keeps its latest statement: a sentence and its denial ("no longer") cancel each other, a list
of what is somewhere replaces the list before, a text that says it is the current state replaces everything before it,
a refusal is no fact. Of a conversation, lines stay whole; where room is short, questions and small talk go first, then
the oldest. It knows English and nothing of any suite, strategy or task.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["SMALL_WORDS", "condense", "is_refusal", "list_words", "read_events", "read_limit", "strip_ending"]

SMALL_WORDS = frozenset(Path(__file__).with_name("small_words.txt").read_text(encoding="utf-8").split())
"""Words that say nothing of what a text is about."""
_SHORTEST_ROOT = 4
_ENDINGS = ("ing", "ied", "ies", "ed", "es", "s", "e", "y")

_LINE = re.compile(r"\[(?P<step>\d+)\] (?P<kind>Task|Action|Observation|Note|Feedback): (?P<text>.*)", re.DOTALL)
_SPEECH = re.compile(r"(?:\[[^\]]+\] )?[^\W\d][\w .'-]{0,30}: .")
_REFUSAL = re.compile(
    r"nothing (?:happens|changes)|(?:changes|does) nothing|no effect|cannot|can't|invalid|unknown"
    r"|not (?:a known|known|met|possible|allowed|understood)",
    re.IGNORECASE,
)
_STATE = re.compile(r"((?:[A-Z]\w* )?(?:current |present )?state(?: now)?:)\s+", re.IGNORECASE)
_CHOICES = re.compile(r"[^.]*:(?:[^;]*;){2}")
_DENIAL = re.compile(r"\bno longer\s+", re.IGNORECASE)
_REFERS_BACK = re.compile(r"(?:[A-Z][a-z]+ ){0,2}(?:it|them|there|they)\b", re.IGNORECASE)
_PLACE = re.compile(r"you (?:arrive|are (?:in|at|on|facing)|go|walk|enter|stand|face)\b", re.IGNORECASE)
_MOVED = re.compile(
    r"you (?:pick up|put down|\w+) (?:the |an? )?(?P<thing>[\w-]+(?: \d+)?) (?:from|to|into|onto|in/on|in|on) ",
    re.IGNORECASE,
)
_LISTS = re.compile(r"(?P<where>[^,:]+), you (?:can )?see\b", re.IGNORECASE)
_BARE_VERB = re.compile(r"you \w+ the (?P<thing>[\w-]+(?: \d+)?)\.", re.IGNORECASE)
_LIMIT = re.compile(r"about (\d+) words")
_TOKEN = re.compile(r"[^\W\d_]{1,6}|\d{1,3}|[^\w\s]|_")
_CONTENT = re.compile(r"[^\W\d_]{4,}|\d+")
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True)
class PromptEvent:
    """One event as a prompt shows it; ``kind`` is empty for a line of a conversation or of plain text."""

    kind: str
    text: str


def read_events(text: str) -> list[PromptEvent]:
    """Return the events that a text shows, each with its continuation lines."""
    found: list[PromptEvent] = []
    for line in text.splitlines():
        if match := _LINE.match(line):
            found.append(PromptEvent(match["kind"], match["text"]))
        elif line.strip() and found and found[-1].kind and not _SPEECH.match(line):
            found[-1] = PromptEvent(found[-1].kind, f"{found[-1].text} {line.strip()}")
        elif line.strip():
            found.append(PromptEvent("", line.strip()))
    return found


def strip_ending(word: str, endings: Sequence[str] = _ENDINGS) -> str:
    """Return a word in lower case without the first of the endings that leaves at least four letters of it.

    ``endings``: those of nouns and verbs, unless others are given.
    """
    word = word.lower()
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_ROOT:
            return word.removesuffix(ending)
    return word


def list_words(text: str) -> set[str]:
    """Return the words of a text that say something, in lower case; numbers are none."""
    return set(_WORD.findall(text.lower())) - SMALL_WORDS


def read_limit(text: str) -> int | None:
    """Return the tokens, four for three words, that a prompt asks for ("about 150 words"); None if it names none."""
    match = _LIMIT.search(text)
    return -(-4 * int(match[1]) // 3) if match else None


def is_refusal(text: str) -> bool:
    """True if a world says that nothing came of an action."""
    return bool(_REFUSAL.search(text))


def condense(
    events: Iterable[PromptEvent], limit_tokens: int | None = None, wanted: frozenset[str] = frozenset()
) -> str:
    """Return what is still worth knowing, at most ``limit_tokens`` long by a cautious count; may be empty.

    Where room is short, facts without one of the ``wanted`` words (in lower case) go first.
    """
    facts, conversation = _Facts(), list[str]()
    for event in events:
        if event.kind == "" and _SPEECH.match(event.text):
            conversation.append(event.text)
        elif event.kind in ("", "Observation", "Feedback"):
            facts.add(event.text)
    lines = [*_shorten_conversation(list(dict.fromkeys(conversation)), limit_tokens)]
    rest = None if limit_tokens is None else limit_tokens - sum(map(_count_tokens, lines))
    facts_text = facts.render(rest, wanted)
    return "\n".join(part for part in (*lines, facts_text) if part)


def _count_tokens(text: str) -> int:
    return len(_TOKEN.findall(text)) + 1


class _Facts:
    """The latest statement of each fact, least recently stated first."""

    def __init__(self) -> None:
        self._latest: dict[str, str] = {}
        self._denied_first: dict[str, bool] = {}
        self._lead = ""

    def add(self, text: str) -> None:
        before, lead, state = _split_state(text)
        sentences = _split_sentences(before)
        for at, sentence in enumerate(sentences):
            echo = _BARE_VERB.fullmatch(sentence)
            following = sentences[at + 1].lower() if at + 1 < len(sentences) else ""
            if not (echo and following.startswith(f"the {echo['thing'].lower()} ")):
                self._add_sentence(sentence)
        if lead:
            self._latest, self._lead = {}, lead
            for sentence in _split_sentences(state):
                self._add_sentence(sentence)

    def _add_sentence(self, sentence: str) -> None:
        if is_refusal(sentence) or _CHOICES.match(sentence):
            return
        key, denies = _find_subject(sentence), bool(_DENIAL.search(sentence))
        self._latest.pop(key, None)
        # A change that was taken back leaves things as they were before it; a whole state lists what holds.
        if denies == (False if self._lead else self._denied_first.setdefault(key, denies)):
            self._latest[key] = sentence

    def render(self, limit_tokens: int | None, wanted: frozenset[str]) -> str:
        sentences = list(self._latest.values())
        if limit_tokens is not None:
            spare = limit_tokens - _count_tokens(self._lead)
            first_to_go = sorted(sentences, key=lambda sentence: not wanted.isdisjoint(list_words(sentence)))
            while sentences and sum(map(_count_tokens, sentences)) > spare:
                sentences.remove(first_to_go.pop(0))
        return " ".join([self._lead, *sentences]).strip() if sentences else ""


def _split_state(text: str) -> tuple[str, str, str]:
    match = _STATE.search(text)
    return (text[: match.start()], match[1], text[match.end() :]) if match else (text, "", "")


def _split_sentences(text: str) -> list[str]:
    """Return the sentences of a text; one that speaks of "it" stays with the one before."""
    found: list[str] = []
    for part in re.split(r"(?<=[.!?])\s+", " ".join(text.split())):
        if found and _REFERS_BACK.match(part):
            found[-1] += f" {part}"
        elif part:
            found.append(part)
    return found


def _find_subject(sentence: str) -> str:
    """Return what a sentence is about: two sentences with one key cannot both be news."""
    if _PLACE.match(sentence):
        return "you are somewhere"
    if moved := _MOVED.match(sentence):
        return f"where is {moved['thing'].lower()}"
    if lists := _LISTS.match(sentence):
        return lists["where"].lower()
    return _DENIAL.sub("", sentence).lower()


def _shorten_conversation(lines: Sequence[str], limit_tokens: int | None) -> list[str]:
    """Drop what says least, the oldest first, until the lines fit."""
    rest = list(lines)
    if limit_tokens is None:
        return rest
    spare = limit_tokens - sum(map(_count_tokens, rest))
    for line in sorted(range(len(lines)), key=lambda at: (_has_content(lines[at]), at)):
        if spare >= 0:
            break
        rest[line] = ""
        spare += _count_tokens(lines[line])
    return [line for line in rest if line]


def _has_content(line: str) -> bool:
    speech = line.partition(": ")[2]
    return not speech.rstrip().endswith("?") and len(_CONTENT.findall(speech)) >= 2
