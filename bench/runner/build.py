"""Names into objects: what a configuration asks for, made once, before any work.

Everything a user can get wrong is found here: unknown names, splits and parameters, missing data, a task list that is
empty.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path

from bench.config import RunConfig
from bench.errors import DataError, UsageError, unknown_name
from bench.models.cache.key import Replies, ScopedCache
from bench.models.cache.store import ReplayOnlyModel, open_replies
from bench.models.options import ModelOptions
from bench.models.remote.endpoint_config import read_endpoint
from bench.protocols import Budget, ConversationSuite, Embedder, EpisodeSuite, Model, ModelSource, SuiteOptions
from bench.registry import ResolvedStrategy, ResolvedSuite, load_embedder, load_source, resolve_strategy, resolve_suite
from bench.runner.simulate import Parts, digest
from bench.scoring.judge import rubrics_digest
from bench.secrets import mark_secret, scrub
from bench.store.database import Plan
from bench.types import Fingerprint, Shape, Task, TrialKey

__all__ = ["BuiltSuite", "RunContext", "judge_source", "sample"]

_REMOTE_WORKERS = 16


class BuiltSuite:
    """A suite ready to play: its row in the registry, the split, and the tasks chosen from it.

    Tasks are listed when first asked for: a worker process, which is told its task, never has to.
    """

    def __init__(self, row: ResolvedSuite, split: str, suite: EpisodeSuite | ConversationSuite, limit: int):
        self.row, self.split, self.suite = row, split, suite
        self._limit = limit

    @property
    def workers(self) -> str:
        """``thread`` or ``process``."""
        kind = self.row.spec.workers
        return kind if isinstance(kind, str) else kind(self.row.params)

    @cached_property
    def tasks(self) -> Mapping[str, Task]:
        """The chosen tasks by id, sorted. Raises: UsageError if there are none or the split's data is missing."""
        try:
            tasks = sample(self.suite.tasks(), self._limit)
        except DataError as cause:
            offline = ", ".join(self.row.spec.offline_splits)
            hint = f" (splits that need no download: {offline})" if offline else ""
            raise UsageError(f"{cause}{hint}") from cause
        if not tasks:
            raise UsageError(
                f"suite {self.row.label}: expected tasks in split {self.split}, got none; bench data check"
            )
        return {task.id: task for task in tasks}


