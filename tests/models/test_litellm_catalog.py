"""The lists that litellm ships: models by name, and hints for wrong names."""

from __future__ import annotations

import pytest

from bench.errors import UsageError
from bench.models.litellm_catalog import check_name, find_entry, list_providers, litellm_folder

needs_litellm = pytest.mark.skipif(litellm_folder() is None, reason="needs the extra [litellm]")


@needs_litellm
def test_find_entry_respects_the_provider() -> None:
    assert find_entry("openai/gpt-4o") == find_entry("gpt-4o")
    assert find_entry("anthropic/gpt-4o") is None
    assert {"openai", "anthropic", "ollama", "hosted_vllm"} <= list_providers()


@needs_litellm
@pytest.mark.parametrize(
    "name", ["gpt-4o", "openai/gpt-4o", "openai/ft:gpt-4o:me", "ollama/mine:7b", "hosted_vllm/a/b", "openrouter/x/y"]
)
def test_check_name_accepts_models_that_are_served(name: str) -> None:
    check_name(name)


@needs_litellm
@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("offline/readr", "did you mean offline/reader"),
        ("openai/gpt-4oo", "openai/gpt-4o"),
        ("opneai/gpt-4o", "openai/gpt-4o"),
        ("gpt-4oo", "gpt-4o"),
        ("qqqqqqqqqqqqqqqqqqqqqqqqqqqq", "known: local/x, offline/reader and <provider>/<model>"),
    ],
)
def test_check_name_suggests_the_nearest_names(name: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_name(name, ["offline/reader", "local/x"])
    assert repr(name) in str(caught.value)
    assert hint in str(caught.value)


def test_check_name_without_litellm_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.models.litellm_catalog.litellm_folder", lambda: None)
    with pytest.raises(UsageError, match=r"pip install 'memfrontier\[litellm\]'"):
        check_name("openai/gpt-4o", ["offline/reader"])
    with pytest.raises(UsageError, match="did you mean offline/reader"):
        check_name("offline/readr", ["offline/reader"])
