"""The scores of the answers of one conversation: the suite's own, the evidence, a judge's verdict, known issues.

One question is one item. The suite's score comes first; the evidence scores come from what the context cited; the judge
is called only where the suite gives it a case, and its tokens have their own column. Where a reference answer is known
to be wrong, the scores named ``*_sound`` leave the question out, so that a table can show both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench.errors import JudgeError, boundary
from bench.protocols import Conversation, HasEvidence, HasJudgeCase, HasKnownIssues, Question
from bench.scoring.evidence import score_evidence
from bench.scoring.judge import Judge
from bench.types import Context, EventKind, Item, JudgeCase, Phase, Score, Step, Task

__all__ = ["GradingContext", "grade", "sessions_of"]

ACCURACY, ADVERSARIAL = "judge_accuracy", "judge_adversarial"
"""The verdicts on questions with an answer, and on adversarial questions."""
_UNANSWERED = "not answered"


@dataclass(frozen=True)
class GradingContext:
    """Who grades: a judge (None = nobody), a function that announces phase and question, a counter of tokens."""

    judge: Judge | None
    enter: Callable[[Phase, int], None]
    count: Callable[[str], int]


def grade(conversation: Conversation, steps: Sequence[Step], task: Task, grading: GradingContext) -> tuple[Item, ...]:
    """Return one item per question; those that were never answered are failures, and say so.

    Raises: JudgeError, from the suite's scorer or the judge; ModelError from the judge.
    """
    sessions = sessions_of(conversation)
    items = []
    for number, question in enumerate(conversation.questions()):
        step = steps[number] if number < len(steps) else None
        scores = tuple(_score_question(conversation, question, step, sessions, grading))
        items.append(Item(question.id, question.group, task.cluster, scores))
    return tuple(items)


def sessions_of(conversation: Conversation) -> Mapping[str, str]:
    """Return the session of each turn."""
    return {event.ref: str(event.step) for event in conversation.events() if event.kind is EventKind.TURN}


def _score_question(
    conversation: Conversation,
    question: Question,
    step: Step | None,
    sessions: Mapping[str, str],
    grading: GradingContext,
) -> Iterator[Score]:
    if step is None:
        yield from _score_unanswered(conversation, question, sessions, grading)
        return
    answer = step.decision.text
    with boundary(JudgeError, f"score {question.id}"):
        own = conversation.score(question, answer)
    yield from own
    if isinstance(conversation, HasEvidence):
        yield from score_evidence(step.decision.context, conversation.evidence(question), sessions)
    yield Score("answer_tokens", float(grading.count(answer)))
    verdict = _verdict(conversation, question, step, grading)
    if verdict is not None:
        yield verdict
    if isinstance(conversation, HasKnownIssues):
        issue = conversation.find_known_issue(question)
        yield from _score_sound(issue, [*own[:1], *([] if verdict is None else [verdict])])


def _score_unanswered(
    conversation: Conversation, question: Question, sessions: Mapping[str, str], grading: GradingContext
) -> Iterator[Score]:
    """Yield every score that an answer would have had, as 0: a question that was never reached fails in each."""
    with boundary(JudgeError, f"score {question.id}"):
        own = [Score(score.name, _set_to_zero(score.value), _UNANSWERED) for score in conversation.score(question, "")]
    yield from own
    if isinstance(conversation, HasEvidence):
        evidence = score_evidence(Context(), conversation.evidence(question), sessions)
        yield from (Score(score.name, _set_to_zero(score.value), score.reason or _UNANSWERED) for score in evidence)
    judge_case = _judge_case(conversation, question) if grading.judge is not None else None
    verdict = [Score(ADVERSARIAL if judge_case.adversarial else ACCURACY, 0.0, _UNANSWERED)] if judge_case else []
    yield from verdict
    if isinstance(conversation, HasKnownIssues):
        yield from _score_sound(conversation.find_known_issue(question), [*own[:1], *verdict])


def _set_to_zero(value: float | None) -> float | None:
    return None if value is None else 0.0


def _judge_case(conversation: Conversation, question: Question) -> JudgeCase | None:
    return conversation.judge_case(question) if isinstance(conversation, HasJudgeCase) else None


def _verdict(conversation: Conversation, question: Question, step: Step, grading: GradingContext) -> Score | None:
    if grading.judge is None:
        return None
    judge_case = _judge_case(conversation, question)
    if judge_case is None:
        return Score(ACCURACY, None, "left to the suite's own score")
    grading.enter(Phase.JUDGE, step.index)
    name = ADVERSARIAL if judge_case.adversarial else ACCURACY
    return Score(name, float(grading.judge.verdict(judge_case, step.decision.text).correct))


def _score_sound(issue: str, scores: Sequence[Score]) -> Iterator[Score]:
    """Yield main score and verdict once more, without the questions whose reference answer is known to be wrong."""
    for score in scores:
        if score.name == ADVERSARIAL:
            continue
        name = "judge_sound" if score.name == ACCURACY else "success_sound"
        yield Score(name, None, issue) if issue else Score(name, score.value, score.reason)
