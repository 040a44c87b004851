"""The probes: that they are complete, and that a judge of known habits gets the counts it deserves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import ModelError
from bench.models.scripted import ScriptedModel
from bench.scoring.judge import CORRECT, RUBRICS, WRONG, rubrics_digest
from bench.scoring.judge_probes import KINDS, Probe, ProbeReport, Rate, probe_judge, probes
from bench.types import Message, Reply

BY_RUBRIC = {
    "answer": {"verbatim", "paraphrase", "specific", "vague", "refusal"},
    "date": {"verbatim", "paraphrase", "specific", "vague", "refusal"},
    "temporal": {"verbatim", "paraphrase", "specific", "vague", "refusal"},
    "update": {"verbatim", "paraphrase", "specific", "vague", "refusal"},
    "preference": {"paraphrase", "specific", "vague", "refusal"},
    "abstention": {"specific", "vague", "refusal"},
}


def judge_of(said: str) -> ScriptedModel:
    return ScriptedModel(lambda _messages, _role: said, "far/judge")


def expected(probe: Probe) -> bool:
    if probe.judge_case.rubric == "abstention":
        return probe.kind == "refusal"
    return probe.kind in ("verbatim", "paraphrase")


def test_every_rubric_has_every_kind_that_means_something_for_it() -> None:
    assert set(BY_RUBRIC) == set(RUBRICS)
    for rubric, kinds in BY_RUBRIC.items():
        mine = [probe for probe in probes() if probe.judge_case.rubric == rubric]
        assert {probe.kind for probe in mine} == kinds
        counts = Counter(probe.judge_case.question for probe in mine)
        assert len(counts) >= 2
        assert set(counts.values()) == {len(kinds)}, "a case lacks one of its answers"


def test_probe_is_correct_by_kind_and_rubric() -> None:
    assert [probe.correct for probe in probes()] == [expected(probe) for probe in probes()]
    assert {probe.kind for probe in probes()} == set(KINDS)
    for probe in probes():
        assert probe.answer.strip()
        assert (probe.answer == probe.judge_case.reference_answer) == (probe.kind == "verbatim")


def test_no_probe_is_there_twice() -> None:
    assert len(set(probes())) == len(probes())


def sizes() -> Counter[tuple[str, bool]]:
    return Counter((probe.kind, probe.correct) for probe in probes())


@pytest.mark.parametrize(("said", "accepted", "silent"), [(CORRECT, 1, 0), (WRONG, 0, 0), ("well, yes", 0, 1)])
def test_constant_judge_fails_the_probes(said: str, accepted: int, silent: int) -> None:
    model = judge_of(said)
    report = probe_judge(model)
    assert (report.judge, report.rubrics) == ("far/judge", rubrics_digest())
    assert {(rate.kind, rate.right_ones): rate.n for rate in report.rates} == dict(sizes())
    for rate in report.rates:
        assert (rate.accepted, rate.no_verdict) == (accepted * rate.n, silent * rate.n)
    assert model.calls == len(probes()) * (3 if silent else 1)


def test_the_rates_stand_in_the_order_of_the_kinds_what_is_right_first() -> None:
    order = [(rate.kind, rate.right_ones) for rate in probe_judge(judge_of(WRONG)).rates]
    assert order == [
        ("verbatim", True), ("paraphrase", True), ("specific", False), ("vague", False), ("refusal", True),
        ("refusal", False),
    ]  # fmt: skip


def test_a_judge_that_knows_the_probes_accepts_what_is_right_and_nothing_else() -> None:
    known = {(probe.judge_case.question, probe.answer): probe.correct for probe in probes()}

    def knows(messages: Sequence[Message], role: str) -> str:
        assert role == "judge"
        question = messages[1].content.partition("\n")[0].removeprefix("Question: ")
        answer = messages[1].content.partition("<answer>\n")[2].partition("\n</answer>")[0]
        return CORRECT if known[question, answer] else WRONG

    for rate in probe_judge(ScriptedModel(knows)).rates:
        assert rate.accepted == (rate.n if rate.right_ones else 0)


def test_one_bad_reply_in_the_middle_does_not_spoil_the_others() -> None:
    replies = [CORRECT] * 4 + ["hm", "hm", "hm"] + [CORRECT] * (len(probes()) - 5)
    report = probe_judge(ScriptedModel(replies))
    assert sum(rate.no_verdict for rate in report.rates) == 1
    assert sum(rate.accepted for rate in report.rates) == len(probes()) - 1


def test_a_judge_that_cannot_be_reached_has_no_rates() -> None:
    with pytest.raises(ModelError):
        probe_judge(ScriptedModel([CORRECT]))


class Untold(ScriptedModel):
    """A model that tells what one of its calls took not at all."""

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        reply = super().chat(messages, role=role, max_tokens=max_tokens, stop=stop)
        return replace(reply, usage=replace(reply.usage, completion=None)) if self.calls == 7 else reply


def test_probe_tokens_are_all_calls_or_missing() -> None:
    spent = 0

    def counted(messages: Sequence[Message], _role: str) -> str:
        nonlocal spent
        reply = ScriptedModel(["x" if len(messages) == 2 else WRONG]).chat(messages, role="judge")
        spent += (reply.usage.prompt or 0) + (reply.usage.completion or 0)
        return reply.text

    report = probe_judge(ScriptedModel(counted))
    assert report.tokens == spent > 0
    assert probe_judge(Untold(lambda *_: WRONG)).tokens is None


def test_report_line_has_every_rate() -> None:
    rates = (
        Rate("verbatim", True, 10, 9, 0), Rate("specific", False, 15, 1, 2), Rate("vague", False, 15, 4, 0),
        Rate("refusal", True, 3, 3, 0), Rate("refusal", False, 12, 0, 1),
    )  # fmt: skip
    report = ProbeReport("far/judge", "0123456789abcdef", rates)
    assert report.line == (
        "far/judge (rubrics 0123456789abcdef) accepted of the probes: right answers, verbatim 9/10, wrong specific "
        "answers 1/15, wrong vague answers 4/15, refusals where they are right 3/3, refusals where they are wrong "
        "0/12; no verdict in 3 of 55 (0 tokens, in no column)"
    )
    sound = ProbeReport("far/judge", "0", rates[:1], None)
    assert sound.line.endswith("accepted of the probes: right answers, verbatim 9/10 (tokens not told)")


RATES = st.builds(
    Rate, st.sampled_from(KINDS), st.booleans(), st.integers(1, 99), st.integers(0, 99), st.integers(0, 99)
)


@given(st.text(), st.text(), st.lists(RATES), st.none() | st.integers(0))
def test_a_report_survives_json(judge: str, rubrics: str, rates: list[Rate], tokens: int | None) -> None:
    report = ProbeReport(judge, rubrics, tuple(rates), tokens)
    assert ProbeReport.from_json(report.to_json()) == report
    assert ProbeReport.from_json(report.to_json()).line == report.line
