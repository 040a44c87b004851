"""The rules for suites of conversations: the same turns and questions, sound scores, evidence that exists.

Part of ``bench.conformance.suites``.
"""

from __future__ import annotations

from bench.conformance.suite_case import GARBAGE, SuiteCase
from bench.protocols import Conversation, HasEvidence, HasJudgeCase, write_question
from bench.types import EventKind

__all__ = ["check_conversation", "check_evidence", "check_questions", "check_scores"]

_LEAKING_SHARE = 1 / 2
"""Some questions name their answer among others; a suite where most do gives it away."""


def check_conversation(case: SuiteCase) -> str:
    """Return how the events or questions of a conversation differ from time to time, or are malformed."""
    with case.build() as one, case.build() as two:
        for task in case.choose(one):
            first, second = one.open(task), two.open(task)
            events, questions = list(first.events()), list(first.questions())
            if events != list(second.events()) or events != list(first.events()):
                return f"{task.id}: expected the same events every time, got others"
            if questions != list(second.questions()) or first.frame != second.frame:
                return f"{task.id}: expected the same frame and questions in every build, got others"
            if fault := _find_fault(first):
                return f"{task.id}: {fault}"
    return ""


def _find_fault(conversation: Conversation) -> str:
    events, questions = list(conversation.events()), list(conversation.questions())
    if {event.kind for event in events} - {EventKind.TURN, EventKind.SESSION_END}:
        return "expected turns and ends of sessions, got other events"
    if not events or events[-1].kind is not EventKind.SESSION_END:
        return "expected the end of a session as the last event, got another"
    if len({event.ref for event in events}) < len(events):
        return "expected a ref of its own for every event, got one twice"
    if [event.step for event in events] != sorted(event.step for event in events):
        return "expected sessions (Event.step) in ascending order, got others"
    if not all(event.speaker and event.text for event in events if event.kind is EventKind.TURN):
        return "expected a speaker and a text of every turn, got an empty one"
    names = [question.id for question in questions]
    if not names or len(set(names)) < len(names):
        return "expected questions, each with an id of its own, got none, or an id twice"
    if not all(question.group and question.text.strip() for question in questions):
        return "expected a group and a text of every question, got an empty one"
    return ""


def check_scores(case: SuiteCase) -> str:
    """Return which score is out of bounds, differs from time to time, or rewards an answer that says nothing."""
    with case.build() as suite:
        for task in case.choose(suite):
            conversation: Conversation = suite.open(task)
            for question in conversation.questions():
                for answer in GARBAGE:
                    scores = conversation.score(question, answer)
                    if scores != conversation.score(question, answer):
                        return f"{question.id}: expected the same scores of the same answer, got others"
                    if not scores or len({score.name for score in scores}) < len(scores):
                        return f"{question.id}: expected scores with a name each, got none, or a name twice"
                    if scores[0].value not in (0.0, None):
                        got = f"{scores[0].value:g} for {answer[:20]!r}"
                        return f"{question.id}: expected the main score 0, or None, of garbage, got {got}"
    return ""


def check_evidence(case: SuiteCase) -> str:
    """Return which evidence is no event of its conversation, or stands there twice."""
    with case.build() as suite:
        for task in case.choose(suite):
            conversation: Conversation = suite.open(task)
            if not isinstance(conversation, HasEvidence):
                return ""
            known = {event.ref for event in suite.open(task).events()}
            for question in suite.open(task).questions():
                refs = conversation.evidence(question)
                if unknown := sorted(set(refs) - known):
                    return f"{question.id}: expected evidence among the events, got {unknown[0]!r}"
                if len(set(refs)) < len(refs):
                    return f"{question.id}: expected each ref of the evidence once, got {refs}"
    return ""


def check_questions(case: SuiteCase) -> str:
    """Return that questions give their reference answers away; a few may name them among other options."""
    with case.build() as suite:
        asked = leaking = 0
        for task in case.choose(suite):
            conversation = suite.open(task)
            if not isinstance(conversation, HasJudgeCase):
                return ""
            for question in suite.open(task).questions():
                judged = conversation.judge_case(question)
                if judged is None or judged.adversarial or not judged.reference_answer.strip():
                    continue
                asked += 1
                leaking += _plain(judged.reference_answer) in _plain(write_question(question))
    if leaking > _LEAKING_SHARE * asked:
        return f"expected questions that do not show their answers, got {leaking} of {asked} that do"
    return ""


def _plain(text: str) -> str:
    return f" {' '.join(''.join(char if char.isalnum() else ' ' for char in text.lower()).split())} "
