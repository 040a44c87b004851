"""A-MEM in a trial: what is asked when, how notes tie and evolve, what a recall shows, that reading changes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.locomo.offline.rules import RULES as LOCOMO_RULES
from adapters.locomo.suite import SUITE as LOCOMO
from baselines.a_mem.offline import RULES
from baselines.a_mem.strategy import STRATEGY, AMem
from bench.conformance.rules import check_strategy
from bench.conformance.scripted_trial import Case, perform, reply_in_grammar
from bench.drivers import run_conversation
from bench.embedders.hash import HashEmbedder
from bench.models.offline.reader import OfflineReader
from bench.models.scripted import ScriptedModel
from bench.protocols import Agent, Budget, Kit, Model, Params, SuiteOptions, Vectors, count_words
from bench.types import Context, Event, EventKind, Frame, Limits, Message, Query, Shape, Stimulus

Said = Callable[[Sequence[Message]], str]
NO_CHANGE = '{"should_evolve": false}'


@dataclass
class Scribe:
    """Describes a note by its words of five letters or more, and says to ``link`` what it is told to; keeps prompts."""

    link: Said = lambda _messages: NO_CHANGE
    broken: Sequence[str] = ()
    """Roles whose replies are no JSON."""
    heard: list[tuple[str, tuple[Message, ...]]] = field(default_factory=list)

    def __call__(self, messages: Sequence[Message], role: str) -> str:
        self.heard.append((role, tuple(messages)))
        if role in self.broken:
            return "I would rather not."
        text = messages[1].content
        if role == "link":
            return self.link(messages)
        if role == "answer":
            return "Answer: Oslo"
        words = [word.strip(".?,") for word in text.split(": ")[-1].split() if len(word) >= 5] or ["thing"]
        return json.dumps({"keywords": words, "context": f"About {words[0]}.", "tags": [words[0]]})

    def asked(self, role: str) -> list[str]:
        return [messages[-1].content for one, messages in self.heard if one == role]


class Embedder(HashEmbedder):
    """Keeps what it embeds."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, ...]] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(tuple(texts))
        return super().embed(texts)


@dataclass
class Trial:
    """One agent with the model and the embedder it was built from."""

    scribe: Scribe
    embedder: Embedder
    agent: Agent
    told: int = 0

    def tell(self, *texts: str) -> None:
        """One turn each, by Ann and Bob in turn, a day each."""
        for text in texts:
            at, self.told = self.told, self.told + 1
            self.agent.memory.observe(Event(f"t{at}", EventKind.TURN, text, 1, ("Ann", "Bob")[at % 2], f"{at + 1} May"))

    def ask(self, text: str, budget: int | None = None) -> Context:
        return self.agent.memory.recall(Query(text, text, 0, Shape.CONVERSATION, budget))


def trial(scribe: Scribe | None = None, **given: str) -> Trial:
    scribe, embedder = scribe or Scribe(), Embedder()
    kit = Kit(
        ScriptedModel(scribe),
        embedder,
        Frame("frame", "Answer.", label="Answer:"),
        Budget(None, count_words),
        Params(STRATEGY.params, given, who="a-mem"),
    )
    return Trial(scribe, embedder, STRATEGY.build(kit))


def evolve(*actions: str, **fields: object) -> Said:
    return lambda _messages: json.dumps({"should_evolve": True, "actions": actions, **fields})


FOX, RIVER, TEA = "A clever foxhound came along.", "Broad river there.", "Green teacups."


def test_a_turn_costs_two_calls_but_the_first_one() -> None:
    held = trial()
    held.tell(FOX, RIVER, TEA)
    assert [role for role, _ in held.scribe.heard] == ["extract", "extract", "link", "extract", "link"]
    assert held.scribe.asked("extract")[0] == f"[1 May] Ann: {FOX}"


def test_the_neighbors_are_shown_by_small_numbers_nearest_first() -> None:
    held = trial(neighbors="2")
    held.tell(FOX, RIVER, TEA, "Another clever foxhound.")
    new, _, near = held.scribe.asked("link")[-1].partition("\n\n# Neighbors\n")
    assert new == (
        "# New card\n[4 May] Bob: Another clever foxhound.\n"
        "Keywords: Another, clever, foxhound\nTags: Another\nContext: About Another."
    )
    lines = near.splitlines()
    assert lines[0] == f"1. [1 May] Ann: {FOX}"
    assert [line[:2] for line in lines[::4]] == ["1.", "2."]
    assert len(lines) == 8


def test_neighbors_are_searched_by_what_was_said_alone_and_found_by_everything() -> None:
    held = trial()
    held.tell(FOX, RIVER)
    assert held.embedder.asked == [
        (f"Ann: {FOX}\nAbout clever.\nclever, foxhound, along\nclever",),
        (f"Bob: {RIVER}",),
        (f"Bob: {RIVER}\nAbout Broad.\nBroad, river, there\nBroad",),
    ]


