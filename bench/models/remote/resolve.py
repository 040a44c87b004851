"""From a model's name and a base URL to a target: the client, the model's name there, the variable of the key."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from bench.errors import UsageError
from bench.models.litellm_catalog import list_providers
from bench.models.remote.endpoint_config import EndpointFields
from bench.secrets import find_credentials

__all__ = ["Target", "check_address", "is_loopback", "resolve_target"]

_OPENAI_COMPATIBLE = {
    "openai": "OPENAI_API_KEY",
    "hosted_vllm": "HOSTED_VLLM_API_KEY",
    "custom_openai": "OPENAI_API_KEY",
    "lm_studio": "LM_STUDIO_API_KEY",
    "llamafile": "LLAMAFILE_API_KEY",
}
"""Prefixes that need no litellm where there is a base URL, and the variable that holds the key."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class Target:
    """The endpoint of a model."""

    direct: bool
    """True: OpenAI's protocol over HTTP; False: through litellm."""
    model: str
    """The model's name at the endpoint or in litellm."""
    key_name: str
    """The variable with the key; empty where only litellm knows it."""
    needs_key: bool = True
    """False: a self-hosted server may need none."""


def resolve_target(name: str, base_url: str, endpoint: EndpointFields) -> Target:
    """Return the target. Raises: UsageError for client "direct" without a base URL."""
    provider, slash, rest = name.partition("/")
    if not base_url:
        if endpoint.client == "direct":
            raise UsageError(f'model {name}: expected a base URL for client "direct", got none; give --base-url')
        return Target(False, name, endpoint.api_key_env)
    # A server's own name for a model may have a slash in it.
    foreign = not slash or (provider not in _OPENAI_COMPATIBLE and provider not in list_providers())
    usual = _OPENAI_COMPATIBLE.get(provider, _OPENAI_COMPATIBLE["hosted_vllm"] if foreign else "")
    # A self-hosted server may need no key; one under the prefix openai/ does.
    needs_key = not is_loopback(base_url) and (bool(endpoint.api_key_env) or usual == _OPENAI_COMPATIBLE["openai"])
    key_name = endpoint.api_key_env or usual
    if endpoint.client == "litellm" or (not endpoint.client and not foreign and provider not in _OPENAI_COMPATIBLE):
        return Target(False, f"openai/{name}" if foreign else name, key_name, needs_key)
    return Target(True, name if foreign else rest, key_name or _OPENAI_COMPATIBLE["openai"], needs_key)


def check_address(name: str, base_url: str) -> None:
    """Raises: UsageError for a name or an address that holds a key, which would stand in the record of the run."""
    if find_credentials(name):
        raise UsageError("model: expected a name, got one with a key in it, which is not shown; export it instead")
    if found := find_credentials(base_url):
        raise UsageError(
            f"base URL: expected an address without keys, got one with {found}; put a key into a variable and name "
            "it in the endpoint file (api_key_env)"
        )


def is_loopback(base_url: str) -> bool:
    """Return True if an address is on this machine; False for one that is none."""
    try:
        return urlsplit(base_url).hostname in _LOOPBACK
    except ValueError:
        return False
