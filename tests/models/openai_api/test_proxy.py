"""A memory library that takes nothing but an address: its calls are in the ledger of its own trial."""

from __future__ import annotations

import gc
import http.client
import json
import socket
import threading
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

from bench.agents import default_agent
from bench.embedders.hash import HashEmbedder
from bench.errors import ModelError, StrategyError, UsageError
from bench.models.ledger.embedder import MeteredEmbedder
from bench.models.ledger.meter import Meter, reserve_nothing
from bench.models.ledger.metered import MeteredModel
from bench.models.openai_api.ledger_proxy import LedgerProxy
from bench.models.openai_api.proxy import ProxyServer
from bench.models.scripted import ScriptedModel
from bench.protocols import Budget, Kit, Model, Params, Strategy, SuiteOptions
from bench.registry import load_suite
from bench.runner.simulate import Job, Parts, simulate
from bench.types import Call, Context, Event, EventKind, Limits, Message, Phase, Query, Shape, Status, Trial, TrialKey


def post(url: str, body: object) -> dict[str, Any]:
    headers = {"Authorization": "Bearer anything", "Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        got: dict[str, Any] = json.load(answer)
        return got


def refusal(url: str, body: object) -> tuple[int, str, str | None]:
    with pytest.raises(urllib.error.HTTPError) as refused:
        post(url, body)
    with refused.value as answer:
        return answer.code, json.load(answer)["error"]["message"], answer.headers.get("x-should-retry")


ONE = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "one"}]}


class AddressBook:
    """What such a library looks like from outside: an address goes in. It sums up each text, and swallows errors."""

    def __init__(self, base_url: str):
        self._url, self._notes = base_url, list[str]()

    def add(self, text: str) -> None:
        body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": f"Sum up: {text}"}], "temperature": 0}
        with suppress(urllib.error.URLError):
            self._notes.append(post(f"{self._url}/chat/completions", body)["choices"][0]["message"]["content"])

    def search(self, question: str) -> str:
        with suppress(urllib.error.URLError):
            rows = post(f"{self._url}/embeddings", {"model": "x", "input": [question, *self._notes]})["data"]
            vectors = np.array([row["embedding"] for row in rows])
            return self._notes[int(np.argmax(vectors[1:] @ vectors[0]))]
        return ""


class AddressMemory:
    """The adapter that a researcher writes around it: one proxy a trial, started when the library is."""

    def __init__(self, kit: Kit):
        self._proxy = ProxyServer(kit.model, kit.embedder)
        self._book = AddressBook(self._proxy.url)

    def observe(self, event: Event) -> None:
        if event.kind is EventKind.TURN:
            with self._proxy.guard():
                self._book.add(event.text)

    def recall(self, query: Query) -> Context:
        with self._proxy.guard():
            return Context(self._book.search(query.text))


ADDRESS = Strategy("address-v1", default_agent(AddressMemory))