def test_strengthening_links_the_new_note_and_replaces_its_tags() -> None:
    held = trial(Scribe(evolve("strengthen", links=[1], tags=["water"])), k="1")
    held.tell(FOX, RIVER)
    assert held.ask("Broad river").text == (
        f"[2 May] Bob: {RIVER}\nNote: About Broad. | Keywords: Broad, river, there | Tags: water\n"
        f"[1 May] Ann: {FOX}\nNote: About clever. | Keywords: clever, foxhound, along | Tags: clever"
    )


def test_updating_rewrites_neighbors_for_good() -> None:
    scribe = Scribe(evolve("update_neighbor", neighbors=[{"number": 1, "context": "It swims.", "tags": ["wet"]}]))
    held = trial(scribe, k="1")
    held.tell(FOX, RIVER)
    assert held.ask("clever foxhound").text == (
        f"[1 May] Ann: {FOX}\nNote: It swims. | Keywords: clever, foxhound, along | Tags: wet"
    )


def test_ablations_ignore_an_action_and_both_save_the_call() -> None:
    both = evolve(
        "strengthen", "update_neighbor", links=[1], tags=["new"],
        neighbors=[{"number": 1, "context": "It swims.", "tags": ["wet"]}],
    )  # fmt: skip
    unlinked, still = trial(Scribe(both), links="off"), trial(Scribe(both), evolution="off")
    neither = trial(Scribe(both), links="off", evolution="off")
    for held in (unlinked, still, neither):
        held.tell(FOX, RIVER)
    assert "It swims." in unlinked.ask("x").text
    assert "Tags: new" not in unlinked.ask("x").text
    assert "It swims." not in still.ask("x").text
    assert "Tags: new" in still.ask("x").text
    assert neither.scribe.asked("link") == []
    assert [len(each.scribe.asked("link")) for each in (unlinked, still)] == [1, 1]


@pytest.mark.parametrize(("rebuild", "embedded"), [(1, 3), (2, 1), (3, 1), (100, 0)])
def test_evolved_notes_are_embedded_anew_after_so_many_evolutions(rebuild: int, embedded: int) -> None:
    """Three evolutions, each of which gives the first note another context."""

    def update(messages: Sequence[Message]) -> str:
        near = messages[1].content.partition("# Neighbors\n")[2].splitlines()[::4]
        number = next(at for at, line in enumerate(near, start=1) if FOX in line)
        context = f"Version {len(near)}."
        return evolve("update_neighbor", neighbors=[{"number": number, "context": context, "tags": []}])(messages)

    held = trial(Scribe(update), rebuild=str(rebuild))
    held.tell(FOX, RIVER, TEA, "Last lines.")
    again = [text for asked in held.embedder.asked for text in asked if "Version" in text]
    assert len(again) == embedded


def test_the_best_come_first_each_once_with_at_most_k_linked() -> None:
    def tie_all(messages: Sequence[Message]) -> str:
        count = len(messages[1].content.partition("# Neighbors\n")[2].splitlines()) // 4
        return evolve("strengthen", links=list(range(1, count + 1)), tags=[])(messages)

    held = trial(Scribe(tie_all), k="2")
    held.tell("Silver moon one.", "Silver moon two.", TEA, RIVER, "Golden sunrise.", FOX)
    found = held.ask("clever foxhound came along")
    assert found.refs[0] == "t5"
    assert len(found.refs) == 4 == len(set(found.refs))
    assert set(found.ranking) == {"t0", "t1", "t2", "t3", "t4", "t5"}
    assert found.ranking[0] == "t5"


def test_under_a_budget_the_best_that_fit_are_shown() -> None:
    held = trial()
    held.tell(FOX, RIVER, TEA)
    whole = held.ask("clever foxhound")
    assert not whole.truncated
    for budget in range(count_words(whole.text) + 1):
        found = held.ask("clever foxhound", budget)
        assert count_words(found.text) <= budget
        assert found.truncated == (len(found.refs) < 3)
        assert found.ranking == whole.ranking
    assert held.ask("clever foxhound", 0) == Context("", (), True, whole.ranking)


def test_a_question_is_turned_into_keywords_once() -> None:
    held = trial()
    held.tell(FOX, RIVER)
    first = held.ask("Where was the clever foxhound?")
    assert held.ask("Where was the clever foxhound?") == first
    assert held.scribe.asked("keywords") == ["Where was the clever foxhound?"]
    assert ("Where, clever, foxhound",) in held.embedder.asked


def test_the_question_itself_can_be_searched_with() -> None:
    held = trial(query="question")
    held.tell(FOX)
    held.ask("Where was the clever foxhound?")
    assert held.scribe.asked("keywords") == []
    assert ("Where was the clever foxhound?",) in held.embedder.asked


