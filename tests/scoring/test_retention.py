"""Retention: what of an answer a context still states, and where that cannot be asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.agents import render
from bench.scoring.retention import Needed, find_needed, score_retention
from bench.scoring.stated import Date
from bench.types import Context, Event, EventKind, JudgeCase

MOVED = Event("D1:1", EventKind.TURN, "I moved to Oslo yesterday with three cats.", 1, "Ann", "8 May, 2023")
TRIP = Event("D2:1", EventKind.TURN, "We liked hiking, pottery and the museum.", 2, "Ann", "9 June, 2023")


def retention(text: str, question: str, answer: str, *evidence: Event, rubric: str = "answer") -> tuple[float, float]:
    share, whole = score_retention(Context(text), JudgeCase(rubric, question, answer), evidence)
    assert share.value is not None
    assert whole.value is not None
    return share.value, whole.value


def test_retention_finds_the_answer_in_any_wording() -> None:
    assert retention("Ann's new home: OSLO", "Where does Ann live?", "She lives in Oslo.", MOVED) == (1.0, 1.0)
    assert retention("Ann likes Porto", "Where does Ann live?", "Oslo", MOVED) == (0.0, 0.0)


def test_words_of_the_question_and_words_the_evidence_does_not_say_are_not_needed() -> None:
    needed, reason = find_needed("Where did Ann move?", "Ann moved to rainy Oslo", [MOVED])
    assert (needed.words, reason) == ({"oslo"}, "")


def test_numbers_are_needed_all_and_words_by_two_thirds() -> None:
    question, answer = "What did she like?", "hiking, pottery, museums"
    assert retention("pottery and museums", question, answer, TRIP) == (pytest.approx(2 / 3), 1.0)
    assert retention("pottery", question, answer, TRIP) == (pytest.approx(1 / 3), 0.0)
    assert retention("some cats", "What does she own?", "3 cats", MOVED) == (0.5, 0.0)
    assert retention("cats, 3 of them", "What does she own?", "three cats", MOVED) == (1.0, 1.0)


@pytest.mark.parametrize(
    "text", ["On 7 May 2023 she moved", "[8 May, 2023] Ann: I moved yesterday", "2023-05-08: moved"]
)
def test_date_that_is_reckoned_from_a_turn_is_retained_by_the_day_of_the_turn(text: str) -> None:
    assert retention(text, "When did Ann move?", "7 May 2023", MOVED, rubric="date") == (1.0, 1.0)


@pytest.mark.parametrize("text", ["She moved in May 2023", "[9 May, 2023] Ann: I moved", "She moved"])
def test_date_is_lost_with_its_day(text: str) -> None:
    assert retention(text, "When did Ann move?", "7 May 2023", MOVED, rubric="date") == (0.0, 0.0)


def test_date_that_the_evidence_says_is_needed_itself() -> None:
    said = Event("D3:1", EventKind.TURN, "The wedding is on 4 July 2024.", 3, "Ann", "1 June, 2024")
    needed, _ = find_needed("When is the wedding?", "4 July 2024", [said])
    assert needed.dates == (frozenset({Date(2024, 7, 4)}),)
    assert retention("[1 June, 2024] the wedding is soon", "When is the wedding?", "4 July 2024", said) == (0.0, 0.0)


def test_month_is_retained_by_any_day_of_it() -> None:
    assert retention("[30 May, 2023] Ben: Nice.", "When did Ann move?", "May 2023", MOVED) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("case", "evidence", "reason"),
    [
        (None, (MOVED,), "no reference answer"),
        (JudgeCase("abstention", "What?", "Nobody said it."), (MOVED,), "no answer to retain"),
        (JudgeCase("preference", "What?", "She would prefer Oslo."), (MOVED,), "advice, no fact"),
        (JudgeCase("answer", "Is it?", "Yes."), (MOVED,), "states no fact"),
        (JudgeCase("answer", "Is Ann in Oslo?", "Likely yes, Ann is in Oslo"), (MOVED,), "states no fact"),
        (JudgeCase("answer", "Where?", "Oslo"), (), "no evidence"),
        (JudgeCase("answer", "How many moves?", "Four"), (MOVED,), "has to be inferred"),
        (JudgeCase("answer", "Which land?", "Norway, as its capital is Oslo"), (MOVED,), "has to be inferred"),
        (
            JudgeCase("temporal", "How long ago?", "17 days. 18 days is also acceptable."),
            (MOVED,),
            "has to be inferred",
        ),
    ],
)
def test_retention_is_unscored_with_a_reason_where_it_would_count_noise(
    case: JudgeCase | None, evidence: tuple[Event, ...], reason: str
) -> None:
    scores = score_retention(Context("Oslo"), case, evidence)
    assert [(one.name, one.value, one.reason) for one in scores] == [
        ("retention", None, reason),
        ("retained", None, reason),
    ]


def test_needed_is_empty_or_has_no_reason() -> None:
    assert find_needed("Q?", "Yes", [MOVED]) == (Needed(), "states no fact")


TEXT = st.text(st.sampled_from("ab c1 2.-May203"), max_size=30)
EVENTS = st.lists(st.builds(Event, st.just("t"), st.just(EventKind.TURN), TEXT, st.just(1), TEXT, TEXT), max_size=3)


@given(TEXT, TEXT, EVENTS, TEXT)
def test_evidence_in_full_retains_everything_and_nothing_retains_nothing(
    question: str, answer: str, evidence: list[Event], more: str
) -> None:
    needed, reason = find_needed(question, answer, evidence)
    assert bool(reason) != bool(len(needed))
    if not reason:
        shown = "\n".join(f"{one.time} {one.speaker}: {one.text}" for one in evidence)
        assert retention(f"{shown}\n{more}", question, answer, *evidence) == (1.0, 1.0)
        assert retention("", question, answer, *evidence) == (0.0, 0.0)


def test_a_rendered_turn_retains_its_answer() -> None:
    assert retention(render([MOVED]), "When did Ann move?", "7 May 2023", MOVED) == (1.0, 1.0)
    assert retention(render([MOVED]), "Where to?", "Oslo", MOVED) == (1.0, 1.0)
