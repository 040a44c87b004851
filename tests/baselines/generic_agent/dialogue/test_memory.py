"""One conversation: what is filed and when, what the context holds, and that reading changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from baselines.generic_agent.dialogue.memory import DialogueMemory
from baselines.generic_agent.dialogue.strategy import STRATEGY
from bench.models.scripted import ScriptedModel
from bench.models.tokenizers import count_tokens
from bench.types import Event, EventKind, Message, Query, Reply, Shape

HOME = "fact: ann/home | Ann moved to Oslo. | 1:1"
PETS = "fact: bob/pets | Bob has a cat. | 1:2"
TALK = ("I moved to Oslo.", "I have a cat.", "I moved to Rome.", "It rains.")


@dataclass
class Clerk:
    """A model with one script for each role; the last reply of a script is said again."""

    extract: Sequence[str] = ("none",)
    update: Sequence[str] = ("none",)
    navigate: Sequence[str] = ("done",)
    heard: list[tuple[str, str]] = field(default_factory=list)
    limits: list[int | None] = field(default_factory=list)

    name = "clerk"

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        replies: Sequence[str] = getattr(self, role)
        at = min(sum(said == role for said, _ in self.heard), len(replies) - 1)
        self.heard.append((role, messages[-1].content))
        self.limits.append(max_tokens)
        return ScriptedModel([replies[at]]).chat(messages, role=role, max_tokens=max_tokens)

    def asked(self, role: str) -> list[str]:
        return [text for said, text in self.heard if said == role]


def file_conversation(history: Any, clerk: Clerk, *turns: str, **params: str) -> DialogueMemory:
    memory = DialogueMemory(replace(history.kit(STRATEGY, params, count=count_tokens), model=clerk))
    for event in history.conversation(*(turns or TALK)):
        memory.observe(event)
    return memory


def ask(text: str, budget: int | None = None) -> Query:
    return Query(text, text, 0, Shape.CONVERSATION, budget)


def test_observe_files_a_session_when_it_ends(history: Any) -> None:
    clerk = Clerk([f"{HOME}\n{PETS}", "none"])
    memory = file_conversation(history, clerk)
    first, second = clerk.asked("extract")
    assert first == "# Index\n\n# Session 1, 1 May\n1:1 Ann: I moved to Oslo.\n1:2 Bob: I have a cat."
    assert second.startswith(
        "# Index\nhome -> l2/ann\npets -> l2/bob\nthe sessions as they were -> l4\n\n# Session 2, 2 May"
    )
    assert clerk.asked("update") == []
    assert memory.facts.count_topics().total() == 2


def test_update_call_drops_earlier_facts_under_the_same_topic(history: Any) -> None:
    moved = "fact: ann/home | Ann moved to Rome. | 2:1\nfact: ann/job | Ann bakes. | 2:1"
    clerk = Clerk([f"{HOME}\n{PETS}", moved], ["drop: 1 | 3\ndrop: 2 | 3\ndrop: 3 | 1\ndrop: 9 | 3"])
    memory = file_conversation(history, clerk)
    assert clerk.asked("update") == [
        "# Earlier facts\n1 | ann/home | [1 May] Ann moved to Oslo.\n\n"
        "# New facts\n3 | ann/home | [2 May] Ann moved to Rome."
    ]
    assert [fact.text for fact in memory.facts.list_facts("ann")] == ["Ann moved to Rome.", "Ann bakes."]
    assert memory.facts.count_topics()["bob/pets"] == 1
    assert memory.index[:2] == ("home, job -> l2/ann", "pets -> l2/bob")


def test_fact_without_a_turn_leaves_no_pointer(history: Any) -> None:
    memory = file_conversation(history, Clerk(["fact: ann/home | Ann moved. | 4:1\nfact: ann/job | Ann bakes."]))
    assert memory.facts.refused == 4
    assert memory.index == ("the sessions as they were -> l4",)


def test_index_changes_only_when_an_entry_is_gained_or_lost(history: Any) -> None:
    clerk = Clerk(["none", HOME, HOME, PETS])
    memory = DialogueMemory(replace(history.kit(STRATEGY, count=count_tokens), model=clerk))
    written = []
    for event in history.conversation(*TALK, "a", "b", "c", "d", "e", "f"):
        before, changes = memory.index, memory.facts.changes
        memory.observe(event)
        if memory.index is not before:
            written.append((event.ref, memory.index))
        assert memory.index is before or memory.facts.changes > changes or not before
    last = "the sessions as they were -> l4"
    assert written == [
        ("m0", (last,)), ("m1", ("home -> l2/ann", last)), ("m3", ("home -> l2/ann", "pets -> l2/bob", last)),
    ]  # fmt: skip


def test_long_session_is_filed_in_pieces_and_a_long_turn_shortened(history: Any) -> None:
    clerk = Clerk()
    file_conversation(history, clerk, "a " * 9000, "Second. " + "b " * 400, "Third.", "Fourth.")
    pieces = clerk.asked("extract")
    assert len(pieces) == 3
    assert 5900 < len(pieces[0]) < 6200
    assert pieces[0].count("1:1 Ann: ") == 1
    assert "# Session 1, 1 May\n1:2 Bob: Second." in pieces[1]


def test_short_session_has_a_short_reply_limit(history: Any) -> None:
    clerk = Clerk()
    file_conversation(history, clerk, "Hi.", "Hm.", "a " * 2300, "Bye.")
    assert clerk.limits == [100 + 3 * (count_tokens("1:1 Ann: Hi.") + count_tokens("1:2 Bob: Hm.")), 2500]


def test_session_without_turns_is_not_filed(history: Any) -> None:
    clerk = Clerk()
    memory = DialogueMemory(replace(history.kit(STRATEGY), model=clerk))
    memory.observe(Event("m", EventKind.SESSION_END, ""))
    assert clerk.heard == []


def test_recall_shows_what_was_read_and_the_index(history: Any) -> None:
    clerk = Clerk([f"{HOME}\n{PETS}", "none"], navigate=["open: ann/home, bob/pets\nturns: 2:2\ndone"])
    memory = file_conversation(history, clerk)
    context = memory.recall(ask("Where does Ann live?"))
    assert context.text == "\n".join((
        "[1 May] Ann moved to Oslo.", "[1 May] Bob has a cat.", "[2 May] Bob: It rains.",
        "Index:", "home -> l2/ann", "pets -> l2/bob", "the sessions as they were -> l4",
    ))  # fmt: skip
    assert context.refs == ("t0", "t1", "t3")
    assert context.ranking == ("t3", "t0", "t1")
    assert not context.truncated


def test_recall_shows_facts_and_turns_in_time_order(history: Any) -> None:
    clerk = Clerk(
        ["none", "fact: ann/home | Ann moved to Rome. | 2:1"], navigate=["open: ann/home\nturns: 2:2, 1:1\ndone"]
    )
    context = file_conversation(history, clerk).recall(ask("Where does Ann live?"))
    assert context.refs == ("t0", "t2", "t3")
    assert context.text.startswith("[1 May] Ann: I moved to Oslo.\n[2 May] Ann moved to Rome.\n[2 May] Bob: It rains.")


def test_reading_counts_always_on_tokens_separately(history: Any) -> None:
    clerk = Clerk([HOME, "none"], navigate=["open: ann/home\ndone"])
    memory = file_conversation(history, clerk)
    reading = memory.read(ask("Where does Ann live?"))
    assert reading.always_on_tokens == count_tokens("Index:\n" + "\n".join(memory.index))
    assert reading.always_on_tokens + reading.on_demand_tokens == count_tokens(reading.context.text)
    assert reading.trail == ("open ann/home",)


def test_opened_rules_come_first_and_cite_their_turns(history: Any) -> None:
    clerk = Clerk(["rule: Annie is Ann | 1:2", "none"], navigate=["open: l3\ndone"])
    context = file_conversation(history, clerk).recall(ask("Where does Annie live?"))
    assert context.text.splitlines()[:2] == ["Rule: Annie is Ann", "Index:"]
    assert context.refs == ("t1",)


@pytest.mark.parametrize(
    ("layers", "last"), [("1", "home -> l2/ann"), ("12", "home -> l2/ann"), ("1234", "the sessions as they were -> l4")]
)
def test_index_points_only_to_layers_in_use(history: Any, layers: str, last: str) -> None:
    memory = file_conversation(history, Clerk([f"{HOME}\nrule: Annie is Ann | 1:2", "none"]), layers=layers)
    assert memory.index[-1] == last
    assert ("how to look things up -> l3" in memory.index) == ("3" in layers)
    context = memory.recall(ask("Who?"))
    assert context.refs == ()
    assert context.text == "\n".join(("Index:", *memory.index))


def test_recall_uses_the_cached_reading_and_read_asks_again(history: Any) -> None:
    clerk = Clerk([HOME, "none"], navigate=["open: ann/home\ndone", "find: cat\ndone"])
    memory = file_conversation(history, clerk)
    first = memory.recall(ask("Where?"))
    assert memory.recall(ask("Where?")) == first
    assert len(clerk.asked("navigate")) == 1
    assert memory.read(ask("Where?")).context != first
    assert memory.recall(ask("Where?")) != first
    assert len(clerk.asked("navigate")) == 2


def test_observe_drops_cached_readings(history: Any) -> None:
    memory = file_conversation(history, Clerk(navigate=["find: cat\ndone"]))
    before = memory.recall(ask("Who has a cat?"))
    memory.observe(Event("late", EventKind.TURN, "A cat, too.", 3, "Ann"))
    assert memory.recall(ask("Who has a cat?")).refs == (*before.refs, "late")


def test_recall_under_a_small_budget_shows_the_best_and_is_truncated(history: Any) -> None:
    clerk = Clerk([f"{HOME}\n{PETS}", "none"], navigate=["turns: 2:2, 1:2, 1:1\ndone"])
    memory = file_conversation(history, clerk)
    whole = memory.recall(ask("Who?"))
    assert whole.refs == ("t0", "t1", "t3")
    small = memory.recall(ask("Who?", 12))
    assert (small.text, small.refs, small.truncated) == ("[2 May] Bob: It rains.", ("t3",), True)
    assert small.ranking == whole.ranking
    none = memory.recall(ask("Who?", 0))
    assert (none.text, none.refs, none.truncated) == ("", (), True)


@pytest.mark.parametrize("budget", [4, 40, 80, 1600])
def test_index_takes_at_most_a_quarter_of_the_budget(history: Any, budget: int) -> None:
    filing = "\n".join(f"fact: ann/k{n:02} | Ann has {n}. | 1:1" for n in range(60))
    memory = file_conversation(history, Clerk([filing, "none"], navigate=["open: ann/*\nfind: Oslo\ndone"]))
    reading = memory.read(ask("What does Ann have?", budget))
    assert reading.always_on_tokens <= budget // 4
    assert reading.always_on_tokens + reading.on_demand_tokens <= budget
    assert reading.context.truncated == (budget < 1600)


REPLIES = st.lists(
    st.sampled_from(
        (
            HOME, PETS, "fact: x | y | 1:1", "fact: ann/home | z | 9:9", "rule: Annie is Ann | 1:2", "drop: 1 | 2",
            "drop: 2 | 3", "open: ann/*", "open: l3", "find: Oslo cat rains", "turns: 1:1, 2", "sessions", "done",
            "word " * 60, "",
        )
    ),
    max_size=6,
).map("\n".join)  # fmt: skip


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(REPLIES, min_size=1, max_size=4),
    st.sampled_from([None, 0, 5, 30, 200]),
    st.sampled_from(["1", "12", "123", "1234"]),
)
def test_recall_is_within_the_budget_and_cites_observed_turns(
    history: Any, replies: list[str], budget: int | None, layers: str
) -> None:
    memory = file_conversation(history, Clerk(replies, replies, replies), layers=layers)
    query = ask("Where did Ann move?", budget)
    context = memory.recall(query)
    assert context == memory.recall(query)
    assert budget is None or count_tokens(context.text) <= budget
    heard = {event.ref for event in history.conversation(*TALK) if event.kind is EventKind.TURN}
    assert set(context.refs) <= heard
    assert len(set(context.refs)) == len(context.refs)
    assert set(context.refs) <= set(context.ranking) | {"t1"}
    assert len(memory.index) <= 30
