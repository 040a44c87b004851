"""What gathering and learning take: played offline on a few training tasks, or read from a pilot run.

The offline way also returns what learners know after those tasks, to be evaluated with. A learner's calls are scaled in
proportion to the trials that it reads.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.config import RunConfig
from bench.errors import ContextOverflow, Refused, TrialError
from bench.registry import ResolvedStrategy
from bench.runner.artifacts import LearnedArtifact
from bench.runner.budget import COLLECT
from bench.runner.build import RunContext
from bench.runner.collecting import Pool, name_folder, resolve_training
from bench.runner.forecast_lines import GATHER, LEARN, Line, fill_line, scale_line
from bench.runner.forecast_play import OfflinePlayer, Played, open_offline
from bench.runner.forecast_sample import Prices, Sample, add_up
from bench.runner.rehearsal import list_rehearsals
from bench.runner.resolve import ResolvedRun
from bench.runner.tasks import BuiltSuite, open_suites, sample
from bench.store.database import DATABASE, Plan
from bench.store.read import read_trials
from bench.types import Call, Trial, TrialKey

__all__ = ["Learning", "learn_offline", "learn_stream_offline", "read_learning"]

_OF_STAGES = "suite = ? AND strategy = ? AND model = ? AND attempt = 0 AND task NOT LIKE '(learning from %'"
"""A learner's own stages: not those of a part of a learning curve."""
_AFTER = re.compile(r"\d+")


@dataclass
class Learning:
    """The lines of gathering and learning so far, what was learned, and what went wrong offline, by strategy."""

    lines: list[Line] = field(default_factory=list)
    artifacts: list[LearnedArtifact] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    pools: dict[str, Pool] = field(default_factory=dict)
    read: Counter[str] = field(default_factory=Counter)
    """Trials that learners read for this forecast, by suite."""
    planned: Counter[str] = field(default_factory=Counter)
    """Trials that they read in the run."""

    def count(self, suite: str, planned: int, tasks: int, trials: int) -> None:
        """Count the trials of so many tasks; in the run there are as many for each task that is planned."""
        self.read[suite] += trials
        self.planned[suite] += round(planned * trials / max(1, tasks))


def learn_offline(player: OfflinePlayer, tasks: int) -> Learning:
    """Play ``tasks`` training tasks of each suite with every collector, and let every learner learn from them."""
    found, context = Learning(), player.context
    if context.config.learn is None or not context.run.list_unlearned():
        return found
    for collector in context.config.learn.collectors:
        train = replace(player, context=open_offline(resolve_training(context.run, collector)))
        try:
            for built in train.context.suites.values():
                _gather(train, built, tasks, found)
        finally:
            train.context.close()
    for label, one in context.run.list_unlearned():
        if label in found.pools:
            _learn(player, label, one, found)
    return found


def _gather(train: OfflinePlayer, built: BuiltSuite, tasks: int, found: Learning) -> None:
    config, (one,), label = train.context.config, train.context.run.strategies, built.resolved.label
    if built.shape not in one.strategy.serves:
        return
    chosen = {task.id: task for task in sample(list(built.tasks.values()), tasks)}
    played: list[Played] = []
    for task in chosen.values():
        key = TrialKey(label, built.split, task.id, one.label, config.model, config.seeds[0])
        played.append(train.play_task(Plan(key, task)))
    for each in played:
        if each.error:
            found.failed[one.label] = each.error
    samples = [each.sample for each in played if each.sample]
    planned = len(built.tasks) * len(config.seeds)
    found.lines.append(fill_line(Line(label, one.label, planned, len(samples), phase=GATHER), samples))
    trials = tuple(trial for each in played if each.sample for trial in each.trials)
    before = found.pools[label].trials if label in found.pools else ()
    found.pools[label] = Pool(chosen, (*before, *trials), built.open_frame(chosen[min(chosen)]))
    found.count(label, planned, len(samples), len(trials))


