"""What the offline model does with GenericAgent's files of a conversation: it copies sentences and matches words.

From the messages alone. A fact is a sentence in which somebody states something about their own life, as it was said;
its keyword is one of the index that it holds, else a name in it, else that word of it which the session says most. A
rule is a short form of the other speaker's name. A fact is dropped where a newer one says all of it, or differs in the
last word alone. A search opens keywords that share a word with the question and looks for the question's own words. It
knows English.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from baselines.generic_agent.dialogue.facts import normalize_topic
from baselines.generic_agent.dialogue.pointers import read_sections
from baselines.generic_agent.dialogue.words import SMALL_WORDS, find_base, find_stems, split_words
from bench.protocols import OfflineRule
from bench.types import Message

__all__ = ["RULES", "ExtractRule", "NavigateRule", "UpdateRule"]


def _read_header(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8").split("\n", 1)[0]


_EXTRACT, _UPDATE, _NAVIGATE = map(_read_header, ("extract.txt", "update.txt", "navigate.txt"))
_TURN = re.compile(r"(?P<place>\d+:\d+) (?:(?P<speaker>[^:]{1,40}): )?(?P<text>.+)")
_FACT = re.compile(r"(?P<number>\d+) \| (?P<topic>[^|]+) \| (?P<text>.+)")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\s+(?=\[shares )")
_OWN = re.compile(r"\b(?:I|I['’](?:m|ve|d|ll)|[Mm]y|[Ww]e|[Ww]e['’](?:re|ve|d|ll)|[Oo]ur|me|us|myself|shares)\b")
_NAME = re.compile(r"(?<=[^\W_] )(?!I\b)[A-Z][^\W\d_]{2,}")
_STATEMENT_MARKS = (_OWN, _NAME, re.compile(r"\d"))
_ALIAS = re.compile(r"Rule: (?P<short>\S+) is (?P<name>.+)")
_ASKED_ON = re.compile(r" \(asked on [^)]*\)$")
_MOST_FACTS, _MOST_OPENED = 40, 6
_SAME_START = 2
_NO_NOUN = ("ing", "ed", "ly", "ful", "ous", "able", "ive")


@dataclass(frozen=True, slots=True)
class _Turn:
    place: str
    speaker: str
    text: str


def _read_section(messages: Sequence[Message], heading: str) -> list[str]:
    """Return the lines below a heading of the request."""
    _, _, after = f"\n{messages[-1].content}".partition(f"\n# {heading}")
    return after.partition("\n")[2].partition("\n# ")[0].strip("\n").splitlines()


class ExtractRule:
    """Role ``extract``: sentences that state something, under keywords."""

    role = "extract"
    header = _EXTRACT

    def reply(self, messages: Sequence[Message]) -> str:
        found = [match for line in _read_section(messages, "Session ") if (match := _TURN.fullmatch(line))]
        turns = [_Turn(match["place"], match["speaker"] or "", match["text"]) for match in found]
        rules, keywords = _find_aliases(turns), _Keywords(read_sections(_read_section(messages, "Index")), turns)
        lines = list[str]()
        for turn in turns:
            for sentence in filter(keywords.is_statement, _SENTENCE_END.split(turn.text)):
                text = sentence.strip(" []").replace("|", "/")
                lines.append(f"fact: {keywords.choose_topic(turn.speaker, text)} | {text} | {turn.place}")
        return "\n".join([*rules, *_keep_longest(lines)]) or "none"


def _keep_longest(lines: list[str]) -> list[str]:
    """Where there are too many, the shortest go: they say least."""
    longest = sorted(range(len(lines)), key=lambda at: (-len(lines[at]), at))[:_MOST_FACTS]
    return [lines[at] for at in sorted(longest)]


class _Keywords:
    """Chooses topics: those of the index first, then those chosen before in this part."""

    def __init__(self, known: Mapping[str, tuple[str, ...]], turns: Sequence[_Turn]):
        self._known = {section: dict.fromkeys(words) for section, words in known.items()}
        self._counts = Counter(word for turn in turns for word in split_words(turn.text))
        names = {word for turn in turns for word in split_words(turn.speaker)}
        # Speakers name each other all the time, in full or in short.
        self._people = {word for word in self._counts if any(name.startswith(word) for name in names)}

    def is_statement(self, sentence: str) -> bool:
        """True if a sentence is about its speaker, a name or a number, and is no question and no mere greeting."""
        words = find_stems(sentence) - {find_base(word) for word in self._people}
        return bool(words) and sentence.rstrip()[-1] != "?" and any(mark.search(sentence) for mark in _STATEMENT_MARKS)

    def choose_topic(self, speaker: str, text: str) -> str:
        section = normalize_topic(f"{speaker}/x").rpartition("/")[0] or "general"
        bases, words = find_stems(text), self._known.setdefault(section, {})
        matching = [word for word in words if find_stems(word) and find_stems(word) <= bases]
        keyword = max(matching, key=lambda word: (len(word), word)) if matching else self._choose_keyword(text, bases)
        words[keyword] = None
        return f"{section}/{keyword}"

    def _choose_keyword(self, text: str, bases: frozenset[str]) -> str:
        names = [word for name in _NAME.findall(text) if (word := name.lower()) not in SMALL_WORDS | self._people]
        candidates = (word for word in split_words(text) if find_base(word) in bases and word.isalpha())
        words = [word for word in candidates if word not in self._people]
        nouns = [word for word in words if not word.endswith(_NO_NOUN)]
        return min(names or nouns or words, key=lambda word: (-self._counts[word], -len(word), word), default="life")


def _find_aliases(turns: Sequence[_Turn]) -> list[str]:
    """Return a rule for each short form by which one speaker calls another."""
    speakers = sorted({turn.speaker for turn in turns if turn.speaker})
    found: dict[str, str] = {}
    for turn in turns:
        for word in re.findall(r"\b[A-Z][^\W\d_]{2,}\b", turn.text):
            for name in speakers:
                if name != turn.speaker and word not in speakers and name.startswith(word):
                    found.setdefault(word, f"rule: {word} is {name} | {turn.place}")
    return [found[word] for word in sorted(found)]


class UpdateRule:
    """Role ``update``: an earlier fact goes where a new one of the same topic and speaker repeats or changes it."""

    role = "update"
    header = _UPDATE

    def reply(self, messages: Sequence[Message]) -> str:
        earlier, new = (
            [match for line in _read_section(messages, heading) if (match := _FACT.fullmatch(line))]
            for heading in ("Earlier facts", "New facts")
        )
        lines = []
        for old in earlier:
            same = [one for one in new if one["topic"] == old["topic"] and _replaces(one["text"], old["text"])]
            lines += [f"drop: {old['number']} | {same[0]['number']}"] if same else []
        return "\n".join(lines) or "none"


def _replaces(new: str, old: str) -> bool:
    who_new, _, said_new = re.sub(r"^\[[^\]]*\] ", "", new).rpartition(": ")
    who_old, _, said_old = re.sub(r"^\[[^\]]*\] ", "", old).rpartition(": ")
    if who_new != who_old:
        return False
    words_new, words_old = split_words(said_new), split_words(said_old)
    is_changed = len(words_new) == len(words_old) > _SAME_START and words_new[:-1] == words_old[:-1]
    return is_changed or find_stems(said_old) <= find_stems(said_new)


class NavigateRule:
    """Role ``navigate``: keywords and turns that share a word with the question, in one round."""

    role = "navigate"
    header = _NAVIGATE

    def reply(self, messages: Sequence[Message]) -> str:
        question = _ASKED_ON.sub("", " ".join(_read_section(messages, "Question")))
        known = read_sections(_read_section(messages, "Index"))
        rules = [match for line in _read_section(messages, "Rules") if (match := _ALIAS.fullmatch(line))]
        used = [match["name"] for match in rules if match["short"].lower() in split_words(question)]
        question = " ".join([question, *used])
        people = [section for section in known if find_stems(section) & find_stems(question)]
        question_words = find_stems(question) - find_stems(" ".join(people))
        topics = [
            f"{section}/{word}"
            for section in sorted(known)
            for word in known[section]
            if find_stems(word) & question_words
        ]
        topics.sort(key=lambda choose_topic: (choose_topic.partition("/")[0] not in people, choose_topic))
        opened = [*(["l3"] if used else []), *topics[:_MOST_OPENED], *(f"{one}/*" for one in people)]
        words = list(dict.fromkeys(word for word in split_words(question) if find_base(word) in find_stems(question)))
        lines = [f"open: {', '.join(opened)}"] if opened else []
        if "\nfind: " in messages[0].content and words:
            lines.append(f"find: {' '.join(words)}")
        return "\n".join([*lines, "done"])


RULES: tuple[OfflineRule, ...] = (ExtractRule(), UpdateRule(), NavigateRule())
"""What the offline model knows about the dialogue side."""
