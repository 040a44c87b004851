"""What each memory says it could still give: of what was observed, at least what it shows, and not what is gone."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest

from bench.embedders.hash import HashEmbedder
from bench.models.offline.reader import OfflineReader
from bench.protocols import Budget, HasReach, Kit, Memory, Params, count_words
from bench.registry import offline_rules, resolve_strategy, strategy_names
from bench.types import Event, Frame, Shape

TURNS = (
    "I moved to Oslo in May.", "How lovely, Ann!", "My cat Rex is ill.", "Get well soon, Rex.", "I work as a nurse.",
    "I bought a red bike.", "Rex is fine again.", "Good news!", "I will fly to Rome on 4 July.", "Bring me a map.",
)  # fmt: skip
SAYING = ("mem0", "mem0:stores=speaker", "a-mem", "window:k=3", "window:tokens=12", "truncation:tokens=20",
          "summary:tokens=40", "resum:tokens=40", "acon-untrained:tokens=40", "bm25:k=2", "embedding:k=2", "hybrid:k=2",
          "bm25:k=2,index=user", "generic-agent-dialogue", "generic-agent-dialogue:layers=12", "no-memory",
          "always-refuse", "horma", "horma-untrained", "horma:navigator=grep")  # fmt: skip


def build(name: str, budget: int | None = None) -> Memory:
    found = resolve_strategy(name)
    params: Params = found.params
    model = OfflineReader(offline_rules())
    kit = Kit(model, HashEmbedder(), Frame("f", "Answer."), Budget(budget, count_words), params)
    return found.strategy.build(kit).memory


def feed(memory: Memory, events: list[Event]) -> frozenset[str]:
    for event in events:
        memory.observe(event)
    assert isinstance(memory, HasReach)
    return memory.reach()


@pytest.mark.parametrize("name", SAYING)
def test_reach_holds_what_is_recalled_and_nothing_unobserved(name: str, history: Any) -> None:
    events = history.conversation(*TURNS)
    memory = build(name)
    reach = feed(memory, events)
    assert reach <= {event.ref for event in events}
    for text in ("Where does Ann live?", "How is Rex?", "When does he fly?"):
        assert set(memory.recall(history.question(text)).refs) <= reach
    assert isinstance(memory, HasReach)
    assert memory.reach() == reach


@pytest.mark.parametrize(
    ("name", "reach"),
    [
        ("no-memory", set()),
        ("always-refuse", set()),
        ("window:k=3", {"t7", "t8", "t9"}),
        ("truncation:tokens=20,keep=head", {"t0", "t1"}),
        ("bm25:k=1", {f"t{i}" for i in range(10)}),
        ("bm25:k=1,index=user", set()),  # nobody is called User
        ("a-mem", {f"t{i}" for i in range(10)}),
        ("summary:tokens=40", {f"t{i}" for i in range(10)}),
        ("generic-agent-dialogue", {f"t{i}" for i in range(10)}),
        ("horma", {f"t{i}" for i in range(10)}),
    ],
)
def test_reach_of_a_conversation(name: str, reach: set[str], history: Any) -> None:
    assert feed(build(name), history.conversation(*TURNS)) == reach


def test_reach_of_mem0_is_what_facts_and_waiting_messages_rest_on(history: Any) -> None:
    memory = build("mem0")
    reach = feed(memory, history.conversation(*TURNS)[:-2])  # the last turn waits for its batch
    assert reach == {ref for fact in memory.facts for ref in fact.refs} | {"t8"}  # type: ignore[attr-defined]
    assert "t7" not in reach, "`Good news!` is no fact"


def test_reach_shrinks_with_the_run_s_budget(history: Any) -> None:
    events = history.conversation(*TURNS)
    assert len(feed(build("window:k=9", 20), events)) < len(feed(build("window:k=9"), events)) == 9


@pytest.mark.parametrize("name", ["window:k=2", "fold", "generic-agent", "resum:tokens=60", "acon-untrained:tokens=60"])
def test_reach_of_an_episode_holds_the_newest_step(name: str, history: Any) -> None:
    events = history.episode(*((f"go to desk {i}", f"On the desk {i}, you see a mug {i}.") for i in range(1, 9)))
    memory = build(name)
    reach = feed(memory, events)
    assert {"a8", "o8"} <= reach <= {event.ref for event in events}
    assert set(memory.recall(history.now(events)).refs) <= reach


@pytest.mark.skipif(find_spec("mem0") is None, reason="needs the package mem0ai")
def test_reach_of_the_package_is_what_its_memories_came_from(history: Any) -> None:
    events = history.conversation(*TURNS)
    memory = build("mem0-package:batch=2")
    reach = feed(memory, events)
    assert set(memory.recall(history.question("How is Rex?")).refs) <= reach <= {event.ref for event in events}
    memory.observe(Event("t99", events[0].kind, "I bought a boat.", 9, "Ann", "9 June"))
    assert isinstance(memory, HasReach)
    assert memory.reach() == reach | {"t99"}


def test_strategies_without_a_word_on_reach_keep_everything_they_observe() -> None:
    """Whoever adds a memory that forgets has to say so: this list is read by people."""
    silent = {
        name
        for name in strategy_names()
        if not isinstance(build(name), HasReach) and Shape.CONVERSATION in resolve_strategy(name).strategy.serves
    }
    # horma keeps its raw logs; of a program nobody knows
    assert silent <= {"agent", "files-grep", "full-history", "given-text", "horma", "oracle-evidence"}
