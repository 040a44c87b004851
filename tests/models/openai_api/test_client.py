"""A memory library that takes an OpenAI client: its calls are in the ledger, and its failures cannot be swallowed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.agents import default_agent
from bench.embedders.hash import HashEmbedder
from bench.errors import ContextOverflow, ModelError, Refused, StrategyError
from bench.models.ledger.meter import Meter, reserve_nothing
from bench.models.ledger.metered import MeteredModel
from bench.models.openai_api.client import MeteredClient
from bench.models.scripted import ScriptedModel
from bench.protocols import Budget, Kit, Model, Params, Strategy, SuiteOptions
from bench.registry import load_suite
from bench.runner.simulate import Job, Parts, simulate
from bench.types import (
    Call,
    Context,
    EndReason,
    Event,
    EventKind,
    Limits,
    Message,
    Phase,
    Query,
    Reply,
    Shape,
    Status,
    Trial,
    TrialKey,
)
from tests.servers.calling import Make, needs_litellm
from tests.servers.openai_server import FakeOpenAI, completion, error


class FactBook:
    """What such a library looks like from outside: a client goes in, texts go in, texts come out.

    It asks a model of its own for the facts in a text, keeps them with their vectors, and lets the model choose among
    those that are near a question. Whatever goes wrong it keeps to itself, as many do.
    """

    def __init__(self, client: Any, tidy: bool = True):
        self._client, self._tidy = client, tidy
        self._facts: list[str] = []
        self._vectors: list[list[float]] = []

    def add(self, text: str) -> None:
        messages = [{"role": "system", "content": "List the facts."}, {"role": "user", "content": text}]
        with suppress(Exception):
            response = self._client.chat.completions.create(
                model="gpt-4o-mini", messages=messages, temperature=0.2, max_tokens=50, n=1
            )
            fact = response.choices[0].message.content
            made = self._client.embeddings.create(model="text-embedding-3-small", input=[fact])
            self._facts.append(fact)
            self._vectors.append(made.data[0].embedding)

    def add_all(self, *texts: str) -> None:
        for text in texts:
            self.add(text)

    def search(self, question: str) -> list[str]:
        with suppress(Exception):
            vector = self._client.embeddings.create(model="any", input=question).data[0].embedding
            near = np.argsort(-np.array(self._vectors) @ np.array(vector))[:3]
            choice = "\n".join(self._facts[index] for index in near)
            messages = [{"role": "user", "content": [{"type": "text", "text": f"Choose for {question}:\n{choice}"}]}]
            return [
                self._client.chat.completions.create(model="gpt-4o-mini", messages=messages).choices[0].message.content
            ]
        return []


class BookMemory:
    """The adapter that a researcher writes around it."""

    def __init__(self, kit: Kit):
        self._client = MeteredClient(kit.model, kit.embedder)
        self._book = FactBook(self._client)

    def observe(self, event: Event) -> None:
        if event.kind is EventKind.TURN:
            with self._client.guard():
                self._book.add(event.text)

    def recall(self, query: Query) -> Context:
        with self._client.guard():
            return Context("\n".join(self._book.search(query.text)))


BOOK = Strategy("book-v1", default_agent(BookMemory))


class Recorder:
    """Keeps what is committed, as the store does."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def commit_call(self, _key: TrialKey, call: Call) -> None:
        self.calls.append(call)

    def supersede(self, _key: TrialKey) -> None:
        self.calls.clear()

    reserve = staticmethod(reserve_nothing)


def says(messages: Sequence[Message], role: str) -> str:
    return f"{role}: {messages[-1].content[:40]}"


def hold(model: Model, recorder: Recorder, strategy: Strategy = BOOK, committed: Sequence[Call] = ()) -> Trial:
    """Hold the first toy talk with a strategy, in a real trial."""
    spec = load_suite("toy-talk")
    suite = spec.build(SuiteOptions(spec.default_split, Params(spec.params), Path("nowhere")))
    task = suite.tasks()[0]
    key = TrialKey("toy-talk", spec.default_split, task.id, strategy.name, model.name)
    parts = Parts(
        Shape.CONVERSATION, suite, strategy, Params(()), model, HashEmbedder(), Budget(), Limits()
    )  # fmt: skip
    return simulate(Job(key, task, tuple(committed)), parts, recorder)


