"""Benchmark, not a test: how often each reported test finds a difference where there is none, and where there is one.

Two strategies whose scores come from the same distribution on every task, easier tasks being easier for both. A test
at the level of 5 % may reject at most 5 % of such pairs; an interval of 95 % may miss its mean in at most 5 %. Beside
it stands the power: how often it rejects where the first is better by the effect stated.

The data is made to look like what the suites give: successes of 0 or 1; progress in quarters, with many ties and zeros;
F1, with many zeros and ones; and questions of the ten conversations of LoCoMo, where the difference of two strategies
itself varies from one conversation to the next (ICC of the differences). Tests and intervals are the project's own
(``bench.stats``); a test in ``tests/report`` shows that a table prints the same p-values.

Run: ``python -m tests.perf.bench_type_one_error``, which writes ``results/statistics/type_one_error.{csv,md}``.
"""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.stats.bootstrap import cluster_interval, mean_interval
from bench.stats.difference import difference_interval
from bench.stats.holm import holm
from bench.stats.interval import Interval, seed_of
from bench.stats.mcnemar import mcnemar
from bench.stats.signflip import sign_flip
from bench.stats.wilcoxon import signed_rank
from bench.stats.wilson import wilson

__all__ = ["CSV", "SETTINGS", "Cell", "Setting", "measure", "read_cells"]

Array = npt.NDArray[np.float64]
ALPHA = 0.05
FOLDER = Path(__file__).parents[2] / "results" / "statistics"
CSV = FOLDER / "type_one_error.csv"
SIZES = np.array([199, 105, 193, 260, 242, 158, 190, 239, 196, 204])
"""Questions of LoCoMo's ten conversations."""
RIVALS = 7
"""Strategies tested against one reference in a family."""
RESAMPLES = 999
"""Of a bootstrap here; a table draws 9,999, which moves the ends of an interval by less than what is measured."""
TRUE_DRAWS = 2_000_000


@dataclass(frozen=True)
class Setting:
    """One kind of data and one size. ``icc`` < 0: tasks are independent."""

    data: str
    n: int
    replications: int
    icc: float = -1.0

    @property
    def is_clustered(self) -> bool:
        return self.icc >= 0

    @property
    def effect(self) -> float:
        """The difference of the means where there is one, before the ends of 0..1 cut it."""
        return 0.10 if self.is_clustered else 0.15


SETTINGS = (
    *(Setting(data, n, reps) for data in ("success", "progress", "f1")
      for n, reps in ((10, 2000), (20, 2000), (60, 2000), (134, 1000), (500, 400))),
    Setting("f1", 1000, 400),
    *(Setting(data, 500, 1000, icc) for data in ("success", "f1") for icc in (0.0, 0.02, 0.05)),
)  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """One row of the result; shares in 0..1. ``error``: the Monte-Carlo standard error at a true 5 %."""

    test: str
    data: str
    n: int
    clusters: int
    replications: int
    type_one: float
    error: float
    effect: float
    power: float

    @property
    def holds(self) -> bool:
        """At most 5 %, as far as so many replications can tell (two standard errors)."""
        return self.type_one <= ALPHA + 2 * self.error


def _score(rng: np.random.Generator, data: str, chance: Array) -> Array:
    """Return one score for each chance of a success."""
    won, lot = rng.random(chance.shape) < chance, rng.random(chance.shape)
    if data == "success":
        return won.astype(np.float64)
    if data == "progress":
        return np.where(won, 1.0, np.floor(4 * rng.beta(1.5, 1.5, chance.shape)) / 4)
    right = np.where(lot < 0.35, 1.0, rng.beta(4, 2, chance.shape))
    return np.round(np.where(won, right, np.where(lot < 0.6, 0.0, rng.beta(1, 3, chance.shape))), 4)


def _find_clusters(setting: Setting) -> npt.NDArray[np.int64]:
    if not setting.is_clustered:
        return np.arange(setting.n)
    return np.repeat(np.arange(len(SIZES)), np.rint(SIZES * setting.n / SIZES.sum()).astype(int))


