"""Labels such as ``Action:`` in all the ways that chat models write them, and the marks that they put around things."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

__all__ = [
    "ASIDE",
    "ITEM",
    "THOUGHT",
    "WORLD",
    "Label",
    "Labelled",
    "bare_name",
    "close_marks",
    "make_label",
    "make_synonyms",
    "peel",
]

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
    r"(?:(?:next|new|final|current|chosen|selected|best|short|first|recommended)\s{1,2}){0,2})"
)
_NUMBER = r"(?P<number>\s{0,2}#?\(?\d{1,4}\)?)?"
_COLON = (
    r"(?P<inner>[\s*_`~]{0,8})(?:(?P<remark>\([^()\n]{1,60}\)|\[[^\[\]\n]{1,60}\])[\s*_`~]{0,8})?"
    r"(?P<verb>(?:is|would be|will be)[\s*_`~]{0,8})?(?P<colon>[:\uff1a\ufe55]|[–—-]\s|[-=]>|→|=(?!=))?(?P<rest>.*)"
)
_COLON_HINT = re.compile(r"[:\uff1a\ufe55#*–—=→-]")
"""Every line that a label begins has one of these."""
_VERB = r"(?:is|was|would be|will be|must be|should be)"
ITEM = re.compile(r"(?:[-*+•–]|\(?(?P<number>\d{1,3})[.)])\s+(?P<text>.*)", re.DOTALL)
"""One item of a list."""
SYNONYMS = {
    "action": ("Command", "Next step", "Next move", "My move", "Move"),
    "answer": ("Response", "Short response", "Conclusion"),
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
_PAIRS = (
    ("```", "```", "fence"),
    ("**", "**", "bold"),
    ("__", "__", "bold"),
    ("*", "*", "bold"),
    ("_", "_", "bold"),
    ("~~", "~~", "bold"),
    ("`", "`", "quotes"),
    ('"', '"', "quotes"),
    ("'", "'", "quotes"),
    ("“", "”", "quotes"),
    ("‘", "’", "quotes"),
    ("«", "»", "quotes"),
    ("「", "」", "quotes"),
    ("$$", "$$", "latex"),
    ("$", "$", "latex"),
    (r"\(", r"\)", "latex"),
    (r"\[", r"\]", "latex"),
    *((rf"\{name}{{", "}", "latex") for name in ("boxed", "text", "textbf", "mathrm", "mathbf")),
)
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_NEVER = re.compile(r"(?!)")
_MOST_ECHOES = 20
"""Times that a label may stand on its line; what goes on so says nothing."""
_DEEPEST = 6
"""Pairs of marks around one another that are taken off."""
_LOOSE = re.compile(r"(?:\*{1,3}|`{1,3})(?P<left>[^*`]+)|(?P<right>[^*`]+)(?:\*{2,3}|`{1,3})")


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

    def match(self, line: str) -> Labelled | None:
        """Return what follows the label that a stripped line begins with; one that is written twice counts once."""
        found = self._match(line)
        for _ in range(_MOST_ECHOES):
            if not (found and found.rest and (again := self._match(found.rest))):
                return found
            found = Labelled(again.rest, (*found.repairs, *again.repairs, "label-twice"))
        return Labelled("")

    def _match(self, line: str) -> Labelled | None:
        if not _COLON_HINT.search(line) or not (found := self.start.match(line)):
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
        """Return what follows the label written without a colon: ``| Action | x |``, ``Action[x]``, or alone."""
        if line.startswith("|"):
            cells = line.strip("| ").split("|", 2)
            found = self._match(f"{cells[0].strip()}:") if len(cells) > 1 else None
            return Labelled(cells[1].strip(), ("table",)) if found and not found.rest else None
        found = self.start.match(line)
        if not found or found["colon"] or found["verb"]:
            return None
        rest = close_marks((found["remark"] or "") + found["rest"], found["before"]).rstrip(" .;")
        if not rest and not found["inner"].strip():
            return Labelled("", ("heading",))
        is_call = rest[1:] and not found["inner"] and _BRACKETS.get(rest[0]) == rest[-1] != "}"
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
        return Label(_NEVER, _NEVER, _NEVER, _NEVER)
    words = [*bare, *(word for name in bare for word in _TRANSLATIONS.get(name.lower(), ()))]
    core = "(?:" + "|".join(re.sub(r"\\?[- ]", r"[\\s-]?", re.escape(word)) for word in words) + ")"
    core = core.replace("'", "['’]")
    whole = rf"{_BEFORE}{_MODIFIERS}{core}(?![^\W\d_]){_NUMBER}{_COLON}"
    exact = "|".join(re.escape(word[:1].upper() + word[1:]) for word in words)
    begin = r"(?:(?<=[.!?)>\]*,;|]\s)|(?<=[.!?>])(?=\*\*))[*_`]{0,3}"
    inline = rf"{begin}(?:Next |Final |New )?(?:{exact})[*_`]{{0,3}}\s?[:\uff1a]"
    within = re.compile(rf"(?<!\w)[*_`(]{{0,3}}{core}{_NUMBER}[\s*_`]{{0,4}}[:\uff1a]", re.IGNORECASE)
    sentence = re.compile(
        rf"(?:^|(?<=[.!?:,;*]\s))[*_]{{0,2}}(?:(?:so|thus|hence|therefore),?\s)?(?:the|my)\s{_MODIFIERS}{core}\s{_VERB}\b"
        r"[:\s]{1,4}",
        re.IGNORECASE,
    )
    return Label(re.compile(whole, re.IGNORECASE | re.DOTALL), re.compile(inline), within, sentence)


def bare_name(name: str) -> str:
    """Return a label without its colon."""
    return name.strip().rstrip(":\uff1a").strip()


def make_synonyms(name: str) -> Label:
    """Return the label that stands for another one where that is missing, such as ``Command:``."""
    return make_label(*SYNONYMS.get(bare_name(name).lower(), ()), *_CHOICES) if name else make_label()


def close_marks(rest: str, before: str) -> str:
    """Take off the marks that were opened before the label and close at the end of the line, or right behind it."""
    rest = rest.strip()
    for left, right in _BRACKETS.items():
        if left in before and rest.count(right) > rest.count(left):
            rest = _cut_bracket(rest, left, right)
    for mark in ("***", "**", "__", "*", "_", "`", '"', "'", "”", "’"):
        opening = {"”": "“", "’": "‘"}.get(mark, mark)
        if opening not in before:
            continue
        if rest.startswith(mark) and rest.count(mark) % 2:
            rest = rest.removeprefix(mark).strip()
        elif rest.endswith(mark) and (rest.count(mark) % 2 or opening != mark):
            rest = rest.removesuffix(mark).strip()
        before = before.replace(opening, "", 1)
    return rest


def _cut_bracket(rest: str, left: str, right: str) -> str:
    """Cut a text at the bracket that closes one from before it."""
    depth = 0
    for found in re.finditer(rf"[{re.escape(left + right)}]", rest):
        depth += 1 if found.group() == left else -1
        if depth < 0:
            return rest[: found.start()].rstrip()
    return rest


def peel(value: str) -> tuple[str, tuple[str, ...]]:
    """Take quotes, backticks, bold and other pairs of marks off a whole value."""
    value, repairs = value.strip(), list[str]()
    for _ in range(_DEEPEST):
        for left, right, name in _PAIRS:
            if value.startswith(left) and value.endswith(right) and len(value) > len(left) + len(right):
                inner = value[len(left) : -len(right)]
                if left in inner and not _holds(inner, left):
                    continue
                value, repairs = inner.strip(), [*repairs, name]
                break
        else:
            break
    if found := _LOOSE.fullmatch(value):
        value, repairs = (found["left"] or found["right"]).strip(), [*repairs, "bold"]
    return ("", tuple(repairs)) if value and not value.strip("*_`~$\"'“”‘’ ") else (value, tuple(repairs))


def _holds(inner: str, mark: str) -> bool:
    """Whether a mark within is one of its own: an apostrophe, part of a name, or opened again after a space."""
    if mark == "'":
        return bool(re.fullmatch(r"(?:[^']|\b'\b)*", inner))
    return mark == "_" or (mark == '"' and inner[:1] != mark and inner[inner.index(mark) - 1].isspace())


THOUGHT = make_label(
    *("Thought", "Thoughts", "Thinking", "Reasoning", "Rationale", "Analysis", "Reflection", "Plan"),
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
