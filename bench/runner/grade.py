"""What the answers of one conversation are worth: the suite's own scores, the evidence, a judge's verdict, doubts.

One question is one item. The suite's score comes first; the evidence scores come from what the context cited; the judge
is asked only where the suite shows it the case, and pays from its own column. Where a gold is known to be wrong, the
scores named ``*_sound`` leave the question out, so that a table can show both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench.errors import JudgeError, boundary
from bench.judge import Judge
from bench.protocols import Conversation, Doubted, Evident, Judged, Question
from bench.retrieval import evidence_scores
from bench.types import Context, EventKind, Exhibit, Item, Phase, Score, Step, Task

__all__ = ["Desk", "grade", "sessions_of"]

JUDGED, TRAPPED = "judge_accuracy", "judge_adversarial"
"""The verdicts on questions with an answer, and on those that lay a trap."""
_UNANSWERED = "not answered"


@dataclass(frozen=True)
class Desk:
    """Who grades: a judge (None = nobody), where it is told which question it is at, and a counter of tokens."""

    judge: Judge | None
    enter: Callable[[Phase, int], None]
    count: Callable[[str], int]


def grade(talk: Conversation, steps: Sequence[Step], task: Task, desk: Desk) -> tuple[Item, ...]:
    """Return one item per question; those that were never answered are failures, and say so.

    Raises: JudgeError, from the suite's scorer or the judge; ModelError from the judge.
    """
    sessions = sessions_of(talk)
    items = []
    for number, question in enumerate(talk.questions()):
        step = steps[number] if number < len(steps) else None
        scores = tuple(_scores(talk, question, step, sessions, desk))
        items.append(Item(question.id, question.group, task.cluster, scores))
    return tuple(items)


def sessions_of(talk: Conversation) -> Mapping[str, str]:
    """Return the session of each turn."""
    return {event.ref: str(event.step) for event in talk.events() if event.kind is EventKind.TURN}


def _scores(
    talk: Conversation, question: Question, step: Step | None, sessions: Mapping[str, str], desk: Desk
) -> Iterator[Score]:
    if step is None:
        yield from _unanswered(talk, question, sessions, desk)
        return
    answer = step.decision.text
    with boundary(JudgeError, f"score {question.id}"):
        own = talk.score(question, answer)
    yield from own
    if isinstance(talk, Evident):
        yield from evidence_scores(step.decision.context, talk.evidence(question), sessions)
    yield Score("answer_tokens", float(desk.count(answer)))
    verdict = _verdict(talk, question, step, desk)
    if verdict is not None:
        yield verdict
    if isinstance(talk, Doubted):
        yield from _sound(talk.doubt(question), [*own[:1], *([] if verdict is None else [verdict])])


def _unanswered(talk: Conversation, question: Question, sessions: Mapping[str, str], desk: Desk) -> Iterator[Score]:
    """Every score that an answer would have had, as 0: a question that was never reached is missed in each of them."""
    with boundary(JudgeError, f"score {question.id}"):
        own = [Score(score.name, _missed(score.value), _UNANSWERED) for score in talk.score(question, "")]
    yield from own
    if isinstance(talk, Evident):
        shown = evidence_scores(Context(), talk.evidence(question), sessions)
        yield from (Score(score.name, _missed(score.value), score.reason or _UNANSWERED) for score in shown)
    exhibit = _exhibit(talk, question) if desk.judge is not None else None
    verdict = [Score(TRAPPED if exhibit.trap else JUDGED, 0.0, _UNANSWERED)] if exhibit else []
    yield from verdict
    if isinstance(talk, Doubted):
        yield from _sound(talk.doubt(question), [*own[:1], *verdict])


def _missed(value: float | None) -> float | None:
    return None if value is None else 0.0


def _exhibit(talk: Conversation, question: Question) -> Exhibit | None:
    return talk.exhibit(question) if isinstance(talk, Judged) else None


def _verdict(talk: Conversation, question: Question, step: Step, desk: Desk) -> Score | None:
    if desk.judge is None:
        return None
    exhibit = _exhibit(talk, question)
    if exhibit is None:
        return Score(JUDGED, None, "left to the suite's own score")
    desk.enter(Phase.JUDGE, step.index)
    name = TRAPPED if exhibit.trap else JUDGED
    return Score(name, float(desk.judge.verdict(exhibit, step.decision.text).correct))


def _sound(doubt: str, scores: Sequence[Score]) -> Iterator[Score]:
    """The main score and the verdict once more, without the questions whose gold is in doubt."""
    for score in scores:
        if score.name == TRAPPED:
            continue
        name = "judge_sound" if score.name == JUDGED else "success_sound"
        yield Score(name, None, doubt) if doubt else Score(name, score.value, score.reason)