def draw(rng: np.random.Generator, setting: Setting, effect: float, rivals: int = 1) -> tuple[Array, list[str]]:
    """Return the scores of the reference and its rivals, shape (1 + rivals, tasks), and the clusters of the tasks.

    A rival is better by ``effect`` on every task, and in a cluster by a part of its own, the same for all its tasks.
    """
    member = _find_clusters(setting)
    ease = rng.beta(0.6, 0.4, len(member))  # a success in 60 %, another one on 24 % of the tasks
    own = rng.normal(0, 1, (1 + rivals, member.max() + 1))[:, member] * _spread(setting)
    gain = np.concatenate([np.zeros(1), np.full(rivals, effect)])[:, None]
    scores = _score(rng, setting.data, np.clip(ease + gain + own, 0, 1))
    return scores, [f"c{place}" for place in member]


def _spread(setting: Setting) -> float:
    """Return the deviation of a strategy's own part in a cluster; two strategies differ by the square root of two."""
    return math.sqrt(0.12 * setting.icc / (1 - setting.icc)) if setting.is_clustered else 0.0


def _find_mean(setting: Setting) -> float:
    rng = np.random.default_rng(1)
    ease = rng.beta(0.6, 0.4, TRUE_DRAWS) + rng.normal(0, 1, TRUE_DRAWS) * _spread(setting)
    return float(_score(rng, setting.data, np.clip(ease, 0, 1)).mean())


def _excludes(interval: Interval, value: float = 0.0) -> float:
    return float(not interval.low <= value <= interval.high)


def _test_pair(setting: Setting, scores: Array, clusters: Sequence[str], _seed: int) -> dict[str, float]:
    """Return what each test says of one pair: 1 = a difference."""
    gains = (scores[1] - scores[0]).tolist()
    found: dict[str, float] = {}
    if setting.is_clustered:
        found["sign-flip over clusters"] = sign_flip(gains, clusters, seed=0).p <= ALPHA
        found["interval of a difference, clusters"] = _excludes(difference_interval(gains, clusters))
        found["(Wilcoxon signed-rank over questions)"] = signed_rank(gains).p <= ALPHA
        return found
    if setting.data == "success":
        wins, losses = gains.count(1.0), gains.count(-1.0)
        test = mcnemar(wins, losses, len(gains) - wins - losses)
        found["McNemar, exact"] = test.p <= ALPHA
        found["McNemar, mid-p"] = test.p_mid <= ALPHA
        found["interval of a difference, Bonett-Price"] = _excludes(test.interval)
    found["Wilcoxon signed-rank"] = signed_rank(gains).p <= ALPHA
    found["interval of a difference, tasks"] = _excludes(difference_interval(gains))
    return found


def _test_bootstrap(setting: Setting, scores: Array, clusters: Sequence[str], seed: int) -> dict[str, float]:
    """Return whether the bootstrap interval of the difference, which is not reported, excludes 0."""
    gains = (scores[1] - scores[0]).tolist()
    if setting.is_clustered:
        found = cluster_interval(gains, clusters, seed=seed, resamples=RESAMPLES)
        return {"(interval of a difference, BCa, clusters)": _excludes(found)}
    return {"(interval of a difference, BCa)": _excludes(mean_interval(gains, seed=seed, resamples=RESAMPLES))}


def _test_family(setting: Setting, scores: Array, clusters: Sequence[str], seed: int) -> float:
    """Return 1 if any rival differs after Holm's adjustment."""
    gains = [(row - scores[0]).tolist() for row in scores[1:]]
    if setting.is_clustered:
        p_values = [sign_flip(one, clusters, seed=seed).p for one in gains]
    else:
        p_values = [signed_rank(one).p for one in gains]
    return float(any(p is not None and p <= ALPHA for p in holm(p_values)))


def _miss_mean(setting: Setting, scores: Array, clusters: Sequence[str], seed: int, true: float) -> dict[str, float]:
    """Return which interval of a row's mean misses the true one."""
    row = scores[0].tolist()
    if setting.is_clustered:
        return {"interval of a mean, clusters": _excludes(
            cluster_interval(row, clusters, seed=seed, resamples=RESAMPLES), true)}  # fmt: skip
    if setting.data == "success":
        return {"interval of a rate, Wilson": _excludes(wilson(sum(row), len(row)), true)}
    return {"interval of a mean, tasks": _excludes(mean_interval(row, seed=seed, resamples=RESAMPLES), true)}


