"""How reliable a judge is: it is given calibration answers, and its verdicts are compared with what the rubrics say.

Kinds of answer are data: ``rubrics/calibration.toml`` holds plain ones (the reference answer itself, a paraphrase, a
definite wrong answer, a vague one, a refusal), ``rubrics/calibration_fine.toml`` those that are close to the line (off
by one, a date without its year, several candidates and others). All are this project's own. Knows no suite.

Source: the audit of LoCoMo's judge (dial481/locomo-audit), which found 62.8 % of vague and 10.6 % of definite wrong
answers accepted; the idea is theirs, the cases are not.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from bench.errors import JudgeError
from bench.protocols import Model
from bench.scoring.judge import Judge, Rubrics, rubrics_digest
from bench.types import JudgeCase, Message, Reply

__all__ = ["Kind", "Probe", "ProbeReport", "Rate", "kinds", "make_report", "probe_judge", "probes"]

_FOLDER = Path(__file__).parent / "rubrics"
_PLAIN, _FINE = "calibration.toml", "calibration_fine.toml"
_MOST_WORKERS = 64

ShowProgress = Callable[[int, int], None]
"""Gets how many answers are graded, and of how many."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of calibration answer."""

    name: str
    description: str
    fine: bool
    """True: close to the line between right and wrong."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One calibration answer: it is known whether it is right."""

    kind: str
    judge_case: JudgeCase
    answer: str
    correct: bool


@dataclass(frozen=True, slots=True)
class Rate:
    """How many answers of one kind a judge accepted. ``right_ones``: it should have accepted them."""

    kind: str
    right_ones: bool
    n: int
    accepted: int
    no_verdict: int
    fine: bool = False

    @property
    def as_expected(self) -> int:
        """How many verdicts are what the rubrics say."""
        return self.accepted if self.right_ones else self.n - self.accepted - self.no_verdict


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """One judge under one set of rubrics."""

    judge: str
    rubrics: str
    """Digest of the rubrics."""
    rates: tuple[Rate, ...]
    tokens: int | None = 0
    """Prompt and completion of all the calls that it took; None if any usage is missing."""

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> ProbeReport:
        raw = json.loads(text)
        return cls(raw["judge"], raw["rubrics"], tuple(Rate(**rate) for rate in raw["rates"]), raw["tokens"])

    @property
    def line(self) -> str:
        """One sentence for below a table: each plain kind, and one figure for all the fine ones."""
        plain, fine = [[rate for rate in self.rates if rate.fine is side] for side in (False, True)]
        parts = [
            f"{side} ones {', '.join(f'{rate.kind} {rate.accepted}/{rate.n}' for rate in rates)}"
            for side, expected in (("right", True), ("wrong", False))
            if (rates := [rate for rate in plain if rate.right_ones is expected])
        ]
        graded = f"{sum(rate.as_expected for rate in fine)}/{sum(rate.n for rate in fine)}"
        close = [f"graded as the rubrics say of those close to the line: {graded}"] if fine else []
        silent = sum(rate.no_verdict for rate in self.rates)
        tail = [f"no verdict in {silent} of {sum(rate.n for rate in self.rates)}"] if silent else []
        spent = "tokens not reported" if self.tokens is None else f"{self.tokens:,} tokens, in no column"
        head = f"{self.judge} (rubrics {self.rubrics}) accepted of the calibration answers: "
        return head + "; ".join([*parts, *close, *tail]) + f" ({spent})"


@cache
def _read_files() -> tuple[dict[str, Any], dict[str, Any]]:
    plain, fine = (tomllib.loads((_FOLDER / name).read_text(encoding="utf-8")) for name in (_PLAIN, _FINE))
    return plain, fine


@cache
def kinds() -> tuple[Kind, ...]:
    """Return every kind of calibration answer, in the order of reports."""
    files = zip(_read_files(), (False, True), strict=True)
    return tuple(Kind(name, text, fine) for raw, fine in files for name, text in raw["kinds"].items())


@cache
def probes() -> tuple[Probe, ...]:
    """Return every probe, in the order of the files."""
    return tuple(probe for raw in _read_files() for case in raw["case"] for probe in _read_case(case))


def _read_case(case: dict[str, Any]) -> Iterator[Probe]:
    judge_case = JudgeCase(case["rubric"], case["question"], case["reference_answer"])
    for answer in case["answers"]:
        yield Probe(answer["kind"], judge_case, answer["text"], answer["correct"])


class _CountingModel:
    """A model whose tokens are added up. Safe in threads if the model is."""

    def __init__(self, model: Model):
        self._model, self.name, self._lock = model, model.name, Lock()
        self.tokens: int | None = 0

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        reply = self._model.chat(messages, role=role, max_tokens=max_tokens, stop=stop)
        spent = (reply.usage.prompt, reply.usage.completion)
        known = [part for part in spent if part is not None]
        with self._lock:
            self.tokens = None if self.tokens is None or len(known) < len(spent) else self.tokens + sum(known)
        return reply


def probe_judge(
    model: Model, workers: int = 1, show_progress: ShowProgress = lambda _done, _total: None
) -> ProbeReport:
    """Put every probe to a model as judge, ``workers`` at a time; the report does not depend on their order.

    A reply that is no verdict is counted and not graded. Raises: ModelError.
    """
    counted = _CountingModel(model)
    judge = Judge(counted)
    verdicts = _grade_all(judge, workers, show_progress)
    return make_report(judge.name, verdicts, counted.tokens)


def make_report(
    judge: str, verdicts: Iterable[bool | None], tokens: int | None, rubrics: Rubrics | None = None
) -> ProbeReport:
    """Return the report of verdicts, one for each probe in their order; None = no verdict."""
    return ProbeReport(judge, rubrics_digest(rubrics), tuple(_rate_kinds(zip(probes(), verdicts, strict=True))), tokens)


def _grade_all(judge: Judge, workers: int, show_progress: ShowProgress) -> list[bool | None]:
    """Return a verdict on each probe, in their order; None = no verdict. The first error ends it."""
    pool = ThreadPoolExecutor(min(workers, _MOST_WORKERS))
    graded = [pool.submit(_grade, judge, probe) for probe in probes()]
    try:
        for number, one in enumerate(as_completed(graded), start=1):
            one.result()
            show_progress(number, len(graded))
    except BaseException as cause:  # who leaves at once does not wait for the calls in flight
        pool.shutdown(wait=not isinstance(cause, KeyboardInterrupt), cancel_futures=True)
        raise
    pool.shutdown()
    return [one.result() for one in graded]


def _grade(judge: Judge, probe: Probe) -> bool | None:
    try:
        return judge.verdict(probe.judge_case, probe.answer).correct
    except JudgeError:
        return None


def _rate_kinds(graded: Iterable[tuple[Probe, bool | None]]) -> Iterator[Rate]:
    """Return the rates in the order of the kinds, first of the answers that are right."""
    found: dict[tuple[str, bool], list[bool | None]] = {}
    for probe, accepted in graded:
        found.setdefault((probe.kind, probe.correct), []).append(accepted)
    for kind in kinds():
        for right in (True, False):
            if verdicts := found.get((kind.name, right)):
                yield Rate(kind.name, right, len(verdicts), verdicts.count(True), verdicts.count(None), fine=kind.fine)
