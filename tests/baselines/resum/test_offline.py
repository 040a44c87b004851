"""The offline model's replies to the prompts of this strategy."""

from __future__ import annotations

from functools import partial
from typing import Any

from baselines.resum.offline import RULES
from baselines.resum.strategy import STRATEGY
from bench.models.offline.reader import OfflineReader
from bench.models.offline.rule_table import RuleTable
from bench.types import Message
from tests.baselines.summarizer import build_memory

memory = partial(build_memory, STRATEGY)


def test_summary_rule_keeps_the_latest_statement_of_each_fact(history: Any) -> None:
    door = [("go", "The door is open."), ("look", "Nothing happens."), ("push", "The lamp is on."), ("go", "x")]
    events = history.episode(*door, *door)
    context = history.feed(memory(OfflineReader(RULES), 30), events).recall(history.now(events, 30))
    assert context.text.count("The door is open.") == 1
    assert "Nothing happens" not in context.text


def test_summary_rule_says_that_nothing_is_known() -> None:
    rule = RULES[0]
    opening = (
        "You take stock of a long piece of work, or of a long conversation, so that it can go on from your words "
        "alone: what you leave out is lost."
    )
    asked = (Message("system", opening), Message("user", "# Task\nx\n\n# Since then\n[1] Action: go"))
    assert RuleTable(RULES).find(asked, "summarize") is rule
    assert RuleTable(RULES).find(asked, "act") is None
    assert rule.reply(asked) == "Nothing is known yet."
