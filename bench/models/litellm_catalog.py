"""The lists that litellm ships: providers, models, what their tokens cost. Read from its files, without importing it.

Importing litellm takes seconds and its lists take milliseconds; a wrong name should be an error at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.errors import UsageError, nearest, unknown_name

__all__ = ["Facts", "check_name", "find_entry", "list_providers", "litellm_folder", "litellm_version"]

_MODELS = "model_prices_and_context_window_backup.json"
_PROVIDERS = "provider_endpoints_support_backup.json"
_CHAT = ("chat", "completion", "responses")
_COMPLETE = ("anthropic", "cohere", "deepseek", "gemini", "mistral", "openai", "xai")
"""Providers whose own models the list holds in full; the others serve whatever a user has deployed there."""
Facts = Mapping[str, Any]


@cache
def litellm_folder() -> Path | None:
    """Return where litellm is installed, None if it is not."""
    spec = find_spec("litellm")
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) if places else None


def litellm_version() -> str:
    """Return the installed version, ``absent`` if there is none."""
    try:
        return version("litellm")
    except PackageNotFoundError:
        return "absent"


@cache
def _read_file(name: str) -> Facts:
    folder = litellm_folder()
    if folder is None or not (folder / name).exists():
        return {}
    loaded: Facts = json.loads((folder / name).read_text(encoding="utf-8"))
    return loaded


def list_providers() -> set[str]:
    """Return the names that may stand before the first slash of a model's name."""
    listed = set(_read_file(_PROVIDERS).get("providers", ()))
    return listed | {str(facts.get("litellm_provider", "")).partition("-")[0] for facts in _read_file(_MODELS).values()}


def find_entry(name: str) -> Facts | None:
    """Return the entry of a model, by its full name or by its provider's own; None if there is none."""
    models: Mapping[str, Facts] = _read_file(_MODELS)
    if name in models:
        return models[name]
    provider, _, rest = name.partition("/")
    facts = models.get(rest)
    # vertex_ai's and bedrock's entries stand under vertex_ai-anthropic_models, bedrock_converse and the like.
    return facts if facts and str(facts.get("litellm_provider", "")).startswith(provider) else None


def _list_spellings(near: str) -> list[str]:
    """Return every chat model as a user should write it, with its provider; only that provider's if ``near`` is one."""
    spelled = []
    for name, facts in _read_file(_MODELS).items():
        provider = str(facts.get("litellm_provider", "")).partition("-")[0]
        if facts.get("mode") in _CHAT:
            spelled.append(name if "/" in name else f"{provider}/{name}")
    return [name for name in spelled if name.startswith(f"{near}/")] or spelled


def check_name(name: str, ours: Iterable[str] = ()) -> None:
    """Check that a provider serves a model. A provider that serves any model is not checked further.

    Raises: UsageError with the nearest names, ``ours`` first; or naming the extra if litellm is not installed.
    """
    ours = sorted(ours)
    if litellm_folder() is None:
        if "/" not in name or nearest(name, ours):
            raise unknown_name("model", "a model", name, ours)
        raise UsageError(
            f"model {name}: expected the extra 'litellm', got no package litellm; pip install 'memfrontier[litellm]', "
            "or give --base-url for a server that speaks OpenAI's protocol"
        )
    if find_entry(name) is not None:
        return
    provider, slash, rest = name.partition("/")
    if slash and provider in list_providers() and (provider not in _COMPLETE or rest.startswith("ft:")):
        return
    close = nearest(name, ours) or nearest(name, _list_spellings(provider))
    hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(ours)} and <provider>/<model>"
    if slash and provider in _COMPLETE:
        hint += f" If it is newer than litellm {litellm_version()}, give its prices with --endpoint."
    raise UsageError(f"model: expected a model, got {name!r}; {hint}")
