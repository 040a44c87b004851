"""Model calls as spans: only where asked for, without texts unless these are asked for too."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

from bench.errors import ModelError, UsageError
from bench.models.ledger import spans
from bench.models.ledger.meter import Meter
from bench.models.ledger.metered import MeteredModel
from bench.models.ledger.spans import Spans, find_spans
from bench.types import Message, Phase, Reply, Usage

pytestmark = pytest.mark.needs("opentelemetry")
ASKED = (Message("system", "Act."), Message("user", "Where is sk-proj-abcdefghijklmnopqrstuvwxyz123456?"))


class Told:
    """A model that says one thing, or raises it."""

    name = "openai/gpt-test"

    def __init__(self, said: Reply | Exception):
        self.said = said

    def chat(self, _messages: object, *, role: str, max_tokens: int | None = None, stop: object = ()) -> Reply:
        if isinstance(self.said, Exception):
            raise self.said
        return self.said


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Spans in memory, from a provider of this test's own."""
    sdk = "opentelemetry.sdk.trace"
    exporter = import_module(f"{sdk}.export.in_memory_span_exporter").InMemorySpanExporter()
    provider = import_module(sdk).TracerProvider()
    provider.add_span_processor(import_module(f"{sdk}.export").SimpleSpanProcessor(exporter))
    monkeypatch.setattr(import_module("opentelemetry.trace"), "get_tracer", provider.get_tracer)
    monkeypatch.setenv("BENCH_OTEL", "on")
    yield exporter
    provider.shutdown()


def ask(said: Reply | Exception) -> None:
    meter = Meter(lambda _call: None)
    meter.enter(Phase.ACT, 3)
    MeteredModel(Told(said), meter).chat(ASKED, role="act", max_tokens=50, stop=("\n",))


REPLY = Reply("Action: look", Usage(prompt=12, completion=3, cached_read=4), 0.25)


def test_call_is_a_span_with_the_conventions_names(exported: Any) -> None:
    ask(REPLY)
    (span,) = exported.get_finished_spans()
    assert (span.name, span.kind.name, span.status.status_code.name) == ("chat gpt-test", "CLIENT", "UNSET")
    assert dict(span.attributes) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-test",
        "gen_ai.request.max_tokens": 50,
        "gen_ai.request.stop_sequences": ("\n",),
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.usage.output_tokens": 3,
        "gen_ai.usage.cache_read.input_tokens": 4,
        "memfrontier.role": "act",
        "memfrontier.phase": "act",
        "memfrontier.step": 3,
        "memfrontier.usage_source": "api",
        "memfrontier.cost_usd": 0.25,
    }


def test_texts_are_exported_only_when_asked_for_and_without_keys(
    exported: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-proj-abcdefghijklmnopqrstuvwxyz123456")
    ask(REPLY)
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")
    ask(REPLY)
    bare, full = exported.get_finished_spans()
    assert not [name for name in bare.attributes if "messages" in name]
    told = json.loads(full.attributes["gen_ai.input.messages"])
    assert [one["role"] for one in told] == ["system", "user"]
    assert told[0]["parts"] == [{"type": "text", "content": "Act."}]
    assert "sk-proj-abcdefghijklmnopqrstuvwxyz123456" not in full.attributes["gen_ai.input.messages"]
    (said,) = json.loads(full.attributes["gen_ai.output.messages"])
    assert said["parts"][0]["content"] == "Action: look"


def test_failed_call_is_a_span_with_its_error_and_no_text(exported: Any) -> None:
    with pytest.raises(ModelError):
        ask(ValueError("the prompt was: Act."))
    (span,) = exported.get_finished_spans()
    assert (span.status.status_code.name, span.attributes["error.type"]) == ("ERROR", "ModelError")
    assert (span.status.description, span.events) == (None, ())


def test_replayed_call_has_no_span(exported: Any) -> None:
    calls: list[Any] = []
    MeteredModel(Told(REPLY), Meter(calls.append)).chat(ASKED, role="act")
    MeteredModel(Told(REPLY), Meter(calls.append, calls[:])).chat(ASKED, role="act")
    assert len(exported.get_finished_spans()) == 1


@pytest.mark.parametrize("value", ["", "off"])
def test_nothing_is_done_unless_asked_for(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCH_OTEL", value)
    assert find_spans() is None
    monkeypatch.delenv("BENCH_OTEL")
    assert find_spans() is None


def test_unknown_value_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCH_OTEL", "yes")
    with pytest.raises(UsageError, match="expected on, otlp or off, got 'yes'"):
        find_spans()


def test_otlp_starts_one_exporter(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    monkeypatch.setattr(spans, "_start_exporter", lambda: started.append(1))
    monkeypatch.setenv("BENCH_OTEL", "otlp")
    assert isinstance(find_spans(), Spans)
    assert started == [1]


def test_package_is_not_imported_unless_asked_for() -> None:
    code = "import sys, bench.models.ledger.metered; sys.exit('opentelemetry' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
