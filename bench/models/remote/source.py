"""The source of remote models: any provider's by its litellm name, any OpenAI-compatible server by its base URL.

Two clients do the calls: ``openai.py`` speaks to a base URL of OpenAI's kind, ``litellm.py`` to everything else. Every
mistake of a user (an unknown name, a missing key, a parameter that the provider refuses) is found here, before a call.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from bench.errors import UsageError
from bench.models.cache.key import hash_request
from bench.models.litellm_catalog import check_name, litellm_folder
from bench.models.options import ModelOptions
from bench.models.remote.client import Client
from bench.models.remote.endpoint_config import Endpoint, read_endpoint
from bench.models.remote.litellm import STOP, LitellmClient, find_missing_keys, find_unsupported
from bench.models.remote.openai import OpenAIClient
from bench.models.remote.pricing import Price, find_shipped_price, to_price
from bench.models.remote.rate_limit import EndpointSettings, LimitedModel, Limiter
from bench.models.remote.resolve import Target, check_address, is_loopback, resolve_target
from bench.models.remote.response import CompletionReader, WarnOnce
from bench.models.tokenizers import choose_tokenizer
from bench.protocols import Model

__all__ = ["RemoteSource"]

_PLACEHOLDER_KEY = "not-needed"
"""Sent as the key to a loopback server by a library that requires one."""
_FLAGS = {"temperature": "--temperature", "top_p": "--top-p", "seed": "--model-seed"}


class RemoteSource:
    """One endpoint for all trials of a run; safe to use from threads.

    Raises: UsageError for an unknown name, a missing key, a parameter the provider does not know, a bad endpoint file.
    """

    remote = True
    workers = 0

    def __init__(self, name: str, options: ModelOptions, known: Iterable[str] = ()):
        """``known``: names of models outside litellm, for the hint of an error."""
        self._name, self._options = name, options
        self._warnings = WarnOnce()
        self.tokenizer = choose_tokenizer()
        endpoint = read_endpoint(options.endpoint) if options.endpoint else Endpoint()
        check_address(options.base_url)
        target = resolve_target(name, options.base_url, endpoint)
        self._litellm_missing = options.replay_only and litellm_folder() is None
        if not options.base_url and not self._litellm_missing and not (endpoint.prices and litellm_folder()):
            check_name(name, known)
        key = self._read_key(target)
        self._thinking_tokens = endpoint.thinking_tokens
        settings = _list_settings(options, endpoint)
        omitted = self._find_omitted(target, settings)
        self._settings = {name: value for name, value in settings.items() if name not in omitted}
        self._seed = self._settings.pop("seed", None)
        reader = CompletionReader(name, self._find_price(endpoint), self.tokenizer.count, self._warnings)
        self._endpoint = self._build_endpoint(endpoint, target, self._build_client(target, key, reader, omitted))

    def _build_client(self, target: Target, key: str, reader: CompletionReader, omitted: frozenset[str]) -> Client:
        base_url = self._options.base_url
        if target.direct:
            return OpenAIClient(base_url, target.model, self._settings, key, reader)
        address = {name: value for name, value in (("api_base", base_url), ("api_key", key)) if value}
        return LitellmClient(target.model, {**self._settings, **address}, reader, omitted)

    def _build_endpoint(self, endpoint: Endpoint, target: Target, client: Client) -> EndpointSettings:
        concurrency = min(endpoint.limits.concurrency, self._options.concurrency or endpoint.limits.concurrency)
        rates = endpoint.limits.model_copy(update={"concurrency": concurrency})
        return EndpointSettings(
            self._name, client, Limiter(rates), rates, self.tokenizer.count, hash_request,
            endpoint.thinking_tokens, target.key_name or "the provider's variable",
        )  # fmt: skip

    @property
    def name(self) -> str:
        return self._name

    @property
    def identity(self) -> str:
        """What is sent with every call: model, address, parameters, as JSON. An omitted parameter is not here."""
        sent = {"model": self._name, "base_url": self._options.base_url, **self._settings}
        if self._seed is not None:
            sent["seed"] = self._seed
        if self._thinking_tokens:
            sent["thinking_tokens"] = self._thinking_tokens
        return json.dumps(sent, sort_keys=True, ensure_ascii=False)

    def model(self, seed: int) -> Model:
        return LimitedModel(self._endpoint, None if self._seed is None else self._seed + seed)

    def close(self) -> None:
        self._endpoint.client.close()

    def _read_key(self, target: Target) -> str:
        """Return the key to hand over; empty where litellm finds it.

        Raises: UsageError if it is missing.
        """
        if target.key_name:
            key = os.environ.get(target.key_name, "")
            if not key and target.needs_key and not self._options.replay_only:
                raise _missing_key_error(self._name, [target.key_name])
            return key or ("" if target.direct else _PLACEHOLDER_KEY)
        if is_loopback(self._options.base_url):
            return _PLACEHOLDER_KEY
        if not self._options.replay_only and (missing := find_missing_keys(target.model)):
            raise _missing_key_error(self._name, missing)
        return ""

    def _find_omitted(self, target: Target, settings: Mapping[str, Any]) -> frozenset[str]:
        """Return the parameters that the provider does not know, which are not sent.

        Raises: UsageError for such a parameter, unless the user allows to omit it.
        """
        if target.direct or self._litellm_missing:
            return frozenset()
        unknown = find_unsupported(target.model, {"max_tokens": 1, STOP: ["\n"], **settings})
        if STOP in unknown:
            self._warnings.warn(f"model {self._name}: the provider knows no stop words; replies are cut here instead")
        refused = [name for name in unknown if name != STOP]
        if refused and not self._options.allow_unsupported:
            names = ", ".join(f"{name} ({_FLAGS.get(name, 'in the endpoint file')})" for name in refused)
            raise UsageError(
                f"model {self._name}: expected parameters that the provider knows, got {names}; "
                "drop it or pass --allow-unsupported"
            )
        if refused:
            self._warnings.warn(f"model {self._name}: left out {', '.join(refused)}: the provider does not know it")
        return frozenset(unknown)

    def _find_price(self, endpoint: Endpoint) -> Price | None:
        if endpoint.prices is not None:
            return to_price(endpoint.prices)
        # The catalog's price is the provider's own; at another address it need not hold.
        price = None if self._options.base_url else find_shipped_price(self._name)
        if price is None and not self._options.replay_only:
            self._warnings.warn(f"model {self._name}: price unknown, so its cost is null; give prices with --endpoint")
        return price


def _list_settings(options: ModelOptions, endpoint: Endpoint) -> dict[str, Any]:
    """Return the parameters that a run and the endpoint file ask for."""
    sampling = {"temperature": options.temperature, "top_p": options.top_p, "seed": options.seed}
    return {**{name: value for name, value in sampling.items() if value is not None}, **endpoint.parameters}


def _missing_key_error(name: str, variables: Iterable[str]) -> UsageError:
    return UsageError(f"model {name}: expected a key in {' or '.join(variables)}, got none; export it")
