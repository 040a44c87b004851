"""Labels such as ``Action:`` in all the ways that chat models write them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from bench.replies.marks import BRACKETS, close_marks

__all__ = ["ASIDE", "THOUGHT", "WORLD", "Label", "Labelled", "bare_name", "make_label", "make_synonyms"]

_MARKS = r"*_`~#>\"'“”‘’|+•({\[–—-"
_REPAIRS = {
    **dict.fromkeys("*_", "bold"),
    **dict.fromkeys("`\"'“”‘’", "quotes"),
    **dict.fromkeys("([{", "brackets"),
    "#": "heading",
    ">": "quote",
}
_STEP = r"(?:\[\d{1,4}\]|\(?\d{1,4}(?:[.):]|(?=\s))|step\s\d{1,4}\s?[.:)–-])"
_BEFORE = rf"(?P<before>[\s{_MARKS}]{{0,24}}(?:{_STEP}[\s{_MARKS}]{{0,12}})?)"
_MODIFIERS = (
    r"(?P<modifier>(?:(?:so|my|your|our|the)[\s,]{1,2}){0,2}"
    r"(?:(?:next|new|final|current|chosen|selected|best|short|first|recommended"
    r"|nächste|prochaine|siguiente|próxima|следующее)\s{1,2}|下一步|下一个){0,2})"
)
_NUMBER = r"(?P<number>\s{0,2}#?\(?\d{1,4}\)?)?"
_COLON = (
    r"(?P<inner>[\s*_`~]{0,8})(?:(?P<remark>\([^()\n]{1,60}\)|\[[^\[\]\n]{1,60}\])[\s*_`~]{0,8})?"
    r"(?P<verb>(?:is|would be|will be)[\s*_`~]{0,8})?"
    r"(?P<colon>[:\uff1a\ufe55]|[–—-]\s|[-=]>|→|=(?!=)|\][*_`]{0,3}[:\s])?(?P<rest>.*)"
)
_COLON_HINT = re.compile(r"[:\uff1a\ufe55#*–—=→\]-]")
"""Every line that a label begins has one of these."""
_FIELD = re.compile(r"\"(?P<name>[\w -]{1,30})\"\s?:\s?(?P<value>\S.*)|\|(?P<head>[^|]{1,40})\|(?P<cell>[^|]{1,2000})")
"""A field of broken JSON, or a row of a table."""
_VERB = r"(?:is|was|would be|will be|must be|should be)"
SYNONYMS = {
    "action": ("Command", "Next step", "Move", "Decision", "Answer"),
    "answer": ("Response", "Conclusion"),
}
"""What stands for a label where the label itself is missing; a choice, such as ``I choose: ...``, always does."""
_CHOICES = (
    *("I choose", "I pick", "I select", "I will do", "I'll do", "I will go with", "I'll go with", "I go with"),
    *("I would go with", "I'd go with", "I would like to go with", "I'd like to go with", "My choice"),
)
_TRANSLATIONS = {
    "action": ("Aktion", "Acción", "Azione", "Ação", "行动", "动作", "行動", "アクション", "Действие"),
    "answer": ("Antwort", "Réponse", "Respuesta", "Risposta", "Resposta", "答案", "回答", "答え", "Ответ"),
}
_NEVER = re.compile(r"(?!)")
_MOST_ECHOES = 20
"""Times that a label may stand on its line; what goes on so says nothing."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """What stands behind a label on its line, possibly nothing, and what was repaired to find it."""

    rest: str
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Label:
    """A label and its spellings."""

    start: re.Pattern[str]
    inline: re.Pattern[str]
    """Where it begins a sentence within a line, written as it was asked for."""
    within: re.Pattern[str]
    """Anywhere in a line."""
    sentence: re.Pattern[str]
    """A sentence such as ``So the answer is``."""
    core: re.Pattern[str]
    """The names alone: a text without them needs no search line by line."""

    def match(self, line: str) -> Labelled | None:
        """Return what follows the label that a stripped line begins with; one that is written twice counts once."""
        found = self._match(line) if _COLON_HINT.search(line) else None
        for _ in range(_MOST_ECHOES):
            if not (found and found.rest and (again := self._match(found.rest))):
                return found
            found = Labelled(again.rest, (*found.repairs, *again.repairs, "label-twice"))
        return Labelled("")

    def _match(self, line: str) -> Labelled | None:
        if not (found := self.start.match(line)):
            return None
        before, rest = found["before"], found["rest"]
        if not found["colon"]:
            is_heading = ("#" in before or "*" in before) and not found["verb"] and not rest.strip()
            return Labelled("", ("heading",)) if is_heading else None
        repairs = [_REPAIRS.get(mark, "bullet") for mark in before if not mark.isspace()]
        repairs += ["bold"] if found["inner"].strip() else []
        extras = ("modifier", "number", "verb", "remark", "inner")
        plain = found["colon"] == ":" and not any(found[extra] for extra in extras)
        repairs += [] if plain else ["label-synonym"]
        return Labelled(close_marks(rest, before), tuple(repairs))

    def match_odd(self, line: str) -> Labelled | None:
        """Return what follows the label in a table's row, a call such as ``Action[x]`` or broken JSON, or alone."""
        if field := _FIELD.match(line):
            found = self._match(f"{(field['name'] or field['head']).strip()}:")
            value = (field["value"] or field["cell"]).strip().rstrip(",")
            return Labelled(value, ("table" if field["cell"] else "json",)) if found and not found.rest else None
        hit = self.start.match(line)
        if not hit or hit["colon"] or hit["verb"]:
            return None
        rest = close_marks((hit["remark"] or "") + hit["rest"], hit["before"]).rstrip(" .;")
        if not rest and not hit["inner"].strip():
            return Labelled("", ("heading",))
        is_call = rest[1:] and not hit["inner"] and BRACKETS.get(rest[0]) == rest[-1] != "}"
        return Labelled(rest[1:-1], ("brackets",)) if is_call else None

    def split_inline(self, line: str) -> tuple[str, str] | None:
        """Return what stands before and from the label on, where it begins a sentence within the line."""
        found = self.inline.search(line)
        return (line[: found.start()].strip(), line[found.start() :].strip()) if found else None


