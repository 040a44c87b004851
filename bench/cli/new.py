"""``bench new``: write a plug-in package that passes its own tests, to begin a strategy or a suite with."""

# ruff: noqa: PLC0415
from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

__all__ = ["new"]

_KINDS = ("strategy", "suite")


def new(
    kind: Annotated[str, Argument(help="strategy or suite.")],
    name: Annotated[str, Argument(help="Its name, e.g. last-mention.")],
    calls_model: Annotated[
        bool, Option("--calls-model", help="A strategy that calls a model, with its offline rule.")
    ] = False,
    learns: Annotated[bool, Option("--learns", help="A strategy that learns from training tasks.")] = False,
    out: Annotated[
        Path | None, Option("-o", "--out", help="The new folder (default: NAME).", metavar="DIR", show_default=False)
    ] = None,
) -> None:
    """Write a package with a strategy or suite that runs at once: source, prompts, offline rule, tests."""
    from bench.errors import UsageError, unknown_name
    from bench.registry import strategy_names, suite_names
    from bench.scaffold.package import check_name, write_package

    if kind not in _KINDS:
        raise unknown_name("new", "a kind", kind, _KINDS)
    if (calls_model and learns) or (kind == "suite" and (calls_model or learns)):
        got = "--calls-model and --learns" if calls_model and learns else "a suite"
        raise UsageError(f"new: expected a strategy that calls a model, or one that learns, got {got}; leave one out")
    check_name(name, {*strategy_names(), *suite_names()})
    folder = out or Path(name)
    files = write_package("model_strategy" if calls_model else "learner" if learns else kind, name, folder)
    check = f"bench check {name if kind == 'strategy' else f'--suite {name}'}"
    print(f"{folder}: {', '.join(sorted(files))}\n\nWhat to do next:\n")
    print(f"  cd {folder}\n  pip install -e '.[test]'\n  pytest\n  {check}\n  cat README.md")
