"""Model calls as OpenTelemetry spans, where a user asks for them; else nothing is imported and nothing done.

``BENCH_OTEL=on``: to the tracer provider of the process (``opentelemetry-instrument bench run ...`` sets one up);
``BENCH_OTEL=otlp``: to a collector, by the OTLP exporter and its usual variables (OTEL_EXPORTER_OTLP_ENDPOINT).
Names are those of the semantic conventions for generative AI; what these have no name for begins with ``memfrontier.``.
Prompts and replies are part of a span only with OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT, as there, and then
without keys, like all that is sent. A reply that is replayed or comes from the cache is no call and has no span.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from bench.errors import UsageError
from bench.models.cache.key import Request
from bench.types import Phase, Reply

__all__ = ["SPANS", "Spans", "find_spans"]

SPANS = "BENCH_OTEL"
_CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_SCOPE = "memfrontier"


class Spans:
    """Opens a span for each call."""

    def __init__(self, tracer: Any, content: bool):
        self._tracer, self._content = tracer, content

    @contextmanager
    def open(
        self, operation: str, request: Request, role: str, place: tuple[Phase, int]
    ) -> Iterator[Callable[[Reply], None]]:
        """Open the span of one call; what it yields takes the reply. An error ends the span with its type."""
        from opentelemetry.trace import SpanKind, Status, StatusCode  # noqa: PLC0415

        provider, _, model = request.model.rpartition("/")
        given = {
            "gen_ai.operation.name": operation,
            "gen_ai.provider.name": provider or _SCOPE,
            "gen_ai.request.model": model,
            "gen_ai.request.max_tokens": request.max_tokens,
            "gen_ai.request.stop_sequences": list(request.stop) or None,
            "gen_ai.output.type": "json" if request.json_object else None,
            "memfrontier.role": str(role),
            "memfrontier.phase": place[0].value,
            "memfrontier.step": place[1],
        }
        if self._content:
            messages = [(message.role, message.content) for message in request.messages]
            given["gen_ai.input.messages"] = _write_messages(messages)
        with self._tracer.start_as_current_span(
            f"{operation} {model}", kind=SpanKind.CLIENT, attributes=_keep(given), record_exception=False,
            set_status_on_exception=False,
        ) as span:  # fmt: skip
            try:
                yield lambda reply: span.set_attributes(self._describe(reply))
            except BaseException as error:
                span.set_attribute("error.type", type(error).__name__)
                span.set_status(Status(StatusCode.ERROR))  # without its text, which may hold a prompt
                raise

    def _describe(self, reply: Reply) -> Mapping[str, Any]:
        usage = reply.usage
        found = {
            "gen_ai.response.finish_reasons": [reply.finish],
            "gen_ai.usage.input_tokens": usage.prompt,
            "gen_ai.usage.output_tokens": usage.completion,
            "gen_ai.usage.cache_read.input_tokens": usage.cached_read,
            "gen_ai.usage.cache_creation.input_tokens": usage.cache_write,
            "gen_ai.usage.reasoning.output_tokens": usage.reasoning,
            "memfrontier.usage_source": usage.source.value,
            "memfrontier.cost_usd": reply.cost_usd,
            "memfrontier.failed_tries": len(reply.attempts) or None,
        }
        if self._content:
            found["gen_ai.output.messages"] = _write_messages([("assistant", reply.text)])
        return _keep(found)


def find_spans() -> Spans | None:
    """Return what opens spans, None where nobody asked. Raises: UsageError for an unknown value, or no package."""
    asked = os.environ.get(SPANS, "")
    if asked in ("", "off"):
        return None
    if asked not in ("on", "otlp"):
        raise UsageError(f"{SPANS}: expected on, otlp or off, got {asked!r}; set one of them")
    try:
        from opentelemetry import trace  # noqa: PLC0415
    except ImportError:
        raise UsageError(
            f"{SPANS}={asked}: expected package opentelemetry, got none; pip install 'memfrontier[otel]'"
        ) from None
    if asked == "otlp":
        _start_exporter()
    content = os.environ.get(_CONTENT, "").lower() in ("true", "span_only", "span_and_event")
    return Spans(trace.get_tracer(_SCOPE), content)


@cache
def _start_exporter() -> None:
    """Send the spans of this process to a collector, in the background and at its end."""
    try:
        from opentelemetry import trace  # noqa: PLC0415
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ImportError:
        raise UsageError(
            f"{SPANS}=otlp: expected package opentelemetry-exporter-otlp-proto-http, got none; "
            "pip install 'memfrontier[otel]'"
        ) from None
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)


def _write_messages(messages: Sequence[tuple[str, str]]) -> str:
    return json.dumps(
        [{"role": role, "parts": [{"type": "text", "content": text}]} for role, text in messages], ensure_ascii=False
    )


def _keep(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if value is not None}
