"""The file given by ``--endpoint``: the limits of an endpoint, its parameters, and dated prices.

TOML, every field optional::

    api_key_env = "MY_KEY"          # the variable that holds the key; the key itself never stands in a file
    client = "litellm"              # or "direct": OpenAI's chat completions over HTTP, no library
    thinking_tokens = 4000          # added to max_tokens for a model that thinks before it answers
    [parameters]                    # sent with every call, as they are
    reasoning_effort = "low"
    [roles.summarize]               # what differs for the calls of one role; the run's own settings hold for the rest
    temperature = 0.6
    [limits]
    concurrency = 32
    requests_per_minute = 500
    [prices]                        # US dollars per million tokens
    date = "2026-11-30"
    input = 2.5
    output = 10
    [models."openai/gpt-4.1-mini"]  # the endpoint of another model of the run, with any of the fields above
    base_url = "http://localhost:8000/v1"
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bench.errors import UsageError, nearest, reading, unknown_name
from bench.secrets import find_credentials, find_key, holds_key, is_secret_name, scrub
from bench.types import Role

__all__ = ["Endpoint", "EndpointFields", "ModelEndpoint", "Prices", "Rates", "RoleSettings", "read_endpoint"]

_STRICT = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
_MOST = 10**9


class Rates(BaseModel):
    """The limits of an endpoint. 0 = no such limit."""

    model_config = _STRICT

    concurrency: int = Field(default=64, ge=1, le=10_000)
    """Calls at once; fewer for a while after the endpoint reports an overload."""
    requests_per_minute: int = Field(default=0, ge=0, le=_MOST)
    tokens_per_minute: int = Field(default=0, ge=0, le=_MOST)
    """Of prompts and replies together."""
    retries: int = Field(default=5, ge=0, le=1000)
    """Attempts after the first."""
    timeout_s: float = Field(default=120.0, gt=0, le=_MOST)
    """Wall seconds after which an attempt is given up."""
    backoff_s: float = Field(default=0.5, ge=0, le=_MOST)
    """Seconds before the second attempt; the wait doubles each time and is shortened at random by up to a half."""
    longest_wait_s: float = Field(default=120.0, ge=0, le=_MOST)
    """Seconds. No wait is longer; an endpoint that asks for a longer one is not called again."""


class Prices(BaseModel):
    """US dollars per million tokens. Without a price of cached tokens, the price of input holds for them."""

    model_config = _STRICT

    date: date
    """The day from which, or as of which, these prices hold; it stands in every row of the ledger."""
    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached_read: float | None = Field(default=None, ge=0)
    cache_write: float | None = Field(default=None, ge=0)


class RoleSettings(BaseModel):
    """What differs for the calls of one role. None = as for the other calls."""

    model_config = _STRICT

    temperature: Annotated[float, Field(ge=0)] | Literal["provider"] | None = None
    """At least 0; ``provider`` = not sent: the provider's default."""
    top_p: Annotated[float, Field(gt=0, le=1)] | Literal["provider"] | None = None
    """More than 0, at most 1; ``provider`` = not sent."""
    thinking_tokens: int | None = Field(default=None, ge=0, le=_MOST)
    parameters: dict[str, str | int | float | bool] = Field(default_factory=dict)
    """Sent as they are, in addition to those of all calls."""


class EndpointFields(BaseModel):
    """What is set for one endpoint; the defaults hold where there is no file."""

    model_config = _STRICT

    client: Literal["", "direct", "litellm"] = ""
    """Empty = direct for a base URL that speaks OpenAI's protocol, litellm for everything else."""
    api_key_env: str = Field(default="", pattern=r"^[A-Za-z_][A-Za-z0-9_]*$|^$")
    """The environment variable that holds the key; empty = the provider's usual one."""
    thinking_tokens: int = Field(default=0, ge=0, le=_MOST)
    """Added to every call's max_tokens: a model that thinks first would spend all of them before its answer."""
    parameters: dict[str, str | int | float | bool] = Field(default_factory=dict)
    """Sent with every call, as they are."""
    roles: dict[str, RoleSettings] = Field(default_factory=dict)
    """By role: a standard one (``summarize``), or a strategy's own (``acme/route``)."""
    limits: Rates = Rates()
    prices: Prices | None = None


