"""The offline model's replies to the prompts of this strategy."""

from __future__ import annotations

from functools import partial
from typing import Any

from baselines.acon.offline import RULES, AnalyseRule, RewriteRule
from baselines.acon.strategy import UNTRAINED
from bench.models.offline.reader import OfflineReader
from bench.models.offline.rule_table import RuleTable
from bench.types import Message
from tests.baselines.summarizer import build_memory

memory = partial(build_memory, UNTRAINED)
LAMPS = [(f"push {n}", f"Lamp {n} shines.") for n in range(6)]
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


SUCCEEDED = "[1] Action: go hall\n[1] Observation: You arrive.\n[2] Action: open red crate\n[2] Observation: Open."


def analyse(*lost: str) -> str:
    shown = "\n".join(lost)
    request = (
        f"# Task\nFind it.\n\n# Attempt that succeeded\n{SUCCEEDED}\n\n# Attempt that failed\n[1] Action: wait\n\n"
        f"# Its memory at the end\n(nothing)\n\n# What it no longer held\n{shown}"
    )
    return AnalyseRule().reply((Message("system", ""), Message("user", request)))


def rewrite(guideline: str, *analyses: str) -> str:
    shown = "\n".join(f"- {text}" for text in analyses)
    request = f"# Guideline so far\n{guideline}\n\n# What was missing\n{shown}"
    return RewriteRule().reply((Message("system", ""), Message("user", request)))


def test_analysis_quotes_what_was_lost_of_things_that_the_success_used_without_their_names() -> None:
    assert (
        analyse("The red crate holds a key. A cat sleeps.") == 'The memory no longer held: "The ... ... holds a key."'
    )
    assert analyse("A cat sleeps.") == analyse("Crate, hall.") == "The memory was not the reason."


def test_guideline_names_the_words_that_most_analyses_quote() -> None:
    first, second, third = 'Lost: "The ... holds a key."', 'Lost: "It holds a cup."', "Not the reason."
    assert rewrite("Be brief.", first, second, third) == "Be brief. Keep facts with these words: holds."
    assert rewrite("Be brief. Keep facts with these words: shut.", first, second).endswith("words: holds, shut.")
    assert rewrite("Be brief.", third) == "Be brief."


def test_facts_with_a_word_of_the_guideline_are_kept_longest(history: Any) -> None:
    events = history.episode(*((f"go {n}", f"Box {n} holds a cup.") for n in range(2)), *LAMPS)
    for files, kept in (({}, False), ({"history_guideline.txt": "Keep facts with these words: holds."}, True)):
        filled = history.feed(memory(OfflineReader(RULES), 30, files, observation="9"), events)
        assert ("Box 0 holds a cup." in filled.recall(history.now(events, 30)).text) is kept
