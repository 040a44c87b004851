"""The rule for chat histories: newest values, times, order, amounts, advice, refusals."""

from __future__ import annotations

import inspect
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.longmemeval.offline import amounts, history, lists, rules, times
from adapters.longmemeval.offline.rules import RULES
from adapters.longmemeval.suite import FRAME, SUITE
from bench.agents import compose, render
from bench.models.offline.rule_table import RuleTable
from bench.protocols import Params, SuiteOptions
from bench.types import Message, Shape, Stimulus

HISTORY = """[2023/03/01 (Wed) 10:00] User: I adopted a tortoise today. His name is Pebble. Any tips on food?
[2023/03/01 (Wed) 10:00] Assistant: Congratulations! Feed a tortoise dandelion leaves. A good shop is Shell Corner.
[2023/03/11 (Sat) 09:00] User: I bought a harp yesterday. I paid $300 for the harp, and my harp lessons cost $40.
[2023/03/11 (Sat) 09:00] Assistant: For a beginner on the harp I recommend the website PluckWise.
[2023/03/20 (Mon) 08:00] User: I practise the harp three times a week. My commute takes 25 minutes on the tram.
[2023/04/20 (Thu) 08:00] User: I now practise the harp five times a week. I have 12 books about harps.
[2023/05/02 (Tue) 20:00] User: I have 15 books about harps now. I usually wake up at 6:45 am for my rowing club."""


def answer(question: str, memory: str = HISTORY, asked_on: str = "2023/05/10 (Wed) 10:00") -> str:
    goal = f"{question} (asked on {asked_on})" if asked_on else question
    asked = compose(FRAME, Stimulus(Shape.CONVERSATION, question, goal, 1), memory)
    assert RuleTable(RULES).find(asked, "answer") is RULES[0]
    assert RuleTable(RULES).find(asked, "act") is None
    return RULES[0].reply(asked).removeprefix("Answer: ")


@pytest.mark.parametrize(
    ("question", "want"),
    [
        ("How long is my commute on the tram?", "25 minutes"),
        ("How often do I practise the harp?", "five times a week"),
        ("How often did I practise the harp previously?", "three times a week"),
        ("How many books about harps do I have?", "15"),
        ("What time do I wake up for my rowing club?", "6:45 am"),
        ("How many days passed between the day I adopted a tortoise and the day I bought a harp?", "9 days"),
        ("How many weeks ago did I adopt a tortoise?", "10 weeks"),
        ("How many months ago did I buy a harp?", "2 months"),
        ("How many days had passed since I adopted a tortoise when I bought a harp?", "9 days"),
        ("Which did I get first, the tortoise or the harp?", "the tortoise"),
        ("Which did I get most recently, the tortoise or the harp?", "the harp"),
        ("How much did I pay for the harp?", "$300"),
        ("What is the total cost of the harp and the harp lessons?", "$340"),
        ("When did I buy a harp?", "10 March 2023"),
        ("Did I adopt a tortoise?", "yes"),
        ("How many days ago did I buy a violin?", "not mentioned"),
        ("Which did I get first, the tortoise or the violin?", "not mentioned"),
        ("How many motorcycles do I own?", "not mentioned"),
        ("What did I eat at the Copper Kettle?", "not mentioned"),
    ],
)
def test_reply_answers_or_refuses(question: str, want: str) -> None:
    assert answer(question) == want
    assert answer(question, "") == "not mentioned"


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("What is the name of my tortoise?", "Pebble"),
        ("Can you remind me which website you recommended for a beginner on the harp?", "PluckWise"),
        ("I wanted to follow up on our previous conversation. What did you say to feed a tortoise?", "dandelion"),
        ("What did I buy 2 months ago?", "harp"),
    ],
)
def test_reply_contains_expected_word(question: str, word: str) -> None:
    assert word in answer(question)


def test_reply_to_advice_question_uses_user_lines() -> None:
    result = answer("Can you recommend something for my harp?")
    assert "harp" in result
    assert "PluckWise" not in result
    assert answer("Can you recommend a film about submarines?") == "not mentioned"


def test_reply_counts_lines_about_a_thing() -> None:
    memory = "\n".join(
        f"[2023/03/0{day} (Wed) 10:00] User: I visited a museum of {what} today."
        for day, what in enumerate(("boats", "clocks", "glass"), start=1)
    )
    assert answer("How many museums did I visit?", memory) == "3"


LIST = """[2023/03/01 (Wed) 10:00] User: Which apps help me learn Frisian words?
[2023/03/01 (Wed) 10:00] Assistant: A few: 1. Wordly: It has games. 2. **Frisk**: Uses rhymes to teach words. 3. Tonga
[2023/03/02 (Thu) 10:00] User: I like rhymes."""