class ModelEndpoint(EndpointFields):
    """The endpoint of a model that strategies name for some of their roles."""

    base_url: str = Field(default="", pattern=r"^https?://|^$")
    """Its address; empty = the provider's own."""


class Endpoint(EndpointFields):
    """A whole file: the endpoint of the acting model, and those of others."""

    models: dict[str, ModelEndpoint] = Field(default_factory=dict)
    """By the name under which a strategy calls for the model. Nothing of the acting model's endpoint holds for them."""


_ROLES = tuple(role.value for role in Role if role is not Role.EMBED)
_OWN_ROLE = re.compile(r"[\w.-]+/[\w.-]+")
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_LABELS = ("prompt_cache_key",)
"""Parameters that are called a key and are none."""
_RESERVED = ("model", "messages", "stream", "max_tokens", "stop", "seed", "temperature", "top_p", "n")


def read_endpoint(path: Path) -> Endpoint:
    """Read the file. Raises: UsageError, one line, naming the field and what was expected."""
    with reading(f"endpoint {path}", "TOML", "check --endpoint and mend the file"):
        raw = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        place = find_key(raw)
    if place:
        raise _key_error(path, place)
    try:
        found = Endpoint.model_validate(raw)
    except ValidationError as cause:
        raise _describe_error(path, cause) from None
    tables: dict[str, EndpointFields] = {f'models."{name}".': one for name, one in found.models.items()}
    for table, one in {"": found, **tables}.items():
        for role, own in one.roles.items():
            if role not in _ROLES and not _OWN_ROLE.fullmatch(role):
                raise unknown_name(f"endpoint {path}", "a role or strategy/role", role, _ROLES)
            _check_parameters(path, f"{table}roles.{role}.parameters", own.parameters, f"the fields of roles.{role}")
        _check_parameters(path, f"{table}parameters", one.parameters, "the flags of bench run")
        _check_key_name(path, f"{table}api_key_env", one.api_key_env)
    for table, model in tables.items():
        if isinstance(model, ModelEndpoint) and find_credentials(model.base_url):
            raise _key_error(path, f"{table}base_url")
    return found


def _check_parameters(path: Path, table: str, parameters: Mapping[str, object], instead: str) -> None:
    """Raises: UsageError for what a run sets itself, and for keys: parameters stand in the record of the run."""
    for name, value in parameters.items():
        if name in _RESERVED:
            raise UsageError(
                f"endpoint {path}: expected other parameters than {name!r}, which a run sets itself; use {instead}"
            )
        named = is_secret_name(name) and name not in _LABELS
        if isinstance(value, str) and (named or holds_key(value, strict=True)):
            raise _key_error(path, f"{table}.{name}")


def _check_key_name(path: Path, field: str, variable: str) -> None:
    """Raises: UsageError for a name that is a pasted key, or could be one."""
    if holds_key(variable, strict=True) or not (variable in os.environ or _VARIABLE.fullmatch(variable or "_")):
        raise UsageError(
            f"endpoint {path}: expected {field} to name a variable, such as MY_KEY, got something else, which is not "
            "shown; export the key in a variable and write that variable's name there"
        )


def _key_error(path: Path, place: str) -> UsageError:
    return UsageError(
        f"endpoint {path}: expected no key in it, got one at {scrub(place)}; put it into a variable and name that in "
        "api_key_env"
    )


def _describe_error(path: Path, cause: ValidationError) -> UsageError:
    first = cause.errors()[0]
    place, table, known = [str(part) for part in first["loc"]], "", [*Endpoint.model_fields]
    if place[0] == "models" and len(place) > 2:
        table, place, known = f'models."{place[1]}".', place[2:], [*ModelEndpoint.model_fields]
    field = table + ".".join(place[:3])
    if first["type"] != "extra_forbidden":
        # The value is not shown: a user may have pasted a key.
        return UsageError(f"endpoint {path}: expected {field} to be valid; {first['msg']}")
    role = f"roles.{place[1]}" if place[0] == "roles" and len(place) > 1 else "roles.ROLE"
    for name, part in (("limits", Rates), ("prices", Prices), (role, RoleSettings)):
        known += [f"{name}.{inner}" for inner in part.model_fields]
    known = [table + name for name in known]
    close = nearest(field, known)
    hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(known)}"
    return UsageError(f"endpoint {path}: expected a known field, got {field!r}; {hint}")
