"""The offline model's replies to the prompts of this strategy."""

from __future__ import annotations

from functools import partial
from typing import Any

from baselines.summary.offline import RULES
from baselines.summary.strategy import STRATEGY
from bench.models.offline.reader import OfflineReader
from bench.models.offline.rule_table import RuleTable
from bench.types import Message
from tests.baselines.summarizer import build_memory

memory = partial(build_memory, STRATEGY)


def test_rolling_rule_keeps_the_latest_statement_of_each_fact(history: Any) -> None:
    door = [("go", "The door is open."), ("look", "Nothing happens."), ("push", "The lamp is on."), ("go", "x")]
    events = history.episode(*door, *door)
    context = history.feed(memory(OfflineReader(RULES), 30, recent="1"), events).recall(history.now(events, 30))
    assert context.text.count("The door is open.") == 1
    assert "Nothing happens" not in context.text
    asked = (
        Message("system", "You keep a running summary of something that goes on: a piece of work, or a conversation."),
        Message("user", "# Next part\nx"),
    )
    assert RuleTable(RULES).find(asked, "summarize") is RULES[0]
    assert RuleTable(RULES).find(asked, "act") is None
