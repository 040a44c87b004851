"""A finished run, opened again so that its answers can be graded: its trials, and the suites with their references.

Nothing is written to it, and neither its strategies nor its models are opened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.config import RunConfig, validate
from bench.errors import DataError, StoreError, UsageError, boundary
from bench.models.tokenizers import choose_tokenizer
from bench.protocols import Environment
from bench.runner.resolve import ResolvedRun, resolve_run
from bench.runner.tasks import BuiltSuite, open_suites
from bench.scoring.grading import Grader, GradingContext, grade
from bench.scoring.metrics import measure, measure_questions
from bench.store.ledger_queries import read_meta
from bench.store.read import read_trials
from bench.types import Call, EndReason, Item, Phase, Shape, Status, Task, Trial

__all__ = ["StoredRun", "is_gradable", "mark_as_answered", "open_stored_run", "without_judge"]

_QUESTION = "question"


@dataclass(frozen=True)
class StoredRun:
    """One run folder, its question as far as grading needs it, and its suites."""

    folder: Path
    question: ResolvedRun
    suites: Mapping[str, BuiltSuite]

    def list_trials(self, *, answers: bool) -> list[Trial]:
        """Return the trials that have ended; ``answers``: of conversations alone. Raises: StoreError."""
        return [
            trial
            for label, built in self.suites.items()
            if built.shape is Shape.CONVERSATION or not answers
            for trial in read_trials(self.folder, built.shape, "suite = ? AND attempt > 0", [label])
        ]

    def find_task(self, trial: Trial) -> Task:
        """Return the task of a trial. Raises: UsageError if the suite does not have it any more."""
        tasks = self.suites[trial.key.suite].tasks
        if trial.key.task not in tasks:
            raise UsageError(
                f"grade: expected the data that {self.folder} was played on, got no task {trial.key.task} in "
                f"{trial.key.suite}; put the data of that time under $BENCH_DATA"
            )
        return tasks[trial.key.task]

    def regrade(self, trial: Trial, judge: Grader | None, enter: Callable[[Phase, int], None]) -> tuple[Item, ...]:
        """Return the scores that the stored answers of a conversation have now, without what they took.

        A question without a verdict stays without one. Raises: JudgeError, ModelError; UsageError for other questions.
        """
        task = self.find_task(trial)
        with boundary(DataError, f"open {task.id}"):
            conversation = self.suites[trial.key.suite].suite.open(task)
        if isinstance(conversation, Environment):
            raise UsageError(f"grade: expected a conversation, got the episode {task.id}; grade without a judge")
        asked, stored = [one.id for one in conversation.questions()], [one.id for one in trial.items]
        if stored and asked != stored:
            raise UsageError(
                f"grade: expected the questions that {self.folder} was played with, got others in {task.id}; put the "
                "data of that time under $BENCH_DATA"
            )
        grading = GradingContext(judge, enter, _count_answers(trial), lenient=True)
        return grade(conversation, trial.steps, task, grading)

    def measure(self, trial: Trial) -> tuple[Item, ...]:
        """Return the items of a trial with all scores; of a conversation, its own scores are those of its items."""
        built = self.suites[trial.key.suite]
        if built.shape is Shape.CONVERSATION:
            return measure_questions(trial)
        task, limits = self.find_task(trial), built.suite.limits()
        scores = measure(trial, step_cap=limits.step_cap, optimal_steps=task.optimal_steps)
        return (Item(task.id, task.group, task.cluster, scores),) if scores else ()


@contextmanager
def open_stored_run(folder: Path, update: Mapping[str, Any]) -> Iterator[StoredRun]:
    """Open a run folder with another judge or other limits (``update``: fields of its question).

    Raises: UsageError, StoreError.
    """
    recorded = read_meta(folder, _QUESTION)
    if recorded is None:
        raise StoreError(f"grade: expected a folder that `bench run` made, got {folder} without its question")
    config = RunConfig.model_validate_json(recorded)
    # Nothing is played: neither what the strategies need nor their models have to be here.
    plain = {"strategies": ("full-history",), "model": "offline/reader", "base_url": "", "endpoint": "",
             "artifacts": (), "stream": 0, "embedder": "hash", "judge": "", "judge_endpoint": "", "max_usd": 0.0,
             "max_tokens": 0, "temperature": 0.0, "top_p": None}  # fmt: skip
    question = resolve_run(validate({**config.model_dump(), **plain, **update}, "grade"))
    with open_suites(question) as suites:
        yield StoredRun(folder, question, suites)


def mark_as_answered(trial: Trial, items: tuple[Item, ...]) -> Trial:
    """Return a trial with the items of its graded answers: one that an earlier judge left unscored has them too."""
    if trial.status is Status.JUDGE_ERROR:
        trial = replace(trial, status=Status.DONE, end=EndReason.ANSWERED, error="")
    return replace(trial, items=items)


def is_gradable(trial: Trial) -> bool:
    """True if every question that the strategy reached has its answer: only a judge can have failed."""
    return trial.status.scored or (trial.status is Status.JUDGE_ERROR and bool(trial.steps))


def without_judge(calls: tuple[Call, ...]) -> tuple[Call, ...]:
    return tuple(call for call in calls if call.phase is not Phase.JUDGE)


def _count_answers(trial: Trial) -> Callable[[str], int]:
    """Return the counter of an answer's tokens: as recorded, so that another tokenizer moves nothing."""
    known = {
        step.decision.text: int(score.value)
        for step, item in zip(trial.steps, trial.items, strict=False)
        for score in item.scores
        if score.name == "answer_tokens" and score.value is not None
    }
    tokenizer = choose_tokenizer()
    return lambda text: known[text] if text in known else tokenizer.count(text)
