"""The scores of the answers of one conversation: the suite's own, evidence, a judge's verdict, errors, known issues.

One question is one item. The suite's score comes first; the evidence scores come from what the context cites and
states; the judge is called only where the suite gives it a case, and its tokens have their own column. Where a
reference answer is known to be wrong, the scores named ``*_sound`` leave the question out, so that a table can show
both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from bench.errors import JudgeError, boundary
from bench.protocols import Conversation, HasEvidence, HasJudgeCase, HasKnownIssues, HasSessionEvidence, Question
from bench.scoring.attribution import attribute, cites_nothing, score_error
from bench.scoring.evidence import score_evidence
from bench.scoring.judge import Verdict
from bench.scoring.retention import score_retention
from bench.types import Context, Event, EventKind, Item, JudgeCase, Phase, Score, Step, Task

__all__ = ["ACCURACY", "ADVERSARIAL", "NO_VERDICT", "Grader", "GradingContext", "grade", "sessions_of"]

ACCURACY, ADVERSARIAL = "judge_accuracy", "judge_adversarial"
"""The verdicts on questions with an answer, and on adversarial questions."""
NO_VERDICT = "no verdict"
"""What the reason of a score begins with that the judge did not give."""
_UNANSWERED = "not answered"
_PASS_MARK = 0.5
"""A main score below it is a failure, where no judge says what is."""
_BY_SESSION = "sessions are named, no turns"
_REFUSAL = "a refusal rests on no fact"
_REFUSED_RUBRIC = "abstention"


class Grader(Protocol):
    """What gives verdicts: a judge, or what remembers those of one."""

    def verdict(self, judge_case: JudgeCase, answer: str) -> Verdict: ...


@dataclass(frozen=True)
class GradingContext:
    """Who grades: a judge (None = nobody), a function that announces phase and question, a counter of tokens."""

    judge: Grader | None
    enter: Callable[[Phase, int], None]
    count: Callable[[str], int]
    lenient: bool = False
    """A judge without a verdict leaves its question without one; else the conversation cannot be graded."""


def grade(conversation: Conversation, steps: Sequence[Step], task: Task, grading: GradingContext) -> tuple[Item, ...]:
    """Return one item per question; those that were never answered are failures, and say so.

    Raises: JudgeError, from the suite's scorer or the judge; ModelError from the judge.
    """
    turns = _list_turns(conversation)
    items = []
    for number, question in enumerate(conversation.questions()):
        step = steps[number] if number < len(steps) else None
        scores = tuple(_score_question(conversation, question, step, turns, grading))
        items.append(Item(question.id, question.group, task.cluster, scores))
    return tuple(items)


def sessions_of(conversation: Conversation) -> Mapping[str, str]:
    """Return the session of each turn."""
    return _name_sessions(_list_turns(conversation))


def _list_turns(conversation: Conversation) -> Mapping[str, Event]:
    return {event.ref: event for event in conversation.events() if event.kind is EventKind.TURN}


def _name_sessions(turns: Mapping[str, Event]) -> Mapping[str, str]:
    return {ref: str(event.step) for ref, event in turns.items()}


def _score_question(
    conversation: Conversation,
    question: Question,
    step: Step | None,
    turns: Mapping[str, Event],
    grading: GradingContext,
) -> Iterator[Score]:
    if step is None:
        yield from _score_unanswered(conversation, question, turns, grading)
        return
    answer = step.decision.text
    with boundary(JudgeError, f"score {question.id}"):
        own = conversation.score(question, answer)
    yield from own
    held = tuple(_score_context(conversation, question, step.decision.context, turns))
    yield from held
    yield Score("answer_tokens", float(grading.count(answer)))
    verdict = _verdict(conversation, question, step, grading)
    if verdict is not None:
        yield verdict
    if held:
        decisive = verdict if verdict is not None and verdict.value is not None else own[0]
        reason = _BY_SESSION if _knows_sessions_only(conversation, question) else ""
        yield from _name_error(_judge_case(conversation, question), step, held[-1], decisive, reason)
    if isinstance(conversation, HasKnownIssues):
        issue = conversation.find_known_issue(question)
        yield from _score_sound(issue, [*own[:1], *([] if verdict is None else [verdict])])


def _score_context(
    conversation: Conversation, question: Question, context: Context, turns: Mapping[str, Event]
) -> Iterator[Score]:
    """Yield what the context cites of the evidence and states of the answer, ``retained`` last."""
    if not isinstance(conversation, HasEvidence):
        return
    needed = conversation.evidence(question)
    scores = score_evidence(context, needed, _name_sessions(turns))
    by_session = _knows_sessions_only(conversation, question)
    yield from (
        score if not by_session or "session" in score.name else Score(score.name, None, _BY_SESSION) for score in scores
    )
    evidence = [turns[ref] for ref in dict.fromkeys(needed) if ref in turns]
    yield from score_retention(context, _judge_case(conversation, question), evidence)


def _knows_sessions_only(conversation: Conversation, question: Question) -> bool:
    return isinstance(conversation, HasSessionEvidence) and conversation.knows_sessions_only(question)


def _name_error(
    case: JudgeCase | None, step: Step, retained: Score, decisive: Score, reason: str = ""
) -> Iterator[Score]:
    """Yield the cause of a failure, or why none is named (``reason``, where that is known beforehand)."""
    context, evidence = step.decision.context, step.evidence
    if case is not None and case.rubric == _REFUSED_RUBRIC:
        reason = _REFUSAL
    elif evidence is None:
        reason = "no evidence"
    elif decisive.value is None:
        reason = decisive.reason or "no main score"
    elif not step.decision.text.strip() and context == Context():
        reason = "no answer"
    elif cites_nothing(context):
        reason = "cites no turns"
    if reason or evidence is None or decisive.value is None or decisive.value >= _PASS_MARK:
        yield from score_error(None, reason)
        return
    yield from score_error(attribute(evidence, context.refs, retained.value))


def _score_unanswered(
    conversation: Conversation, question: Question, turns: Mapping[str, Event], grading: GradingContext
) -> Iterator[Score]:
    """Yield every score that an answer would have had, as 0: a question that was never reached fails in each."""
    with boundary(JudgeError, f"score {question.id}"):
        own = [Score(score.name, _set_to_zero(score.value), _UNANSWERED) for score in conversation.score(question, "")]
    yield from own
    held = tuple(_score_context(conversation, question, Context(), turns))
    yield from (Score(score.name, _set_to_zero(score.value), score.reason or _UNANSWERED) for score in held)
    if held:
        yield from score_error(None, _UNANSWERED)
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
    try:
        return Score(name, float(grading.judge.verdict(judge_case, step.decision.text).correct))
    except JudgeError as failure:
        if not grading.lenient:
            raise
        return Score(name, None, f"{NO_VERDICT}: {failure}")


def _score_sound(issue: str, scores: Sequence[Score]) -> Iterator[Score]:
    """Yield main score and verdict once more, without the questions whose reference answer is known to be wrong."""
    for score in scores:
        if score.name == ADVERSARIAL:
            continue
        name = "judge_sound" if score.name == ACCURACY else "success_sound"
        yield Score(name, None, issue) if issue else Score(name, score.value, score.reason)
