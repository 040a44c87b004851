"""The offline model's replies to the prompts of this strategy."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from baselines.acon.offline import RULES, AnalyseRule, RewriteRule, ShortenRule, UnneededRule
from baselines.acon.strategy import UNTRAINED
from bench.models.offline.reader import OfflineReader
from bench.models.offline.rule_table import RuleTable
from bench.protocols import OfflineRule
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


def ask(rule: OfflineRule, request: str) -> dict[str, str]:
    found: dict[str, str] = json.loads(rule.reply((Message("system", ""), Message("user", request))))
    return found


def analyse(history: str, observation: str = "(nothing)") -> dict[str, str]:
    return ask(
        AnalyseRule(),
        f"# Task\nFind it.\n\n# Attempt that succeeded (its memory was not compressed)\n{SUCCEEDED}\n\n"
        "# Attempt that failed\n[1] Action: wait\n\n# What it saw before its last action\n(nothing)\n\n"
        f"# Not there word for word: taken out with the history\n{history}\n\n"
        f"# Not there word for word: taken out of a long observation\n{observation}",
    )


def write(rule: OfflineRule, guideline: str, *analyses: str) -> str:
    shown = "\n".join(f"- {text}" for text in analyses)
    request = f"# Guideline so far\n{guideline}\n\n# What was found\n{shown}"
    return rule.reply((Message("system", ""), Message("user", request)))


def test_analysis_quotes_what_was_lost_of_things_that_the_success_used_without_their_names() -> None:
    lost = 'The memory no longer held: "The ... ... holds a key."'
    assert analyse("[1] The red crate holds a key. A cat sleeps.") == {"history": lost, "observation": ""}
    assert analyse("(nothing)", "[2] The red crate holds a key.") == {"history": "", "observation": lost}
    assert analyse("[1] A cat sleeps.") == analyse("[1] Crate, hall.") == {"history": "", "observation": ""}


def test_unneeded_is_what_no_later_action_names() -> None:
    saw = "History, compressed:\nA cat sleeps. A crate is red.\n[1] Action: go hall\n[1] Observation: A vase is blue."
    request = (
        f"# Task\nFind it.\n\n# Attempt that succeeded\n{SUCCEEDED}\n\n"
        f"# What it saw before action 2, compressed for the first time\n{saw}"
    )
    assert ask(UnneededRule(), request) == {
        "history": 'Nothing later needed: "A cat sleeps."',
        "observation": 'Nothing later needed: "A vase is blue."',
    }


def test_guideline_names_the_words_that_most_analyses_quote() -> None:
    first, second, third = 'Lost: "The ... holds a key."', 'Lost: "It holds a cup."', "Not the reason."
    kept = "Be brief. Keep facts with these words: shut."
    assert write(RewriteRule(), "Be brief.", first, second, third) == "Be brief. Keep facts with these words: holds."
    assert write(RewriteRule(), kept, first, second).endswith("words: holds, shut.")
    assert write(RewriteRule(), "Be brief.", third) == "Be brief."


def test_shorter_guideline_lacks_the_words_that_most_successes_did_not_need() -> None:
    kept = "Be brief. Keep facts with these words: holds, shut."
    assert write(ShortenRule(), kept, '"A door is shut."').endswith("these words: holds.")
    assert write(ShortenRule(), kept, '"A door is shut. It holds."') == "Be brief."
    assert write(ShortenRule(), kept, '"A cat."') == kept


def test_facts_with_a_word_of_the_guideline_are_kept_longest(history: Any) -> None:
    events = history.episode(*((f"go {n}", f"Box {n} holds a cup.") for n in range(2)), *LAMPS)
    for files, kept in (({}, False), ({"history_guideline.txt": "Keep facts with these words: holds."}, True)):
        filled = history.feed(memory(OfflineReader(RULES), 30, files, observation="9"), events)
        assert ("Box 0 holds a cup." in filled.recall(history.now(events, 30)).text) is kept
