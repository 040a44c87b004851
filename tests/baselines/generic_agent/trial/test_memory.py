"""What the memory shows: summaries for what left, key info, files, and never more than the budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.generic_agent.trial.layers import File
from baselines.generic_agent.trial.memory import KEY_INFO_TOKENS, GenericMemory
from baselines.generic_agent.trial.strategy import STRATEGY
from baselines.shared.summarizer import add_slack
from bench.models.tokenizers import count_tokens
from bench.protocols import Params
from bench.types import Artifact, Event, EventKind

LONG = "On the shelf you see a mug, a plate, a lamp, a book and a very old newspaper that nobody reads."


def memory(history: Any, given: dict[str, str] | None = None, **files: str) -> GenericMemory:
    kit = replace(
        history.kit(STRATEGY, given, count=count_tokens),
        artifact=Artifact({name.replace("_", "/", 1) + ".txt": text for name, text in files.items()}),
    )
    return GenericMemory(kit)


def pairs(n: int, seen: str = LONG) -> list[tuple[str, str]]:
    return [(f"go to shelf {i}", f"{i}: {seen}") for i in range(1, n + 1)]


def test_recall_shows_the_raw_past_and_the_turn_if_it_fits(history: Any) -> None:
    events = history.episode(("look", "A mug."), ("take mug", "You take the mug."))
    context = history.feed(memory(history), events).recall(history.now(events))
    assert context.text == "Turn 3.\n[1] Action: look\n[1] Observation: A mug.\n[2] Action: take mug"
    assert context.refs == ("a1", "o1", "a2")
    assert not context.truncated


def test_recall_on_the_first_turn_is_empty(history: Any) -> None:
    events = history.episode()
    assert history.feed(memory(history), events).recall(history.now(events)).text == ""


def test_recall_shows_a_line_for_each_evicted_turn(history: Any) -> None:
    events = history.episode(*pairs(40))
    held = memory(history)
    for event in events:
        if event.kind is EventKind.ACTION:
            held.set_summary(f"gist of turn {event.step}")
        held.observe(event)
    context = held.recall(history.now(events))
    lines = context.text.splitlines()
    noted = [line for line in lines if "] Summary: gist of turn" in line]
    raw = [line for line in lines if "] Action:" in line]
    assert context.truncated
    assert noted[-1].split()[0] == raw[0].split()[0]  # the line of the first raw turn says what came before it
    assert "a40" in context.refs
    assert count_tokens(context.text) <= 400


def test_eviction_leaves_room_for_new_turns(history: Any) -> None:
    events = history.episode(*pairs(60))
    held, lengths = memory(history, {"budget_tokens": "1500"}), []
    for event in events:
        held.observe(event)
        if event.kind is EventKind.OBSERVATION:
            lengths.append(count_tokens(held.recall(history.now([event])).text))
    drops = [after / before for before, after in pairwise(lengths) if after < before]
    assert max(lengths) <= 1500
    assert drops
    assert min(drops) < 0.7


def test_observe_cuts_long_observations_and_old_ones_more(history: Any) -> None:
    seen = "The north. " + "x" * 2000 + " The south."
    events = history.episode(("look", seen), *[(f"wait {i}", "Nothing.") for i in range(2, 6)])
    short = history.feed(memory(history), events[:3]).recall(history.now(events[:5])).text
    assert "The north. " in short
    assert short.endswith(" The south.")
    assert len(short) < 450
    later = [*events, *history.episode(*[(f"wait {i}", "Nothing.") for i in range(1, 11)])[11:]]
    for passed, longest in ((events, 400), (later, 200)):
        lines = history.feed(memory(history), passed).recall(history.now(passed)).text.splitlines()
        seen_line = next(line for line in lines if line.startswith("[1] Observation: The north. "))
        assert len(seen_line) == len("[1] Observation: ") + longest
        assert seen_line.endswith(" The south.")


def test_checkpoint_replaces_and_cuts_the_key_info(history: Any) -> None:
    held, events = memory(history), history.episode(("look", "A mug."))
    history.feed(held, events)
    assert held.checkpoint(1, "goal: a mug\nfound: none")
    assert held.checkpoint(2, "mug on shelf")
    assert not held.checkpoint(3, "  \n ")
    text = held.recall(history.now(events)).text
    assert text.startswith("Turn 2.\nKey info:\n[2] mug on shelf\n[1] Action: look")
    assert held.checkpoint(4, "word " * 5000)
    kept = held.recall(replace(history.now(events), budget_tokens=1000)).text
    assert kept.count("word") == add_slack(held.key_info_tokens) < KEY_INFO_TOKENS


@pytest.mark.parametrize(("budget", "tokens"), [(90, 30), (400, 133), (5000, KEY_INFO_TOKENS)])
def test_key_info_scales_with_the_budget_and_ends_with_a_sentence(history: Any, budget: int, tokens: int) -> None:
    held = memory(history, {"budget_tokens": str(budget)})
    assert held.key_info_tokens == tokens
    kept = held.checkpoint(1, "The mug is here. " * 200)
    assert kept.endswith("here.")
    assert tokens < count_tokens(kept) <= add_slack(tokens)


def test_show_puts_a_file_once_into_the_raw_past(history: Any) -> None:
    held, events = memory(history, l2_hall="The lamp is in the hall."), history.episode(("look", "A mug."))
    history.feed(held, events)
    for _ in range(3):
        held.show(2, File("l2/hall.txt", "The lamp\nis in the hall."))
    context = held.recall(history.now(events))
    assert context.text.count("[2] Note: read(l2/hall.txt) The lamp is in the hall.") == 1
    assert context.text.startswith("Index of the memory files:\nl2/hall*: 1 file\nTurn 2.")
    assert context.refs == ("a1",)
    later = history.episode(*pairs(40))
    assert "The lamp is" not in history.feed(held, later[3:]).recall(history.now(later)).text


def test_needs_reminder_by_turn_and_before_the_budget_is_used(history: Any) -> None:
    held, events = memory(history), history.episode(*pairs(30))
    nudged = []
    for event in events:
        held.observe(event)
        if event.kind is EventKind.OBSERVATION and held.needs_reminder(history.now([event])):
            nudged.append(event.step + 1)
            held.checkpoint(event.step + 1, "all is well")
    assert nudged[0] < 13
    assert min(after - before for before, after in pairwise(nudged)) == 4
    roomy = history.feed(memory(history, {"budget_tokens": "90000"}), events)
    steps = [turn for turn in range(1, 31) if roomy.needs_reminder(replace(history.now(events), step=turn))]
    assert steps == [13, 26]
    never = history.feed(memory(history, {"nudge_every": "0", "nudge_at": "0"}), events)
    assert not any(never.needs_reminder(replace(history.now(events), step=turn)) for turn in range(1, 31))


def test_budget_of_the_run_overrides_the_parameter(history: Any) -> None:
    events = history.episode(*pairs(30))
    kit = history.kit(STRATEGY, count=count_tokens, budget=2000)
    context = history.feed(GenericMemory(kit), events).recall(history.now(events, 2000))
    assert 400 < count_tokens(context.text) <= 2000


EVENTS = st.lists(
    st.tuples(st.text(max_size=30), st.text(max_size=200) | st.just(LONG) | st.just("word " * 400)), max_size=30
)


@settings(max_examples=60)
@given(
    EVENTS,
    st.integers(0, 500),
    st.sampled_from(["report", "code", "code-april"]),
    st.text(max_size=900),
    st.sampled_from(["", "Notice: act."]),
)
def test_recall_is_repeatable_and_within_the_budget(
    history: Any, steps: Sequence[tuple[str, str]], budget: int, version: str, key_info: str, notice: str
) -> None:
    kit = history.kit(STRATEGY, {"version": version}, count=count_tokens, budget=budget)
    kit = replace(kit, artifact=Artifact({"l1.txt": "red line\n" * 9, "l3/heat.txt": "x"}))
    held = GenericMemory(kit)
    events = history.episode(*steps)
    for event in events:
        held.observe(event)
        if event.step % 5 == 1 and event.kind is EventKind.OBSERVATION:
            held.checkpoint(event.step, key_info)
    for tokens in (budget, budget // 2, 0):
        query = history.now(events, tokens)
        context = held.build_context(query, notice)
        assert count_tokens(context.text) <= tokens
        assert context == held.build_context(query, notice)
        assert set(context.refs) <= {event.ref for event in events}
        assert len(set(context.refs)) == len(context.refs)


@pytest.mark.parametrize("kind", list(EventKind))
def test_observe_accepts_every_kind_of_event(history: Any, kind: EventKind) -> None:
    held = GenericMemory(replace(history.kit(STRATEGY), params=Params(STRATEGY.params)))
    held.observe(Event("x", kind, "Odd.", 3))
    assert ("Odd." in held.recall(history.question("?")).text) == (kind not in (EventKind.GOAL, EventKind.SESSION_END))