@lru_cache(maxsize=64)
def make_label(*names: str) -> Label:
    """Return a label of these names, such as ``Action:``; a hyphen may be a space or nothing. No name: no match."""
    bare = [word for name in names if (word := bare_name(name))]
    if not bare:
        return Label(*[_NEVER] * 5)
    words = [*bare, *(word for name in bare for word in _TRANSLATIONS.get(name.lower(), ()))]
    core = "(?:" + "|".join(re.sub(r"\\?[- ]", r"[\\s-]?", re.escape(word)) for word in words) + ")"
    core = core.replace("'", "['’]")
    whole = rf"{_BEFORE}{_MODIFIERS}{core}(?![^\W\d_]){_NUMBER}{_COLON}"
    exact = "|".join(re.escape(word[:1].upper() + word[1:]) for word in words)
    begin = r"(?:(?<=[.!?)>\]*,;|]\s)|(?<=[.!?>])(?=\*\*))[*_`]{0,3}"
    inline = rf"{begin}(?:Next |Final |New )?(?:{exact})[*_`]{{0,3}}\s?[:\uff1a]"
    within = re.compile(rf"(?<!\w)[*_`(]{{0,3}}{core}{_NUMBER}[\s*_`]{{0,4}}[:\uff1a]", re.IGNORECASE)
    sentence = re.compile(
        rf"(?:^|(?<=[.!?:,;*]\s))[*_]{{0,2}}(?:(?:so|thus|hence|therefore),?\s)?(?:(?:the|my)\s)?{_MODIFIERS}{core}"
        rf"(?:\s(?:to|for)\s[^.:\n]{{1,60}}?)?\s{_VERB}\b"
        r"[:\s]{1,4}",
        re.IGNORECASE,
    )
    return Label(
        re.compile(whole, re.IGNORECASE | re.DOTALL), re.compile(inline), within, sentence, re.compile(core, re.I)
    )


def bare_name(name: str) -> str:
    """Return a label without its colon."""
    return name.strip().rstrip(":\uff1a").strip()


def make_synonyms(name: str) -> Label:
    """Return the label that stands for another one where that is missing, such as ``Command:``."""
    return make_label(*SYNONYMS.get(bare_name(name).lower(), ()), *_CHOICES) if name else make_label()


THOUGHT = make_label(
    *("Thought", "Thoughts", "Think", "Thinking", "Reasoning", "Rationale", "Analysis", "Reflection", "Plan"),
    *("Gedanke", "Überlegung", "Réflexion", "Pensamiento", "思考", "Мысль"),
)
"""Begins what is never carried out."""
WORLD = make_label(
    *("Observation", "Obs", "Environment", "Feedback", "Question", "User", "Human", "Game"),
    *("Beobachtung", "Observación", "观察", "観察", "Наблюдение"),
)
"""Begins what only the world says: a model that writes it plays on by itself."""
ASIDE = make_label("Reason", "Explanation", "Evidence", "Source", "Note", "Confidence", "Justification", "Why")
"""Begins a remark that is no part of an answer."""
