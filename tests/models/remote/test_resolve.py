"""Which client, model name and key variable a name and a base URL stand for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import UsageError
from bench.models.litellm_catalog import litellm_folder
from bench.models.remote.endpoint_config import Endpoint
from bench.models.remote.resolve import Target, check_address, is_loopback, resolve_target

LOCAL, AWAY = "http://127.0.0.1:8000/v1", "https://models.example/v1"
needs_litellm = pytest.mark.skipif(litellm_folder() is None, reason="needs the extra [litellm]")


@pytest.mark.parametrize(
    ("name", "base_url", "endpoint", "target"),
    [
        ("openai/gpt-4o", "", Endpoint(), Target(False, "openai/gpt-4o", "")),
        ("openai/gpt-4o", "", Endpoint(api_key_env="MY"), Target(False, "openai/gpt-4o", "MY")),
        ("openai/tiny", LOCAL, Endpoint(), Target(True, "tiny", "OPENAI_API_KEY", False)),
        ("openai/tiny", AWAY, Endpoint(), Target(True, "tiny", "OPENAI_API_KEY", True)),
        ("tiny", AWAY, Endpoint(), Target(True, "tiny", "HOSTED_VLLM_API_KEY", False)),
        ("hosted_vllm/a/b", AWAY, Endpoint(), Target(True, "a/b", "HOSTED_VLLM_API_KEY", False)),
        ("hosted_vllm/a", AWAY, Endpoint(api_key_env="MY"), Target(True, "a", "MY", True)),
        ("some-org/Some-Model", LOCAL, Endpoint(), Target(True, "some-org/Some-Model", "HOSTED_VLLM_API_KEY", False)),
        ("tiny", LOCAL, Endpoint(client="litellm"), Target(False, "openai/tiny", "HOSTED_VLLM_API_KEY", False)),
    ],
)
def test_resolve_target(name: str, base_url: str, endpoint: Endpoint, target: Target) -> None:
    assert resolve_target(name, base_url, endpoint) == target


@needs_litellm
def test_resolve_target_sends_other_providers_through_litellm() -> None:
    assert resolve_target("anthropic/x", AWAY, Endpoint()) == Target(False, "anthropic/x", "", False)
    assert resolve_target("anthropic/x", AWAY, Endpoint(client="direct")).direct


def test_resolve_target_rejects_direct_without_a_base_url() -> None:
    with pytest.raises(UsageError, match='expected a base URL for client "direct", got none'):
        resolve_target("openai/x", "", Endpoint(client="direct"))


@given(st.sampled_from(["openai", "hosted_vllm", "lm_studio", "unheard-of"]), st.text(min_size=1, max_size=8))
def test_a_server_on_this_machine_never_needs_a_key(provider: str, rest: str) -> None:
    assert not resolve_target(f"{provider}/{rest}", LOCAL, Endpoint()).needs_key


@pytest.mark.parametrize(
    ("base_url", "loopback"),
    [(LOCAL, True), ("http://localhost/v1", True), ("http://[::1]:1/v1", True), (AWAY, False), ("", False),
     ("http://127.0.0.1.example/v1", False)],
)  # fmt: skip
def test_is_loopback(base_url: str, loopback: bool) -> None:
    assert is_loopback(base_url) is loopback


def test_check_address_rejects_credentials_without_repeating_them() -> None:
    check_address("openai/x", AWAY)
    with pytest.raises(UsageError, match="without keys, got one with user:password@") as caught:
        check_address("openai/x", "https://me:secret@host/v1")
    assert "secret" not in str(caught.value)
