"""The wrapped library: its prompt is checked, nothing leaves the machine, nothing stays on it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from baselines.mem0_package.memory import PackageMemory
from baselines.mem0_package.package import _Chat, _memory_class
from bench.embedders.hash import HashEmbedder
from bench.errors import StrategyError, UsageError
from bench.models.openai_api.client import MeteredClient
from bench.models.options import ModelOptions
from bench.models.remote.source import RemoteSource
from bench.models.scripted import ScriptedModel
from tests.baselines.mem0_package.script import Script, conversation, feed, kit, memories, needs_library, question
from tests.servers.openai_server import FakeOpenAI, completion, usage


def test_prompt_without_a_date_is_a_strategy_error() -> None:
    chat = _Chat(MeteredClient(ScriptedModel(["x"]), HashEmbedder()))
    with pytest.raises(StrategyError, match="expected today's date in the library's prompt"):
        chat.generate_response([{"role": "user", "content": "no date"}])


@needs_library
def test_extraction_asks_a_remote_model_for_one_json_object() -> None:
    with FakeOpenAI(lambda _request: completion(memories("Ann lives in Oslo"), usage(9, 3))) as server:
        source = RemoteSource("openai/m", ModelOptions(server.url))
        feed(PackageMemory(kit(source.model(0))), conversation("Ann: I live in Oslo.", "Ben: Nice."))
        source.close()
    assert [request.body["response_format"] for request in server.requests] == [{"type": "json_object"}]
    assert "json" in str(server.requests[0].body["messages"]).lower()  # without the word OpenAI refuses that mode


@needs_library
def test_library_leaves_no_files_and_no_environment_variables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    memory = feed(PackageMemory(kit(Script(memories("Ann lives in Oslo")))), conversation("Ann: I live in Oslo."))
    memory.recall(question("Where does Ann live?"))
    assert list(tmp_path.iterdir()) == []
    assert not {"MEM0_TELEMETRY", "MEM0_DIR"} & set(os.environ)
    assert sys.modules["mem0.memory.telemetry"].MEM0_TELEMETRY is False


def test_missing_library_is_a_usage_error_that_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "mem0"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mem0", None)
    monkeypatch.setenv("MEM0_DIR", "mine")
    with pytest.raises(UsageError, match=r"expected the library mem0ai, got .*; pip install 'memfrontier\[mem0\]'"):
        _memory_class.__wrapped__()
    assert os.environ["MEM0_DIR"] == "mine"
