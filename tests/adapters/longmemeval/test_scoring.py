"""Scores: the criteria case by case, refusals, and the parts of the official scorer that need no model."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.longmemeval.criteria import list_readings, meets_criteria
from adapters.longmemeval.scoring import choose_rubric, compute_word_f1, is_refusal, read_official_verdict, score_answer

HERE = Path(__file__).parent
TEXTS = st.text(st.sampled_from("ab 123,;.!yes or (days)"), max_size=30)
RULES = st.sampled_from(["answer", "temporal", "update", "abstention"])
FIRST = "Which seeds were started first, the tomatoes or the marigolds?"
AGO = "How many days ago did I meet Emma?"


def right(rule: str, question: str, reference_answer: str, answer: str) -> float | None:
    return score_answer(rule, question, reference_answer, answer)[0].value


def official() -> list[dict[str, str]]:
    with (HERE / "official_scores.csv").open(encoding="utf-8", newline="") as rows:
        return list(csv.DictReader(rows))


def test_choose_rubric_equals_official_script() -> None:
    rows = official()
    assert len(rows) == 240
    assert {row["rubric"] for row in rows} == {"answer", "temporal", "update", "preference", "abstention"}
    for row in rows:
        assert choose_rubric(row["task"], "_abs" in row["question_id"]) == row["rubric"], row


def test_read_official_verdict_equals_official_script() -> None:
    rows = official()
    assert {row["verdict"] for row in rows} == {"true", "false"}
    for row in rows:
        assert read_official_verdict(json.loads(row["reply_json"])) is (row["verdict"] == "true"), row


@pytest.mark.parametrize(
    ("question", "reference_answer", "offered"),
    [
        ("How many days?", "7 days. 8 days (including the last day) is also acceptable.", ("7 days.", "8 days")),
        ("How many days?", "11 days (or 12 days, if both count)", ("11 days", "12 days")),
        ("How long?", "One week. Answers ranging from 7 days to 9 days are also acceptable.", None),
        ("Which university?", "University of Nowhere (UN)", ("University of Nowhere", "UN")),
        ("What sealant?", "Mod Glue or another sealant", ("Mod Glue or another sealant", "Mod Glue")),
        ("What beer?", "a Pilsner or Lager", ("a Pilsner or Lager", "a Pilsner", "Lager")),
        ("Which languages?", "Ruby, Python, or PHP", ("Ruby, Python, or PHP",)),
        ("How many kits?", "I bought five kits. They are: a, b or c.", ("I bought five kits.",)),
        ("How many weeks?", "2 weeks for one, 4 for two, so a total of 6 weeks.", ("6 weeks.",)),
        ("What ratio?", "The ratio is 1:10, meaning one part to ten.", ("The ratio is 1:10",)),
    ],
)
def test_list_readings_finds_alternatives(
    question: str, reference_answer: str, offered: tuple[str, ...] | None
) -> None:
    expected = offered or ("One week.", "7 days", "8 days", "9 days")
    assert list_readings(question, reference_answer) == expected


@pytest.mark.parametrize(
    ("question", "reference_answer", "answer", "value"),
    [
        ("Where did I redeem a coupon?", "Target", "at Target", 1.0),
        ("Where did I redeem a coupon?", "Target", "at Walmart", 0.0),
        ("What color was the scaly body?", "It had a blue scaly body.", "Blue", 1.0),
        ("What color was the scaly body?", "It had a blue scaly body.", "a scaly body", 0.0),
        ("Which two companies?", "Patagonia and Southwest Airlines.", "Southwest Airlines, Patagonia", 1.0),
        ("Which two companies?", "Patagonia and Southwest Airlines.", "Patagonia", 0.0),
        ("When did I submit it?", "February 1st", "1 Feb 2023", 1.0),
        ("When did I submit it?", "February 1st", "2023/02/01", 1.0),
        ("When did I submit it?", "February 1st", "March 1st", 0.0),
        ("How many bikes?", "4", "four bikes", 1.0),
        ("How many bikes?", "4", "two and two, so 4", 1.0),
        ("How many bikes?", "4", "3, 4 or 5", 0.0),
        ("How many bikes?", "4", "5", 0.0),
        ("How many of the 12 bikes?", "4", "4 of the 12", 1.0),
        ("How much?", "$5,850", "5850 dollars", 1.0),
        ("How many hours?", "0.5 hours", "half an hour", 1.0),
        ("How many weeks?", "2", "2 days", 0.0),
        ("How many weeks?", "2", "14 days", 1.0),
        ("How many days?", "7 days. 8 days (including the last day) is also acceptable.", "8", 1.0),
        ("How many days?", "18 days", "19 days", 0.0),
        ("What time?", "7:30 am", "at 7:30 a.m.", 1.0),
        ("What time?", "7:30 am", "7:30 pm", 0.0),
        ("Did I finish it?", "Yes", "Yes, in May.", 1.0),
        ("Did I finish it?", "Yes", "No.", 0.0),
        ("Did I finish it?", "No, you did not finish it.", "no", 1.0),
        (FIRST, "Tomatoes", "the tomatoes, before the marigolds", 1.0),
        (FIRST, "Tomatoes", "marigolds", 0.0),
        (FIRST, "Tomatoes", "the marigolds, then the tomatoes", 0.0),
        (FIRST, "Tomatoes", "tomatoes or marigolds", 0.0),
        (FIRST, "Tomatoes", FIRST, 0.0),
        (FIRST, "Tomatoes", "not mentioned whether tomatoes came first", 0.0),
        ("Did I increase or decrease the limit on cups?", "You increased the limit (to two)", "increased", 1.0),
        ("Did I increase or decrease the limit on cups?", "You increased the limit (to two)", "decreased", 0.0),
        ("What is the order of the trips?", "First, to Oslo, then to Rome, finally to Lima.", "Oslo, Rome, Lima", 1.0),
        ("What is the order of the trips?", "First, to Oslo, then to Rome, finally to Lima.", "Rome, Oslo, Lima", 0.0),
        ("What is the order of the trips?", "First, to Oslo, then to Rome, finally to Lima.", "Oslo, Rome", 0.0),
        ("What scale is each kit?", "1/48 (the others are not mentioned)", "1/48", 1.0),
        ("Who sang?", "Manolo García", "manolo garcia", 1.0),
        ("Who sang?", "The Who", "The Who", 1.0),
        ("Who sang?", "The Who", "Them", 0.0),
        ("Who sang?", "Sarah", "", 0.0),
    ],
)
def test_score_follows_criteria(question: str, reference_answer: str, answer: str, value: float) -> None:
    assert right("answer", question, reference_answer, answer) == value


@pytest.mark.parametrize(
    ("question", "reference_answer", "answer", "value"),
    [
        (AGO, "9 days ago.", "10 days ago", 1.0),
        (AGO, "9 days ago.", "8", 1.0),
        (AGO, "9 days ago.", "11 days", 0.0),
        ("How many weeks ago?", "3 weeks ago", "four weeks", 1.0),
        ("How many months passed?", "2", "1 month", 1.0),
        ("How many weeks ago?", "3 weeks ago", "3 days", 0.0),
        ("How many charity events?", "4", "5", 0.0),
        ("How many hours?", "4 hours", "5 hours", 0.0),
        ("When was it?", "June 3rd", "June 4th", 0.0),
    ],
)
def test_temporal_rubric_accepts_difference_of_one(
    question: str, reference_answer: str, answer: str, value: float
) -> None:
    assert right("temporal", question, reference_answer, answer) == value
    assert meets_criteria(question, reference_answer, answer) <= bool(value)


def test_update_rubric_accepts_old_value() -> None:
    question, reference_answer = "How many bikes do I own?", "4"
    assert right("update", question, reference_answer, "it was 3, now 4, and maybe 5 soon") == 1.0
    assert right("answer", question, reference_answer, "it was 3, now 4, and maybe 5 soon") == 0.0
    assert right("update", question, reference_answer, "3") == 0.0
    assert right("update", "Where do I live now?", "Oslo", "formerly Rome, now Oslo") == 1.0


@pytest.mark.parametrize(
    "answer",
    [
        "not mentioned",
        "The history does not say.",
        "You didn’t mention an iPad.",
        "There is no information on that.",
        "The information provided is not enough.",
        "This can't be determined.",
        "I don't know.",
        "No mention of newts.",
    ],
)
def test_refusal_is_right_for_abstention_items_only(answer: str) -> None:
    assert is_refusal(answer)
    assert right("abstention", "How many newts do I have?", "You did not mention newts.", answer) == 1.0
    assert right("answer", "How many newts do I have?", "2", answer) == 0.0


@pytest.mark.parametrize("answer", ["", "2", "No", "none", "0", "Oslo", "not mentioned, but probably 2", "I know not"])
def test_is_refusal_rejects_answers_and_guesses(answer: str) -> None:
    assert not is_refusal(answer)
    assert right("abstention", "How many newts?", "You did not mention newts.", answer) == 0.0


def test_preference_question_has_no_score_without_judge() -> None:
    (only,) = score_answer(
        "preference", "Can you suggest a teacher?", "The user would prefer one in Oslo.", "One in Oslo."
    )
    assert (only.name, only.value, only.reason) == ("criteria", None, "needs a judge")


@pytest.mark.parametrize(
    ("answer", "reference_answer", "value"),
    [
        ("the dog", "dog", 1.0),
        ("big dog", "dog", 2 / 3),
        ("four dogs", "4 dogs", 1.0),
        ("", "dog", 0.0),
        ("a", "", 0.0),
    ],
)
def test_compute_word_f1_normalises_words(answer: str, reference_answer: str, value: float) -> None:
    assert compute_word_f1(answer, reference_answer) == pytest.approx(value)


@given(RULES, TEXTS, TEXTS, TEXTS)
def test_scores_lie_between_0_and_1(rule: str, question: str, reference_answer: str, answer: str) -> None:
    scores = score_answer(rule, question, reference_answer, answer)
    assert [one.name for one in scores] == ["criteria", "abstention" if rule == "abstention" else "f1"]
    assert all(one.value is not None and 0.0 <= one.value <= 1.0 for one in scores)


@given(st.text(st.sampled_from("abc defgh 123"), min_size=1, max_size=20))
def test_reference_answer_is_right(reference_answer: str) -> None:
    if reference_answer.split():
        assert right("answer", "What was that?", reference_answer, reference_answer) == 1.0
