"""Who is spoken to for a model and a base URL: directly or through litellm, as what, with the key of which variable."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from bench.errors import UsageError
from bench.models.litellm_catalog import providers
from bench.models.remote.endpoint_config import Endpoint
from bench.secrets import credentials_in

__all__ = ["Target", "check_address", "is_loopback", "target_of"]

_SPEAK_OPENAI = {
    "openai": "OPENAI_API_KEY",
    "hosted_vllm": "HOSTED_VLLM_API_KEY",
    "custom_openai": "OPENAI_API_KEY",
    "lm_studio": "LM_STUDIO_API_KEY",
    "llamafile": "LLAMAFILE_API_KEY",
}
"""Prefixes that are spoken to directly where there is a base URL, and the variable that holds the key."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class Target:
    """Who is spoken to, and how."""

    direct: bool
    model: str
    """As the endpoint or litellm is told it."""
    key_name: str
    """The variable with the key; empty where only litellm knows."""
    needs_key: bool = True
    """False: a server that somebody runs may want none."""


def target_of(name: str, base_url: str, endpoint: Endpoint) -> Target:
    """Return who is spoken to. Raises: UsageError for one that is to be spoken to directly and has no address."""
    provider, slash, rest = name.partition("/")
    if not base_url:
        if endpoint.client == "direct":
            raise UsageError(f'model {name}: expected a base URL for client "direct", got none; give --base-url')
        return Target(False, name, endpoint.api_key_env)
    # A server's own name for a model may have a slash in it.
    foreign = not slash or (provider not in _SPEAK_OPENAI and provider not in providers())
    usual = _SPEAK_OPENAI.get(provider, _SPEAK_OPENAI["hosted_vllm"] if foreign else "")
    # A server that somebody runs may want no key; one that is called OpenAI's does.
    wanted = not is_loopback(base_url) and (bool(endpoint.api_key_env) or usual == _SPEAK_OPENAI["openai"])
    key_name = endpoint.api_key_env or usual
    if endpoint.client == "litellm" or (not endpoint.client and not foreign and provider not in _SPEAK_OPENAI):
        return Target(False, f"openai/{name}" if foreign else name, key_name, wanted)
    return Target(True, name if foreign else rest, key_name or _SPEAK_OPENAI["openai"], wanted)


def check_address(base_url: str) -> None:
    """Raises: UsageError for an address that holds a key: it would stand in the record of the run."""
    if found := credentials_in(base_url):
        raise UsageError(
            f"base URL: expected an address without keys, got one with {found}; put the key into a variable and name "
            "it in the endpoint file (api_key_env)"
        )


def is_loopback(base_url: str) -> bool:
    return urlsplit(base_url).hostname in _LOOPBACK
