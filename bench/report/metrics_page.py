"""The page ``docs/metrics.md``, written from the catalogue: ``python -m bench.report.metrics_page``."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from bench.scoring.catalog import METRICS
from bench.scoring.metric import Better, Metric, Topic

__all__ = ["write_page"]

_INTRODUCTION = """# Metrics

Every number that `bench` records, averages, prints, compares or draws has one entry in `bench/scoring/catalog.py`; this
page is written from it (`python -m bench.report.metrics_page > docs/metrics.md`). Names in braces are families:
`progress_at_{k}` stands for `progress_at_5`, `progress_at_10` and so on. Short names in parentheses mean the same and
are accepted wherever a metric is named (`bench compare --metric`, `bench frontier -x -y`, `bench export --columns`).

How the values of tasks or questions become the value of a row (repeats of a task are averaged first):

* mean: over those that have the score;
* strict mean: unknown as soon as one lacks it, because a mean over the others would be a wrong total;
* maximum: the largest of any;
* mean, carried on: an episode that ended early goes on at its last progress;
* of the row: not averaged; a setting of the row, or a ratio to the reference row.
"""
_YOUR_OWN = """
## A metric of your own

One entry and one function. `compute` gets a trial; of a conversation, one trial for each question, with the step and
the calls of that question alone. It returns a number, or None where the metric does not apply.

```python
from bench.scoring.metric import Better, Metric, Topic, Unit
from bench.types import Trial


def count_words(trial: Trial) -> float | None:
    texts = [step.decision.text for step in trial.steps]
    return float(sum(len(text.split()) for text in texts)) if texts else None


METRIC = Metric(
    name="decision_words",
    topic=Topic.EFFORT,
    unit=Unit.COUNT,
    better=Better.LOWER,
    header="words",
    digits=1,
    weight=9,
    brief=True,
    definition="words: words of all decisions.",
    compute=count_words,
)
```

```toml
[project.entry-points."memfrontier.metrics"]
decision_words = "my_package.my_module:METRIC"
```

It is recorded by every run from then on, and is a column of tables, a key of their JSON and CSV, a column of exports, a
metric of `bench compare`, either axis of `bench frontier` and a number of `bench show`.
"""


def write_page() -> str:
    """Return the page."""
    sections = (line for topic in Topic for line in _write_section(topic))
    return "\n".join((_INTRODUCTION, *sections)) + _YOUR_OWN


def _write_section(topic: Topic) -> Iterator[str]:
    yield f"## {topic.value}\n"
    yield "| name | column | unit | better | value of a row | definition |"
    yield "|---|---|---|---|---|---|"
    for metric in METRICS:
        if metric.topic is topic:
            yield f"| {' | '.join(_write_cells(metric))} |"
    yield ""


def _write_cells(metric: Metric) -> tuple[str, ...]:
    others = [name for name in (metric.key, *metric.aliases) if name]
    names = f"`{metric.name}`" + (f" ({', '.join(f'`{name}`' for name in others)})" if others else "")
    better = "" if metric.better is Better.NEITHER else metric.better.value
    is_shared = [one.definition for one in METRICS].count(metric.definition) > 1
    definition = metric.definition if is_shared else metric.definition.partition(": ")[2]
    return names, metric.header, metric.unit.value, better, metric.aggregate.value, definition


if __name__ == "__main__":
    sys.stdout.write(write_page())
