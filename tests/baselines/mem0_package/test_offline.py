"""The offline rule for the library's own prompt."""

from __future__ import annotations

import json
from typing import Any

from baselines.mem0_package.offline import RULES
from bench.models.offline.reader import OfflineReader
from bench.models.offline.rule_table import RuleTable
from bench.types import (
    Message,
)

PROMPT = (
    Message("system", "\n\n# ROLE\n\nYou are a Memory Extractor — a precise processor."),
    Message("user", "## Summary\n\n\n## New Messages\n{new}\n\n## Observation Date\n8 May\n\n## Current Date\n8 May"),
)


def extract_offline(new: str) -> list[Any]:
    prompts = (PROMPT[0], Message("user", PROMPT[1].content.replace("{new}", new)))
    memory: list[Any] = json.loads(OfflineReader(RULES).chat(prompts, role="extract").text)["memory"]
    return memory


def test_rule_makes_a_memory_of_the_statements_of_a_message() -> None:
    assert extract_offline(
        "user: Ann: Hey Bob! How are you? I live in Oslo. [shares a photo. of a fjord]\n"
        "assistant: Bob: That's great!\nassistant: I own a red boat."
    ) == [
        {"id": "0", "text": "Ann: I live in Oslo. [shares a photo. of a fjord]", "attributed_to": "user"},
        {"id": "1", "text": "I own a red boat.", "attributed_to": "assistant"},
    ]
    assert extract_offline("") == []
    assert extract_offline("nobody said this") == []


def test_rule_does_not_answer_other_prompts() -> None:
    rules = RuleTable(RULES)
    assert rules.find(PROMPT, "extract") is RULES[0]
    assert rules.find(PROMPT, "answer") is None
    assert rules.find(PROMPT[1:], "extract") is None
