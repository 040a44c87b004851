"""The client of every provider that litellm knows. This file wraps litellm and is the one that imports it.

litellm's own retries, fallbacks, caching, telemetry and prices are off; it is imported when a run names a model that
needs it and not before. Known of litellm: for a few providers without usage it counts by itself without a mark; a time
limit holds between two bytes, not for the whole reply.
"""

from __future__ import annotations

import logging
import os
import re
import threading
import time
import warnings
from asyncio import iscoroutinefunction
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any

from bench.errors import Interrupted, UsageError
from bench.models.remote.body_limit import limit_bodies
from bench.models.remote.client import LARGEST_BYTES, AttemptFailed, EndpointRequest, parse_retry_after_s
from bench.models.remote.provider_errors import interpret_error
from bench.models.remote.response import CompletionReader
from bench.types import CallStatus, Reply

__all__ = ["LitellmClient", "find_missing_keys", "find_unsupported"]

_SECRET = ("KEY", "TOKEN", "SECRET")
_OWN_LOGIN = ("bedrock", "sagemaker", "vertex_ai")
"""Providers that may find credentials elsewhere than in a key variable (a profile, the machine itself)."""
_STATUS_ERRORS = {"HTTPStatusError"}
"""Of httpx: the endpoint replied, with a status that is not 200."""
_TIMEOUTS = {"Timeout", "APITimeoutError", "ReadTimeout", "ConnectTimeout"}
_BROKEN_CONNECTIONS = {"APIConnectionError", "ConnectError", "ReadError", "RemoteProtocolError"}
_UNREADABLE = re.compile(r"Invalid response object|Empty or invalid response|invalid json", re.IGNORECASE)


def _load_litellm() -> Any:
    """Import litellm with no price list from the network, no .env file, no logging, no retries."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    try:
        import litellm  # noqa: PLC0415
    except ImportError as missing:
        raise UsageError(
            f"model: expected the extra 'litellm', got no package {missing.name}; pip install 'memfrontier[litellm]'"
        ) from missing
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.drop_params = False
    litellm.num_retries = 0
    litellm.cache = None
    logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)
    # A usage of the wrong type is judged by ``response.py``; a warning about it on stderr is noise.
    warnings.filterwarnings("ignore", message="Pydantic serializer warnings")
    return litellm


def find_missing_keys(model: str) -> list[str]:
    """Return the variables of the keys that the provider requires and the environment lacks; empty if all is there."""
    if model.partition("/")[0] in _OWN_LOGIN:
        return []
    for variable in [key for key, value in os.environ.items() if key.endswith(_SECRET) and not value.strip()]:
        del os.environ[variable]  # exported without a value: no key, though litellm takes it for one
    found = _load_litellm().validate_environment(model)
    missing = [key for key in found.get("missing_keys", ()) if key.endswith(_SECRET)]
    return [] if found.get("keys_in_environment") else missing


def find_unsupported(model: str, parameters: Mapping[str, Any]) -> list[str]:
    """Return the parameters that the provider refuses, by asking litellm to translate each alone; sorted.

    Raises: UsageError for a model without a provider.
    """
    litellm = _load_litellm()
    try:
        bare, provider, _, _ = litellm.get_llm_provider(model)
    except Exception as cause:
        raise UsageError(f"model {model}: expected a provider that litellm knows, got an error ({cause})") from cause
    known = litellm.get_supported_openai_params(bare, provider)
    refused = []
    for name, value in sorted(parameters.items()):
        try:
            litellm.utils.get_optional_params(
                model=bare, custom_llm_provider=provider, drop_params=False, **{name: value}
            )
            if known is not None and name not in known and name != "max_tokens":  # which has two names
                refused.append(name)
        except litellm.UnsupportedParamsError:
            refused.append(name)
    return refused


class LitellmClient:
    """Makes one attempt through litellm."""

    def __init__(
        self,
        model: str,
        address: Mapping[str, str],
        reader: CompletionReader,
        stopped: Callable[[], bool] = lambda: False,
    ):
        """``address``: the base URL and the key, as litellm names them. ``stopped``: True once no call may begin."""
        self._stopped = stopped
        self._litellm: Any = None
        self._first_call = threading.Lock()
        self._warm = False
        self._model, self._reader = model, reader
        self._fixed: dict[str, Any] = {**address, "max_retries": 0, "num_retries": 0, "drop_params": False}

    def ask(self, request: EndpointRequest, timeout_s: float) -> Reply:
        """Return the reply. Raises: AttemptFailed, ContextOverflow; Interrupted."""
        fields: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": m.role, "content": m.content} for m in request.messages],
            request.limit_name: request.max_tokens,
            "stop": list(request.stop) or None,
            "seed": request.seed,
        }
        sent = {name: value for name, value in fields.items() if value is not None} | dict(request.settings)
        # The first call runs alone: in a race litellm would make a client for each thread and keep one of them.
        with self._first_call if not self._warm else nullcontext():
            if self._stopped():
                raise Interrupted
            return self._complete(request, {**sent, **self._fixed, "timeout": timeout_s})

    def _complete(self, request: EndpointRequest, arguments: Mapping[str, Any]) -> Reply:
        self._litellm = self._litellm or _load_litellm()
        try:
            with limit_bodies(LARGEST_BYTES):
                body = self._litellm.completion(**arguments).model_dump()
        except Exception as cause:
            return _interpret_exception(cause)
        finally:
            self._warm = True
        return self._reader.read(body, request)

    def close(self) -> None:
        """Close the connections, which litellm would keep open for an hour."""
        if self._litellm is None:
            return
        clients = self._litellm.in_memory_llm_clients_cache
        for client in list(clients.cache_dict.values()):
            close = getattr(client, "close", None)
            if close is not None and not iscoroutinefunction(close):
                close()
        clients.flush_cache()


def _interpret_exception(cause: Exception) -> Reply:
    """Return the refusal that an exception of litellm stands for. Raises: AttemptFailed, ContextOverflow."""
    names, text = _list_classes(cause), f"{type(cause).__name__}: {cause}"
    if "ContextWindowExceededError" in names:
        return interpret_error(400, f"context window: {text}")
    if "ContentPolicyViolationError" in names:
        return interpret_error(400, f"content policy: {text}")
    if "BodyTooLongError" in names:
        raise AttemptFailed(CallStatus.MALFORMED, f"expected at most {LARGEST_BYTES:,} bytes, got more") from cause
    # litellm reports a broken connection or an unreadable body as a server error: its causes show which it is.
    if not names & _STATUS_ERRORS:
        if names & _TIMEOUTS:
            raise AttemptFailed(CallStatus.TIMEOUT, text) from cause
        if names & _BROKEN_CONNECTIONS:
            raise AttemptFailed(CallStatus.CONNECTION, text) from cause
        if "JSONDecodeError" in names or _UNREADABLE.search(text):
            raise AttemptFailed(CallStatus.MALFORMED, text) from cause
    headers = getattr(getattr(cause, "response", None), "headers", None) or {}
    lowered = {str(name).lower(): str(value) for name, value in dict(headers).items()}
    code = getattr(cause, "status_code", 500)
    return interpret_error(code if isinstance(code, int) else 500, text, parse_retry_after_s(lowered, time.time()))


def _list_classes(cause: BaseException) -> set[str]:
    """Return the names of the classes of an exception and of its causes."""
    found: set[str] = set()
    below: BaseException | None = cause
    while below is not None:
        found |= {kind.__name__ for kind in type(below).__mro__}
        below = below.__cause__ or below.__context__
    return found
