"""``bench judge``: the verdicts of a judge on calibration answers, as a table, as Markdown, as JSON."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.models.offline.reader import OfflineReader
from bench.registry import offline_rules
from bench.scoring.judge import rubrics_digest
from bench.scoring.judge_probes import ProbeReport, kinds, probe_judge, probes
from tests.servers.openai_server import Answer, FakeOpenAI, ReceivedRequest, completion, usage


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
    """A judge at an address; accepts everything until a test says otherwise."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    with FakeOpenAI(says("CORRECT")) as running:
        yield running


PROGRESS = [f"judge: {done}/122 answers graded" for done in (25, 50, 75, 100, 122)]


def says(text: str, counted: object = None) -> Any:
    def answer(_request: ReceivedRequest) -> Answer:
        return completion(text, counted)

    return answer


def test_judge_json_is_the_probe_report(bench: Any) -> None:
    done = bench("judge", "offline/reader", "--format", "json")
    assert (done.code, done.err.splitlines()) == (0, PROGRESS)
    report = probe_judge(OfflineReader(offline_rules()))
    assert ProbeReport.from_json(done.out) == report
    assert json.loads(done.out)["rubrics"] == rubrics_digest()
    assert report.tokens


@pytest.mark.parametrize("style", ["rich", "md"])
def test_judge_table_has_one_line_for_each_kind_of_answer(bench: Any, style: str) -> None:
    done = bench("judge", "offline/reader", "--format", style)
    assert (done.code, done.err.splitlines()) == (0, PROGRESS)
    assert done.out == bench("judge", "offline/reader", "--format", style).out
    text = " ".join(done.out.replace("|", " ").split())
    report = probe_judge(OfflineReader(offline_rules()))
    assert "judge offline/reader" in text
    for rate in report.rates:
        expected = "accepted" if rate.right_ones else "refused"
        share = f"{100 * rate.accepted / rate.n:.1f}"
        wrong = rate.n - rate.as_expected - rate.no_verdict
        assert f"{rate.kind} {expected} {rate.n} {rate.as_expected} {wrong} {rate.no_verdict} {share} " in text
    assert all(kind.description in text for kind in kinds())
    assert f"digest {report.rubrics}. Tokens spent: {report.tokens:,}." in text


def test_docs_page_has_the_table_of_the_offline_judge(bench: Any) -> None:
    page = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
    shown = page.partition("<!-- judge table -->\n")[2].partition("<!-- end of judge table -->")[0]
    table = bench("judge", "offline/reader", "--format", "md").out.partition("\n- right, wrong:")[0]
    assert shown.strip() == table.strip()
    assert "offline (rule-based)" in shown


def test_judge_format_is_rich_by_default(bench: Any) -> None:
    assert bench("judge", "offline/reader").out == bench("judge", "offline/reader", "--format", "rich").out


def test_judge_at_an_address_is_called_at_temperature_0_with_a_token_limit(bench: Any, server: FakeOpenAI) -> None:
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


def test_remote_judge_is_asked_several_at_once_with_the_same_report(bench: Any, server: FakeOpenAI) -> None:
    lock, running, most = threading.Lock(), 0, 0

    def answer(request: ReceivedRequest) -> Answer:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.01)
        with lock:
            running -= 1
        text = request.body["messages"][1]["content"]
        return completion("Verdict: CORRECT." if len(text) % 2 else "**wrong**", usage(100, 1))

    server.script = answer
    several = bench("judge", f"openai/judge@{server.url}", "--format", "json")
    assert (several.code, 2 <= most <= 8) == (0, True)
    assert len(server.requests) == len(probes())  # a decorated verdict takes no second call
    most = 0
    one = bench("judge", f"openai/judge@{server.url}", "--format", "json", "--workers", "1")
    assert (one.out, most) == (several.out, 1)


def test_judge_endpoint_file_has_its_key_and_its_parameters(
    bench: Any, server: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGE_KEY", "sk-judge-0123456789abcdef")
    (tmp_path / "judge.toml").write_text('api_key_env = "JUDGE_KEY"\n[parameters]\nreasoning_effort = "low"\n')
    assert bench("judge", f"openai/judge@{server.url}", "--endpoint", "judge.toml").code == 0
    assert {str(request.headers.get("Authorization")) for request in server.requests} == {
        "Bearer sk-judge-0123456789abcdef"
    }
    assert {request.body["reasoning_effort"] for request in server.requests} == {"low"}


def test_judge_without_a_verdict_exits_with_1_and_is_counted(bench: Any, server: FakeOpenAI) -> None:
    server.script = says("Yes, that is right.", usage(100, 5))
    done = bench("judge", f"openai/judge@{server.url}", "--format", "json")
    assert done.code == 1
    report = ProbeReport.from_json(done.out)
    assert all((rate.accepted, rate.no_verdict) == (0, rate.n) for rate in report.rates)
    assert len(server.requests) == 3 * len(probes())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("offline/reader", "--format", "html"), "judge: expected --format rich|md|json, got 'html'"),
        (("offline/raeder",), "did you mean offline/reader"),
        ((), "Missing argument"),
        (("openai/x@http://127.0.0.1:9/v1", "--endpoint", "none.toml"), "endpoint none.toml: expected a TOML file"),
    ],
)
def test_judge_rejects_unknown_names_in_one_line(bench: Any, words: tuple[str, ...], message: str) -> None:
    done = bench("judge", *words)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert message in done.err


def test_judge_reports_a_failing_address_without_a_traceback(bench: Any, server: FakeOpenAI) -> None:
    def refuses(_request: ReceivedRequest) -> Answer:
        return Answer(b'{"error": {"message": "no such model"}}', 404)

    server.script = refuses
    done = bench("judge", f"openai/judge@{server.url}")
    assert (done.code, done.out) == (2, "")
    assert "no such model" in done.err
    assert "Traceback" not in done.err


def test_table_of_a_judged_run_has_the_line_of_the_probes(bench: Any) -> None:
    report = ProbeReport.from_json(bench("judge", "offline/reader", "--format", "json").out)
    done = bench("run", "toy-talk:talks=2", "-s", "full-history", "--judge", "offline/reader", "-o", "out")
    assert done.code == 0
    table = bench("table", "out", "--format", "md").out
    assert f"{report.line}." in table
    assert "close to the line: 28/50" in table
    assert "judge %" in table
    assert f"(offline/reader under rubrics {report.rubrics})" in table


def test_run_without_conversations_probes_no_judge(bench: Any) -> None:
    assert bench("run", "toy:houses=2", "-s", "full-history", "--judge", "offline/reader", "-o", "judged").code == 0
    assert json.loads(bench("table", "judged", "--format", "json").out)[0]["judge_probes"] is None
