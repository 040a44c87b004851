"""The words of fuzzed command lines: the real options of the real commands, with values that fit and values that do
not."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import typer

from bench.cli.app import app

__all__ = ["draw_line"]

_SUITES = ("toy:houses=2", "toy-talk:talks=1", "toy", "pddl", "locomo", "longmemeval:path=longmemeval/mine.json")
_STRATEGIES = ("full-history", "window:k=2", "bm25", "truncation", "summary", "always-refuse", "react", "exprag")
_HUGE, _LONG = "1" + "0" * 20, "a" * 3000
_BAD = (
    "", " ", "-1", "0", "1.5", "nan", "inf", "-inf", "1e400", _HUGE, "-" + _HUGE, "0x10", "1_0", "\u0663", "abc",
    ",", ":", "=", "a:b", "a=b", "toy:houses=x", "toy:houses=-1", "window:k=1e9", f"window:k={_HUGE}", "a\nb", "\udcff",
    "[red]x[/]", "../x", "~", ".", "/", "/dev/null", "/dev/full", "none", _LONG, "/".join(["d"] * 60), "ſ", "é\u0301",
    "{}", "null", "true", "--", "-", "%s", "$HOME", "*", "'", '"', "\\", "toy,,toy", "toy;toy", "a@b", "x@http://h/v1",
)  # fmt: skip
_FOLDERS = ("run", "learned", "empty", "text.txt", "question.toml", "none")
_GOOD: Mapping[str, Sequence[str]] = {
    "targets": (*_SUITES, "run", "question.toml"), "suites": _SUITES, "folder": _FOLDERS, "folders": _FOLDERS,
    "first": _STRATEGIES, "second": _STRATEGIES, "strategy": _STRATEGIES, "strategies": _STRATEGIES,
    "trial": ("full-history@house-000", "house-000", "full-history", "no-memory@talk-00"), "kind": ("suites", "models"),
    "action": ("where", "check", "stats", "export", "import", "get"), "name": ("locomo", "pddl", "prompts"),
    "model": ("offline/reader", "offline/novice", "openai/gpt-4.1", "local/none.gguf"), "judge": ("offline/reader",),
    "judge_endpoint": ("endpoint.toml", "text.txt"), "endpoint": ("endpoint.toml", "run", "none.toml"),
    "base_url": ("http://127.0.0.1:9/v1", "ftp://x", "http://[", "http://127.0.0.1:99999/v1", "http://a:b@h/v1"),
    "temperature": ("0", "0.7", "provider"), "top_p": ("0.5", "1"), "model_seed": ("1",), "cache": ("off", "read"),
    "embedder": ("hash",), "split": ("generated", "talks", "houses"), "limit": ("1", "2"), "seeds": ("0", "0,1"),
    "attempts": ("1", "2"), "steps": ("3", "5"), "learn_policy": ("grouped-by-spec", "random"),
    "learn_split": ("generated",), "learn_tasks": ("2",), "learn_attempts": ("2",), "learn_every": ("attempt", "run"),
    "learn_collectors": ("full-history",), "stream": ("1", "2"), "artifacts": ("learned/artifacts", "learned", "run"),
    "leak": ("official", "refuse"), "budget_tokens": ("0", "50", "500"), "reply_tokens": ("16",),
    "answer_tokens": ("16",), "ask_again": ("0", "1"), "task_wall_s": ("60",), "workers": ("1", "2"),
    "max_usd": ("1",), "max_tokens": ("500", "100000"), "tasks": ("2", "1,all"), "x": ("tokens", "calls"),
    "y": ("success", "steps", "progress"), "figure": ("c.svg",), "style": ("rich", "md", "csv", "json", "latex"),
    "out": ("out", "out.svg", "out.png", "run", "text.txt"), "pilot": ("1", "2"), "source": ("run", "learned"),
    "by": ("group",), "reference": _STRATEGIES, "metric": ("success", "steps", "progress"), "step": ("1", "2"),
    "workspace": ("space", "empty"), "to": ("csv", "jsonl", "parquet"), "columns": ("success", "success,steps"),
    "file": ("table.jsonl.gz", "new.jsonl", "text.txt"), "run": ("run", "learned"), "port": ("0", "1"),
    "upstream": ("offline/reader", "openai/x"), "leave_out": ("response_format",), "control": ("placebo", "swapped"),
}  # fmt: skip
_SLOW = ("doctor", "train", "judge", "check", "curve")
"""Commands that take long when all is well with them: tried less often."""
_LEFT_OUT = ("demo",)
"""Plays for a minute whatever its only option says; its own tests try that one."""
_ENDLESS = ("attempts", "learn_attempts")
"""Huge values that are no mistake: the run would go on until it has made so many."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """An option or argument of a command."""

    name: str
    flag: str
    """Empty for an argument."""
    takes_value: bool
    required: bool


@cache
def _list_commands() -> dict[str, tuple[Parameter, ...]]:
    """Return the real commands with their real parameters."""
    group = typer.main.get_command(app)
    return {name: tuple(map(_read_parameter, command.params)) for name, command in group.commands.items()}  # type: ignore[attr-defined]


def _read_parameter(found: object) -> Parameter:
    opts = max(getattr(found, "opts", [""]), key=len)
    flag = opts if opts.startswith("-") else ""
    is_flag = bool(getattr(found, "is_flag", False))
    return Parameter(str(getattr(found, "name", "")), flag, not is_flag, bool(getattr(found, "required", False)))


def draw_line(rng: random.Random) -> list[str]:
    """Return the words after ``bench``: good ones, bad ones, too many, too few."""
    commands = _list_commands()
    if rng.random() < 0.03:
        return [_draw_bad(rng) for _ in range(rng.randrange(3))]
    names = [
        name
        for name in commands
        if name not in _LEFT_OUT
        for _ in range(1 if name in _SLOW else 12 if name == "run" else 6)
    ]
    command = rng.choice(sorted(names))
    arguments = [one for one in commands[command] if not one.flag]
    options = [one for one in commands[command] if one.flag]
    words = [command]
    for one in arguments:
        if (one.required and rng.random() < 0.97) or rng.random() < 0.5:
            words.append(_draw_value(one.name, rng, 0.2))
    if any(one.name == "strategies" for one in options):
        words += ["-s", "full-history", "--workers", "1"]
    chosen = [one for one in options if one.required]
    for one in (*chosen, *rng.sample(options, min(len(options), rng.choice((0, 1, 1, 2, 3))))):
        words += [one.flag, _draw_value(one.name, rng, 0.4)] if one.takes_value else [one.flag]
    if rng.random() < 0.05:
        words.insert(rng.randrange(len(words)), _draw_bad(rng))
    return words


def _draw_value(name: str, rng: random.Random, bad: float) -> str:
    if rng.random() < bad or name not in _GOOD:
        return rng.choice([text for text in _BAD if name not in _ENDLESS or _HUGE not in text])
    return rng.choice(_GOOD[name])


def _draw_bad(rng: random.Random) -> str:
    return rng.choice((*_BAD, "--format", "--help", "--version", "-o", "--no", "-z", "rum", "Run"))
