"""Any provider's chat model by its litellm name, and any server that speaks OpenAI's protocol by its base URL.

This file wraps litellm, whose own retries, fallbacks, caching, telemetry and prices are off; it is imported when a run
names a model that needs it and not before. A base URL of OpenAI's kind is spoken to directly
(``bench.models.remote.openai``). Known of litellm: for a few providers without usage it counts by itself and does not
say so; a time limit holds between two bytes there, not for the whole reply.
"""

from __future__ import annotations

import json
import logging
import os
import re
import threading
import time
import warnings
from asyncio import iscoroutinefunction
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from bench.errors import UsageError
from bench.models.cache.key import request_hash
from bench.models.litellm_catalog import check_name, litellm_folder
from bench.models.options import ModelOptions
from bench.models.remote.client import AttemptFailed, Client, HttpRequest, failure, retry_after_s
from bench.models.remote.endpoint_config import Endpoint, read_endpoint
from bench.models.remote.openai import OpenAIClient
from bench.models.remote.pricing import Price, dated_price, shipped_price
from bench.models.remote.rate_limit import EndpointSettings, LimitedModel, Limiter
from bench.models.remote.resolve import Target, check_address, is_loopback, target_of
from bench.models.remote.response import CompletionReader, WarnOnce
from bench.models.tokenizers import Tokenizer, best_tokenizer
from bench.protocols import Model
from bench.types import Reply

__all__ = ["LitellmClient", "LitellmSource"]

_SECRET = ("KEY", "TOKEN", "SECRET")
_OWN_LOGIN = ("bedrock", "sagemaker", "vertex_ai")
"""Providers that may find credentials elsewhere than in a key variable (a profile, the machine itself)."""
_KEYLESS = "not-needed"
"""What is sent as the key to a loopback server by a library that insists on one."""
_ANSWERED = {"HTTPStatusError"}
"""Of httpx: the endpoint answered, with a status that is not 200."""
_UNREADABLE = re.compile(r"Invalid response object|Empty or invalid response|invalid json", re.IGNORECASE)
_STOP = "stop"
_FLAGS = {"temperature": "--temperature", "top_p": "--top-p", "seed": "--model-seed"}


