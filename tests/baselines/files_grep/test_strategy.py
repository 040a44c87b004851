"""The files' reader in a trial: what the model is shown, what becomes the context, and that reading changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.locomo.offline.rules import RULES as LOCOMO_RULES
from adapters.locomo.suite import SUITE as LOCOMO
from baselines.files_grep.offline import RULES
from baselines.files_grep.strategy import MOST_ROUNDS, STRATEGY, FilesMemory
from bench.conformance.rules import check_strategy
from bench.conformance.scripted_trial import Case, perform, reply_in_grammar
from bench.drivers import run_conversation
from bench.embedders.hash import HashEmbedder
from bench.errors import UsageError
from bench.models.offline.reader import OfflineReader
from bench.models.scripted import ScriptedModel
from bench.protocols import Agent, Budget, Kit, Model, Params, SuiteOptions, count_words
from bench.types import Context, Event, EventKind, Frame, Limits, Message, Query, Shape, Stimulus

TALK = (
    "I painted a bowl.",
    "A bowl? What colour?",
    "Blue; painting calms me.",
    "I moved to Oslo.",
    "Oslo is blue too.",
)


@dataclass
class Searcher:
    """Says its commands in order, then that it is done; keeps the prompts."""

    commands: Sequence[str] = ()
    heard: list[tuple[Message, ...]] = field(default_factory=list)

    def __call__(self, messages: Sequence[Message], role: str) -> str:
        if role == "answer":
            return "Answer: Oslo"
        assert role == "navigate"
        self.heard.append(tuple(messages))
        place = len(messages) // 2 - 1
        return self.commands[place] if place < len(self.commands) else "done"

    @property
    def told(self) -> list[str]:
        """What the commands brought, as the last prompt has it."""
        return [message.content for message in self.heard[-1][3::2]]


def agent(searcher: Searcher, **given: str) -> Agent:
    params = Params(STRATEGY.params, given, who="files-grep")
    frame = Frame("frame", "Answer.", label="Answer:")
    return STRATEGY.build(Kit(ScriptedModel(searcher), HashEmbedder(), frame, Budget(None, count_words), params))


def filled(searcher: Searcher, *texts: str, **given: str) -> Agent:
    """A talk of two, three turns a session."""
    made = agent(searcher, **given)
    for at, text in enumerate(texts or TALK):
        session = 1 + at // 3
        made.memory.observe(Event(f"t{at}", EventKind.TURN, text, session, ("Ann", "Bob")[at % 2], f"{session} May"))
        if at % 3 == 2:
            made.memory.observe(Event(f"m{at}", EventKind.SESSION_END, "", session))
    return made


def ask(made: Agent, budget: int | None = None) -> Context:
    return made.memory.recall(Query("Where?", "Where? (asked on 9 June)", 1, Shape.CONVERSATION, budget))


def test_the_model_is_told_the_question_the_files_and_the_rules() -> None:
    searcher = Searcher()
    ask(filled(searcher, rounds="7", lines="5"))
    system, user = searcher.heard[0]
    assert "at most 5 lines, and you have at most 7 commands" in system.content
    assert user.content == (
        "# Question\nWhere? (asked on 9 June)\n\n"
        "# Files\n2, from session-01.txt (1 May, 3 lines) to session-02.txt (2 May, 2 lines)\nSpeakers: Ann, Bob"
    )


def test_every_command_is_answered_with_what_it_shows() -> None:
    searcher = Searcher(("grep paint", "read session-02.txt 1 9", "list session-02.txt", "grep Bergen"))
    ask(filled(searcher, rounds="5"))
    assert searcher.told == [
        "grep paint: 2 lines hold that, 2 shown\n"
        "session-01.txt:1: [1 May] Ann: I painted a bowl.\n"
        "session-01.txt:3: [1 May] Ann: Blue; painting calms me.\n\nCommands left: 4",
        "read session-02.txt 1 9: the file has 2 lines, 2 shown\n"
        "session-02.txt:1: [2 May] Bob: I moved to Oslo.\n"
        "session-02.txt:2: [2 May] Ann: Oslo is blue too.\n\nCommands left: 3",
        "session-02.txt (2 May, 2 lines)\n\nCommands left: 2",
        "grep Bergen: 0 lines hold that, 0 shown\n\nCommands left: 1",
    ]


def test_what_was_shown_is_the_context_in_time_order_ranked_as_found() -> None:
    found = ask(filled(Searcher(("grep Oslo", "grep paint", "read session-01.txt 3 3"))))
    assert found == Context(
        "[1 May] Ann: I painted a bowl.\n[1 May] Ann: Blue; painting calms me.\n"
        "[2 May] Bob: I moved to Oslo.\n[2 May] Ann: Oslo is blue too.",
        ("t0", "t2", "t3", "t4"),
        ranking=("t3", "t4", "t0", "t2"),
    )


def test_under_a_budget_what_was_found_first_stays() -> None:
    made = filled(Searcher(("grep Oslo", "grep paint")))
    found = ask(made, 13)
    assert (found.refs, found.truncated, found.ranking) == (("t3",), True, ("t3", "t4", "t0", "t2"))
    assert count_words(found.text) <= 13
    assert ask(made, 0) == Context("", (), True, ("t3", "t4", "t0", "t2"))


def test_the_search_runs_once_for_a_query_whatever_the_budget() -> None:
    searcher = Searcher(("grep Oslo",))
    made = filled(searcher)
    assert ask(made) == ask(made)
    ask(made, 5)
    assert len(searcher.heard) == 2
    made.memory.observe(Event("t9", EventKind.TURN, "Oslo again.", 3, "Bob", "3 May"))
    assert ask(made).refs == ("t3", "t4", "t9")


def test_no_more_commands_than_rounds() -> None:
    searcher = Searcher(("grep Oslo",) * 9)
    ask(filled(searcher, rounds="3"))
    assert len(searcher.heard) == 3
    none = Searcher()
    assert ask(filled(none, rounds="0")) == Context()
    assert none.heard == []


def test_there_is_nothing_to_look_through_at_first() -> None:
    searcher = Searcher()
    assert ask(agent(searcher)) == Context()
    assert searcher.heard == []


def test_what_one_command_shows_is_bounded() -> None:
    searcher = Searcher(("grep bowl", "read session-01.txt 1 99", "list", "list session-02.txt"))
    made = filled(
        searcher, *["A bowl " + "of good soup " * 30 + "and an oslo spoon."] * 12, lines="2", chars="40", rounds="9"
    )
    found = ask(made)
    grep, read, listed, rest = (text.partition("\n\nCommands")[0].splitlines() for text in searcher.told)
    assert (grep[0], len(grep)) == ("grep bowl: 12 lines hold that, 2 shown", 3)
    assert (read[0], len(read)) == ("read session-01.txt 1 2: the file has 3 lines, 2 shown", 3)
    assert listed[-1] == "and 2 more, from session-03.txt"
    assert rest[-1] == "and 1 more, from session-04.txt"
    assert all(len(line.partition(".txt:")[2]) <= 46 for line in grep[1:] + read[1:])
    assert found.refs == ("t0", "t1")
    assert found.text.count("and an oslo spoon.") == 2


def test_a_long_line_is_cut_around_what_was_found() -> None:
    searcher = Searcher(("grep spoon",))
    ask(filled(searcher, "A bowl " + "of good soup " * 30 + "and an oslo spoon " + "as well " * 30, chars="60"))
    line = searcher.told[0].splitlines()[1]
    assert "oslo spoon" in line
    assert line.count("…") == 2


def test_files_that_are_not_there_are_named() -> None:
    searcher = Searcher(("read session-09.txt 1 2", "list x.txt"))
    assert ask(filled(searcher)) == Context()
    assert [text.splitlines()[0] for text in searcher.told] == [
        "There is no file session-09.txt.",
        "There is no file x.txt.",
    ]


def test_one_reply_that_is_no_command_is_forgiven() -> None:
    searcher = Searcher(("Let me look.", "grep Oslo"))
    made = filled(searcher)
    decision = made.decide(Stimulus(Shape.CONVERSATION, "Where?", "Where?", 1))
    assert searcher.told[0].startswith("That is no command: expected grep WORDS, read FILE FROM TO, list or done, got")
    assert (decision.text, decision.notes, decision.context.refs) == ("Oslo", (), ("t3", "t4"))


def test_the_second_ends_the_search_with_what_it_has() -> None:
    searcher = Searcher(("grep Oslo", "Hm.", "Let me think.", "grep bowl"))
    decision = filled(searcher).decide(Stimulus(Shape.CONVERSATION, "Where?", "Where?", 1))
    assert decision.context.refs == ("t3", "t4")
    assert decision.notes == ("unreadable: expected grep WORDS, read FILE FROM TO, list or done, got 'Let me think.'",)


def test_too_many_rounds_are_refused() -> None:
    with pytest.raises(UsageError, match=f"expected rounds <= {MOST_ROUNDS}, got {MOST_ROUNDS + 1}"):
        agent(Searcher(), rounds=str(MOST_ROUNDS + 1))
    assert STRATEGY.inner_calls == MOST_ROUNDS + 2


def test_an_episode_is_one_log_without_the_current_observation(history: Any) -> None:
    searcher = Searcher(("grep box",))
    made = agent(searcher)
    events = history.episode(("open box", "The box holds a fox."), ("go east", "A river."), ("open box", "No box."))
    history.fed(made.memory, events)
    found = made.memory.recall(history.now(events))
    assert found.refs == ("a1", "o1", "a3")
    assert found.text.splitlines()[0] == "[1] Action: open box"
    assert searcher.heard[0][1].content == (
        "# Question\nYour task is to: put a mug in the desk.\nNo box.\n\n# Files\nlog.txt (6 lines)"
    )


COMMANDS = st.sampled_from(["grep Oslo", "grep bowl", "list", "read session-01.txt 1 2", "done", "what?", ""])


@settings(max_examples=40, deadline=None)
@given(st.lists(COMMANDS, max_size=7), st.integers(0, 30))
def test_whatever_is_commanded_the_context_fits_and_repeats(commands: list[str], budget: int) -> None:
    searcher = Searcher(commands)
    made = filled(searcher)
    found = ask(made, budget)
    asked = len(searcher.heard)
    assert ask(made, budget) == found
    assert len(searcher.heard) == asked <= 5
    assert count_words(found.text) <= budget
    assert set(found.refs) <= set(found.ranking)
    assert list(found.refs) == sorted(found.refs)


GIVEN = ({}, {"rounds": "1"}, {"lines": "1", "chars": "20"}, {"rounds": "0"})


@pytest.mark.parametrize("given", GIVEN)
def test_it_keeps_the_rules_for_strategies(given: dict[str, str]) -> None:
    assert [result for result in check_strategy(STRATEGY, given) if not result.passed] == []


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize(
    "reply", [reply_in_grammar, lambda _messages, role: "grep oslo" if role == "navigate" else "Action: x"]
)
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
    made = STRATEGY.build(Kit(model, HashEmbedder(), conversation.frame, params=Params(STRATEGY.params)))
    steps: list[Any] = []
    run_conversation(made, conversation, Limits(step_cap=0), steps)
    assert isinstance(made.memory, FilesMemory)
    assert len(steps) == len(conversation.questions())
    assert all(step.decision.notes == () for step in steps)
    assert all(len(step.decision.context.refs) <= 80 for step in steps)
    scores = [
        {s.name: s.value for s in conversation.score(q, step.decision.text)}["f1"]
        for q, step in zip(conversation.questions(), steps, strict=True)
    ]
    assert sum(scores) / len(scores) > 0.25
