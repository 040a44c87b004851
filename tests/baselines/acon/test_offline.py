"""The offline model's replies to the prompts of this strategy."""

from __future__ import annotations

from functools import partial
from typing import Any

from baselines.acon.offline import RULES
from baselines.acon.strategy import STRATEGY
from bench.models.offline.reader import OfflineReader
from bench.models.offline.rule_table import RuleTable
from bench.types import Message
from tests.baselines.summarizer import build_memory

memory = partial(build_memory, STRATEGY)
LONG = "On the table 1, you see a cup. " * 6


def test_history_rule_keeps_the_latest_statement_of_each_fact(history: Any) -> None:
    door = [("go", "The door is open."), ("look", "Nothing happens."), ("push", "The lamp is on."), ("go", "x")]
    events = history.episode(*door, *door)
    context = history.feed(memory(OfflineReader(RULES), 30, observation="9"), events).recall(history.now(events, 30))
    assert context.text.count("The door is open.") == 1
    assert "Nothing happens" not in context.text


def test_observation_rule_shortens_a_repetitive_text(history: Any) -> None:
    events = history.episode(("go 1", LONG), ("go 2", "x"))
    context = history.feed(memory(OfflineReader(RULES), 100), events).recall(history.now(events, 100))
    assert context.text == "[1] Action: go 1\n[1] Observation: On the table 1, you see a cup.\n[2] Action: go 2"
    assert RuleTable(RULES).find((Message("system", "Act."),), "compress") is None