class Recorder:
    """Keeps what is committed, as the store does."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def commit_call(self, _key: TrialKey, call: Call) -> None:
        self.calls.append(call)

    def supersede(self, _key: TrialKey) -> None:
        self.calls.clear()

    reserve = staticmethod(reserve_nothing)


def hold(model: Model, number: int = 0) -> Trial:
    """Hold one of the toy talks in a real trial."""
    spec = load_suite("toy-talk")
    suite = spec.build(SuiteOptions(spec.default_split, Params(spec.params), Path("nowhere")))
    task = suite.tasks()[number]
    key = TrialKey("toy-talk", spec.default_split, task.id, ADDRESS.name, model.name)
    parts = Parts(Shape.CONVERSATION, suite, ADDRESS, Params(()), model, HashEmbedder(), Budget(), Limits())
    return simulate(Job(key, task), parts, Recorder())


def says(messages: Sequence[Message], role: str) -> str:
    return f"{role}: {messages[-1].content}"


class TestInATrial:
    def test_calls_over_http_are_booked_under_their_phase(self) -> None:
        trial = hold(ScriptedModel(says))
        assert trial.status is Status.DONE
        booked = Counter((call.phase, call.role) for call in trial.calls)
        questions = len(trial.steps)
        assert booked == {
            (Phase.WRITE, "third-party"): booked[Phase.WRITE, "third-party"],
            (Phase.READ, "embed"): questions,
            (Phase.ACT, "answer"): questions,
        }
        assert booked[Phase.WRITE, "third-party"] > questions
        assert trial.steps[0].decision.context.text.startswith("third-party: Sum up: ")

    def test_parallel_trials_keep_their_calls_separate(self) -> None:
        alone = [hold(ScriptedModel(says), number).calls for number in (0, 1)]
        found: dict[int, Trial] = {}

        def work(number: int) -> None:
            found[number] = hold(ScriptedModel(says), number)

        threads = [threading.Thread(target=work, args=(number,)) for number in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for number in (0, 1):
            together = [(call.phase, call.request_hash, call.reply) for call in found[number].calls]
            assert together == [(call.phase, call.request_hash, call.reply) for call in alone[number]]

    def test_swallowed_model_error_still_ends_the_trial(self) -> None:
        model = ScriptedModel(["one", "two"], name="short")
        trial = hold(model)
        assert trial.status is Status.MODEL_ERROR
        assert trial.error == "short: expected at most 2 calls, got one more; add replies"
        assert model.calls == 3

    def test_url_for_sets_the_role(self) -> None:
        with ProxyServer(ScriptedModel(says), HashEmbedder()) as proxy:
            response = post(f"{proxy.url_for('extract')}/chat/completions", ONE)
            assert response["choices"][0]["message"]["content"] == "extract: one"
            assert response["model"] == "scripted"

    def test_request_without_the_token_is_refused(self) -> None:
        model = ScriptedModel(says)
        with ProxyServer(model, HashEmbedder()) as proxy:
            parts = urlsplit(proxy.url)
            wrong = f"http://{parts.netloc}/{'x' * 22}/third-party/v1/chat/completions"
            assert refusal(wrong, ONE)[0] == 404
            assert refusal(f"http://{parts.netloc}/v1/chat/completions", ONE)[0] == 404
        assert model.calls == 0

    def test_failure_has_a_status_that_clients_do_not_retry(self) -> None:
        with ProxyServer(ScriptedModel([], name="mute"), HashEmbedder()) as proxy:
            url = f"{proxy.url}/chat/completions"
            assert refusal(url, ONE) == (424, "mute: expected at most 0 calls, got one more; add replies", "false")
            with pytest.raises(ModelError, match="mute"), proxy.guard():
                pass
            assert refusal(url, {**ONE, "stream": True})[0] == 400
            with pytest.raises(StrategyError, match="stream"), proxy.guard():
                pass

    def test_proxy_stops_when_it_is_garbage_collected(self) -> None:
        proxy = ProxyServer(ScriptedModel(says), HashEmbedder())
        parts = urlsplit(proxy.url)
        assert parts.hostname == "127.0.0.1"
        del proxy
        gc.collect()
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex((parts.hostname, parts.port or 0)):
                    return
            threading.Event().wait(0.05)
        pytest.fail("the proxy of a trial that is over still listens")

    def test_connection_is_reused_and_a_body_without_length_is_refused(self) -> None:
        with ProxyServer(ScriptedModel(says), HashEmbedder()) as proxy:
            parts = urlsplit(proxy.url)
            line = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=30)
            for _ in range(2):
                line.request(
                    "POST", f"{parts.path}/chat/completions", json.dumps(ONE), {"Content-Type": "application/json"}
                )
                answer = line.getresponse()
                assert (answer.status, answer.will_close) == (200, False)
                answer.read()
            line.putrequest("POST", f"{parts.path}/chat/completions")
            line.putheader("Transfer-Encoding", "chunked")
            line.endheaders()
            answer = line.getresponse()
            assert answer.status == 411
            answer.read()
            line.close()

    @pytest.mark.skipif(find_spec("openai") is None, reason="needs the openai package (extra litellm)")
    def test_openai_package_works_with_the_proxy(self) -> None:
        openai = pytest.importorskip("openai")
        with ProxyServer(ScriptedModel(says), HashEmbedder()) as proxy:
            client = openai.OpenAI(base_url=proxy.url, api_key="unused", timeout=30)
            response = client.chat.completions.create(**ONE)
            assert response.choices[0].message.content == "third-party: one"
            assert response.usage.prompt_tokens > 0
            made = client.embeddings.create(model="any", input=["a mug"])  # it asks for base64 by itself
            assert np.allclose(made.data[0].embedding, HashEmbedder().embed(["a mug"])[0])
            assert [model.id for model in client.models.list()] == ["scripted"]
            client.close()


class TestAlone:
    def test_ledger_has_one_line_for_each_call(self, tmp_path: Path) -> None:
        ledger = tmp_path / "calls.jsonl"
        proxy = LedgerProxy(ScriptedModel(says), HashEmbedder(), ledger)
        try:
            post(f"{proxy.url_for('talk-1', Phase.WRITE)}/chat/completions", ONE)
            lines = ledger.read_text().splitlines()  # on the disk before the reply was here
            assert json.loads(lines[0])["reply"] == "third-party: one"
            post(f"{proxy.url_for('talk-1', Phase.READ)}/chat/completions", ONE)
            post(f"{proxy.url_for('talk-2', Phase.READ)}/embeddings", {"model": "x", "input": "one"})
            post(f"{proxy.url}/chat/completions", ONE)
            totals = proxy.totals
        finally:
            proxy.close()
        rows = [json.loads(line) for line in ledger.read_text().splitlines()]
        assert [(row["trial"], row["phase"], row["role"], row["index"]) for row in rows] == [
            ("talk-1", "write", "third-party", 0),
            ("talk-1", "read", "third-party", 1),
            ("talk-2", "read", "embed", 0),
            ("default", "write", "third-party", 0),
        ]
        assert list(totals) == sorted(totals)
        assert sum(one.calls for one in totals.values()) == 4
        assert sum(one.prompt or 0 for one in totals.values()) == sum(row["usage"]["prompt"] for row in rows)

    def test_failure_does_not_block_the_next_call(self, tmp_path: Path) -> None:
        proxy = LedgerProxy(ScriptedModel(["first"]), HashEmbedder(), tmp_path / "calls.jsonl")
        try:
            url = f"{proxy.url}/chat/completions"
            assert refusal(url, {**ONE, "tools": [{"a": 1}]})[0] == 400
            assert post(url, ONE)["choices"][0]["message"]["content"] == "first"
            assert refusal(url, ONE)[0] == 424
            assert refusal(url.replace("/v1/", "/x/dance/v1/"), ONE)[1].startswith("phase: expected one of gather")
            assert refusal(f"{proxy.url}/completions", ONE)[0] == 404
        finally:
            proxy.close()
        assert len((tmp_path / "calls.jsonl").read_text().splitlines()) == 1

    def test_ignored_parameters_are_listed(self, tmp_path: Path) -> None:
        strict = {**ONE, "response_format": {"type": "json_object"}, "temperature": 0.1}
        proxy = LedgerProxy(ScriptedModel(says), HashEmbedder(), tmp_path / "c", leave_out=("response_format",))
        try:
            post(f"{proxy.url}/chat/completions", strict)
            assert proxy.ignored_parameters == ("response_format", "temperature")
        finally:
            proxy.close()

    def test_existing_ledger_is_not_overwritten(self, tmp_path: Path) -> None:
        ledger = tmp_path / "calls.jsonl"
        ledger.write_text("before\n")
        with pytest.raises(UsageError, match=r"calls\.jsonl: expected no file there, got one"):
            LedgerProxy(ScriptedModel(says), HashEmbedder(), ledger)
        with pytest.raises(UsageError, match="expected a place to write"):
            LedgerProxy(ScriptedModel(says), HashEmbedder(), tmp_path / "none" / "calls.jsonl")
        assert ledger.read_text() == "before\n"

    def test_full_disk_withholds_the_reply(self, tmp_path: Path) -> None:
        full = Path("/dev/full")
        if not full.exists():
            pytest.skip("needs /dev/full")
        proxy = LedgerProxy(ScriptedModel(says), HashEmbedder(), tmp_path / "calls.jsonl")
        try:
            proxy._file.close()
            proxy._file = full.open("w")
            code, message, _ = refusal(f"{proxy.url}/chat/completions", ONE)
            assert code == 424
            assert "expected room for one more call" in message
        finally:
            with suppress(OSError):
                proxy.close()


def test_calls_of_many_threads_get_consecutive_indices() -> None:
    """Indices of a trial's ledger have neither gaps nor doubles however the library calls."""
    calls: list[Call] = []
    meter = Meter(calls.append)
    with ProxyServer(MeteredModel(ScriptedModel(says), meter), MeteredEmbedder(HashEmbedder(), meter)) as proxy:
        url = f"{proxy.url}/chat/completions"
        threads = [threading.Thread(target=post, args=(url, ONE)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [call.index for call in calls] == list(range(8))
