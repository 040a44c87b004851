"""The examples in a strategy's prompts are made up: nothing in them helps with a question of a suite."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import adapters
import baselines

_NAME = re.compile(r"(?<=[a-z,'\"] )[A-Z][a-zé]{3,}\b")
"""A capitalised word within a sentence."""
_YEARS_OF_SUITES = re.compile(r"\b202[234]\b")
"""LoCoMo and LongMemEval play then."""
_PROMPTS = sorted(
    path
    for path in Path(next(iter(baselines.__path__))).rglob("*.txt")
    if "offline" not in path.parts  # word lists of rules, which no model is shown
)


def read_names_of_suites() -> set[str]:
    """Return the capitalised words that LoCoMo's generator can write."""
    wording = Path(next(iter(adapters.__path__))) / "locomo" / "wording"
    return {word for path in wording.glob("*.txt") for word in re.findall(r"\b[A-Z][a-zé]{3,}\b", path.read_text())}


@pytest.mark.parametrize("path", _PROMPTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_prompt_holds_no_name_and_no_year_of_a_suite(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert set(_NAME.findall(text)) & read_names_of_suites() == set()
    assert _YEARS_OF_SUITES.findall(text) == []


def test_names_of_suites_are_read_where_they_stand() -> None:
    assert {"Ghent", "Graz"} <= read_names_of_suites()
    assert len(_PROMPTS) > 40