class LitellmSource:
    """One endpoint for all trials of a run; safe to use from threads. Everything a user can get wrong is told here.

    Raises: UsageError for an unknown name, a missing key, a parameter the provider does not know, a bad endpoint file.
    """

    remote = True

    def __init__(self, name: str, options: ModelOptions, ours: Iterable[str] = ()):
        """``ours`` are names of models outside litellm, for a hint."""
        self._name, self._options = name, options
        self._notices = WarnOnce()
        endpoint = read_endpoint(options.endpoint) if options.endpoint else Endpoint()
        most = min(endpoint.limits.concurrency, options.concurrency or endpoint.limits.concurrency)
        rates = endpoint.limits.model_copy(update={"concurrency": most})
        check_address(options.base_url)
        target = target_of(name, options.base_url, endpoint)
        self._absent = options.replay_only and litellm_folder() is None
        if not options.base_url and not self._absent and not (endpoint.prices and litellm_folder()):
            check_name(name, ours)
        key = self._key(target)
        asked = {"temperature": options.temperature, "top_p": options.top_p, "seed": options.seed}
        settings: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
        settings |= endpoint.parameters
        omitted = self._left_out(target, settings)
        self._settings = {name: value for name, value in settings.items() if name not in omitted}
        self._seed = self._settings.pop("seed", None)
        self.tokenizer: Tokenizer = best_tokenizer()
        price = self._price(endpoint)
        reader = CompletionReader(name, price, self.tokenizer.count, self._notices)
        client: Client = (
            OpenAIClient(options.base_url, target.model, self._settings, key, reader)
            if target.direct
            else LitellmClient(target.model, {**self._settings, **_address(options.base_url, key)}, reader, omitted)
        )
        self._thinking = endpoint.thinking_tokens
        self._asking = EndpointSettings(
            name, client, Limiter(rates), rates, self.tokenizer.count, request_hash,
            endpoint.thinking_tokens, target.key_name or "the provider's variable",
        )  # fmt: skip

    @property
    def name(self) -> str:
        return self._name

    @property
    def identity(self) -> str:
        """What is sent with every call: model, address, parameters, as JSON. A parameter left out is not here."""
        sent = {"model": self._name, "base_url": self._options.base_url, **self._settings}
        if self._seed is not None:
            sent["seed"] = self._seed
        if self._thinking:
            sent["thinking_tokens"] = self._thinking
        return json.dumps(sent, sort_keys=True, ensure_ascii=False)

    def model(self, seed: int) -> Model:
        return LimitedModel(self._asking, None if self._seed is None else self._seed + seed)

    def close(self) -> None:
        self._asking.client.close()

    def _key(self, target: Target) -> str:
        """Return the key that we hand over ourselves; empty where litellm finds it.

        Raises: UsageError if it is missing.
        """
        if target.key_name:
            key = os.environ.get(target.key_name, "")
            if not key and target.needs_key and not self._options.replay_only:
                raise _no_key(self._name, [target.key_name])
            return key or ("" if target.direct else _KEYLESS)
        if is_loopback(self._options.base_url):
            return _KEYLESS
        if not self._options.replay_only:
            _check_keys(self._name, target.model)
        return ""

    def _left_out(self, target: Target, settings: Mapping[str, Any]) -> frozenset[str]:
        """Return what the provider does not know and is therefore not sent.

        Raises: UsageError for such a parameter, unless the user lets it be left out.
        """
        if target.direct or self._absent:
            return frozenset()
        unknown = _unsupported(target.model, {"max_tokens": 1, "stop": ["\n"], **settings})
        if _STOP in unknown:
            self._notices.say(f"model {self._name}: the provider knows no stop words; replies are cut here instead")
        refused = [name for name in unknown if name != _STOP]
        if refused and not self._options.allow_unsupported:
            names = ", ".join(f"{name} ({_FLAGS.get(name, 'in the endpoint file')})" for name in refused)
            raise UsageError(
                f"model {self._name}: expected parameters that the provider knows, got {names}; "
                "drop it or pass --allow-unsupported"
            )
        if refused:
            self._notices.say(f"model {self._name}: left out {', '.join(refused)}: the provider does not know it")
        return frozenset(unknown)

    def _price(self, endpoint: Endpoint) -> Price | None:
        if endpoint.prices is not None:
            return dated_price(endpoint.prices)
        # Behind a base URL of one's own nobody knows who bills what.
        price = None if self._options.base_url else shipped_price(self._name)
        if price is None and not self._options.replay_only:
            self._notices.say(f"model {self._name}: price unknown, so its cost is null; give prices with --endpoint")
        return price


def _no_key(name: str, variables: Iterable[str]) -> UsageError:
    return UsageError(f"model {name}: expected a key in {' or '.join(variables)}, got none; export it")


def _load() -> Any:
    """Import litellm, quiet and alone: no price list from the network, no .env file, no logging, no retries."""
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
    # A usage of the wrong type is judged by us; nobody needs a warning about it on stderr.
    warnings.filterwarnings("ignore", message="Pydantic serializer warnings")
    return litellm


def _check_keys(name: str, model: str) -> None:
    """Raises: UsageError naming the variables, where litellm misses one that the provider cannot do without."""
    if model.partition("/")[0] in _OWN_LOGIN:
        return
    for variable in [key for key, value in os.environ.items() if key.endswith(_SECRET) and not value.strip()]:
        del os.environ[variable]  # exported without a value: no key, though litellm takes it for one
    found = _load().validate_environment(model)
    missing = [key for key in found.get("missing_keys", ()) if key.endswith(_SECRET)]
    if missing and not found.get("keys_in_environment"):
        raise _no_key(name, missing)


def _unsupported(model: str, given: Mapping[str, Any]) -> list[str]:
    """Return the parameters that the provider refuses, by asking litellm to translate each alone."""
    litellm = _load()
    try:
        bare, provider, _, _ = litellm.get_llm_provider(model)
    except Exception as cause:
        raise UsageError(f"model {model}: expected a provider that litellm knows, got an error ({cause})") from cause
    known = litellm.get_supported_openai_params(bare, provider)
    refused = []
    for name, value in sorted(given.items()):
        try:
            litellm.utils.get_optional_params(
                model=bare, custom_llm_provider=provider, drop_params=False, **{name: value}
            )
            if known is not None and name not in known and name != "max_tokens":  # which has two names
                refused.append(name)
        except litellm.UnsupportedParamsError:
            refused.append(name)
    return refused


