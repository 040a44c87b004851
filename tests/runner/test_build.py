"""Objects of a run: samples that are fair, plans that stay paired, fingerprints that differ between strategies."""

from __future__ import annotations

import pickle
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.toy.world import ToyWorld
from bench.config import RunConfig
from bench.errors import UsageError
from bench.models.options import ModelOptions
from bench.runner.build import RunContext, build_run
from bench.runner.resolve import choose_judge, resolve_run
from bench.runner.simulate import seed_of
from bench.runner.tasks import sample
from bench.types import Task, TrialKey

NOWHERE = Path("/nowhere")
TASKS = st.lists(st.sampled_from("abc"), max_size=20).map(
    lambda groups: [Task(f"t{i:02d}", "s", "p", group, f"t{i:02d}") for i, group in enumerate(groups)]
)


def build(suites: str = "toy", strategies: str = "no-memory;window:k=5", **fields: object) -> RunContext:
    given_ = {"suites": suites.split(";"), "strategies": strategies.split(";"), **fields}
    return build_run(RunConfig.model_validate(given_), NOWHERE)


@given(TASKS, st.integers(0, 25), st.randoms())
def test_sample_is_fair_to_groups_and_independent_of_order(tasks: list[Task], limit: int, random: Random) -> None:
    chosen = sample(tasks, limit)
    assert len(chosen) == (min(limit, len(tasks)) if limit else len(tasks))
    assert list(chosen) == sorted(set(chosen), key=lambda task: task.id)
    shuffled = list(tasks)
    random.shuffle(shuffled)
    assert sample(shuffled, limit) == chosen
    counts, totals = Counter(task.group for task in chosen), Counter(task.group for task in tasks)
    for group in totals:
        # Nobody has two more than another, unless that one has no more to give.
        assert all(counts[group] + 1 >= counts[other] or counts[group] == totals[group] for other in totals)


@given(TASKS, st.integers(1, 20))
def test_sample_of_larger_limit_contains_the_smaller(tasks: list[Task], limit: int) -> None:
    assert set(sample(tasks, limit)) <= set(sample(tasks, limit + 1))


def test_plans_go_task_by_task() -> None:
    keys = [plan.key for plan in build(limit=2, seeds=[0, 1, 0]).plans]
    assert [(key.seed, key.task, key.strategy) for key in keys] == [
        (seed, task, strategy)
        for seed in (0, 1)
        for task in ("house-000", "house-001")
        for strategy in ("no-memory", "window:k=5")
    ]
    assert len(set(keys)) == len(keys)
    assert {(key.suite, key.split, key.model) for key in keys} == {("toy", "houses", "offline/reader")}


def test_frame_of_each_task_is_opened_once_and_its_world_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    context = build_run(RunConfig(suites=("toy", "toy-talk"), strategies=("window",)), Path("nowhere"))
    houses, talk = context.suites["toy"], context.suites["toy-talk"]
    counts: Counter[str] = Counter()
    for name in ("reset", "close"):
        method = getattr(ToyWorld, name)
        monkeypatch.setattr(ToyWorld, name, lambda self, n=name, m=method: (counts.update([n]), m(self))[1])
    tasks = list(houses.tasks.values())
    assert houses.open_frame(tasks[1]) is houses.open_frame(tasks[1])
    assert houses.open_frame() is houses.open_frame(tasks[0])
    assert counts == {"reset": 2, "close": 2}
    assert "question" in talk.open_frame().instructions.lower()


def test_each_suite_has_its_default_split() -> None:
    made = build("toy:houses=2;toy-talk:talks=1")
    assert {(name, suite.split, len(suite.tasks)) for name, suite in made.suites.items()} == {
        ("toy:houses=2", "houses", 2), ("toy-talk:talks=1", "talks", 1),
    }  # fmt: skip
    made.close()


def prints(**fields: object) -> dict[str, dict[str, str]]:
    made = build("toy", "no-memory;window:k=5", limit=1, **fields)
    return {plan.key.strategy: dict(made.build_parts(plan.key).fingerprint.entries) for plan in made.plans}


