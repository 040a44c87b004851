"""The offline model's rule for the classification of products (role ``act``): call each tool, then answer.

It knows how to call the tools that the instructions list, and no procedure: what it does with the scores it reads in
its memory, by key words (a form of the id, a sum, an imputation, how many missing scores are too many, class limits).
What it does not find there it guesses: the highest score decides, a missing score counts for nothing, and the classes
divide the range of scores evenly. It calls a tool again whose result its context does not show.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from adapters.sop_bench.frames import first_line
from bench.protocols import OfflineRule
from bench.types import Message

__all__ = ["RULES", "Classifier", "Procedure", "read_procedure"]

_TOOL = re.compile(r"^- (calculate_\w+)\(product_id, (\w+)\)", re.MULTILINE)
_FACT = re.compile(r"^(\w+): (.*)$", re.MULTILINE)
_RESULT = re.compile(r'\{"product_id": "([^"]+)", "(\w+_score)": (\d+)\}')
_FAILED = re.compile(r"\b(calculate_\w+) failed for (\S+): it returned no score")
_COUNTS = {"one": 1, "two": 2, "three": 3}
_TOO_MANY = re.compile(r"\bmore than (one|two|three)\b|\b(two|three) or more\b", re.IGNORECASE)
_LIMIT = re.compile(r"\b([A-D])\W{0,3}(\d+)\s*(?:to|-|–)\s*(\d+)")


@dataclass(frozen=True, slots=True)
class Procedure:
    """What a memory says of the procedure."""

    checks_id: bool = False
    sums: bool = False
    imputes: bool = False
    too_many: int = 5
    """So many missing scores are undecidable; 5 = never."""
    limits: tuple[tuple[str, int], ...] = ()
    """Each class with its highest score."""


def read_procedure(text: str) -> Procedure:
    """Return what is known by the key words of a text."""
    plain = " ".join(text.split())
    lowered = plain.lower()
    found = _TOO_MANY.search(plain)
    count = 5
    if found:
        count = _COUNTS[found[1].lower()] + 1 if found[1] else _COUNTS[found[2].lower()]
    return Procedure(
        checks_id=bool(re.search(r"\bID\b", plain)) and "p_" in lowered,
        sums=bool(re.search(r"\bsum of the four\b|score \+ ", lowered)),
        imputes="missing or 0" in lowered and bool(re.search(r"\bmax(imum)?\b", lowered)),
        too_many=count,
        limits=tuple((letter, int(high)) for letter, _, high in _LIMIT.findall(plain)),
    )


class Classifier:
    """One command: the next tool whose result is not shown, or the answer."""

    role = "act"
    header = first_line()

    def reply(self, messages: Sequence[Message]) -> str:
        tools = _TOOL.findall(messages[0].content)
        task, _, rest = messages[-1].content.partition("\n\n# ")
        facts = dict(_FACT.findall(task))
        product_id = facts.get("product_id", "")
        known = read_procedure(rest)
        if known.checks_id and not re.fullmatch(r"P_\d{5}", product_id):
            return _answer(0, "Unable to Decide")
        shown = {name: int(score) for of, name, score in _RESULT.findall(rest) if of == product_id}
        failed = {tool for tool, of in _FAILED.findall(rest) if of == product_id}
        scores: list[int] = []
        for tool, text in tools:
            score = f"{tool.removeprefix('calculate_')}"
            if score not in shown and tool not in failed:
                return f'Action: {tool}(product_id="{product_id}", {text}="{facts.get(text, "")}")'
            scores.append(shown.get(score, 0))
        return _decide(scores, known)


def _decide(scores: Sequence[int], known: Procedure) -> str:
    top = max(scores, default=0)
    if not top or scores.count(0) >= known.too_many:
        return _answer(0, "Unable to Decide")
    filled = [score or top * known.imputes for score in scores]
    total, least, most = (sum(filled), len(scores), 5 * len(scores)) if known.sums else (top, 1, 5)
    limits = known.limits or tuple(
        (letter, least + (most - least) * part // 4) for part, letter in enumerate("ABCD", start=1)
    )
    return _answer(total, f"Hazard Class {next((letter for letter, high in limits if total <= high), 'D')}")


def _answer(score: int, hazard_class: str) -> str:
    return f'Action: answer(hazard_score={score}, hazard_class="{hazard_class}")'


RULES: tuple[OfflineRule, ...] = (Classifier(),)