def _address(base_url: str, key: str) -> dict[str, str]:
    given = {"api_base": base_url, "api_key": key}
    return {name: value for name, value in given.items() if value}


class LitellmClient:
    """Asks once through litellm. What is ``omitted`` is not sent; stop words then cut the reply here."""

    def __init__(self, model: str, settings: Mapping[str, Any], reader: CompletionReader, omitted: frozenset[str]):
        """``settings`` go into every call as they are, address and key included."""
        self._litellm: Any = None
        self._first = threading.Lock()
        self._warm = False
        self._model, self._reader, self._omitted = model, reader, omitted
        self._fixed: dict[str, Any] = {**settings, "max_retries": 0, "num_retries": 0, "drop_params": False}

    def ask(self, request: HttpRequest, timeout_s: float) -> Reply:
        """Return the reply. Raises: AttemptFailed, ContextOverflow."""
        sent: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": m.role, "content": m.content} for m in request.messages],
            "max_tokens": request.max_tokens,
            "stop": list(request.stop) or None,
            "seed": request.seed,
        }
        given = {name: value for name, value in sent.items() if value is not None and name not in self._omitted}
        # The first call goes alone: in a race litellm would make a client for each thread and keep one of them.
        with self._first if not self._warm else nullcontext():
            reply = self._ask(request, {**given, **self._fixed, "timeout": timeout_s})
        return reply if _STOP not in self._omitted else replace(reply, text=_cut(reply.text, request.stop))

    def _ask(self, request: HttpRequest, given: Mapping[str, Any]) -> Reply:
        self._litellm = self._litellm or _load()
        try:
            body = self._litellm.completion(**given).model_dump()
        except Exception as cause:
            return _failed(cause)
        finally:
            self._warm = True
        return self._reader.reply(body, request)

    def close(self) -> None:
        """Close the connections, which litellm would keep open for an hour."""
        if self._litellm is None:
            return
        kept = self._litellm.in_memory_llm_clients_cache
        for client in list(kept.cache_dict.values()):
            close = getattr(client, "close", None)
            if close is not None and not iscoroutinefunction(close):
                close()
        kept.flush_cache()


def _cut(text: str, stop: Sequence[str]) -> str:
    """Return a text up to the first of the stop words in it."""
    return text[: min((at for word in stop if (at := text.find(word)) >= 0), default=len(text))]


def _failed(cause: Exception) -> Reply:
    """Return the refusal that an exception of litellm stands for. Raises: AttemptFailed, ContextOverflow."""
    names, text = _kinds(cause), f"{type(cause).__name__}: {cause}"
    if "ContextWindowExceededError" in names:
        return failure(400, f"context window: {text}")
    if "ContentPolicyViolationError" in names:
        return failure(400, f"content policy: {text}")
    # litellm reports a broken connection or an unreadable body as a server error: what lies below tells them apart.
    if not names & _ANSWERED:
        if names & {"Timeout", "APITimeoutError", "ReadTimeout", "ConnectTimeout"}:
            raise AttemptFailed("timeout", text) from cause
        if names & {"APIConnectionError", "ConnectError", "ReadError", "RemoteProtocolError"}:
            raise AttemptFailed("connection", text) from cause
        if "JSONDecodeError" in names or _UNREADABLE.search(text):
            raise AttemptFailed("malformed", text) from cause
    headers = getattr(getattr(cause, "response", None), "headers", None) or {}
    known = {str(name).lower(): str(value) for name, value in dict(headers).items()}
    code = getattr(cause, "status_code", 500)
    return failure(code if isinstance(code, int) else 500, text, retry_after_s(known, time.time()))


def _kinds(cause: BaseException) -> set[str]:
    """Return the names of the classes of an exception and of those it came from."""
    found: set[str] = set()
    below: BaseException | None = cause
    while below is not None:
        found |= {kind.__name__ for kind in type(below).__mro__}
        below = below.__cause__ or below.__context__
    return found
