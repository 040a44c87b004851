"""Names to things: which suites, strategies, models and embedders exist, built in or installed as plug-ins.

A built-in is a string ``module:NAME``, imported when it is first needed; a plug-in is an entry point of a group:

* ``memfrontier.strategies``: a ``Strategy``
* ``memfrontier.suites``: a ``SuiteSpec``
* ``memfrontier.models``: a function ``(name, options) -> ModelSource``
* ``memfrontier.embedders``: a class or function without arguments that makes an ``Embedder``
* ``memfrontier.offline_rules``: a sequence of ``OfflineRule``, the offline model's replies to a strategy's own calls
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from bench.embedders.choice import AUTO, resolve_embedder
from bench.errors import UsageError, unknown_name
from bench.models.options import OFFLINE_NOVICE, OFFLINE_READER, ModelOptions, is_offline
from bench.models.ready import ReadySource
from bench.protocols import Embedder, ModelSource, OfflineRule, Params, Strategy, SuiteSpec
from bench.protocols.params import parse_name, split_names

__all__ = [
    "OFFLINE_READER", "ResolvedStrategy", "ResolvedSuite", "embedder_names", "load_embedder", "load_source",
    "load_strategy", "load_suite", "model_names", "offline_rules", "resolve_strategy", "resolve_suite", "split_names",
    "strategy_names", "suite_names",
]  # fmt: skip

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
    "ace": "baselines.ace.strategy:STRATEGY",
    "acon": "baselines.acon.strategy:STRATEGY",
    "acon-untrained": "baselines.acon.strategy:UNTRAINED",
    "always-refuse": "baselines.always_refuse:STRATEGY",
    "awm": "baselines.awm.strategy:STRATEGY",
    "bm25": "baselines.bm25:STRATEGY",
    "dynamic-cheatsheet": "baselines.dynamic_cheatsheet.strategy:STRATEGY",
    "embedding": "baselines.embedding:STRATEGY",
    "expel": "baselines.expel.strategy:STRATEGY",
    "exprag": "baselines.exprag:STRATEGY",
    "exprecent": "baselines.exprecent:STRATEGY",
    "files-grep": "baselines.files_grep.strategy:STRATEGY",
    "fold": "baselines.fold.strategy:STRATEGY",
    "full-history": "baselines.full_history:STRATEGY",
    "g-memory-single": "baselines.g_memory.strategy:STRATEGY",
    "generic-agent": "baselines.generic_agent.trial.strategy:STRATEGY",
    "generic-agent-dialogue": "baselines.generic_agent.dialogue.strategy:STRATEGY",
    "h2r": "baselines.h2r.strategy:STRATEGY",
    "hiagent": "baselines.hiagent.strategy:STRATEGY",
    "horma": "baselines.horma.strategy:STRATEGY",
    "horma-untrained": "baselines.horma.strategy:UNTRAINED",
    "hybrid": "baselines.hybrid:STRATEGY",
    "mem0": "baselines.mem0.strategy:STRATEGY",
    "mem0-package": "baselines.mem0_package.strategy:STRATEGY",
    "memp": "baselines.memp.strategy:STRATEGY",
    "no-memory": "baselines.no_memory:STRATEGY",
    "oracle-evidence": "baselines.oracle_evidence:STRATEGY",
    "react": "baselines.react.strategy:STRATEGY",
    "reasoning-bank": "baselines.reasoning_bank.strategy:STRATEGY",
    "reflexion": "baselines.reflexion.strategy:STRATEGY",
    "resum": "baselines.resum.strategy:STRATEGY",
    "summary": "baselines.summary.strategy:STRATEGY",
    "truncation": "baselines.truncation:STRATEGY",
    "window": "baselines.window:STRATEGY",
}
_STRATEGY_RULES = (
    *("a-mem", "ace", "acon", "awm", "dynamic-cheatsheet", "expel", "files-grep", "fold", "h2r", "hiagent", "mem0"),
    *("mem0-package", "memp", "react", "reasoning-bank", "reflexion", "resum", "summary"),
)
_RULES = {
    **{name: f"adapters.{name}.offline.rules:RULES" for name in _SUITES if name not in ("hiagent-five", "toy-talk")},
    **{name: f"baselines.{name.replace('-', '_')}.offline:RULES" for name in _STRATEGY_RULES},
    "g-memory-single": "baselines.g_memory.offline:RULES",
    "generic-agent": "baselines.generic_agent.trial.offline:RULES",
    "horma": "baselines.horma.offline.rules:RULES",
    "judge": "bench.models.offline.judging:RULES",
}
_NOVICE_RULES = {name: f"adapters.{name}.offline.novice:build_rules" for name in ("alfworld", "pddl")}
_LESSONS, _COUNT = "adapters.shared.lessons:describe_reader", "adapters.shared.lessons:count_teaching"
_EMBEDDERS = {"hash": "bench.embedders.hash:HashEmbedder", "minilm": "bench.embedders.minilm:MiniLMEmbedder"}
_READER, _NOVICE = "bench.models.offline.reader:OfflineReader", "bench.models.offline.novice:build_source"
_LOCAL, _LITELLM = "bench.models.local.source:LocalSource", "bench.models.remote.source:RemoteSource"
_LOCAL_PREFIX, _OFFLINE_PREFIX, _LITELLM_PREFIX = "local/", "offline/", "litellm/"


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


def _load(target: str) -> Any:
    module, _, name = target.partition(":")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as cause:
        raise UsageError(f"{target}: expected a name to import, got an error ({cause}); fix or uninstall it") from cause


@cache
def _plugins(group: str) -> Mapping[str, str]:
    return {point.name: point.value for point in entry_points(group=group)}


def _targets(builtin: Mapping[str, str], group: str) -> dict[str, str]:
    # A plug-in cannot take the place of a built-in: a published name always means the same code.
    return {**_plugins(f"memfrontier.{group}"), **builtin}


def _find(name: str, builtin: Mapping[str, str], group: str, what: str) -> str:
    """Return where a strategy or suite is loaded from. Raises: UsageError with the nearest names."""
    targets = _targets(builtin, group)
    if name not in targets:
        raise unknown_name(what, f"a {what}", name, targets)
    return targets[name]


def strategy_names() -> list[str]:
    return sorted(_targets(_STRATEGIES, "strategies"))


def suite_names() -> list[str]:
    return sorted(_targets(_SUITES, "suites"))


def model_names() -> list[str]:
    """Return the models that are known by name; any ``<provider>/<model>`` of litellm is one too."""
    return [OFFLINE_READER, OFFLINE_NOVICE, f"{_LOCAL_PREFIX}smollm2-135m", *sorted(_plugins("memfrontier.models"))]


def embedder_names() -> list[str]:
    return sorted(_targets(_EMBEDDERS, "embedders"))


def load_strategy(name: str) -> Strategy:
    """Return a strategy by its bare name. Raises: UsageError with the nearest names."""
    return resolve_strategy(name).strategy


def load_suite(name: str) -> SuiteSpec:
    """Return a suite by its bare name. Raises: UsageError with the nearest names."""
    return resolve_suite(name).spec


def resolve_strategy(text: str) -> ResolvedStrategy:
    """Return the strategy that ``text`` names. Raises: UsageError for an unknown name or parameter."""
    base, given = parse_name(text, "strategy")
    target = _find(base, _STRATEGIES, "strategies", "strategy")
    strategy: Strategy = _load(target)
    params = Params(strategy.params, given, who=f"strategy {base}")
    return ResolvedStrategy(_label(base, params), strategy, params, target)


def resolve_suite(text: str, split: str = "") -> ResolvedSuite:
    """Return the suite that ``text`` names, with a split; empty = its default. Raises: UsageError for unknown names."""
    base, given = parse_name(text, "suite")
    target = _find(base, _SUITES, "suites", "suite")
    spec: SuiteSpec = _load(target)
    params = Params(spec.params, given, who=f"suite {base}")
    label = _label(base, params)
    if split and split not in spec.splits:
        raise unknown_name(f"suite {label}", "a split", split, spec.splits)
    return ResolvedSuite(label, spec, params, target, split or spec.default_split)


def offline_rules(own: Mapping[str, tuple[OfflineRule, ...]] | None = None) -> tuple[OfflineRule, ...]:
    """Return every rule of the offline model: ``own``, built in and of plug-ins, in the order of their names."""
    targets = _targets(_RULES, "offline_rules")
    return tuple(rule for name in sorted(targets) for rule in (own or {}).get(name) or _load(targets[name]))


def _novice_rules(params: Params) -> tuple[OfflineRule, ...]:
    """Return the rules of the novice: its own where a suite has some, else those of the reader."""
    return offline_rules({name: _load(target)(params) for name, target in _NOVICE_RULES.items()})


def load_source(name: str, options: ModelOptions = ModelOptions()) -> ModelSource:
    """Return where models of a name come from. Raises: UsageError with the nearest names, or for a missing key."""
    if name == OFFLINE_READER:
        return ReadySource(_load(_READER)(offline_rules()))
    source: ModelSource
    if is_offline(name):
        source = _load(_NOVICE)(name, _novice_rules, _load(_LESSONS)(), _load(_COUNT))
    elif name.startswith(_LOCAL_PREFIX):
        source = _load(_LOCAL)(name.removeprefix(_LOCAL_PREFIX), options)
    elif target := _plugins("memfrontier.models").get(name):
        source = _load(target)(name, options)
    elif name.startswith(_OFFLINE_PREFIX) and not options.base_url:
        # ``offline/`` is no provider's: a spelling mistake there must not become a call for a key.
        raise unknown_name("model", "a model", name, model_names())
    else:
        source = _load(_LITELLM)(name, options, model_names())
    return source


def load_embedder(name: str) -> Embedder:
    """Return a fresh embedder; ``litellm/<name>`` is any provider's. Raises: UsageError with the nearest names."""
    targets, name = _targets(_EMBEDDERS, "embedders"), resolve_embedder(name)
    if name.startswith(_LITELLM_PREFIX):
        embedder: Embedder = _load("bench.embedders.litellm:LitellmEmbedder")(name.removeprefix(_LITELLM_PREFIX))
    elif name in targets:
        embedder = _load(targets[name])()
    else:
        raise unknown_name("embedder", "an embedder", name, [*targets, AUTO, f"{_LITELLM_PREFIX}<model>"])
    return embedder
