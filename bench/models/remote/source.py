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
from bench.models.remote.client import Client, RoleRequest
from bench.models.remote.endpoint_config import Endpoint, EndpointFields, RoleSettings, read_endpoint
from bench.models.remote.limiter import Limiter
from bench.models.remote.litellm import LitellmClient, find_missing_keys, find_unsupported
from bench.models.remote.openai import OpenAIClient
from bench.models.remote.pricing import Price, find_shipped_price, to_price
from bench.models.remote.rate_limit import EndpointSettings, LimitedModel
from bench.models.remote.request_changes import LIMIT, STOP, AdaptingClient
from bench.models.remote.resolve import Target, check_address, is_loopback, resolve_target
from bench.models.remote.response import CompletionReader, WarnOnce
from bench.models.tokenizers import choose_tokenizer
from bench.protocols import Model

__all__ = ["RemoteSource"]

_PLACEHOLDER_KEY = "not-needed"
"""Sent as the key to a loopback server by a library that requires one."""
_TEMPERATURE = "temperature"
_PROVIDER = "provider"
"""The value of a role's setting that is not sent, so that the provider's default holds."""
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
        endpoint = _read_settings(options)
        check_address(name, options.base_url)
        target = resolve_target(name, options.base_url, endpoint)
        self._litellm_missing = options.replay_only and litellm_folder() is None
        if not options.base_url and not self._litellm_missing and not (endpoint.prices and litellm_folder()):
            check_name(name, known)
        key = self._read_key(target)
        self._thinking_tokens, self._roles = endpoint.thinking_tokens, endpoint.roles
        settings = _list_settings(options, endpoint)
        omitted = self._find_omitted(target, settings)
        kept = {_TEMPERATURE} if settings.get(_TEMPERATURE) == 0 else set()  # asked for, whether it is taken or not
        self._settings = {name: value for name, value in settings.items() if name not in omitted - kept}
        self._seed = self._settings.pop("seed", None)
        self._price = self._find_price(endpoint)
        reader = CompletionReader(name, self._price, self.tokenizer.count, self._warnings)
        client = self._build_client(target, key, reader)
        self._client = AdaptingClient(name, client, self._warnings, omitted)
        self._endpoint = self._build_endpoint(endpoint, target)

    def _build_client(self, target: Target, key: str, reader: CompletionReader) -> Client:
        base_url = self._options.base_url
        if target.direct:
            return OpenAIClient(base_url, target.model, key, reader)
        address = {name: value for name, value in (("api_base", base_url), ("api_key", key)) if value}
        return LitellmClient(target.model, address, reader, lambda: self._endpoint.limiter.stopped)

    def _build_endpoint(self, endpoint: EndpointFields, target: Target) -> EndpointSettings:
        concurrency = min(endpoint.limits.concurrency, self._options.concurrency or endpoint.limits.concurrency)
        rates = endpoint.limits.model_copy(update={"concurrency": concurrency})
        return EndpointSettings(
            self._name, self._client, Limiter(rates), rates, self.tokenizer.count, hash_request,
            endpoint.thinking_tokens, target.key_name or "the provider's variable", parameters=self._settings,
            roles={role: self._merge_role(own) for role, own in endpoint.roles.items()},
            cost_usd=self._price.cost_usd if self._price else lambda _usage: None,
        )  # fmt: skip

    def _merge_role(self, own: RoleSettings) -> RoleRequest:
        merged = {**self._settings, **_list_role_settings(own)}
        sent = {name: value for name, value in merged.items() if value != _PROVIDER}
        return RoleRequest(sent, self._thinking_tokens if own.thinking_tokens is None else own.thinking_tokens)

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
        if self._roles:
            sent["roles"] = {role: own.model_dump(exclude_defaults=True) for role, own in self._roles.items()}
        return json.dumps(sent, sort_keys=True, ensure_ascii=False)

    @property
    def price_known(self) -> bool:
        """True if calls have a price (``HasPrice``)."""
        return self._price is not None

    @property
    def request_changes(self) -> tuple[str, ...]:
        """What the endpoint does not take as it is asked for, and what is sent instead."""
        return self._client.changes

    def model(self, seed: int) -> Model:
        return LimitedModel(self._endpoint, None if self._seed is None else self._seed + seed)

    def stop(self) -> None:
        """End every wait with Interrupted; no call begins from now on."""
        self._endpoint.limiter.stop()

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
        asked = [{LIMIT: 1, STOP: ["\n"], **settings}, *map(_list_role_settings, self._roles.values())]
        asked = [{name: value for name, value in one.items() if value != _PROVIDER} for one in asked]
        unknown = {name for one in asked for name in find_unsupported(target.model, one)}
        if STOP in unknown:
            self._warnings.warn(f"model {self._name}: the provider knows no stop words; replies are cut here instead")
        refused = sorted(unknown - {STOP})
        if _TEMPERATURE in refused and not any(one.get(_TEMPERATURE) for one in asked):
            refused.remove(_TEMPERATURE)  # 0 is what a run asks of every model that takes it
            self._warnings.warn(f"model {self._name}: the provider takes no temperature of 0; none is sent")
        if refused and not self._options.allow_unsupported:
            names = ", ".join(f"{name} ({_FLAGS.get(name, 'in the endpoint file')})" for name in refused)
            raise UsageError(
                f"model {self._name}: expected parameters that the provider knows, got {names}; "
                "drop it or pass --allow-unsupported"
            )
        if refused:
            self._warnings.warn(f"model {self._name}: left out {', '.join(refused)}: the provider does not know it")
        return frozenset(unknown)

    def _find_price(self, endpoint: EndpointFields) -> Price | None:
        if endpoint.prices is not None:
            return to_price(endpoint.prices)
        # The catalog's price is the provider's own; at another address it need not hold.
        price = None if self._options.base_url else find_shipped_price(self._name)
        if price is None and not self._options.replay_only:
            where = f'[models."{self._options.table}"] of ' if self._options.table else ""
            self._warnings.warn(
                f"model {self._name}: price unknown, so its cost is null; give prices in {where}the file of --endpoint"
            )
        return price


def _read_settings(options: ModelOptions) -> EndpointFields:
    file = read_endpoint(options.endpoint) if options.endpoint else Endpoint()
    return file.models.get(options.table, Endpoint()) if options.table else file


def _list_settings(options: ModelOptions, endpoint: EndpointFields) -> dict[str, Any]:
    """Return the parameters that a run and the endpoint file ask for."""
    sampling = {"temperature": options.temperature, "top_p": options.top_p, "seed": options.seed}
    return {**{name: value for name, value in sampling.items() if value is not None}, **endpoint.parameters}


def _list_role_settings(own: RoleSettings) -> dict[str, Any]:
    sampling = {"temperature": own.temperature, "top_p": own.top_p}
    return {**{name: value for name, value in sampling.items() if value is not None}, **own.parameters}


def _missing_key_error(name: str, variables: Iterable[str]) -> UsageError:
    return UsageError(f"model {name}: expected a key in {' or '.join(variables)}, got none; export it")
