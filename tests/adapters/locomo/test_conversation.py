"""Evidence, judge cases and known issues of a conversation; none of them reaches a prompt."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adapters.locomo.conversation import LocomoConversation, Switches
from adapters.locomo.data import FILE, read_file
from adapters.locomo.doubts import CITATION, find_doubt, find_doubts
from adapters.locomo.loading import load
from adapters.locomo.scoring import CATEGORIES
from bench.agents import compose
from bench.protocols import HasEvidence, HasJudgeCase, HasKnownIssues, Question, write_question
from bench.types import Shape, Stimulus

Rows = list[dict[str, Any]]
Write = Callable[[Rows], Path]
ALL = frozenset(CATEGORIES)


def load_conversation(root: Path, index: int = 0, switches: Switches | None = None) -> LocomoConversation:
    return LocomoConversation(load(read_file(root)[index]), ALL, switches)


def by_id(conversation: LocomoConversation) -> dict[str, Question]:
    return {question.id: question for question in conversation.questions()}


def test_conversation_has_evidence_judge_case_and_known_issues(rows: Rows, write: Write) -> None:
    conversation = load_conversation(write(rows))
    assert isinstance(conversation, HasEvidence)
    assert isinstance(conversation, HasJudgeCase)
    assert isinstance(conversation, HasKnownIssues)
    assert not any(conversation.find_known_issue(question) for question in conversation.questions())


def test_evidence_is_cited_refs_after_repairs(rows: Rows, write: Write) -> None:
    rows[0]["qa"][0]["evidence"] = ["D1:1; D2:1", "D9:9"]
    conversation = load_conversation(write(rows), -1)
    known = {event.ref for event in conversation.events()}
    cited = [conversation.evidence(question) for question in conversation.questions()]
    assert cited == [("D1:1", "D2:1"), ("D1:2",), ("D2:1",), (), ("D1:2",)]
    assert {ref for refs in cited for ref in refs} <= known


def test_judge_case_has_rubric_of_category(rows: Rows, write: Write) -> None:
    conversation = load_conversation(write(rows))
    shown = [conversation.judge_case(question) for question in conversation.questions()]
    assert [one.rubric for one in shown] == ["date", "answer", "answer", "answer", "abstention"]
    assert [one.question for one in shown] == [question.text for question in conversation.questions()]
    assert [one.reference_answer for one in shown[:4]] == ["7 May 2023", "a cello", "Truffle", "Yes; she adopts"]


def test_judge_case_of_category_5_explains_adversarial_answer(rows: Rows, write: Write) -> None:
    rows[0]["qa"][4] |= {"adversarial_answer": "a cello"}
    del rows[0]["qa"][4]["answer"]
    untold = load_conversation(write(rows), -1)
    reference_answer = untold.judge_case(list(untold.questions())[4]).reference_answer
    assert "does not tell" in reference_answer
    assert "`a cello` falls into the trap" in reference_answer
    rows[0]["qa"][4] |= {"answer": "No", "adversarial_answer": "Yes"}
    denied = load_conversation(write(rows), -1)
    reference_answer = denied.judge_case(list(denied.questions())[4]).reference_answer
    assert "`No` says so too" in reference_answer
    assert "`Yes` falls into the trap" in reference_answer


def test_leak_changes_prompt_and_not_judge_case(rows: Rows, write: Write) -> None:
    rows[0]["qa"][4] |= {"adversarial_answer": "a cello"}
    root = write(rows)
    plain, leaky = load_conversation(root, -1), load_conversation(root, -1, Switches(leak=True))
    pairs = list(zip(plain.questions(), leaky.questions(), strict=True))
    assert [one.text for one, _ in pairs] == [other.text for _, other in pairs]  # what a memory is asked
    assert [write_question(one) == write_question(other) for one, other in pairs] == [False, True, True, True, False]
    assert all(other.prompt.startswith(f"{one.text}\n") for one, other in (pairs[0], pairs[4]))
    assert "not mentioned" in pairs[4][1].prompt
    assert "a cello" in pairs[4][1].prompt
    assert [leaky.judge_case(other) for _, other in pairs[:4]] == [plain.judge_case(one) for one, _ in pairs[:4]]
    assert leaky.judge_case(pairs[4][1]) is None  # a letter is read by the official rule


def test_prompt_without_leak_is_independent_of_category(rows: Rows, write: Write) -> None:
    prompts = set()
    for category in sorted(CATEGORIES):
        rows[0]["qa"] = [
            {
                **{"question": "What did Zoë buy?", "answer": "a cello", "adversarial_answer": "a drum"},
                **{"evidence": ["D1:2"], "category": category},
            }
        ]
        conversation = load_conversation(write(rows), -1)
        (question,) = conversation.questions()
        prompts.add(
            compose(conversation.frame, Stimulus(Shape.CONVERSATION, question.text, question.text, 1), "a memory")
        )
    assert len(prompts) == 1


@pytest.mark.data
def test_known_issues_reproduce_ceilings_of_the_audit(data_root: Path) -> None:
    kinds: Counter[str] = Counter()
    wrong: Counter[int] = Counter()
    asked: Counter[int] = Counter()
    by_conversation: Counter[str] = Counter()
    for raw in read_file(data_root):
        loaded, conversation = load(raw), load_by_name(data_root, raw.name)
        entries = raw.fields["qa"]
        for one, question in zip(loaded.questions, conversation.questions(), strict=True):
            asked[one.category] += 1
            wrong[one.category] += bool(conversation.find_known_issue(question))
            by_conversation[raw.name] += bool(conversation.find_known_issue(question)) and one.category != 5
            if found := find_doubt(entries[one.index]):
                assert found.question == question.id
                kinds[found.kind] += 1
    assert {number: round(100 * (1 - wrong[number] / asked[number]), 1) for number in (1, 2, 3, 4)} == {
        **{1: 90.1, 2: 91.9, 3: 90.6, 4: 95.7}
    }
    assert kinds == {
        **{"hallucination": 33, "temporal": 26, "attribution": 24, "ambiguous": 13, "incomplete": 3},
        **{CITATION: 57, "answerable": 2},
    }
    assert (
        by_conversation["conv-48"],
        by_conversation["conv-49"],
        by_conversation["conv-50"],
        by_conversation.total(),
    ) == (7, 14, 12, 99)
    assert wrong[5] == 2


def load_by_name(root: Path, name: str, switches: Switches | None = None) -> LocomoConversation:
    raw = next(raw for raw in read_file(root) if raw.name == name)
    return LocomoConversation(load(raw), ALL, switches, doubts=find_doubts(raw.fields["qa"]))


def test_doubts_are_about_official_questions_alone(rows: Rows, write: Write) -> None:
    rows[0]["sample_id"] = "conv-26"  # whose questions 1, 2 and 4 are doubtful in the released file
    root = write(rows)
    kept, dropped = load_by_name(root, "conv-26"), load_by_name(root, "conv-26", Switches(citations=False))
    assert not any(kept.find_known_issue(question) for question in kept.questions())
    assert [kept.evidence(one) for one in kept.questions()] == [dropped.evidence(one) for one in dropped.questions()]


@pytest.mark.data
@pytest.mark.parametrize(
    ("place", "change", "issue", "uncited"),
    [
        (2, {}, True, False),
        (2, {"evidence": ["D1:1"]}, True, False),
        (2, {"answer": "another"}, False, False),
        (2, {"question": "Another?"}, False, False),
        (1, {}, False, True),
        (1, {"evidence": ["D1:1"]}, False, False),
        (1, {"answer": "another"}, False, False),
    ],
)
def test_doubt_holds_for_official_question_and_answer_wherever_they_stand(
    data_root: Path, tmp_path: Path, place: int, change: dict[str, Any], issue: bool, uncited: bool
) -> None:
    """A doubt about an answer needs question and answer, one about a citation the evidence as well."""
    raw = next(raw for raw in read_file(data_root) if raw.name == "conv-26")
    fields = raw.fields | {"sample_id": "mine", "qa": [raw.fields["qa"][0], raw.fields["qa"][place] | change]}
    path = tmp_path / FILE
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps([fields]))
    conversation = load_by_name(tmp_path, "mine", Switches(citations=False))
    question = list(conversation.questions())[1]
    assert bool(conversation.find_known_issue(question)) is issue
    assert (conversation.evidence(question) == ()) is uncited


@pytest.mark.data
def test_wrong_citation_is_no_known_issue_and_can_be_dropped(data_root: Path) -> None:
    kept, dropped = load_by_name(data_root, "conv-26"), load_by_name(data_root, "conv-26", Switches(citations=False))
    cited = by_id(kept)["conv-26/001"]
    assert kept.find_known_issue(cited) == ""
    assert kept.evidence(cited) == ("D1:12",)
    assert dropped.evidence(cited) == ()
    wrong = by_id(kept)["conv-26/002"]
    assert kept.find_known_issue(wrong) == "the gold holds what nobody said (hallucination; locomo-audit)"
    lost = [q for q in kept.questions() if kept.evidence(q) != dropped.evidence(q)]
    assert len(lost) == 12


def test_doubtful_txt_has_ids_kinds_and_digests_only() -> None:
    path = Path(__file__).parents[3] / "adapters" / "locomo" / "doubtful.txt"
    rows = [line.split(" ") for line in path.read_text().splitlines() if not line.startswith("#")]
    assert len(rows) == 158
    assert all(len(row) == 4 and re.fullmatch("[0-9a-f]{16}", row[3]) for row in rows)
    assert len({row[3] for row in rows}) == len(rows)
    assert rows == sorted(rows)
    assert len({row[0] for row in rows}) == len(rows)
