"""What the names of a question mean: resolved once, before any work.

Everything here can be pickled, so a worker process gets what was resolved and resolves nothing again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path

from bench.config import FREE_FIELDS, RunConfig
from bench.data.root import data_root
from bench.embedders.choice import resolve_embedder
from bench.errors import UsageError
from bench.models.options import ModelOptions
from bench.registry import ResolvedStrategy, ResolvedSuite, resolve_strategy, resolve_suite
from bench.runner.artifacts import LearnedArtifact
from bench.runner.evaluating import load_artifacts
from bench.runner.splits import TWO_SPLITS, check_policy
from bench.runner.trained import find_inputs
from bench.types import Role

__all__ = ["ModelChoice", "ResolvedRun", "choose_judge", "count_parallel_calls", "default_folder", "resolve_run"]

_REMOTE_CALLS = 16
_RUNS = Path("runs")


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model by name, and how it is to be called."""

    name: str
    options: ModelOptions


@dataclass(frozen=True)
class ResolvedRun:
    """A question with its names resolved.

    Not in here, for they cannot be pickled: clients of models, the cache of replies, embedders, and suites with the
    processes and files behind them. Each process makes its own (``RunContext``).
    """

    config: RunConfig
    """The question, its suites and strategies in the one spelling that tables use, its embedder by name."""
    root: Path
    """Folder of the benchmark data."""
    suites: tuple[ResolvedSuite, ...]
    strategies: tuple[ResolvedStrategy, ...]
    model: ModelChoice
    judge: ModelChoice | None
    artifacts: tuple[LearnedArtifact, ...] = ()
    """What strategies learned before; in a run that learns, those of its own are added."""
    role_models: Mapping[str, ModelChoice] = field(default_factory=dict)
    """The models that strategies name for some of their roles, by name, without the acting one."""

    @property
    def gathers(self) -> bool:
        """True for a run that plays training tasks for learners."""
        return self.config.learn is not None and self.config.learn.side == "train"

    def find_artifact(self, suite: str, strategy: str) -> LearnedArtifact | None:
        """Return what a strategy knows beforehand on a suite, both by label; None for nothing."""
        name = next(one.strategy.name for one in self.strategies if one.label == strategy)
        found = [one for one in self.artifacts if one.fits(suite, name)]
        return min(found, key=lambda one: (one.about.suite != suite, one.about.label != strategy), default=None)

    def list_unlearned(self) -> list[tuple[str, ResolvedStrategy]]:
        """Return each learner with the label of each suite that it serves and has no artifact for; none where training
        is played."""
        return [
            (suite.label, one)
            for suite in self.suites
            for one in self.strategies
            if one.strategy.learn and suite.spec.shape in one.strategy.serves and not self.gathers
            if self.find_artifact(suite.label, one.label) is None
        ]


def resolve_run(config: RunConfig, root: Path | None = None) -> ResolvedRun:
    """Resolve the names of a question. ``root``: folder of the benchmark data; None = the user's data root.

    Raises: UsageError for an unknown name, parameter or split, a strategy that is named twice or serves no suite here.
    """
    strategies = tuple(map(resolve_strategy, config.strategies))
    suites = {suite.label: suite for suite in (resolve_suite(text, config.split) for text in config.suites)}
    labels = [one.label for one in strategies]
    _refuse_twice(labels)
    _refuse_unserved(strategies, list(suites.values()))
    artifacts = load_artifacts(config, [one.strategy.name for one in strategies], list(suites))
    _check_learning(config, strategies, list(suites), artifacts)
    return ResolvedRun(
        config.model_copy(
            update={
                "suites": tuple(suites),
                "strategies": tuple(labels),
                "embedder": resolve_embedder(config.embedder),
            }
        ),
        root or data_root(),
        tuple(suites.values()),
        strategies,
        ModelChoice(config.model, _model_options(config)),
        _choose_configured_judge(config),
        artifacts,
        _choose_role_models(config, strategies),
    )


def _check_learning(
    config: RunConfig, strategies: Sequence[ResolvedStrategy], suites: Sequence[str], given: Sequence[LearnedArtifact]
) -> None:
    """Raises: UsageError for a policy that does not exist or does not fit, or a learner with nothing to learn from."""
    if config.stream:
        _check_stream(config, strategies)
        return
    if (learn := config.learn) is not None:
        check_policy(learn.policy)
        if bool(learn.split) != (learn.policy == TWO_SPLITS):
            raise UsageError(
                f"learn: expected a split to learn from with policy {TWO_SPLITS} and with no other, got policy "
                f"{learn.policy} and split {learn.split or 'none'!r}; set both or neither"
            )
        for collector in learn.collectors:
            resolve_strategy(collector)
    for one in strategies:
        for suite in suites if one.strategy.learn else ():
            if any(artifact.fits(suite, one.strategy.name) for artifact in given):
                continue
            if learn is None:
                raise UsageError(
                    f"strategy {one.label}: expected something to learn from on {suite}, got nothing; add "
                    "--learn-policy grouped-by-spec to learn from half of the tasks, or --artifact DIR"
                )
            if learn.every == "attempt" and one.strategy.update is None:
                raise UsageError(
                    f"strategy {one.label}: expected a learner that can be called after each attempt, got one that "
                    "needs all trials at once; say --learn-every run, or leave it out"
                )