def test_library_calls_are_booked_under_phase_role_and_step() -> None:
    recorder = Recorder()
    trial = hold(ScriptedModel(says), recorder)
    assert trial.status is Status.DONE
    assert list(trial.calls) == recorder.calls
    booked = Counter((call.phase, call.role) for call in trial.calls)
    questions = len(trial.steps)
    turns = booked[Phase.WRITE, "third-party"]
    assert turns > questions > 1
    assert booked == {
        (Phase.WRITE, "third-party"): turns,
        (Phase.WRITE, "embed"): turns,
        (Phase.READ, "third-party"): questions,
        (Phase.READ, "embed"): questions,
        (Phase.ACT, "answer"): questions,
    }
    assert {call.model for call in trial.calls} == {"scripted", "hash"}  # not the models that the library named
    assert {call.step for call in trial.calls if call.phase is Phase.READ} == {step.index for step in trial.steps}
    assert all(call.usage.prompt for call in trial.calls)
    assert trial.steps[0].decision.context.text.startswith("third-party: Choose for ")


def test_resumed_trial_pays_nothing_twice() -> None:
    first = Recorder()
    whole = hold(ScriptedModel(says), first)
    half = first.calls[: len(first.calls) // 2]
    model, rest = ScriptedModel(says), Recorder()
    again = hold(model, rest, committed=half)
    assert [call.reply for call in again.calls] == [call.reply for call in whole.calls]
    assert rest.calls[0].index == half[-1].index + 1 or rest.calls[0].role == "embed"
    assert model.calls == sum(call.role != "embed" for call in rest.calls)


class Failing:
    """A model that answers ``good`` times and then fails for good."""

    name = "failing"

    def __init__(self, good: int, failure: Exception):
        self._good, self._failure, self.calls = good, failure, 0

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        self.calls += 1
        if self.calls > self._good:
            raise self._failure
        return Reply("a fact")


def test_swallowed_model_error_still_ends_the_trial_unscored() -> None:
    model = Failing(3, ModelError("failing: no reply"))
    trial = hold(model, Recorder())
    assert (trial.status, trial.error) == (Status.MODEL_ERROR, "failing: no reply")
    assert trial.items == ()
    assert model.calls == 4  # no call was made after that


def test_unsupported_parameter_is_a_strategy_error() -> None:
    class Streaming(BookMemory):
        def observe(self, event: Event) -> None:
            with self._client.guard(), suppress(Exception):
                self._client.chat.completions.create(
                    model="x", messages=[{"role": "user", "content": event.text}], stream=True
                )

    trial = hold(ScriptedModel(says), Recorder(), Strategy("streaming-v1", default_agent(Streaming)))
    assert trial.status is Status.STRATEGY_ERROR
    assert trial.error == (
        "third-party library: stream: expected a request without it, got 'True'; it is not supported here"
    )


@pytest.mark.parametrize("failure", [Refused("no"), ContextOverflow("too long"), ModelError("gone")])
def test_guard_raises_the_first_failure_once(failure: Exception) -> None:
    model = Failing(0, failure)
    client = MeteredClient(model, HashEmbedder())
    with pytest.raises(type(failure)) as raised, client.guard():
        FactBook(client).add_all("one", "two")
    assert raised.value is failure
    assert model.calls == 1  # the second call was not made
    with client.guard():
        pass


def test_guard_raises_the_failure_instead_of_the_librarys_exception() -> None:
    client = MeteredClient(Failing(0, ModelError("gone")), HashEmbedder())

    def ask() -> None:
        try:
            client.chat.completions.create(messages=[{"role": "user", "content": "x"}])
        except ModelError:
            raise KeyError("facts") from None

    with pytest.raises(ModelError, match="gone") as raised, client.guard():
        ask()
    assert isinstance(raised.value.__cause__, KeyError)
    with pytest.raises(KeyError), client.guard():
        raise KeyError("a bug of the library's own")


def test_ignored_parameters_are_listed() -> None:
    client = MeteredClient(ScriptedModel(says), HashEmbedder(), leave_out=("response_format",))
    client.chat.completions.create(
        messages=[{"role": "user", "content": "x"}], temperature=0.7, seed=3, response_format={"type": "json_object"}
    )
    assert client.ignored_parameters == ("response_format", "seed", "temperature")
    strict = MeteredClient(ScriptedModel(says), HashEmbedder())
    with pytest.raises(StrategyError, match="response_format"):
        strict.chat.completions.create(
            messages=[{"role": "user", "content": "x"}], response_format={"type": "json_object"}
        )


@needs_litellm
@pytest.mark.parametrize("name", ["direct", "litellm"])
def test_json_object_is_passed_on_to_a_model_that_has_the_mode(name: str, make: Make, server: FakeOpenAI) -> None:
    calls: list[Call] = []
    model = MeteredModel(make(name).model(0), Meter(calls.append))
    client = MeteredClient(model, HashEmbedder(), leave_out=("response_format",))
    messages = [{"role": "user", "content": "json"}]
    client.chat.completions.create(messages=messages, response_format={"type": "json_object"}, stop="END")
    client.chat.completions.create(messages=messages, stop="END")
    bodies = [request.body for request in server.requests]
    assert [body.get("response_format") for body in bodies] == [{"type": "json_object"}, None]
    assert [body["stop"] for body in bodies] == [["END"], ["END"]]
    assert client.ignored_parameters == ()
    assert calls[0].request_hash != calls[1].request_hash


def test_json_object_that_an_endpoint_refuses_is_asked_for_without(make: Make, server: FakeOpenAI) -> None:
    server.script = lambda request: (
        error(400, "response_format is not supported") if "response_format" in request.body else completion("{}")
    )
    source = make()
    client = MeteredClient(source.model(0), HashEmbedder())
    reply = client.chat.completions.create(
        messages=[{"role": "user", "content": "json"}], response_format={"type": "json_object"}
    )
    assert reply.choices[0].message.content == "{}"
    assert source.request_changes == ("response_format: not sent",)


def test_other_response_formats_are_refused(make: Make) -> None:
    client = MeteredClient(make().model(0), HashEmbedder())
    with pytest.raises(StrategyError, match="response_format"):
        client.chat.completions.create(
            messages=[{"role": "user", "content": "x"}], response_format={"type": "json_schema"}
        )


def test_as_role_changes_the_role_of_calls() -> None:
    client = MeteredClient(ScriptedModel(says), HashEmbedder(), role="extract")
    messages = [{"role": "developer", "content": "be brief"}, {"role": "user", "content": "x"}]
    assert client.chat.completions.create(messages=messages).choices[0].message.content == "extract: x"
    update = client.as_role("update")
    response = update.chat.completions.create(messages=messages, stop="\n", max_completion_tokens=5)
    assert response.choices[0].message.content == "update: x"
    plain = response.model_dump()
    assert plain["choices"][0]["message"]["content"] == "update: x"
    assert plain["usage"]["total_tokens"] == response.usage.prompt_tokens + response.usage.completion_tokens


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"messages": "hi"}, "messages: expected a list"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "message: expected a role of"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "message: expected text"),
        ({"messages": [{"role": "user", "content": "x"}], "n": 2}, "n: expected a request without it"),
        (
            {"messages": [{"role": "user", "content": "x"}], "max_tokens": 0},
            "max_tokens: expected a number of at least 1",
        ),
        ({"messages": [{"role": "user", "content": "x"}], "stop": [1]}, "stop: expected a text"),
    ],
)
def test_malformed_requests_are_strategy_errors(fields: dict[str, Any], what: str) -> None:
    client = MeteredClient(ScriptedModel(says), HashEmbedder())
    with pytest.raises(StrategyError, match=what):
        client.chat.completions.create(**fields)


def test_embeddings_accept_texts_only() -> None:
    client = MeteredClient(ScriptedModel(says), HashEmbedder())
    two = client.embeddings.create(input=["a mug", "a desk"])
    assert [row.index for row in two.data] == [0, 1]
    assert np.allclose([row.embedding for row in two.data], HashEmbedder().embed(["a mug", "a desk"]))
    for wrong in ([], [1, 2], None):
        other = MeteredClient(ScriptedModel(says), HashEmbedder())
        with pytest.raises(StrategyError, match="input: expected a text"):
            other.embeddings.create(input=wrong)


def test_overflow_inside_the_library_ends_the_trial_with_token_cap() -> None:
    trial = hold(Failing(2, ContextOverflow("too long")), Recorder())
    assert (trial.status, trial.end) == (Status.DONE, EndReason.TOKEN_CAP)
    assert {item.scores[0].value for item in trial.items} == {0.0}