def _repeat(setting: Setting, what: str, effect: float, run: Callable[..., Mapping[str, float]], rivals: int = 1,
            replications: int = 0) -> dict[str, float]:  # fmt: skip
    """Return the share of replications in which each test rejects."""
    rng = np.random.default_rng(seed_of(setting.data, str(setting.n), str(setting.icc), what, str(effect)))
    total: dict[str, float] = {}
    for number in range(replications or setting.replications):
        scores, clusters = draw(rng, setting, effect, rivals)
        for name, hit in run(setting, scores, clusters, number).items():
            total[name] = total.get(name, 0.0) + hit
    return {name: hits / (replications or setting.replications) for name, hits in total.items()}


def measure(setting: Setting, *, resample: bool = True) -> list[Cell]:
    """Return a cell for each test of one setting; the same digits everywhere. ``resample``: bootstrap intervals too."""
    reps = setting.replications
    true = _find_mean(setting)
    null = _repeat(setting, "pair", 0.0, _test_pair)
    there = _repeat(setting, "pair", setting.effect, _test_pair)
    if resample:
        null |= _repeat(setting, "bootstrap", 0.0, _test_bootstrap)
        null |= _repeat(setting, "row", 0.0, lambda s, x, c, n: _miss_mean(s, x, c, n, true))
    cells = [_make(setting, name, share, there.get(name, math.nan), reps) for name, share in null.items()]
    if setting.n in (60, 500) and (setting.is_clustered or setting.n == 60):
        few = max(500, reps // 4)
        family = lambda s, x, c, n: {"Holm": _test_family(s, x, c, n)}  # noqa: E731
        shares = [_repeat(setting, "family", e, family, RIVALS, few)["Holm"] for e in (0.0, setting.effect)]
        cells.append(_make(setting, f"Holm, family of {RIVALS}", *shares, few))
    return cells


def _make(setting: Setting, test: str, null: float, power: float, replications: int) -> Cell:
    data = setting.data + (f", ICC {setting.icc:g}" if setting.is_clustered else "")
    n, clusters = len(_find_clusters(setting)), len(SIZES) if setting.is_clustered else setting.n
    error = math.sqrt(ALPHA * (1 - ALPHA) / replications)
    return Cell(test, data, n, clusters, replications, round(null, 4), round(error, 4), setting.effect, round(power, 4))


def read_cells() -> list[dict[str, str]]:
    """Return the committed rows."""
    with CSV.open(encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table))


def write(cells: Sequence[Cell]) -> None:
    """Write the rows as CSV, and as a page to read."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    ordered = sorted(cells, key=lambda cell: (cell.test, cell.data, cell.n))
    with CSV.open("w", encoding="utf-8", newline="") as table:
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow([field.name for field in fields(Cell)])
        writer.writerows(["" if value != value else value for value in astuple(cell)] for cell in ordered)
    head = (__doc__ or "").split("Run:")[0].strip().replace("``", "`").partition("\n\n")[2]
    lines = [
        "# Type-I error and power of what is reported", "", head, "",
        "Type-I error is the share of pairs without a difference in which a test rejects at 5 %, or in which an "
        "interval of 95 % excludes 0 (of a difference) or misses the true mean (of one row); `±` is the Monte-Carlo "
        "standard error at a true 5 %. **Bold**: above 5 % by more than two of these. Power: for the first better by "
        "the effect; of a family the share in which any is found. In brackets: what is not reported, and why it is "
        "not. Made by `python -m tests.perf.bench_type_one_error`; rows in `type_one_error.csv`.", "",
        "| test | data | tasks | clusters | type-I error % | ± | effect | power % |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]  # fmt: skip
    for cell in ordered:
        share = f"{100 * cell.type_one:.1f}" if cell.holds else f"**{100 * cell.type_one:.1f}**"
        power = "–" if cell.power != cell.power else f"{100 * cell.power:.1f}"
        effect = "–" if cell.power != cell.power else f"+{cell.effect:.2f}"
        lines.append(f"| {cell.test} | {cell.data} | {cell.n} | {cell.clusters} | {share} | {100 * cell.error:.1f} "
                     f"| {effect} | {power} |")  # fmt: skip
    (FOLDER / "type_one_error.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    cells: list[Cell] = []
    with ProcessPoolExecutor(2) as pool:
        for found in pool.map(measure, SETTINGS):
            cells += found
            for cell in found:
                print(f"{cell.test:42} {cell.data:18} {cell.n:5} {cell.type_one:.4f} {cell.power:.4f}", file=sys.stderr)
    write(cells)


if __name__ == "__main__":
    main()