def _check_stream(config: RunConfig, strategies: Sequence[ResolvedStrategy]) -> None:
    """Raises: UsageError for a stream without a learner, or beside what was learned before."""
    if config.learn is not None or config.artifacts:
        what = "an artifact" if config.artifacts else "a learning stage"
        raise UsageError(f"stream: expected memories that begin empty, got {what} too; leave one of them out")
    if not any(one.strategy.learn for one in strategies):
        names = ", ".join(one.label for one in strategies)
        raise UsageError(f"stream: expected a strategy that learns, got {names}; leave out --stream")


def _refuse_twice(labels: Sequence[str]) -> None:
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise UsageError(f"run: expected each strategy once, got {', '.join(twice)} twice; leave one out")


def _refuse_unserved(strategies: Sequence[ResolvedStrategy], suites: Sequence[ResolvedSuite]) -> None:
    for one in strategies:
        needs = one.strategy.needs
        if needs and find_spec(needs) is None:
            raise UsageError(
                f"strategy {one.label}: expected the package {needs} to be installed, got none; "
                "install the extra that the README names for it"
            )
        find_inputs(one)
        if not any(suite.spec.shape in one.strategy.serves for suite in suites):
            shapes = ", ".join(sorted(one.strategy.serves))
            raise UsageError(f"strategy {one.label}: expected a suite it serves ({shapes}), got none of those")


def default_folder(config: RunConfig) -> Path:
    """Return a folder that the same question always gets, so that the same command goes on where it stopped."""
    names = "-".join(sorted(label.partition(":")[0] for label in config.suites))
    text = config.model_dump_json(exclude=set(FREE_FIELDS))
    return _RUNS / f"{names}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _choose_configured_judge(config: RunConfig) -> ModelChoice | None:
    if config.judge:
        endpoint = Path(config.judge_endpoint) if config.judge_endpoint else None
        return choose_judge(config.judge, _model_options(config), endpoint)
    if config.judge_endpoint:
        raise UsageError(f"run: expected a judge for the judge endpoint {config.judge_endpoint}, got none; add --judge")
    return None


def _choose_role_models(config: RunConfig, strategies: Sequence[ResolvedStrategy]) -> dict[str, ModelChoice]:
    """Return the models that strategies name. They are sampled as the run says; their addresses are their own.

    Raises: UsageError for a strategy whose acting or answering would go to another model than its table says.
    """
    for one in strategies:
        if deciding := sorted({Role.ACT, Role.ANSWER} & set(one.params.role_models)):
            raise UsageError(
                f"strategy {one.label}: expected a model for other roles than acting and answering, got one for "
                f"{deciding[0]}; name it with -m"
            )
    names = {name for one in strategies for name in one.params.role_models.values()} - {config.model}
    # As for a judge, the acting model's address and endpoint file mean nothing at another endpoint.
    options = replace(_model_options(config), base_url="", endpoint=None)
    return {name: ModelChoice(name, replace(options, table=name)) for name in sorted(names)}


def choose_judge(text: str, options: ModelOptions, endpoint: Path | None = None) -> ModelChoice:
    """Return the judge that ``MODEL`` or ``MODEL@ADDRESS`` names; it is called at temperature 0.

    ``options``: those of the acting model. ``endpoint``: the judge's own endpoint file.
    """
    parts = re.fullmatch(r"(.+?)(?:@(https?://.*))?", text)  # a model's own name may hold an @
    name, address = (parts[1], parts[2] or "") if parts else (text, "")
    # The acting model's endpoint file is not used: its key, limits and prices mean nothing at another address.
    own = replace(options, base_url=address, temperature=0.0, top_p=None, seed=None, endpoint=endpoint)
    return ModelChoice(name, own)


def count_parallel_calls(config: RunConfig) -> int:
    """Return how many calls a remote model gets at once; the endpoint's own limits slow this down as needed."""
    return config.workers or _REMOTE_CALLS


def _model_options(config: RunConfig) -> ModelOptions:
    return ModelOptions(
        base_url=config.base_url,
        temperature=config.temperature,
        top_p=config.top_p,
        seed=config.model_seed,
        allow_unsupported=config.allow_unsupported,
        endpoint=Path(config.endpoint) if config.endpoint else None,
        replay_only=config.cache == "read",
        concurrency=count_parallel_calls(config),
    )
