"""The evidence and the judge cases of the toy conversations."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adapters.toy.conversation import ToyConversation
from bench.models.offline.judging import RULES
from bench.models.offline.reader import OfflineReader
from bench.protocols import HasEvidence, HasJudgeCase, HasKnownIssues
from bench.scoring.judge import Judge
from bench.types import Event, EventKind

SEEDS = st.integers(0, 10**6)


def turns(conversation: ToyConversation) -> dict[str, Event]:
    return {event.ref: event for event in conversation.events() if event.kind is EventKind.TURN}


def test_conversation_has_evidence_and_judge_case_but_no_known_issues() -> None:
    conversation = ToyConversation(0)
    assert isinstance(conversation, HasEvidence)
    assert isinstance(conversation, HasJudgeCase)
    assert not isinstance(conversation, HasKnownIssues)


@given(SEEDS)
def test_evidence_is_the_last_turn_with_the_fact(seed: int) -> None:
    conversation = ToyConversation(seed)
    by_ref = turns(conversation)
    for question in conversation.questions():
        evidence = conversation.evidence(question)
        if question.group == "unanswerable":
            assert evidence == ()
            continue
        (ref,) = evidence
        name = question.id.partition("/")[0]
        reference_answer = conversation.judge_case(question).reference_answer
        assert by_ref[ref].speaker == name
        assert reference_answer in by_ref[ref].text
        start = by_ref[ref].text.removesuffix(f"{reference_answer}.")
        later = list(by_ref)[list(by_ref).index(ref) + 1 :]
        assert not [r for r in later if by_ref[r].speaker == name and by_ref[r].text.startswith(start)]


@given(SEEDS)
def test_judge_verdict_agrees_with_score(seed: int) -> None:
    conversation = ToyConversation(seed)
    judge = Judge(OfflineReader(RULES))
    for question in conversation.questions():
        judge_case = conversation.judge_case(question)
        assert judge_case.question == question.text
        unanswerable = question.group == "unanswerable"
        assert judge_case.rubric == ("abstention" if unanswerable else "update")
        right = "unknown" if unanswerable else judge_case.reference_answer
        assert conversation.score(question, right)[0].value == 1.0
        assert judge.verdict(judge_case, right).correct
        assert conversation.score(question, "a horse")[0].value == 0.0
        assert not judge.verdict(judge_case, "a horse").correct


def test_questions_have_both_groups() -> None:
    groups = {question.group for seed in range(6) for question in ToyConversation(seed).questions()}
    assert groups == {"unanswerable", "latest fact"}