def test_fingerprint_has_shared_and_strategy_entries() -> None:
    found = prints()
    assert found["no-memory"] != found["window:k=5"]
    shared = [{k: v for k, v in one.items() if k.startswith("env.")} for one in found.values()]
    assert shared[0] == shared[1]
    assert shared[0]["env.suite"] == "toy-v1"
    assert found["window:k=5"]["row.strategy"].startswith("window-v")
    assert "k=5" in found["window:k=5"]["row.params"]
    assert all(name.startswith(("env.", "row.")) for one in found.values() for name in one)


@pytest.mark.parametrize(("fields", "part"), [({"steps": 9}, "env."), ({"budget_tokens": 9}, "row.")])
def test_fingerprint_changes_with_what_changes_scores(fields: dict[str, object], part: str) -> None:
    before, after = prints()["no-memory"], prints(**fields)["no-memory"]
    changed = {name for name in before if before[name] != after[name]}
    assert changed
    assert all(name.startswith(part) for name in changed)
    assert prints(workers=3, max_tokens=9)["no-memory"] == before


def test_plans_without_data_name_a_split_that_needs_none() -> None:
    made = build("pddl", split="agentboard")
    with pytest.raises(UsageError, match=r"\(splits that need no download: generated\)"):
        _ = made.plans


def test_seed_depends_on_the_complete_key_only() -> None:
    key = TrialKey("toy", "houses", "house-000", "window", "m")
    others = [
        TrialKey("toy", "houses", "house-000", "window", "m", 1),
        TrialKey("toy", "houses", "house-001", "window", "m"),
    ]
    assert seed_of(key) == 4864216809874310660  # on every machine, in every process
    assert len({seed_of(one) for one in (key, *others)}) == 3


def test_resolved_run_is_pickled_without_resolving_again(monkeypatch: pytest.MonkeyPatch) -> None:
    config = RunConfig(suites=(" toy : houses = 02 ",), strategies=("window:k=05", "hiagent"), judge="offline/reader")
    run = resolve_run(config, NOWHERE)
    assert run.config.suites == ("toy:houses=2",)
    assert run.config.strategies == ("window:k=5", "hiagent")
    monkeypatch.setattr("bench.plugins.entry_points", None)
    again = pickle.loads(pickle.dumps(run))
    assert (again.config, again.root, again.model, again.judge) == (run.config, run.root, run.model, run.judge)
    assert [one.strategy for one in again.strategies] == [one.strategy for one in run.strategies]
    assert [(one.spec, one.split, one.params.resolved) for one in again.suites] == [
        (one.spec, one.split, one.params.resolved) for one in run.suites
    ]


def test_plans_are_made_once() -> None:
    made = build(limit=1)
    assert made.plans is made.plans


@pytest.mark.parametrize(
    ("suites", "strategies", "message"),
    [
        ("toy", "window:k=5;window:k=05", "expected each strategy once, got window:k=5 twice"),
        ("toy", "always-refuse", r"strategy always-refuse: expected a suite it serves \(conversation\), got none"),
    ],
)
def test_resolve_run_refuses_strategies_that_cannot_play(suites: str, strategies: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        build(suites, strategies)


def test_judge_is_called_at_temperature_zero_at_its_own_address() -> None:
    options = ModelOptions("http://mine/v1", 0.7, 0.9, 3, endpoint=Path("mine.toml"), concurrency=4)
    judge = choose_judge("openai/gpt@home@http://theirs/v1", options)
    assert judge.name == "openai/gpt@home"
    assert judge.options == ModelOptions("http://theirs/v1", 0.0, concurrency=4)
    own = choose_judge("openai/gpt@home@http://theirs/v1", options, Path("theirs.toml"))
    assert own.options == ModelOptions("http://theirs/v1", 0.0, endpoint=Path("theirs.toml"), concurrency=4)