@pytest.mark.parametrize(
    ("role", "note"),
    [
        ("extract", "undescribed: 2 of 2 notes"),
        ("link", "undecided: 1 of 2 notes may lack links"),
        ("keywords", "unsearched: the question itself was searched with"),
    ],
)
def test_unusable_replies_are_asked_for_twice_and_counted(role: str, note: str) -> None:
    held = trial(Scribe(broken=[role]))
    held.tell(FOX, RIVER)
    decision = held.agent.decide(Stimulus(Shape.CONVERSATION, "Who came?", "Who came?", 1))
    assert decision.notes == (note,)
    assert decision.text == "Oslo"
    assert set(decision.context.refs) == {"t0", "t1"}
    tries = held.scribe.asked(role)
    assert len(tries) == (4 if role == "extract" else 2)
    assert tries[1].startswith("That reply cannot be used: expected one JSON object")


def test_where_all_is_well_a_decision_has_no_notes() -> None:
    held = trial()
    held.tell(FOX)
    assert held.agent.decide(Stimulus(Shape.CONVERSATION, "Who came?", "Who came?", 1)).notes == ()


def test_goals_marks_and_silence_make_no_note() -> None:
    held = trial()
    for kind in (EventKind.GOAL, EventKind.SESSION_END):
        held.agent.memory.observe(Event("x", kind, "text"))
    held.agent.memory.observe(Event("y", EventKind.TURN, " ", 1, "Ann"))
    assert held.scribe.heard == []
    assert held.ask("clever foxhound") == Context()


def test_an_episode_has_a_note_a_step_shown_in_order_without_the_current_one(history: Any) -> None:
    held = trial()
    events = history.episode(("open box", "It holds a clever foxhound."), ("go east", "A river."), ("look", "Nothing."))
    history.fed(held.agent.memory, events)
    found = held.agent.memory.recall(history.now(events))
    assert found.refs == ("a1", "o1", "a2", "o2")
    assert found.text.splitlines()[:2] == ["[1] Action: open box", "[1] Observation: It holds a clever foxhound."]
    assert "Nothing." not in found.text
    assert held.scribe.asked("keywords") == ["Your task is to: put a mug in the desk.\nNothing."]
    assert held.scribe.asked("extract")[0] == "[1] Action: open box [1] Observation: It holds a clever foxhound."


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from([FOX, RIVER, TEA, "", "x", "Clever river."]), max_size=8), st.integers(0, 40))
def test_whatever_is_told_a_recall_repeats_and_fits(texts: list[str], budget: int) -> None:
    memory = AMem(Kit(OfflineReader(RULES), HashEmbedder(), Frame("f", "A."), params=Params(STRATEGY.params)))
    for at, text in enumerate(texts):
        memory.observe(Event(f"t{at}", EventKind.TURN, text, 1, "Ann", "8 May"))
    query = Query("Where is the river?", "Where is the river?", 0, Shape.CONVERSATION, budget)
    found = memory.recall(query)
    assert memory.recall(query) == found
    assert count_words(found.text) <= budget
    assert set(found.refs) <= set(found.ranking) == {f"t{at}" for at, text in enumerate(texts) if text.strip()}


GIVEN = ({}, {"query": "question", "rebuild": "1"}, {"links": "off", "evolution": "off"}, {"k": "1", "neighbors": "1"})


@pytest.mark.parametrize("given", GIVEN)
def test_it_keeps_the_rules_for_strategies(given: dict[str, str]) -> None:
    assert [result for result in check_strategy(STRATEGY, given) if not result.passed] == []


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("reply", [reply_in_grammar, Scribe()])
def test_extra_recalls_change_no_prompt_that_decides(given: dict[str, str], reply: Any) -> None:
    case = Case(STRATEGY, Params(STRATEGY.params, given), reply)
    for shape in case.shapes:
        alone, peeked = perform(case, shape), perform(replace(case, peek=True), shape)
        assert not peeked.peeks_differ
        assert (alone.error, peeked.error) == (None, None)
        assert len(alone.turns) == len(peeked.turns)
        for once, thrice in zip(alone.turns, peeked.turns, strict=True):
            assert (once.stimulus, once.decision) == (thrice.stimulus, thrice.decision)
            assert once.calls[-1] == thrice.calls[-1]


@pytest.mark.data
def test_a_locomo_conversation_from_end_to_end_offline(data_root: Path) -> None:
    suite = LOCOMO.build(SuiteOptions("test", Params(LOCOMO.params), data_root))
    conversation = suite.open(suite.tasks()[0])
    model: Model = OfflineReader((*LOCOMO_RULES, *RULES))
    agent = STRATEGY.build(Kit(model, HashEmbedder(), conversation.frame, params=Params(STRATEGY.params)))
    steps: list[Any] = []
    run_conversation(agent, conversation, Limits(step_cap=0), steps)
    turns = {event.ref for event in conversation.events() if event.kind is EventKind.TURN}
    assert len(steps) == len(conversation.questions())
    assert all(step.decision.notes == () for step in steps)
    assert all(10 <= len(step.decision.context.refs) <= 20 for step in steps)
    assert all(set(step.decision.context.refs) <= turns for step in steps)
    scores = [
        {s.name: s.value for s in conversation.score(q, step.decision.text)}["f1"]
        for q, step in zip(conversation.questions(), steps, strict=True)
    ]
    assert sum(scores) / len(scores) > 0.2