def _learn(player: OfflinePlayer, label: str, one: ResolvedStrategy, found: Learning) -> None:
    line = Line(label, one.label, found.planned[label], found.read[label], phase=LEARN)
    rehearsed: list[Played] = []
    try:
        made, spent = player.learn(label, one, found.pools[label], rehearsed)
    except (TrialError, ContextOverflow, Refused) as failure:
        found.failed[one.label] = str(failure)
        found.lines.append(line)
        return
    found.artifacts.append(made)
    _add_rehearsals(line, [each.sample for each in rehearsed if each.sample], found)
    found.lines.append(scale_line(line, spent) if line.sampled else line)


def _add_rehearsals(line: Line, samples: Sequence[Sample], found: Learning) -> None:
    """Add what a learner plays itself: as often for each trial that it learns from as it was seen to."""
    if samples and line.sampled:
        planned = round(line.trials * len(samples) / line.sampled)
        own = Line(line.suite, line.strategy, planned, len(samples), phase=GATHER)
        found.lines.append(fill_line(own, samples))


def learn_stream_offline(player: OfflinePlayer, played: Mapping[tuple[str, str], Sequence[Trial]]) -> Learning:
    """Let every learner of a stream learn once from its own trials of the evaluation; ``played`` by suite, strategy."""
    found, context = Learning(), player.context
    for label, one in context.run.list_unlearned():
        built, trials = context.suites[label], tuple(played.get((label, one.label), ()))
        if trials:
            tasks = {trial.key.task: built.tasks[trial.key.task] for trial in trials}
            found.pools[label] = Pool(tasks, trials, built.open_frame())
            found.planned[label] = count_stream(context.config, len(built.tasks))
            found.read[label] = len(trials)
            _learn(player, label, one, found)
    return found


def count_stream(config: RunConfig, tasks: int) -> int:
    """Return how many trials a learner of a stream reads in all: after each block all first attempts so far."""
    return len(config.seeds) * sum(range(config.stream, tasks, config.stream))


def read_learning(context: RunContext, pilot: Path, model: str, prices: Prices) -> Learning:
    """Read what gathering and learning took in a pilot run of a model, scaled to the plan; what it lacks is unknown."""
    found, config = Learning(), context.config
    if config.learn is not None and context.run.list_unlearned():
        for collector in config.learn.collectors:
            folder = pilot / COLLECT / name_folder(collector)
            _read_gathering(resolve_training(context.run, collector), folder, model, prices, found)
    for label, one in context.run.list_unlearned():
        stages = read_trials(pilot, where=_OF_STAGES, args=[label, one.label, model])
        if config.stream:
            found.planned[label] = count_stream(config, len(context.suites[label].tasks))
            found.read[label] = sum(int(_AFTER.findall(stage.key.task)[0]) for stage in stages)
        line = Line(label, one.label, found.planned[label], found.read[label], phase=LEARN)
        shape = context.suites[label].shape
        trials = [
            trial
            for folder in list_rehearsals(pilot, label, one.label)
            for trial in read_trials(folder, shape, "suite = ? AND model = ? AND attempt > 0", [label, model])
        ]
        spent = [add_up(trial.calls, prices) for trial in trials]
        _add_rehearsals(line, [Sample(each, each) for each in spent], found)
        done = add_up([call for stage in stages for call in stage.calls], prices)
        found.lines.append(scale_line(line, Sample(done, done)) if stages and line.sampled else line)
    return found


def _read_gathering(train: ResolvedRun, folder: Path, model: str, prices: Prices, found: Learning) -> None:
    with open_suites(train) as suites:
        for label, built in suites.items():
            planned, (one,) = len(built.tasks) * len(train.config.seeds), train.strategies
            if built.shape not in one.strategy.serves:
                continue
            there = (folder / DATABASE).exists()
            trials = read_trials(folder, built.shape, "suite = ? AND model = ?", [label, model]) if there else []
            done: dict[tuple[str, int], list[Call]] = {}
            for trial in trials:
                done.setdefault((trial.key.task, trial.key.seed), []).extend(trial.calls)
            spent = [add_up(calls, prices) for calls in done.values()]
            samples = [Sample(each, each) for each in spent]
            found.lines.append(fill_line(Line(label, one.label, planned, len(samples), phase=GATHER), samples))
            found.count(label, planned, len(samples), len(trials))