@pytest.mark.parametrize(
    ("question", "want"),
    [
        ("Can you remind me what was the 3rd app in your list for Frisian words?", "Tonga"),
        ("I'm looking back at our previous chat. Which app did you say uses rhymes to teach words?", "Frisk"),
        ("Can you remind me what was the 9th app in your list that uses rhymes to teach words?", "Frisk"),
    ],
)
def test_reply_finds_list_item(question: str, want: str) -> None:
    assert answer(question, LIST) == want


def test_reply_orders_events_by_date() -> None:
    memory = """[2023/03/09 (Thu) 10:00] User: I visited the museum "Glass House" today.
[2023/03/10 (Fri) 10:00] User: Two weeks ago I visited the museum "Clock Hall".
[2023/03/12 (Sun) 10:00] User: I visited the museum "Boat Yard" yesterday."""
    result = answer("What is the order of the three museums I visited, from earliest to latest?", memory)
    assert [result.find(name) for name in ("Clock Hall", "Glass House", "Boat Yard")] == sorted(
        result.find(name) for name in ("Clock Hall", "Glass House", "Boat Yard")
    )
    assert result.startswith("Clock Hall")
    assert answer("What is the order of the three operas I saw, from earliest to latest?", memory) == "not mentioned"


def test_reply_gives_measure_with_unit() -> None:
    memory = "[2023/03/09 (Thu) 10:00] User: I have lost 10 pounds of weight at the gym."
    assert answer("How much weight have I lost at the gym?", memory) == "10 pounds"
    assert answer("How many pages of the atlas have I read?", "User: I read up to page 220 of the atlas.") == "220"


def test_reply_measures_between_two_different_days() -> None:
    memory = """[2023/03/09 (Thu) 10:00] User: I ordered a kayak today. I am fond of kayak trips.
[2023/03/19 (Sun) 10:00] User: My kayak arrived today, the one that I ordered."""
    question = "How many days passed between the day I ordered a kayak and the day my kayak arrived?"
    assert answer(question, memory) == "10 days"


def test_reply_without_question_date_refuses_time_since() -> None:
    assert answer("How many weeks ago did I adopt a tortoise?", asked_on="") == "not mentioned"


def test_matches_only_own_frame() -> None:
    assert RuleTable(RULES).find((Message("system", "You are in a house."),), "answer") is None
    assert RuleTable(RULES).find((), "answer") is None


@pytest.mark.parametrize("module", [rules, amounts, history, lists, times])
def test_rule_depends_on_messages_alone(module: ModuleType) -> None:
    assert list(inspect.signature(RULES[0].reply).parameters) == ["messages"]
    origins = {getattr(value, "__module__", "") or "" for value in vars(module).values()}
    assert all("offline" in name for name in origins if name.startswith("adapters.longmemeval"))


@given(st.text(max_size=200), st.text(max_size=80))
def test_reply_is_one_line_for_any_input(memory: str, question: str) -> None:
    first = answer(question, memory)
    assert first
    assert "\n" not in first
    assert answer(question, memory) == first


OPENINGS = (
    "How many weeks since",
    "How many days between",
    "Which came first,",
    "How much money in total",
    "What order",
)


@given(st.sampled_from(OPENINGS), st.text(st.sampled_from("abh arp$12 or?,and tortoise"), max_size=60))
def test_reply_accepts_any_question_of_time_or_amount(opening: str, rest: str) -> None:
    assert answer(f"{opening} {rest}")


@given(st.permutations(HISTORY.splitlines()))
def test_reply_ignores_order_of_lines(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert answer("How many books about harps do I have?", text) == "15"
    assert answer("How many weeks ago did I adopt a tortoise?", text) == "10 weeks"


@pytest.mark.data
def test_offline_model_with_whole_history_beats_refusals(data_root: Path) -> None:
    options = SuiteOptions("oracle", Params(SUITE.params, ()), data_root)
    suite = SUITE.build(options)
    right, refused = [], []
    for task in suite.tasks()[::20]:
        conversation = suite.open(task)
        (question,) = conversation.questions()
        memory = render(conversation.events())
        result = answer(question.text, memory, question.time)
        right.append(conversation.score(question, result)[0].value or 0.0)
        refused.append(conversation.score(question, "not mentioned")[0].value or 0.0)
    assert len(right) == 25
    assert sum(right) >= sum(refused) + 4


def test_single_line_needs_a_smaller_share() -> None:
    line = "[2023/05/01 (Mon)] User: I picked the lavender soap in the end, it soothes me."
    filler = [f"[2023/05/02 (Tue)] User: Today I sorted box number {n} in the garage." for n in range(40)]
    question = "Which scent did I pick for dry hands?"
    assert "lavender" in answer(question, line)
    assert answer(question, "\n".join([line, *filler])) == "not mentioned"
