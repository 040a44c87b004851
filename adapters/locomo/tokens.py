"""Tokens of a lower-cased text for BLEU-1, as NLTK's word tokenizer splits a short answer.

Written from that tokenizer's documented behaviour (Penn Treebank conventions): hyphens stay inside a word, ``'s`` and
``n't`` stand alone, a full stop is split off at the end only. Difference: NLTK first cuts a text into sentences with a
trained model, so that it also splits full stops within an answer of several sentences; this one does not.
"""

from __future__ import annotations

import re

__all__ = ["tokenize"]

_SPLITS = (
    (re.compile(r"^\s*[\"“]|(?<=[\s(\[{<])[\"“]"), " `` "),
    (re.compile(r"[\"”]|(?<=\w)“"), " '' "),
    (re.compile(r"\.{2,}|--+|[’‘`](?![`])(?<!``)"), r" \g<0> "),
    (re.compile(r"'(?!re|ve|ll|m|t|s|d|n)(\w)\b"), r"' \1"),
    (re.compile(r"[:,](?!\d)|[;@#$%&?!()\[\]{}<>…]"), r" \g<0> "),
    (re.compile(r"(?<=[^.])\.(?=['\s]*$)"), " . "),
    (re.compile(r"(?<=[^'\s])'(?=\s|$)"), " ' "),
    (re.compile(r"(?<=[^'\s])('s|'m|'d|'ll|'re|'ve|n't)(?=\s|$)"), r" \1 "),
    (re.compile(r"\b(can)(not)\b|\b(gon|wan)(na)\b|\b(got)(ta)\b|\b(gim|lem)(me)\b"), r" \1\3\5\7 \2\4\6\8 "),
)


def tokenize(text: str) -> list[str]:
    """Return the tokens of a text in order."""
    text = text.lower()
    for pattern, put in _SPLITS:
        text = pattern.sub(put, text)
    return text.split()
