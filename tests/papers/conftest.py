"""A paper of one's own: a recipe about the toy suites, and the CSV beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.papers.numbers import COLUMNS

RECIPE = """
title = "Whole history against none, in small houses and short talks"
paper = "mine"
tables = ["Table 1"]
model = "gpt-0"
judge = "gpt-0"
numbers = "mine.csv"
strategies = [
    { strategy = "full_history", ours = "full-history" },
    { strategy = "window", variant = "k=2", ours = "window:k=2" },
]
subsets = [
    { benchmark = "toy", subset = "all", run = "houses" },
    { benchmark = "toy_talk", subset = "all", run = "talks" },
]
metrics = [
    { metric = "success_rate", ours = "success" },
    { metric = "context_pct", ours = "context_tokens_mean", statistic = "relative", against = ["full-history"] },
    { metric = "judge_accuracy", ours = "judge_accuracy" },
    { metric = "w", variant = "t=steps", ours = "steps", statistic = "wilcoxon-w", against = ["full-history"] },
]
gaps = [{ strategy = "oracle", why = "nobody knows the future" }]
differences = ["the paper has larger houses"]

[[runs]]
name = "houses"
suites = ["toy:houses=4"]
strategies = ["full-history", "window:k=2"]

[[runs]]
name = "talks"
suites = ["toy-talk:talks=1"]
strategies = ["full-history", "window:k=2"]
"""
NUMBERS = (
    "Table 1,toy,all,gpt-0,full_history,,success_rate,percent,90,4",
    "Table 1,toy,all,gpt-0,window,k=2,success_rate,percent,12.5,4",
    "Table 1,toy,all,gpt-0,window,k=2,context_pct,percent,40,4",
    "Table 1,toy,all,gpt-0,window,k=2;t=steps,w,count,3,4",
    "Table 1,toy,all,gpt-0,window,k=9,success_rate,percent,50,4",
    "Table 1,toy,all,gpt-0,oracle,,success_rate,percent,100,4",
    "Table 1,toy_talk,all,gpt-0,full_history,,judge_accuracy,percent,80,",
    "Table 2,toy,all,gpt-0,full_history,,success_rate,percent,1,4",
)


def write_numbers(path: Path, lines: tuple[str, ...] = NUMBERS) -> None:
    rows = [f"mine,{line},,,paper," for line in lines]
    path.write_text("\n".join([",".join(COLUMNS), *rows]) + "\n")


@pytest.fixture
def recipe_file(tmp_path: Path) -> Path:
    write_numbers(tmp_path / "mine.csv")
    path = tmp_path / "mine.toml"
    path.write_text(RECIPE)
    return path
