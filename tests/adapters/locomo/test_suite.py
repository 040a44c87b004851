"""The suite: splits, events, one frame for all categories, and the score of refusals."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adapters.locomo.data import FILE
from adapters.locomo.scoring import CATEGORIES
from adapters.locomo.suite import FRAME, SUITE, LocomoConversation, LocomoSuite
from bench.agents import compose
from bench.errors import DataError
from bench.protocols import Params, SuiteOptions
from bench.types import EventKind, Shape, Stimulus

Rows = list[dict[str, Any]]
Write = Callable[[Rows], Path]


def suite(root: Path, split: str = "all", **given: str) -> LocomoSuite:
    made = SUITE.build(SuiteOptions(split, Params(SUITE.params, given), root))
    assert isinstance(made, LocomoSuite)
    return made


def conversations(made: LocomoSuite) -> list[LocomoConversation]:
    opened = [made.open(task) for task in made.tasks()]
    assert all(isinstance(conversation, LocomoConversation) for conversation in opened)
    return [conversation for conversation in opened if isinstance(conversation, LocomoConversation)]


def test_events_leave_out_picture_where_captions_are_off(rows: Rows, write: Write) -> None:
    for conversation in rows:
        conversation["conversation"]["session_1"][1]["text"] = ""
    root = write(rows)
    shown, hidden = (conversations(suite(root, captions=switch))[0] for switch in ("on", "off"))
    assert [event.text for event in shown.events()][1] == "[shares a cello]"
    assert [event.ref for event in hidden.events()] == ["D1:1", "D1", "D2:1", "D2"]


def test_notices_name_what_is_not_shown_of_a_file_of_the_users_own(rows: Rows, write: Write) -> None:
    assert suite(write(rows)).notices() == ()
    rows[0]["conversation"]["session_1"][0]["audio"] = "a.ogg"
    rows[2]["qa"][1]["answer"] = 3  # a repair that loses nothing
    rows[2]["qa"][1]["evidence"] = ["D9:9"]
    del rows[3]["qa"]  # a data error when it is opened, and no notice
    made = suite(write(rows))
    assert made.notices() == (
        f"{FILE}: repaired (evidence): 1, first conv-3 qa[1].evidence: 'D9:9'",
        f"{FILE}: not shown: 1, first conv-4 conversation.session_1[0]: 'audio'",
    )
    assert suite(Path("/nowhere"), "generated").notices() == ()


@pytest.mark.data
def test_released_file_needs_no_notice(data_root: Path) -> None:
    assert suite(data_root).notices() == ()


def test_splits_divide_conversations(rows: Rows, write: Write) -> None:
    root = write(rows)
    names = {split: [task.id for task in suite(root, split).tasks()] for split in SUITE.splits}
    assert names["train"] == ["conv-1"]
    assert names["test"] == names["questions519"] == ["conv-2", "conv-3", "conv-4"]
    assert names["all"] == names["train"] + names["test"]
    assert [len(conversation.questions()) for conversation in conversations(suite(root, "questions519"))] == [3, 3, 3]


def test_events_are_dated_turns_and_session_ends(rows: Rows, write: Write) -> None:
    conversation = conversations(suite(write(rows)))[0]
    events = list(conversation.events())
    assert [event.ref for event in events] == ["D1:1", "D1:2", "D1", "D2:1", "D2"]
    assert [event.kind is EventKind.SESSION_END for event in events] == [False, False, True, False, True]
    assert [event.step for event in events] == [1, 1, 1, 2, 2]
    assert {event.time for event in events} == {"8 May, 2023", "1 June, 2023"}
    assert (events[1].speaker, events[1].text) == ("Łukasz", "Lovely! I bought a cello last week. [shares a cello]")
    plain = conversations(suite(write(rows), captions="off"))[0]
    assert [event.text for event in plain.events()][1] == "Lovely! I bought a cello last week."
    assert events == list(conversation.events())


def test_prompts_contain_no_category_and_no_answer(rows: Rows, write: Write) -> None:
    conversation = conversations(suite(write(rows)))[0]
    frames = set()
    for question in conversation.questions():
        messages = compose(conversation.frame, Stimulus(Shape.CONVERSATION, question.text, question.text, 1), "")
        frames.add(messages[0].content)
        assert messages[1].content == f"# Question\n{question.text}\n\nAnswer:"
        shown = " ".join(message.content for message in messages).lower()
        assert not any(name in shown for name in CATEGORIES.values())
    assert frames == {FRAME.instructions}


def test_questions_have_category_groups_and_unique_ids(rows: Rows, write: Write) -> None:
    asked = [question for conversation in conversations(suite(write(rows))) for question in conversation.questions()]
    assert len({question.id for question in asked}) == len(asked) == 20
    assert [question.group for question in asked[:5]] == [CATEGORIES[number] for number in (2, 4, 1, 3, 5)]


def test_broken_conversation_fails_its_own_task_only(rows: Rows, write: Write) -> None:
    del rows[1]["conversation"]["session_1_date_time"]
    made = suite(write(rows))
    first, *others = made.tasks()
    with pytest.raises(DataError, match=r"conv-1 .*session_1_date_time"):
        made.open(first)
    assert [len(made.open(task).questions()) for task in others] == [5, 5, 5]


def test_fingerprint_differs_by_split_switches_and_data(rows: Rows, write: Write) -> None:
    root = write(rows)
    prints = {
        suite(root).fingerprint(),
        suite(root, "test").fingerprint(),
        suite(root, captions="off").fingerprint(),
        suite(root, repeats="on").fingerprint(),
        suite(root, leak="on").fingerprint(),
        suite(root, citations="off").fingerprint(),
    }
    rows[0]["qa"][0]["answer"] = "never"
    prints.add(suite(write(rows)).fingerprint())
    assert len(prints) == 7
    assert dict(suite(root, leak="on").fingerprint().entries)["leak"] == "on"


def test_score_with_leak_reads_letters(rows: Rows, write: Write) -> None:
    rows[0]["qa"][4] |= {"adversarial_answer": "a cello"}
    conversation = conversations(suite(write(rows), leak="on"))[-1]
    question = conversation.questions()[4]
    letters = {line[4:]: line[:3] for line in question.prompt.splitlines() if line.startswith("(")}
    assert "(a)" not in question.text  # a memory is asked without it
    assert conversation.judge_case(question) is None  # a letter is no case for a judge
    assert sorted(letters) == ["a cello", "not mentioned"]
    answers = [letters["not mentioned"], letters["a cello"], "not mentioned", "a cello", "whatever"]
    worth = [{score.name: score.value for score in conversation.score(question, answer)} for answer in answers]
    assert [scores["adversarial"] for scores in worth] == [1.0, 0.0, 1.0, 0.0, 0.0]
    assert {scores["success"] for scores in worth} == {None}
    assert SUITE.workers == "process"


@pytest.mark.data
def test_released_file_has_published_category_counts(data_root: Path) -> None:
    by_split = {
        split: Counter(
            q.group for conversation in conversations(suite(data_root, split)) for q in conversation.questions()
        )
        for split in SUITE.splits
    }
    assert by_split["all"] == {
        **{"multi-hop": 282, "temporal": 321, "open-domain": 96, "single-hop": 841, "adversarial": 446}
    }
    assert by_split["train"] + by_split["test"] == by_split["all"]
    assert by_split["questions519"] == {"temporal": 107, "single-hop": 278, "adversarial": 134}


@pytest.mark.data
def test_refusals_score_only_in_category_5(data_root: Path) -> None:
    worth: dict[str, float] = dict.fromkeys(CATEGORIES.values(), 0.0)
    for conversation in conversations(suite(data_root)):
        for question in conversation.questions():
            scores = {score.name: score.value for score in conversation.score(question, "not mentioned")}
            worth[question.group] += scores["f1"] or 0.0
    assert worth.pop("adversarial") == 446
    assert all(value < 3 for value in worth.values()), worth


def test_generated_split_needs_no_file(tmp_path: Path) -> None:
    made = suite(tmp_path, "generated", talks="2", sessions="3", turns="8", questions="12")
    tasks = made.tasks()
    assert [task.id for task in tasks] == ["made-00", "made-01"]
    assert len({task.digest for task in tasks}) == 2
    for task, conversation in zip(tasks, conversations(made), strict=True):
        assert len([event for event in conversation.events() if event.kind is EventKind.TURN]) == 24
        assert [event.ref for event in conversation.events() if event.kind is EventKind.SESSION_END] == [
            "D1",
            "D2",
            "D3",
        ]
        assert all(question.id.startswith(f"{task.id}/") for question in conversation.questions())
        assert not any(conversation.find_known_issue(question) for question in conversation.questions())
        assert any(conversation.evidence(question) for question in conversation.questions())
    assert "generated" in SUITE.offline_splits


def test_fingerprint_differs_by_recipe(tmp_path: Path) -> None:
    small = {"talks": "1", "sessions": "2", "turns": "6", "questions": "6"}
    changes = [{}, {"draw": "1"}, {"turns": "8"}, {"questions": "5"}, {"talks": "2"}, {"sessions": "3"}]
    prints = {suite(tmp_path, "generated", **(small | change)).fingerprint() for change in changes}
    assert len(prints) == len(changes)
    assert suite(tmp_path, "generated", **small).fingerprint() in prints


@pytest.mark.parametrize("most", [1, 7, 39, 40, 500])
def test_ask_param_spreads_questions_evenly(most: int) -> None:
    few, whole = suite(Path("/nowhere"), "generated", ask=str(most)), suite(Path("/nowhere"), "generated")
    asked = [question.id for question in few.open(few.tasks()[0]).questions()]
    every = [question.id for question in whole.open(whole.tasks()[0]).questions()]
    assert len(asked) == min(most, len(every))
    assert asked == [name for name in every if name in asked]  # in the order of the file, none twice
    gaps = [every.index(b) - every.index(a) for a, b in itertools.pairwise(asked)]
    assert not gaps or max(gaps) - min(gaps) <= 1
    assert few.fingerprint() != whole.fingerprint()
