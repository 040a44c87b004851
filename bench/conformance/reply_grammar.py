"""The reply grammar of a strategy, put to the test: replies that do not obey it, and decisions that leak it."""

from __future__ import annotations

import re

from bench.conformance.scripted_trial import Case, Record

__all__ = ["find_fault", "list_hostile_replies"]


def list_hostile_replies(dialect: str, label: str) -> list[str]:
    """Return replies in no grammar, and replies that misuse the words and calls of the dialect."""
    replies = ["", " \n\t\n", label, f"{label}\n{label} go", f"{label} a\nObservation: b\n{label} c", "word " * 3000]
    replies += [
        "I cannot help with that.",
        '{"action": "go"}',
        "```\ngo\n```",
        "\x00\u2028go",
        "go\r\nstay",
        "皿を取る",
    ]
    for word in sorted(set(re.findall(r"\b[A-Z]\w*:", dialect)) - {label}):
        replies += [word, f"{word} x", f"{word} x\n{word} y", f"{word} x\n{label} go", f"{label} go\n{word} x"]
    for call in sorted(set(re.findall(r"\b\w+(?=\()", dialect))):
        replies += [f"{label} {call}()", f"{label} {call}(1)", f"{label} {call}(1, 2,99)", f"{label} {call}(x"]
    return replies


def find_fault(case: Case, record: Record) -> str:
    """Return why a decision is not one clean action that came about within the cap; empty if all are."""
    words = [*re.findall(r"\b[A-Z]\w*:", case.strategy.dialect), case.frame.label]
    calls = [f"{call}(" for call in re.findall(r"\b\w+(?=\()", case.strategy.dialect)]
    for turn in record.turns:
        text = turn.decision.text
        if len(text.splitlines()) > 1:
            return f"expected an action of one line, got {text[:60]!r}"
        if leak := next((word for word in (*words, *calls) if text.lower().startswith(word.lower())), ""):
            return f"expected an action without the grammar around it, got {leak!r} in {text[:60]!r}"
        most = case.strategy.inner_calls
        if most and len(turn.calls) > most + case.kit().ask_again:
            return f"expected at most {most} model calls a decision and one that asks again, got {len(turn.calls)}"
    return ""
