"""What becomes of messages: batches, facts, operations, what is shown, and what happens to replies that are no use."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.types import Event, EventKind, Query, Shape

OSLO = "Ann: I live in Oslo."


def test_fact_has_the_date_and_messages_it_comes_from(mem0: Any) -> None:
    model = mem0.says({"extract": [mem0.facts(("Ann lives in Oslo", [1]), ("They like it", [1, 2]))]})
    memory = mem0.feed(mem0.memory(model, summary="off"), mem0.conversation(OSLO, "Bob: I like it too."))
    first, second = memory.facts
    assert (first.text, first.date, first.speaker, first.refs) == ("Ann lives in Oslo", "8 May, 2023", "Ann", ("t0",))
    assert (second.speaker, second.refs) == ("Ann and Bob", ("t0", "t1"))
    context = memory.recall(mem0.question("Where does Ann live?"))
    assert context.text == "[8 May, 2023] Ann lives in Oslo\n[8 May, 2023] They like it"
    assert context.refs == ("t0", "t1")


def test_batch_is_written_when_full_and_at_the_end_of_a_session(mem0: Any) -> None:
    model = mem0.says({"extract": [mem0.facts()]})
    memory = mem0.memory(model, summary="off", m="2")
    *turns, mark = mem0.conversation("Ann: one", "Bob: two", "Ann: three", "Bob: four", "Ann: five")
    mem0.feed(memory, turns)
    assert len(model.asked) == 2
    memory.observe(mark)
    last = model.prompts("extract")[2]
    assert "# Earlier messages\n[8 May, 2023] Ann: three\n[8 May, 2023] Bob: four\n" in last
    assert last.endswith("# New messages\n1. [8 May, 2023] Ann: five")
    assert "# Earlier" not in model.prompts("extract")[0]


def test_recall_shows_messages_that_wait_for_their_batch(mem0: Any) -> None:
    model = mem0.says({"extract": [mem0.facts(("Ann lives in Oslo", [1]))]})
    memory = mem0.feed(mem0.memory(model, k="1"), mem0.conversation(OSLO, "Bob: Nice.", "Bob: I have a dog.")[:3])
    before = memory.recall(mem0.question("Oslo?"))
    assert before.text == "[8 May, 2023] Bob: I have a dog."
    assert (before.refs, before.ranking) == (("t2",), ("t2", "t0"))
    assert before == memory.recall(mem0.question("Oslo?"))
    assert len(model.asked) == 1  # asking writes nothing


def test_empty_store_needs_no_update_call(mem0: Any) -> None:
    model = mem0.says({"extract": [mem0.facts(("a", [1]), ("b", [1]))]})
    memory = mem0.feed(mem0.memory(model, summary="off"), mem0.conversation("Ann: a and b"))
    assert [fact.text for fact in memory.facts] == ["a", "b"]
    assert [role for role, _ in model.asked] == ["extract"]


def apply_operations(mem0: Any, *operations: dict[str, Any], **params: str) -> Any:
    """A memory of two facts that is told one more on a later day."""
    model = mem0.says(
        {
            "extract": [
                mem0.facts(("Ann lives in Oslo", [1]), ("Bob has a dog", [2])),
                mem0.facts(("new fact", [1])),
            ],
            "update": [mem0.operations(*operations)],
        }
    )
    memory = mem0.feed(mem0.memory(model, summary="off", **params), mem0.conversation(OSLO, "Bob: I have a dog."))
    return mem0.feed(memory, mem0.conversation("Ann: I moved.", date="1 June, 2023", first=5))


def test_update_prompt_numbers_the_nearest_memories(mem0: Any) -> None:
    model = mem0.says(
        {
            "extract": [
                mem0.facts(("Ann lives in Oslo", [1]), ("Bob has a dog", [2])),
                mem0.facts(("Ann moved", [1])),
            ],
            "update": [mem0.operations({"fact": 1, "event": "ADD"})],
        }
    )
    memory = mem0.feed(mem0.memory(model, summary="off", s="1"), mem0.conversation(OSLO, "Bob: I have a dog."))
    mem0.feed(memory, mem0.conversation("Ann: I moved.", date="1 June, 2023", first=5))
    assert model.prompts("update") == [
        "# Memories\n1. [8 May, 2023] Ann lives in Oslo\n\n# New facts\n1. [1 June, 2023] Ann moved"
    ]


def test_update_replaces_a_memory_and_joins_the_messages(mem0: Any) -> None:
    memory = apply_operations(mem0, {"fact": 1, "event": "UPDATE", "id": 1, "text": "Ann lives in Bergen"})
    first, second = memory.facts
    assert (first.text, first.date, first.refs) == ("Ann lives in Bergen", "1 June, 2023", ("t0", "t5"))
    assert second.text == "Bob has a dog"
    context = memory.recall(mem0.question("Bergen"))
    assert context.text.splitlines() == ["[8 May, 2023] Bob has a dog", "[1 June, 2023] Ann lives in Bergen"]
    assert context.ranking == ("t0", "t5", "t1")  # best first


def test_delete_removes_a_memory_and_noop_adds_its_messages(mem0: Any) -> None:
    deleted = apply_operations(mem0, {"fact": 1, "event": "DELETE", "id": 1})
    assert [fact.text for fact in deleted.facts] == ["Bob has a dog"]
    same = apply_operations(mem0, {"fact": 1, "event": "NOOP", "id": 2})
    assert [(fact.text, fact.refs, fact.date) for fact in same.facts] == [
        ("Ann lives in Oslo", ("t0",), "8 May, 2023"),
        ("Bob has a dog", ("t1", "t5"), "8 May, 2023"),
    ]
    assert len(apply_operations(mem0, {"fact": 1, "event": "NOOP"}).facts) == 2


def test_update_of_a_deleted_memory_adds_the_fact(mem0: Any) -> None:
    memory = apply_operations(
        mem0,
        {"fact": 1, "event": "DELETE", "id": 1},
        {"fact": 1, "event": "UPDATE", "id": 1, "text": "Ann left Oslo"},
        {"fact": 1, "event": "DELETE", "id": 1},
    )
    assert [fact.text for fact in memory.facts] == ["Bob has a dog", "Ann left Oslo"]
    assert memory.facts[1].refs == ("t5",)


def test_summary_is_refreshed_at_the_end_of_a_session(mem0: Any) -> None:
    model = mem0.says({"extract": [mem0.facts()], "summarize": ["Ann lives in Oslo. " * 90, "later"]})
    memory = mem0.feed(mem0.memory(model), [*mem0.conversation(OSLO), *mem0.conversation("Bob: Hm.", first=5)])
    first, second = model.prompts("summarize")
    assert first == "# Said since\n[8 May, 2023] Ann: I live in Oslo."
    assert second.startswith("# Account so far\nAnn lives in Oslo. Ann")
    assert len(second.partition("\n\n# Said since\n")[0].split()) == 312 + 4  # whole sentences, 4 words of heading
    assert "# Summary" not in model.prompts("extract")[0]
    assert "# Summary so far\nAnn lives in Oslo." in model.prompts("extract")[1]
    mem0.feed(memory, mem0.conversation(first=9))  # a session in which nothing was said
    assert len(model.prompts("summarize")) == 2


@pytest.mark.parametrize(
    ("variant", "summary", "calls"), [("paper", "off", 0), ("add-only", "auto", 0), ("add-only", "on", 1)]
)
def test_summary_parameter_sets_whether_a_summary_is_made(mem0: Any, variant: str, summary: str, calls: int) -> None:
    model = mem0.says({"extract": [mem0.facts()], "summarize": ["s"]})
    mem0.feed(mem0.memory(model, variant=variant, summary=summary), mem0.conversation(OSLO))
    assert len(model.prompts("summarize")) == calls


def test_add_only_makes_one_call_a_batch_and_stores_repeats_once(mem0: Any) -> None:
    model = mem0.says(
        {
            "extract": [
                mem0.facts(("Ann lives in Oslo", [1])),
                mem0.facts(("Ann lives in Oslo", [1]), ("b", [1])),
            ]
        }
    )
    memory = mem0.memory(model, variant="add-only")
    mem0.feed(
        memory,
        [*mem0.conversation(OSLO), *mem0.conversation("Ann: Still in Oslo.", date="1 June, 2023", first=5)],
    )
    assert [role for role, _ in model.asked] == ["extract", "extract"]
    assert "# Memory\n1. [8 May, 2023] Ann lives in Oslo\n" in model.prompts("extract")[1]
    assert [(fact.text, fact.date, fact.refs) for fact in memory.facts] == [
        ("Ann lives in Oslo", "8 May, 2023", ("t0", "t5")),
        ("b", "1 June, 2023", ("t5",)),
    ]


def test_facts_are_embedded_once_a_batch_in_one_call(mem0: Any) -> None:
    embedder = mem0.counting()
    model = mem0.says(
        {
            "extract": [mem0.facts(("a", [1]), ("b", [1])), mem0.facts(("c", [1]))],
            "update": [mem0.operations({"fact": 1, "event": "UPDATE", "id": 1, "text": "a and c"})],
        }
    )
    memory = mem0.memory(model, embedder, summary="off")
    mem0.feed(memory, [*mem0.conversation("Ann: a, b"), *mem0.conversation("Ann: c", first=5)])
    assert embedder.calls == [("a", "b"), ("c",), ("a and c",)]
    memory.recall(mem0.question("a?"))
    assert embedder.calls[3:] == [("a?",)]


def test_stores_speaker_has_a_store_for_each_speaker(mem0: Any) -> None:
    model = mem0.says({"extract": [mem0.facts((f"fact {n}", [1])) for n in range(8)], "update": ["no"]})
    memory = mem0.memory(model, stores="speaker", summary="off", k="1")
    mem0.feed(memory, mem0.conversation(OSLO, "Bob: I have a dog."))
    assert [prompt.split("\n")[1] for prompt in model.prompts("extract")] == ["Ann", "Bob"]
    assert [fact.text for fact in memory.facts] == ["fact 0", "fact 1"]
    assert memory.recall(mem0.question("fact")).text.count("fact") == 2  # k of each store


def test_speakers_store_takes_only_that_speakers_messages_verbatim(mem0: Any) -> None:
    memory = mem0.memory(mem0.says({"extract": ["no"]}), stores="speaker", summary="off")
    mem0.feed(memory, mem0.conversation(OSLO, "Bob: I have a dog."))
    assert [fact.text for fact in memory.facts] == ["Ann: I live in Oslo.", "Bob: I have a dog."]


def test_episode_is_written_by_step_and_recall_leaves_out_the_current_observation(mem0: Any, history: Any) -> None:
    model = mem0.says(
        {
            "extract": [mem0.facts(("mug on shelf 1", [1, 2])), mem0.facts(("desk is closed", [2]))],
            "update": ["no"],
        }
    )
    memory = mem0.memory(model, stores="speaker", summary="off")
    events = history.episode(("go to shelf 1", "You see a mug."), ("open desk", "Nothing happens."))
    mem0.feed(memory, events)
    assert model.prompts("extract")[0].endswith(
        "# New messages\n1. [step 1] Agent: go to shelf 1\n2. [step 1] World: You see a mug."
    )
    assert "# About" not in model.prompts("extract")[0]
    assert memory.recall(history.now(events)).text == "[step 1] mug on shelf 1"
    assert memory.recall(history.now(events)).refs == ("a1", "o1")
    everything = memory.recall(Query("desk", "Your task is to look.", 3, Shape.EPISODE))
    assert everything.text == "[step 1] mug on shelf 1\n[step 2] desk is closed"


def test_long_episode_is_summarised_every_twenty_messages(mem0: Any, history: Any) -> None:
    model = mem0.says({"extract": [mem0.facts()], "summarize": ["so far"]})
    mem0.feed(mem0.memory(model), history.episode(*((f"go {n}", "A room.") for n in range(25))))
    assert len(model.prompts("summarize")) == 2


def test_observe_ignores_goals_and_empty_messages_and_joins_lines(mem0: Any) -> None:
    model = mem0.says({"extract": [mem0.facts()]})
    memory = mem0.memory(model, summary="off")
    memory.observe(Event("goal", EventKind.GOAL, "Find it."))
    memory.observe(Event("t0", EventKind.TURN, " \n", 1, "Ann"))
    memory.observe(Event("t1", EventKind.TURN, "one\n2. Bob: two", 1, ""))
    memory.observe(Event("m", EventKind.SESSION_END, ""))
    assert model.prompts("extract") == ["# New messages\n1. Somebody: one 2. Bob: two"]


def test_recall_fills_the_budget_by_rank(mem0: Any) -> None:
    model = mem0.says({"extract": [mem0.facts(("dog " * 8, [1]), ("cat and dog", [1]), ("sea", [2]))]})
    memory = mem0.feed(mem0.memory(model, summary="off"), mem0.conversation("Ann: a", "Bob: b"))
    context = memory.recall(mem0.question("dog", 7))
    assert context.text == "[8 May, 2023] cat and dog"
    assert (context.truncated, context.refs) == (True, ("t0",))
    assert context.ranking == ("t0", "t1")
    nothing = memory.recall(mem0.question("dog", 0))
    assert (nothing.text, nothing.refs, nothing.truncated) == ("", (), True)


def test_k_limits_what_is_shown_but_not_the_ranking(mem0: Any) -> None:
    turns = [f"Ann: fact number {n}" for n in range(60)]
    model = mem0.says({"extract": [mem0.facts((f"fact number {n}", [1])) for n in range(60)], "update": ["no"]})
    memory = mem0.feed(mem0.memory(model, summary="off", batch="1", k="3"), mem0.conversation(*turns))
    context = memory.recall(mem0.question("number 7"))
    assert len(context.text.splitlines()) == 3
    assert len(context.ranking) == 50
    assert context.ranking[0] == "t7"
    assert set(context.refs) == set(context.ranking[:3])
    assert not context.truncated


def test_recall_of_an_empty_memory_embeds_nothing(mem0: Any) -> None:
    embedder = mem0.counting()
    context = mem0.memory(mem0.says({}), embedder).recall(mem0.question("Where?"))
    assert (context.text, context.refs, context.ranking, context.truncated) == ("", (), (), False)
    assert embedder.calls == []


@settings(max_examples=40)
@given(
    st.lists(st.text('abc {}[]"\n:', max_size=12), max_size=8),
    st.lists(
        st.text(max_size=20).filter(lambda text: "[" not in text), min_size=1, max_size=4
    ),  # [] is a list of no facts
    st.sampled_from(["paper", "add-only"]),
    st.sampled_from(["one", "speaker"]),
    st.integers(0, 30),
)
def test_no_message_is_lost_whatever_the_model_replies(
    mem0: Any, lines: list[str], replies: list[str], variant: str, stores: str, budget: int
) -> None:
    model = mem0.says({role: list(replies) for role in ("extract", "update", "summarize")})
    events = mem0.conversation(*(f"{'Ann' if n % 2 else 'Bob'}: {text}" for n, text in enumerate(lines)))
    memory = mem0.feed(mem0.memory(model, variant=variant, stores=stores, k="99"), events)
    spoken = {event.ref for event in events if event.text.strip()}
    assert {ref for fact in memory.facts for ref in fact.refs} == spoken  # no such reply can be read
    whole, cut = memory.recall(mem0.question("a b")), memory.recall(mem0.question("a b", budget))
    assert set(whole.refs) == spoken
    assert len(cut.text.split()) <= budget
    assert set(cut.refs) <= set(whole.refs)
