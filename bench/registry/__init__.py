"""Names to things: which suites, strategies, models and embedders exist, built in or installed as plug-ins.

A built-in is a string ``module:NAME``, imported when it is first needed; a plug-in is an entry point of a group:

* ``memfrontier.strategies``: a ``Strategy``
* ``memfrontier.suites``: a ``SuiteSpec``
* ``memfrontier.models``: a function ``(name, options) -> ModelSource``
* ``memfrontier.embedders``: a class or function without arguments that makes an ``Embedder``
* ``memfrontier.offline_rules``: a sequence of ``OfflineRule``, the offline model's replies to a strategy's own calls

One that cannot be used is an error where it is asked for, and left out elsewhere; ``KINDS`` tell which and why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any

from bench.embedders.choice import AUTO, resolve_embedder
from bench.errors import UsageError, unknown_name
from bench.models.options import OFFLINE_NOVICE, OFFLINE_READER, ModelOptions, is_offline
from bench.models.ready import ReadySource
from bench.plugins import Plugin, PluginKind, find_plugins
from bench.plugins import import_target as _load
from bench.protocols import Embedder, ModelSource, OfflineDialect, OfflineRule, Params, Strategy, SuiteSpec
from bench.protocols.params import parse_name, split_names
from bench.registry.builtin import (
    COUNT,
    EMBEDDERS,
    LESSONS,
    LITELLM,
    LITELLM_PREFIX,
    LOCAL,
    LOCAL_MODEL,
    LOCAL_PREFIX,
    NOVICE,
    NOVICE_RULES,
    OFFLINE_PREFIX,
    READER,
    RULE_TABLE,
    RULES,
    STRATEGIES,
    SUITES,
)  # fmt: skip

__all__ = [
    "KINDS", "OFFLINE_READER", "ResolvedStrategy", "ResolvedSuite", "embedder_names", "load_embedder", "load_source",
    "load_strategy", "load_suite", "model_names", "offline_rules", "resolve_strategy", "resolve_suite", "split_names",
    "strategy_names", "suite_names",
]  # fmt: skip


@dataclass(frozen=True)
class ResolvedStrategy:
    """A strategy with its parameters (``window:k=5``). Pickled as ``target``: its functions cannot be pickled."""

    label: str
    strategy: Strategy
    params: Params
    target: str

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (ResolvedStrategy, self.label, self.params, self.target)


@dataclass(frozen=True)
class ResolvedSuite:
    """A suite with its parameters and the split to play. Pickled as ``target`` too."""

    label: str
    spec: SuiteSpec
    params: Params
    target: str
    split: str

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (ResolvedSuite, self.label, self.params, self.target, self.split)


def _restore(kind: Callable[..., object], label: str, params: Params, target: str, *rest: str) -> object:
    return kind(label, _load(target), params, target, *rest)


def _label(base: str, params: Params) -> str:
    return f"{base}:{params.label}" if params.label else base


def _are_rules(found: object) -> bool:
    return isinstance(found, Sequence) and all(map(_is_rule, found))


def _is_rule(found: object) -> bool:
    known = isinstance(found, OfflineDialect) or (
        hasattr(found, "reply") and isinstance(getattr(found, "header", 0), str)
    )
    return known and isinstance(getattr(found, "role", 0), str)


def _check_rules(plugin: Plugin) -> None:
    """Raises: UsageError if rules of a plug-in's package cannot be used: calls that the offline model then cannot
    answer would count as failures of the strategy."""
    for rules in find_plugins(_RULES.group).values():
        if rules.package == plugin.package and rules.name not in RULES:
            _load_rules(rules.target, _builtin_rules())


_SUITES = PluginKind("a suite", "memfrontier.suites", SUITES, lambda one: isinstance(one, SuiteSpec), _check_rules)
_STRATEGIES = PluginKind(
    "a strategy", "memfrontier.strategies", STRATEGIES, lambda one: isinstance(one, Strategy), _check_rules
)
_MODELS = PluginKind("a model", "memfrontier.models", {}, callable)
_EMBEDDERS = PluginKind("an embedder", "memfrontier.embedders", EMBEDDERS, callable)
_RULES = PluginKind("a sequence of rules", "memfrontier.offline_rules", RULES, _are_rules, _check_rules)
KINDS = (_SUITES, _STRATEGIES, _MODELS, _EMBEDDERS, _RULES)
"""What can be plugged in; each lists its plug-ins that cannot be used."""
_NAMED_MODELS = (OFFLINE_READER, OFFLINE_NOVICE, LOCAL_MODEL)


def strategy_names() -> list[str]:
    return _STRATEGIES.list_usable()


def suite_names() -> list[str]:
    return _SUITES.list_usable()


def model_names() -> list[str]:
    """Return the models that are known by name; any ``<provider>/<model>`` of litellm is one too."""
    return [*_NAMED_MODELS, *_MODELS.list_usable()]


def embedder_names() -> list[str]:
    return _EMBEDDERS.list_usable()


def load_strategy(name: str) -> Strategy:
    """Return a strategy by its bare name. Raises: UsageError with the nearest names."""
    return resolve_strategy(name).strategy


def load_suite(name: str) -> SuiteSpec:
    """Return a suite by its bare name. Raises: UsageError with the nearest names."""
    return resolve_suite(name).spec


def resolve_strategy(text: str) -> ResolvedStrategy:
    """Return the strategy that ``text`` names. Raises: UsageError for an unknown name or parameter."""
    base, given = parse_name(text, "strategy")
    target = _STRATEGIES.find(base)
    strategy: Strategy = _STRATEGIES.load(target)
    params = Params(strategy.params, given, who=f"strategy {base}")
    return ResolvedStrategy(_label(base, params), strategy, params, target)


def resolve_suite(text: str, split: str = "") -> ResolvedSuite:
    """Return the suite that ``text`` names, with a split; empty = its default. Raises: UsageError for unknown names."""
    base, given = parse_name(text, "suite")
    target = _SUITES.find(base)
    spec: SuiteSpec = _SUITES.load(target)
    params = Params(spec.params, given, who=f"suite {base}")
    label = _label(base, params)
    if split and split not in spec.splits:
        raise unknown_name(f"suite {label}", "a split", split, spec.splits)
    return ResolvedSuite(label, spec, params, target, spec.choose_split(split, params))


def offline_rules(own: Mapping[str, tuple[OfflineRule, ...]] | None = None) -> tuple[OfflineRule, ...]:
    """Return every rule of the offline model: ``own``, built in and of plug-ins, in the order of their names."""
    rules = _builtin_rules() | dict(own or {})
    for plugin in find_plugins(_RULES.group).values():
        if plugin.name not in RULES:
            with suppress(UsageError):
                rules[plugin.name] = _load_rules(plugin.target, rules)
    return tuple(rule for name in sorted(rules) for rule in rules[name])


def _builtin_rules() -> dict[str, tuple[OfflineRule, ...]]:
    return {name: tuple(_load(target)) for name, target in RULES.items()}


def _load_rules(target: str, others: Mapping[str, Sequence[OfflineRule]]) -> tuple[OfflineRule, ...]:
    """Return the rules of a plug-in. Raises: UsageError if one has a prompt that another rule has."""
    found = tuple(_RULES.load(target))
    every = (*chain.from_iterable(others.values()), *found)
    _load(RULE_TABLE)(rule for rule in every if not isinstance(rule, OfflineDialect))
    return found


def _novice_rules(params: Params) -> tuple[OfflineRule, ...]:
    """Return the rules of the novice: its own where a suite has some, else those of the reader."""
    return offline_rules({name: _load(target)(params) for name, target in NOVICE_RULES.items()})


def load_source(name: str, options: ModelOptions = ModelOptions()) -> ModelSource:
    """Return where models of a name come from. Raises: UsageError with the nearest names, or for a missing key."""
    if name == OFFLINE_READER:
        return ReadySource(_load(READER)(offline_rules()))
    source: ModelSource
    added = find_plugins(_MODELS.group)
    known = [*_NAMED_MODELS, *added]
    if is_offline(name):
        source = _load(NOVICE)(name, _novice_rules, _load(LESSONS)(), _load(COUNT))
    elif name.startswith(LOCAL_PREFIX):
        source = _load(LOCAL)(name.removeprefix(LOCAL_PREFIX), options)
    elif name in added:
        source = _MODELS.make(name, name, options)
    elif name.startswith(OFFLINE_PREFIX) and not options.base_url:
        # ``offline/`` is no provider's: a spelling mistake there must not become a call for a key.
        raise unknown_name("model", "a model", name, known)
    else:
        source = _load(LITELLM)(name, options, known)
    return source


def load_embedder(name: str) -> Embedder:
    """Return a fresh embedder; ``litellm/<name>`` is any provider's. Raises: UsageError with the nearest names."""
    added, name = find_plugins(_EMBEDDERS.group), resolve_embedder(name)
    if name.startswith(LITELLM_PREFIX):
        embedder: Embedder = _load("bench.embedders.litellm:LitellmEmbedder")(name.removeprefix(LITELLM_PREFIX))
    elif name in EMBEDDERS:
        embedder = _load(EMBEDDERS[name])()
    elif name in added:
        embedder = _EMBEDDERS.make(name)
    else:
        raise unknown_name("embedder", "an embedder", name, [*EMBEDDERS, *added, AUTO, f"{LITELLM_PREFIX}<model>"])
    return embedder
