"""What the toy talks say about their questions: the turn that holds the answer, and what a judge is shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adapters.toy.talk import ToyTalk
from bench.models.offline.judging import RULES
from bench.models.offline.reader import OfflineReader
from bench.protocols import HasEvidence, HasJudgeCase, HasKnownIssues
from bench.scoring.judge import Judge
from bench.types import Event, EventKind

SEEDS = st.integers(0, 10**6)


def turns(talk: ToyTalk) -> dict[str, Event]:
    return {event.ref: event for event in talk.events() if event.kind is EventKind.TURN}


def test_a_talk_knows_its_evidence_and_can_be_judged_and_has_no_doubts() -> None:
    talk = ToyTalk(0)
    assert isinstance(talk, HasEvidence)
    assert isinstance(talk, HasJudgeCase)
    assert not isinstance(talk, HasKnownIssues)


@given(SEEDS)
def test_the_evidence_is_the_turn_that_said_it_last(seed: int) -> None:
    talk = ToyTalk(seed)
    by_ref = turns(talk)
    for question in talk.questions():
        evidence = talk.evidence(question)
        if question.group == "unanswerable":
            assert evidence == ()
            continue
        (ref,) = evidence
        name = question.id.partition("/")[0]
        gold = talk.judge_case(question).gold
        assert by_ref[ref].speaker == name
        assert gold in by_ref[ref].text
        start = by_ref[ref].text.removesuffix(f"{gold}.")
        later = list(by_ref)[list(by_ref).index(ref) + 1 :]
        assert not [r for r in later if by_ref[r].speaker == name and by_ref[r].text.startswith(start)]


@given(SEEDS)
def test_what_a_judge_is_shown_agrees_with_the_score(seed: int) -> None:
    talk = ToyTalk(seed)
    judge = Judge(OfflineReader(RULES))
    for question in talk.questions():
        judge_case = talk.judge_case(question)
        assert judge_case.question == question.text
        unanswerable = question.group == "unanswerable"
        assert judge_case.rubric == ("abstention" if unanswerable else "update")
        right = "unknown" if unanswerable else judge_case.gold
        assert talk.score(question, right)[0].value == 1.0
        assert judge.verdict(judge_case, right).correct
        assert talk.score(question, "a horse")[0].value == 0.0
        assert not judge.verdict(judge_case, "a horse").correct


def test_both_kinds_of_question_occur() -> None:
    groups = {question.group for seed in range(6) for question in ToyTalk(seed).questions()}
    assert groups == {"unanswerable", "latest fact"}
