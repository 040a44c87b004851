"""``bench judge``: the verdicts of a judge on calibration answers, as a table, as Markdown, as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from bench.models.offline.reader import OfflineReader
from bench.registry import offline_rules
from bench.scoring.judge import rubrics_digest
from bench.scoring.judge_probes import ProbeReport, probe_judge, probes
from tests.servers.openai_server import Answer, FakeOpenAI, ReceivedRequest, completion, usage


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
    """A judge at an address; accepts everything until a test says otherwise."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    with FakeOpenAI(says("CORRECT")) as running:
        yield running


def says(text: str, counted: object = None) -> Any:
    def answer(_request: ReceivedRequest) -> Answer:
        return completion(text, counted)

    return answer


def test_json_is_the_report_itself(bench: Any) -> None:
    done = bench("judge", "offline/reader", "--format", "json")
    assert (done.code, done.err) == (0, "")
    report = probe_judge(OfflineReader(offline_rules()))
    assert ProbeReport.from_json(done.out) == report
    assert json.loads(done.out)["rubrics"] == rubrics_digest()
    assert report.tokens


@pytest.mark.parametrize("style", ["rich", "md"])
def test_the_table_has_a_line_a_kind_and_says_what_it_means(bench: Any, style: str) -> None:
    done = bench("judge", "offline/reader", "--format", style)
    assert (done.code, done.err) == (0, "")
    assert done.out == bench("judge", "offline/reader", "--format", style).out
    text = " ".join(done.out.replace("|", " ").split())
    report = probe_judge(OfflineReader(offline_rules()))
    assert "judge offline/reader" in text
    for rate in report.rates:
        wanted = "accepted" if rate.right_ones else "refused"
        share = f"{100 * rate.accepted / rate.n:.1f}"
        assert f"{rate.kind} {wanted} {rate.n} {rate.accepted} {share} {rate.no_verdict}" in text
    assert f"digest {report.rubrics}. Tokens spent: {report.tokens:,}." in text


def test_rich_is_the_default(bench: Any) -> None:
    assert bench("judge", "offline/reader").out == bench("judge", "offline/reader", "--format", "rich").out


def test_a_judge_at_an_address_is_asked_at_temperature_0_with_a_cap(bench: Any, server: FakeOpenAI) -> None:
    server.script = says("CORRECT", usage(100, 1))
    done = bench("judge", f"openai/judge@{server.url}", "--format", "json")
    assert done.code == 0, done.err
    report = ProbeReport.from_json(done.out)
    assert all(rate.accepted == rate.n for rate in report.rates)
    assert report.tokens == 101 * len(probes()) == 101 * len(server.requests)
    for request in server.requests:
        assert request.body["temperature"] == 0.0
        assert request.body["model"] == "judge"
        assert [message["role"] for message in request.body["messages"]] == ["system", "user"]
        assert 1024 in (request.body.get("max_tokens"), request.body.get("max_completion_tokens"))


def test_a_judge_that_gives_no_verdict_leaves_with_1_and_is_counted(bench: Any, server: FakeOpenAI) -> None:
    server.script = says("Yes, that is right.", usage(100, 5))
    done = bench("judge", f"openai/judge@{server.url}", "--format", "json")
    assert done.code == 1
    report = ProbeReport.from_json(done.out)
    assert all((rate.accepted, rate.no_verdict) == (0, rate.n) for rate in report.rates)
    assert len(server.requests) == 3 * len(probes())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("offline/reader", "--format", "html"), "judge: expected --format rich|md|json, got 'html'"),
        (("offline/raeder",), "did you mean offline/reader"),
        ((), "Missing argument"),
    ],
)
def test_what_does_not_exist_is_refused_in_one_line(bench: Any, words: tuple[str, ...], said: str) -> None:
    done = bench("judge", *words)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err


def test_an_address_nobody_answers_at_is_one_line_too(bench: Any, server: FakeOpenAI) -> None:
    def refuses(_request: ReceivedRequest) -> Answer:
        return Answer(b'{"error": {"message": "no such model"}}', 404)

    server.script = refuses
    done = bench("judge", f"openai/judge@{server.url}")
    assert (done.code, done.out) == (2, "")
    assert "no such model" in done.err
    assert "Traceback" not in done.err


def test_a_run_judged_offline_shows_what_the_command_shows(bench: Any) -> None:
    report = ProbeReport.from_json(bench("judge", "offline/reader", "--format", "json").out)
    done = bench("run", "toy-talk:talks=2", "-s", "full-history", "--judge", "offline/reader", "-o", "out")
    assert done.code == 0
    table = bench("table", "out", "--format", "md").out
    assert f"{report.line}." in table
    assert "judge %" in table
    assert f"(offline/reader under rubrics {report.rubrics})" in table


def test_a_run_of_episodes_alone_probes_no_judge(bench: Any) -> None:
    assert bench("run", "toy:houses=2", "-s", "full-history", "--judge", "offline/reader", "-o", "judged").code == 0
    assert json.loads(bench("table", "judged", "--format", "json").out)[0]["judge_probes"] is None
