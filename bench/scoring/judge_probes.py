"""How reliable a judge is: it is given calibration answers, and those that it accepts are counted.

Five kinds of answer: the reference answer itself, a paraphrase, a definite wrong answer, a vague one that fits almost
anything, and a refusal. The cases are this project's own (``rubrics/probes.toml``). Knows no suite.

Source: the audit of LoCoMo's judge (dial481/locomo-audit), which found 62.8 % of vague and 10.6 % of definite wrong
answers accepted; the idea is theirs, the cases are not.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from bench.errors import JudgeError
from bench.protocols import Model
from bench.scoring.judge import Judge, rubrics_digest
from bench.types import JudgeCase, Message, Reply

__all__ = ["KINDS", "Probe", "ProbeReport", "Rate", "probe_judge", "probes"]

KINDS = ("verbatim", "paraphrase", "specific", "vague", "refusal")
_RIGHT = ("verbatim", "paraphrase")
_FILE = Path(__file__).parent / "rubrics" / "probes.toml"
_ABSTENTION = "abstention"


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
        """One sentence for below a table."""
        rates = [f"{_describe_rate(rate)} {rate.accepted}/{rate.n}" for rate in self.rates]
        silent = sum(rate.no_verdict for rate in self.rates)
        tail = f"; no verdict in {silent} of {sum(rate.n for rate in self.rates)}" if silent else ""
        spent = "tokens not told" if self.tokens is None else f"{self.tokens:,} tokens, in no column"
        return f"{self.judge} (rubrics {self.rubrics}) accepted of the probes: {', '.join(rates)}{tail} ({spent})"


def _describe_rate(rate: Rate) -> str:
    if rate.kind == "refusal":
        return "refusals where they are right" if rate.right_ones else "refusals where they are wrong"
    if rate.right_ones:
        return f"right answers, {rate.kind}"
    return f"wrong {rate.kind} answers"


@cache
def probes() -> tuple[Probe, ...]:
    """Return every probe, in the order of the file."""
    cases = tomllib.loads(_FILE.read_text(encoding="utf-8"))["case"]
    return tuple(probe for case in cases for probe in _read_case(case))


def _read_case(case: dict[str, str]) -> Iterator[Probe]:
    judge_case = JudgeCase(case["rubric"], case["question"], case["gold"])
    declines = case["rubric"] == _ABSTENTION
    # Neither a description of what to consider nor the reason why nothing can be said is itself an answer.
    if case["rubric"] not in ("preference", _ABSTENTION):
        yield Probe("verbatim", judge_case, case["gold"], True)
    for kind in KINDS[1:]:
        if kind in case:
            correct = declines if kind == "refusal" else kind in _RIGHT
            yield Probe(kind, judge_case, case[kind], correct)


class _CountingModel:
    """A model whose tokens are added up."""

    def __init__(self, model: Model):
        self._model, self.name = model, model.name
        self.tokens: int | None = 0

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        reply = self._model.chat(messages, role=role, max_tokens=max_tokens, stop=stop)
        spent = (reply.usage.prompt, reply.usage.completion)
        known = [part for part in spent if part is not None]
        self.tokens = None if self.tokens is None or len(known) < len(spent) else self.tokens + sum(known)
        return reply


def probe_judge(model: Model) -> ProbeReport:
    """Put every probe to a model as judge; a reply that is no verdict is counted and not graded. Raises: ModelError."""
    counted = _CountingModel(model)
    judge = Judge(counted)
    accepted: dict[tuple[str, bool], list[bool | None]] = {}
    for probe in probes():
        try:
            correct: bool | None = judge.verdict(probe.judge_case, probe.answer).correct
        except JudgeError:
            correct = None
        accepted.setdefault((probe.kind, probe.correct), []).append(correct)
    ordered = sorted(accepted, key=lambda key: (KINDS.index(key[0]), not key[1]))
    rates = (
        Rate(kind, right, len(verdicts), verdicts.count(True), verdicts.count(None))
        for kind, right in ordered
        for verdicts in (accepted[kind, right],)
    )
    return ProbeReport(judge.name, rubrics_digest(), tuple(rates), counted.tokens)