class RunContext:
    """All the objects of one run. One per process; threads share it."""

    def __init__(self, config: RunConfig, root: Path):
        self.config = config
        if config.endpoint:  # its key may lie in a variable whose name does not tell
            mark_secret(read_endpoint(Path(config.endpoint)).api_key_env)
        self.source: ModelSource = load_source(config.model, options_of(config))
        self.judge = judge_source(config.judge, options_of(config)) if config.judge else None
        self.tokenizer = self.source.tokenizer
        self.replies: Replies | None = open_replies(config.cache)
        self.embedder: Embedder = load_embedder(config.embedder)
        self.rows = {row.label: row for row in map(resolve_strategy, config.strategies)}
        suites = [resolve_suite(text) for text in config.suites]
        splits = [_split(row, config) for row in suites]
        self._refuse_unserved(suites)
        self.suites = {
            row.label: BuiltSuite(
                row, split, row.spec.build(SuiteOptions(split, row.params, root, config.steps)), config.limit
            )
            for row, split in zip(suites, splits, strict=True)
        }

    def _refuse_unserved(self, suites: Sequence[ResolvedSuite]) -> None:
        for row in self.rows.values():
            needs = row.strategy.needs
            if needs and find_spec(needs) is None:
                raise UsageError(
                    f"strategy {row.label}: expected the package {needs} to be installed, got none; "
                    "install the extra that the README names for it"
                )
            if not any(suite.spec.shape in row.strategy.serves for suite in suites):
                shapes = ", ".join(sorted(row.strategy.serves))
                raise UsageError(f"strategy {row.label}: expected a suite it serves ({shapes}), got none of those")

    def plans(self) -> list[Plan]:
        """Return every trial of the run, task by task, so that a run that stops early still has paired tasks."""
        config = self.config
        return [
            Plan(TrialKey(label, built.split, task.id, row.label, config.model, seed), task)
            for label, built in self.suites.items()
            for seed in dict.fromkeys(config.seeds)
            for task in built.tasks.values()
            for row in self.rows.values()
            if built.row.spec.shape in row.strategy.serves
        ]

    def parts(self, key: TrialKey) -> Parts:
        """Return what one trial is built from."""
        built, row = self.suites[key.suite], self.rows[key.strategy]
        return Parts(
            shape=built.row.spec.shape,
            suite=built.suite,
            strategy=row.strategy,
            params=row.params,
            model=self._of(self.source, key.seed),
            embedder=self.embedder,
            budget=Budget(self.config.budget_tokens, self.tokenizer.count),
            cached=self._kept(self.source, key.seed),
            limits=replace(built.suite.limits(), task_wall_s=self.config.task_wall_s),
            fingerprint=self._fingerprint(built, row),
            judge=self.judging(key.seed),
            judge_cached=self._kept(self.judge, key.seed) if self.judge else None,
        )

    @property
    def judged(self) -> bool:
        """True if there is something to judge: episodes are won or not."""
        return any(built.row.spec.shape is Shape.CONVERSATION for built in self.suites.values())

    def judging(self, seed: int = 0) -> Model | None:
        """Return the judge's model, None if nobody judges."""
        return self._of(self.judge, seed) if self.judge else None

    def _of(self, source: ModelSource, seed: int) -> Model:
        return ReplayOnlyModel(source.name) if self.config.cache == "read" else source.model(seed)

    def _kept(self, source: ModelSource, seed: int) -> ScopedCache | None:
        return None if self.replies is None else ScopedCache(self.replies, scrub(source.identity), seed)

    @property
    def identity(self) -> str:
        """What decides a reply beside the messages, as replies are kept under it; no key stands in it."""
        return scrub(self.source.identity)

    def task(self, key: TrialKey) -> Task:
        return self.suites[key.suite].tasks[key.task]

    def _fingerprint(self, built: BuiltSuite, row: ResolvedStrategy) -> Fingerprint:
        """``env.*`` must be equal between rows of one table; ``row.*`` is what a row is."""
        env = [(f"env.{name}", value) for name, value in built.suite.fingerprint().entries]
        if self.judge and built.row.spec.shape is Shape.CONVERSATION:
            env += [("env.judge", self.judge.name), ("env.rubrics", rubrics_digest())]
            env += [("row.judge_request", scrub(self.judge.identity))]
        if row.strategy.privileged:
            env.append(("row.privileged", "yes"))
        mine = {
            "env.suite": built.row.spec.name,
            "env.tokenizer": self.tokenizer.name,
            "row.strategy": row.strategy.name,
            "row.params": ",".join(f"{name}={value}" for name, value in row.params.resolved),
            "row.budget_tokens": str(self.config.budget_tokens if self.config.budget_tokens is not None else "none"),
            "row.dialect": digest(row.strategy.dialect) if row.strategy.dialect else "none",
            "row.embedder": self.config.embedder,
            "row.request": self.identity,
        }
        return Fingerprint(tuple(sorted({**mine, **dict(env)}.items())))

    def workers(self, key: TrialKey) -> str:
        """Return ``thread`` or ``process``: whoever waits for a distant model needs no core of its own."""
        return "thread" if self.remote else self.suites[key.suite].workers

    @property
    def remote(self) -> bool:
        """True if the model or the judge is somewhere else."""
        return self.source.remote or (self.judge is not None and self.judge.remote)

    def close(self) -> None:
        self.source.close()
        if self.judge is not None:
            self.judge.close()
        if self.replies is not None:
            self.replies.close()
        for built in self.suites.values():
            built.suite.close()


def calls_at_once(config: RunConfig) -> int:
    """Return how many calls a far model gets at once; the endpoint's own limits slow this down as needed."""
    return config.workers or _REMOTE_WORKERS


def judge_source(text: str, options: ModelOptions) -> ModelSource:
    """Return where verdicts come from: ``MODEL`` or ``MODEL@ADDRESS``, asked at temperature 0. Raises: UsageError."""
    parts = re.fullmatch(r"(.+?)(?:@(https?://.*))?", text)  # a model's own name may hold an @
    name, address = (parts[1], parts[2] or "") if parts else (text, "")
    # The endpoint file is the acting model's: its key, limits and prices are nothing for another address.
    own = replace(options, base_url=address, temperature=0.0, top_p=None, seed=None, endpoint=None)
    return load_source(name, own)


def options_of(config: RunConfig) -> ModelOptions:
    return ModelOptions(
        config.base_url, config.temperature, config.top_p, config.model_seed, config.allow_unsupported,
        Path(config.endpoint) if config.endpoint else None, config.cache == "read", calls_at_once(config),
    )  # fmt: skip


def _split(row: ResolvedSuite, config: RunConfig) -> str:
    """Return the split to play."""
    if config.split and config.split not in row.spec.splits:
        raise unknown_name(f"suite {row.label}", "a split", config.split, row.spec.splits)
    return config.split or row.spec.default_split


def sample(tasks: Sequence[Task], limit: int) -> tuple[Task, ...]:
    """Return at most ``limit`` tasks, taken in turn from each group in sorted order; 0 = all. Sorted by id."""
    ordered = sorted(tasks, key=lambda task: task.id)
    if not limit or limit >= len(ordered):
        return tuple(ordered)
    groups: dict[str, list[Task]] = {}
    for task in ordered:
        groups.setdefault(task.group, []).append(task)
    turns = [task for turn in zip_longest(*(groups[name] for name in sorted(groups))) for task in turn if task]
    return tuple(sorted(turns[:limit], key=lambda task: task.id))
