"""A loopback endpoint and sources that speak to it, for every test of models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.models.options import ModelOptions
from bench.models.remote.source import RemoteSource
from tests.servers.calling import QUICK, Make
from tests.servers.openai_server import FakeOpenAI, completion, usage


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(lambda _request: completion("Action: look", usage(10, 3))) as running:
        yield running


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "HOSTED_VLLM_API_KEY", "ANTHROPIC_API_KEY", "MY_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def make(server: FakeOpenAI, tmp_path: Path) -> Iterator[Make]:
    made: list[RemoteSource] = []

    def source(client: str = "direct", name: str = "openai/tiny", text: str = QUICK, **options: Any) -> RemoteSource:
        path = tmp_path / "endpoint.toml"
        path.write_text(f'client = "{client}"\n{text}')
        made.append(RemoteSource(name, ModelOptions(server.url, endpoint=path, **options)))
        return made[-1]

    yield source
    for one in made:
        one.close()
