"""The probes: that they are complete, and that a judge of known habits gets the counts it deserves."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import ModelError
from bench.models.scripted import ScriptedModel
from bench.scoring.judge import CORRECT, RUBRICS, WRONG, rubrics_digest
from bench.scoring.judge_probes import Probe, ProbeReport, Rate, kinds, probe_judge, probes
from bench.types import Message, Reply

BY_RUBRIC = {
    "answer": {"verbatim", "paraphrase", "specific", "vague", "refusal"},
    "date": {"verbatim", "paraphrase", "specific", "vague", "refusal"},
    "temporal": {"verbatim", "paraphrase", "specific", "vague", "refusal"},
    "update": {"verbatim", "paraphrase", "specific", "vague", "refusal"},
    "preference": {"paraphrase", "specific", "vague", "refusal"},
    "abstention": {"specific", "vague", "refusal"},
}


PLAIN = ("verbatim", "paraphrase", "specific", "vague", "refusal")
FINE = {kind.name for kind in kinds() if kind.fine}
DIGEST = "8073c408852d361a"
"""Of what a judge is told, as committed tables name it."""


def plain_probes() -> list[Probe]:
    return [probe for probe in probes() if probe.kind not in FINE]


def judge_of(said: str) -> ScriptedModel:
    return ScriptedModel(lambda _messages, _role: said, "far/judge")


def expected(probe: Probe) -> bool:
    if probe.judge_case.rubric == "abstention":
        return probe.kind == "refusal"
    return probe.kind in ("verbatim", "paraphrase")


def test_every_rubric_has_every_kind_that_means_something_for_it() -> None:
    assert set(BY_RUBRIC) == set(RUBRICS)
    for rubric, names in BY_RUBRIC.items():
        mine = [probe for probe in plain_probes() if probe.judge_case.rubric == rubric]
        assert {probe.kind for probe in mine} == names
        counts = Counter(probe.judge_case.question for probe in mine)
        assert len(counts) >= 2
        assert set(counts.values()) == {len(names)}, "a case lacks one of its answers"


def test_plain_probe_is_correct_by_kind_and_rubric() -> None:
    assert [probe.correct for probe in plain_probes()] == [expected(probe) for probe in plain_probes()]
    for probe in probes():
        assert probe.answer.strip()
        assert (probe.answer == probe.judge_case.reference_answer) == (probe.kind == "verbatim")


def test_every_kind_is_described_and_used() -> None:
    names = [kind.name for kind in kinds()]
    assert (tuple(names[: len(PLAIN)]), len(set(names))) == (PLAIN, len(names))
    assert {probe.kind for probe in probes()} == set(names)
    assert {probe.judge_case.rubric for probe in probes() if probe.kind in FINE} == set(RUBRICS)
    assert all(kind.description for kind in kinds())


def test_fine_kind_is_right_by_what_its_rubric_says() -> None:
    right: dict[str, set[bool]] = {}
    for probe in probes():
        right.setdefault(probe.kind, set()).add(probe.correct)
        if probe.kind == "off-by-one":  # only a number of days, weeks or months may be one off
            assert probe.correct == (probe.judge_case.rubric == "temporal")
        if probe.kind == "hedged":
            assert probe.correct == (probe.judge_case.rubric != "abstention")
    accepted = {"more-exact", "anchored", "approximate", "extra-detail", "past-named", "plain-refusal", "one-point"}
    assert {name for name in FINE if right[name] == {True}} == accepted
    assert {name for name in FINE if len(right[name]) > 1} == {"off-by-one", "hedged"}


def test_calibration_answers_are_not_in_the_digest_of_the_rubrics() -> None:
    assert rubrics_digest() == DIGEST


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


def test_rates_are_in_the_order_of_the_kinds_right_answers_first() -> None:
    rates = probe_judge(judge_of(WRONG)).rates
    assert [(rate.kind, rate.right_ones) for rate in rates[:6]] == [
        ("verbatim", True), ("paraphrase", True), ("specific", False), ("vague", False), ("refusal", True),
        ("refusal", False),
    ]  # fmt: skip
    names = [kind.name for kind in kinds()]
    order = [(names.index(rate.kind), not rate.right_ones) for rate in rates]
    assert order == sorted(order)
    assert {rate.kind for rate in rates if rate.fine} == FINE


def test_a_judge_that_knows_the_probes_accepts_what_is_right_and_nothing_else() -> None:
    known = {(probe.judge_case.question, probe.answer): probe.correct for probe in probes()}

    def knows(messages: Sequence[Message], role: str) -> str:
        assert role == "judge"
        question = messages[1].content.partition("\n")[0].removeprefix("Question: ")
        answer = messages[1].content.partition("<answer>\n")[2].partition("\n</answer>")[0]
        return CORRECT if known[question, answer] else WRONG

    for rate in probe_judge(ScriptedModel(knows)).rates:
        assert rate.accepted == (rate.n if rate.right_ones else 0)
        assert rate.as_expected == rate.n


def test_one_bad_reply_in_the_middle_does_not_spoil_the_others() -> None:
    replies = [CORRECT] * 4 + ["hm", "hm", "hm"] + [CORRECT] * (len(probes()) - 5)
    report = probe_judge(ScriptedModel(replies))
    assert sum(rate.no_verdict for rate in report.rates) == 1
    assert sum(rate.accepted for rate in report.rates) == len(probes()) - 1


@pytest.mark.parametrize("workers", [1, 2, 7, 500])
def test_report_is_the_same_however_many_are_asked_at_once(workers: int) -> None:
    """The reply follows from the case alone, and each takes its own time."""
    told: list[tuple[int, int]] = []

    def by_length(messages: Sequence[Message], _role: str) -> str:
        size = len(messages[1].content)
        time.sleep(size % 5 / 2000)
        return (CORRECT, "**wrong**", "hm")[size % 3]

    report = probe_judge(ScriptedModel(by_length), workers, lambda done, total: told.append((done, total)))
    assert report == probe_judge(ScriptedModel(by_length))
    assert told == [(number, len(probes())) for number in range(1, len(probes()) + 1)]


def test_several_are_asked_at_once_and_no_more_than_the_workers() -> None:
    both = threading.Barrier(2, timeout=20)
    lock, running, most = threading.Lock(), 0, 0

    def meets(_messages: Sequence[Message], _role: str) -> str:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        both.wait()
        with lock:
            running -= 1
        return CORRECT

    probe_judge(ScriptedModel(meets), workers=2)
    assert most == 2


def test_first_error_ends_the_calibration() -> None:
    def gone(_messages: Sequence[Message], _role: str) -> str:
        raise ModelError("far/judge: gone")

    model = ScriptedModel(gone, "far/judge")
    with pytest.raises(ModelError, match="gone"):
        probe_judge(model, workers=3)
    assert model.calls < len(probes())


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


def test_report_line_has_each_plain_rate_and_one_figure_for_the_fine_ones() -> None:
    rates = (
        Rate("verbatim", True, 10, 9, 0), Rate("specific", False, 15, 1, 2), Rate("vague", False, 15, 4, 0),
        Rate("refusal", True, 3, 3, 0), Rate("refusal", False, 12, 0, 1), Rate("anchored", True, 5, 3, 1, fine=True),
        Rate("off-by-two", False, 6, 1, 1, fine=True),
    )  # fmt: skip
    report = ProbeReport("far/judge", "0123456789abcdef", rates)
    assert report.line == (
        "far/judge (rubrics 0123456789abcdef) accepted of the calibration answers: right ones verbatim 9/10, refusal "
        "3/3; wrong ones specific 1/15, vague 4/15, refusal 0/12; graded as the rubrics say of those close to the "
        "line: 7/11; no verdict in 5 of 66 (0 tokens, in no column)"
    )
    sound = ProbeReport("far/judge", "0", rates[:1], None)
    assert sound.line.endswith("accepted of the calibration answers: right ones verbatim 9/10 (tokens not reported)")


def test_report_of_an_older_run_is_read() -> None:
    rate = '{"kind": "vague", "right_ones": false, "n": 15, "accepted": 4, "no_verdict": 0}'
    old = f'{{"judge": "far/judge", "rubrics": "0", "rates": [{rate}], "tokens": 7}}'
    assert ProbeReport.from_json(old) == ProbeReport("far/judge", "0", (Rate("vague", False, 15, 4, 0),), 7)


COUNTS = st.integers(0, 99)
RATES = st.builds(Rate, st.text(), st.booleans(), st.integers(1, 99), COUNTS, COUNTS, st.booleans())


@given(st.text(), st.text(), st.lists(RATES), st.none() | st.integers(0))
def test_a_report_survives_json(judge: str, rubrics: str, rates: list[Rate], tokens: int | None) -> None:
    report = ProbeReport(judge, rubrics, tuple(rates), tokens)
    assert ProbeReport.from_json(report.to_json()) == report
    assert ProbeReport.from_json(report.to_json()).line == report.line
