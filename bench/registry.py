"""Names to things: which suites, strategies, models and embedders exist, built in or installed as plug-ins.

A built-in is a string ``module:NAME``, imported when asked for; a plug-in is an entry point of the groups
``memfrontier.strategies``, ``memfrontier.suites`` and ``memfrontier.offline_rules``. A name may carry parameters:
``window:k=5``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from bench.errors import UsageError, unknown_name
from bench.models.options import ModelOptions
from bench.models.ready import ReadySource
from bench.protocols import Embedder, Model, ModelSource, OfflineRule, Params, Strategy, SuiteSpec

__all__ = [
    "ResolvedStrategy",
    "ResolvedSuite",
    "embedder_names",
    "load_embedder",
    "load_source",
    "load_strategy",
    "load_suite",
    "model_names",
    "offline_rules",
    "resolve_strategy",
    "resolve_suite",
    "split_names",
    "strategy_names",
    "suite_names",
]

_SUITES = {
    "alfworld": "adapters.alfworld.suite:SUITE",
    "hiagent-five": "adapters.hiagent_five.suite:SUITE",
    "jericho": "adapters.jericho.suite:SUITE",
    "locomo": "adapters.locomo.suite:SUITE",
    "longmemeval": "adapters.longmemeval.suite:SUITE",
    "pddl": "adapters.pddl.suite:SUITE",
    "toy": "adapters.toy.suite:SUITE",
    "toy-talk": "adapters.toy.conversation:SUITE",
}
_STRATEGIES = {
    "a-mem": "baselines.a_mem.strategy:STRATEGY",
    "acon-untrained": "baselines.acon.strategy:STRATEGY",
    "always-refuse": "baselines.always_refuse:STRATEGY",
    "bm25": "baselines.bm25:STRATEGY",
    "embedding": "baselines.embedding:STRATEGY",
    "files-grep": "baselines.files_grep.strategy:STRATEGY",
    "fold": "baselines.fold.strategy:STRATEGY",
    "full-history": "baselines.full_history:STRATEGY",
    "generic-agent": "baselines.generic_agent.trial.strategy:STRATEGY",
    "generic-agent-dialogue": "baselines.generic_agent.dialogue.strategy:STRATEGY",
    "hiagent": "baselines.hiagent.strategy:STRATEGY",
    "hybrid": "baselines.hybrid:STRATEGY",
    "mem0": "baselines.mem0.strategy:STRATEGY",
    "mem0-package": "baselines.mem0_package.strategy:STRATEGY",
    "no-memory": "baselines.no_memory:STRATEGY",
    "oracle-evidence": "baselines.oracle_evidence:STRATEGY",
    "resum": "baselines.resum.strategy:STRATEGY",
    "summary": "baselines.summary.strategy:STRATEGY",
    "truncation": "baselines.truncation:STRATEGY",
    "window": "baselines.window:STRATEGY",
}
_RULES = {
    "a-mem": "baselines.a_mem.offline:RULES",
    "acon": "baselines.acon.offline:RULES",
    "alfworld": "adapters.alfworld.offline.rules:RULES",
    "files-grep": "baselines.files_grep.offline:RULES",
    "generic-agent": "baselines.generic_agent.trial.offline:RULES",
    "hiagent": "baselines.hiagent.offline:RULES",
    "fold": "baselines.fold.offline:RULES",
    "jericho": "adapters.jericho.offline.rules:RULES",
    "judge": "bench.models.offline.judging:RULES",
    "locomo": "adapters.locomo.offline.rules:RULES",
    "longmemeval": "adapters.longmemeval.offline.rules:RULES",
    "mem0": "baselines.mem0.offline:RULES",
    "mem0-package": "baselines.mem0_package.offline:RULES",
    "pddl": "adapters.pddl.offline.rules:RULES",
    "resum": "baselines.resum.offline:RULES",
    "summary": "baselines.summary.offline:RULES",
    "toy": "adapters.toy.offline.rules:RULES",
}
_EMBEDDERS = {
    "hash": "bench.embedders.hash:HashEmbedder",
    "minilm": "bench.embedders.minilm:MiniLMEmbedder",
}
_LITELLM_EMBEDDER = "bench.embedders.litellm:LitellmEmbedder"
_READER = "bench.models.offline.reader:OfflineReader"
_LOCAL = "bench.models.local.source:LocalSource"
_LITELLM = "bench.models.remote.source:RemoteSource"
_LOCAL_PREFIX = "local/"
OFFLINE_READER = "offline/reader"
_OFFLINE_PREFIX = "offline/"


@dataclass(frozen=True)
class ResolvedStrategy:
    """One row of a table to be: a strategy with its parameters; ``label`` is how the user wrote it."""

    label: str
    strategy: Strategy
    params: Params


@dataclass(frozen=True)
class ResolvedSuite:
    """One suite with its parameters."""

    label: str
    spec: SuiteSpec
    params: Params


def split_names(text: str) -> list[str]:
    """Split a comma list of names with parameters: a piece with ``=`` and no ``:`` belongs to the name before it.

    ``window:k=5,bm25,hiagent:summary=last,retrieve=off`` is three names.
    """
    names: list[str] = []
    for piece in (part.strip() for part in text.split(",")):
        if not piece:
            continue
        if names and "=" in piece and ":" not in piece:
            names[-1] += f",{piece}"
        else:
            names.append(piece)
    return names


@dataclass(frozen=True, slots=True)
class _Name:
    base: str
    params: Mapping[str, str]


def _parse(text: str, what: str) -> _Name:
    base, _, rest = text.partition(":")
    params: dict[str, str] = {}
    for piece in filter(None, rest.split(",")):
        name, equals, value = piece.partition("=")
        if not equals or not value:
            raise UsageError(f"{what} {text!r}: expected name:key=value,key=value, got {piece!r}; write key=value")
        params[name.strip()] = value.strip()
    return _Name(base.strip(), params)


def _load(target: str) -> Any:
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)


@cache
def _plugins(group: str) -> Mapping[str, str]:
    return {point.name: point.value for point in entry_points(group=group)}


def _known(builtin: Mapping[str, str], group: str) -> dict[str, str]:
    # A plug-in cannot take the place of a built-in: a published row's name always means the same code.
    return {**_plugins(group), **builtin}


def strategy_names() -> list[str]:
    return sorted(_known(_STRATEGIES, "memfrontier.strategies"))


def suite_names() -> list[str]:
    return sorted(_known(_SUITES, "memfrontier.suites"))


def model_names() -> list[str]:
    """Return the models that are known by name; any ``<provider>/<model>`` of litellm is one too."""
    return [OFFLINE_READER, f"{_LOCAL_PREFIX}smollm2-135m"]


def embedder_names() -> list[str]:
    return sorted(_EMBEDDERS)


def load_strategy(name: str) -> Strategy:
    """Return a strategy by its bare name. Raises: UsageError with the nearest names."""
    known = _known(_STRATEGIES, "memfrontier.strategies")
    if name not in known:
        raise unknown_name("strategy", "a strategy", name, known)
    strategy: Strategy = _load(known[name])
    return strategy


def load_suite(name: str) -> SuiteSpec:
    """Return a suite by its bare name. Raises: UsageError with the nearest names."""
    known = _known(_SUITES, "memfrontier.suites")
    if name not in known:
        raise unknown_name("suite", "a suite", name, known)
    spec: SuiteSpec = _load(known[name])
    return spec


def resolve_strategy(text: str) -> ResolvedStrategy:
    """Return the row that ``text`` names. Raises: UsageError for an unknown name or parameter."""
    name = _parse(text, "strategy")
    strategy = load_strategy(name.base)
    params = Params(strategy.params, name.params, who=f"strategy {name.base}")
    return ResolvedStrategy(_label(name.base, params), strategy, params)


def resolve_suite(text: str) -> ResolvedSuite:
    """Return the suite that ``text`` names. Raises: UsageError for an unknown name or parameter."""
    name = _parse(text, "suite")
    spec = load_suite(name.base)
    params = Params(spec.params, name.params, who=f"suite {name.base}")
    return ResolvedSuite(_label(name.base, params), spec, params)


def _label(base: str, params: Params) -> str:
    return f"{base}:{params.label}" if params.label else base


def offline_rules() -> tuple[OfflineRule, ...]:
    """Return every rule of the offline model, adapters' in the order of their names, then plug-ins'."""
    known = _known(_RULES, "memfrontier.offline_rules")
    return tuple(rule for name in sorted(known) for rule in _rules(known[name]))


def _rules(target: str) -> Iterable[OfflineRule]:
    rules: Iterable[OfflineRule] = _load(target)
    return rules


def load_source(name: str, options: ModelOptions = ModelOptions()) -> ModelSource:
    """Return where models of a name come from. Raises: UsageError with the nearest names, or for a missing key."""
    if name == OFFLINE_READER:
        model: Model = _load(_READER)(offline_rules())
        return ReadySource(model)
    if name.startswith(_LOCAL_PREFIX):
        local: ModelSource = _load(_LOCAL)(name.removeprefix(_LOCAL_PREFIX), options)
        return local
    # ``offline/`` is no provider's: a slip of the pen there must not become a call for a key.
    if name.startswith(_OFFLINE_PREFIX) and not options.base_url:
        raise unknown_name("model", "a model", name, model_names())
    distant: ModelSource = _load(_LITELLM)(name, options, model_names())
    return distant


def load_embedder(name: str) -> Embedder:
    """Return a fresh embedder; ``litellm/<name>`` is any provider's. Raises: UsageError with the nearest names."""
    if name.startswith("litellm/"):
        embedder: Embedder = _load(_LITELLM_EMBEDDER)(name.removeprefix("litellm/"))
    elif name in _EMBEDDERS:
        embedder = _load(_EMBEDDERS[name])()
    else:
        raise unknown_name("embedder", "an embedder", name, [*_EMBEDDERS, "litellm/<model>"])
    return embedder
