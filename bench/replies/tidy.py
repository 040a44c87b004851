"""Tidies a value that was found: off with the marks around it and with the remark behind it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from bench.replies.marks import ITEM, peel

__all__ = ["BOX", "cut_sentence", "find_quoted", "is_command", "is_prose", "tidy_action", "tidy_answer"]

_CUTS = (
    ("played-on", re.compile(r"\s[*_]{0,2}(?:Observation|Obs|Thought|Action|Result)\s?\d{0,4}[*_]{0,2}[:\uff1a]")),
    (
        "trailing-comment",
        re.compile(
            r"(?<!\b[A-Z])(?<!\bMr)(?<!\bMrs)(?<!\bDr)(?<!\bSt)"
            r"(?:[.!?;](?P<marks>[\"'”’*`)]{0,3})\s{1,9}(?=[^\d\s])|[。！？；](?P<marks_>[”’」*`]{0,3})(?=.))"
        ),
    ),
    ("trailing-comment", re.compile(r"\s(?:--?|–|—|#|//|->|→|=>|\|)\s|,?\s(?:because|so that|in order to)\s", re.I)),
)
"""What ends an action on its line: an invented observation, a second sentence, a remark."""
_QUOTE = r"(?:(?P<mark>\*\*|`)(?P<text>[^*`\n]{1,400})(?P=mark)|(?<!\w)[\"'“](?P<quoted>[^\"“”\n]{1,400}?)[\"'”](?!\w))"
_MARKED = re.compile(_QUOTE + r"[.,;:!]?\s\S")
_QUOTED = re.compile(_QUOTE)
BOX = re.compile(r"\\boxed\s?\{(?P<text>(?:[^{}\n]|\{[^{}\n]{0,200}\}){1,400})\}")
"""An answer of a mathematician."""
_EMPHASIS = re.compile(r"(?P<mark>\*\*|__|`)(?P<text>[^*_`\n]{1,500})(?P=mark)")
_CALL = re.compile(r"[A-Za-z_]{1,40}\(")
_PROSE = re.compile(
    r"(?:I|We|Let|The|There|This|That|To|So|Since|Because|Now|First|Then|Next|As|My|It|In|If|You|Okay|OK|Sure)\b"
    r"(?=[ ,'’])"
)
_MOST_WORDS = 14
"""Words of a line that may be a command; what is longer is prose."""
_SHORT = 12
"""Words of an answer that is a phrase, not a sentence: only there is the full stop not part of it."""
_ROUNDS, _MOST_ENDS = 3, 20


def tidy_action(value: str) -> tuple[str, tuple[str, ...]]:
    """Return an action as a bare command, and what was taken off. A call such as ``return(...)`` stays whole."""
    repairs: list[str] = []
    for _ in range(_ROUNDS):
        before = value
        value, marks = _open(value)
        value, remarks = (value, []) if _CALL.match(value) else _cut(value)
        repairs += [*marks, *remarks]
        if value == before:
            break
    return " ".join(value.split()), tuple(repairs)


def _open(value: str) -> tuple[str, list[str]]:
    """Take off what stands around an action."""
    repairs: list[str] = []
    if found := ITEM.fullmatch(value):
        value, repairs = found["text"].strip(), ["bullet"]
    if value.startswith(">"):
        value, repairs = value.lstrip("> "), [*repairs, "quote"]
    value, peeled = peel(value)
    if found := _MARKED.match(value):
        value = (found["text"] or found["quoted"]).strip()
        repairs += ["bold" if found["text"] else "quotes", "trailing-comment"]
    if len(value) > 2 and value[0] + value[-1] in ("<>", "[]"):
        value, repairs = value[1:-1].strip(), [*repairs, "brackets"]
    return value, [*repairs, *peeled]


def _cut(value: str) -> tuple[str, list[str]]:
    """Take off what stands behind an action."""
    repairs: list[str] = []
    for name, end in _CUTS:
        places = (hit for hit in islice(end.finditer(value), _MOST_ENDS) if value.count('"', 0, hit.start()) % 2 == 0)
        if (found := next(places, None)) and value[: found.start()].strip(" *_`"):
            marks = "".join(mark for mark in found.groupdict().values() if mark)
            value, repairs = value[: found.start()].rstrip(" ,;:") + marks, [*repairs, name]
    if start := _find_remark(value):
        value, repairs = value[:start].rstrip(), [*repairs, "trailing-comment"]
    if shorter := value.rstrip(" .!;,。！…"):
        repairs += [] if shorter == value.rstrip() else ["trailing-stop"]
        value = shorter
    return value, repairs


def cut_sentence(text: str) -> str:
    """Return a text up to the end of its first sentence."""
    end = next((hit for hit in islice(_CUTS[1][1].finditer(text), _MOST_ENDS) if hit.group()[0] != ";"), None)
    return text[: end.start() + 1] if end else text


def find_quoted(line: str) -> str:
    """Return the only part of a sentence that is marked as written word by word, if that can be a command."""
    found = list(islice(_QUOTED.finditer(line), 2)) if is_prose(line) else []
    text = found[0]["text"] or found[0]["quoted"] if len(found) == 1 else ""
    return text if is_command(text) else ""


def _find_remark(value: str) -> int:
    """Return where the bracketed remark at the end begins; 0 = there is none, or it holds numbers alone."""
    text, depth = value.rstrip(" .!*_`"), 0
    for at in range(len(text) - 1, -1, -1) if text.endswith(")") else ():
        depth += (text[at] == ")") - (text[at] == "(")
        if depth == 0:
            is_remark = at > 0 and text[at - 1].isspace() and any(map(str.isalpha, text[at:]))
            return at if is_remark else 0
    return 0


def tidy_answer(lines: Sequence[str], is_list: bool) -> tuple[str, tuple[str, ...]]:
    """Return an answer without marks, the items of a list joined by commas, and what was taken off."""
    repairs: list[str] = []
    parts: list[str] = []
    for line in lines:
        text, peeled = peel(line.rstrip(" ,;") if is_list else line)
        plain = _EMPHASIS.sub(lambda found: found["text"], text)
        repairs += [*peeled, *(["bold"] if plain != text else [])]
        parts.append(" ".join(plain.split()))
    if is_list:
        return ", ".join(filter(None, (part.rstrip(" .;,") for part in parts))), tuple(repairs)
    value = "\n".join(filter(None, parts))
    if value.endswith((".", "。")) and not value.endswith("..") and len(value.split()) <= _SHORT:
        rest = value[:-1].rstrip()
        if not re.search(r"[.!?]\s|\.\S{0,3}$|\b[A-Z]$|\b(?:Mr|Mrs|Dr|St|Jr|Sr|Inc|Ltd|etc|vs|approx)$", rest):
            value, peeled = peel(rest)
            repairs += ["trailing-stop", *peeled]
    return value, tuple(repairs)


def is_prose(line: str) -> bool:
    """Whether a line without a label says something, rather than being a command."""
    line = line.lstrip("> ")
    return len(line.split(None, _MOST_WORDS)) > _MOST_WORDS or bool(_PROSE.match(line)) or line.endswith((":", "?"))


def is_command(line: str) -> bool:
    """Whether a line without a label can be taken for a command."""
    return bool(line) and line[0] not in "{[" and not is_prose(line) and not re.search(r"[.!?]\s", line)
