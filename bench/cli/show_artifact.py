"""``bench show`` of an artifact: what it was learned from, its files, and the text of one."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bench.errors import unknown_name
from bench.runner.artifacts import LearnedArtifact, read_artifact
from bench.runner.costs import Costs
from bench.store.printing import make_printable

__all__ = ["print_head", "show_artifact"]

_MOST_LINES = 60


def show_artifact(console: Console, folder: Path, name: str | None) -> None:
    """Print an artifact's head and the list of its files, or one file. Raises: UsageError."""
    found = read_artifact(folder)
    files = found.artifact.files
    if name is not None:
        if name not in files:
            raise unknown_name("show", "a file of the artifact", name, files)
        console.print(f"[dim]from {escape(', '.join(found.artifact.sources.get(name, ())))}[/]\n")
        console.print(escape(make_printable(files[name])))
        return
    print_head(console, found)
    grid = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("file", "characters", "from"):
        grid.add_column(title, justify="right" if title == "characters" else "left", overflow="fold")
    for file in sorted(files)[:_MOST_LINES]:
        sources = found.artifact.sources.get(file, found.artifact.tasks)
        origin = sources[0] if len(sources) == 1 else f"{len(sources)} tasks"
        grid.add_row(escape(file), f"{len(files[file]):,}", escape(origin))
    console.print(grid)
    if len(files) > _MOST_LINES:
        console.print(f"[dim]… {len(files) - _MOST_LINES} more; name one: bench show {escape(str(folder))} FILE[/]")


def print_head(console: Console, found: LearnedArtifact) -> None:
    """Print what an artifact is, in three lines."""
    about = found.about
    edited = "  [yellow]edited by hand[/]" if found.edited else ""
    control = f"  [yellow]{escape(f'{about.control} control of {about.origin[:16]}')}[/]" if about.control else ""
    where = escape(f"({about.strategy})  on {about.suite} {about.split}")
    console.print(f"[bold]{escape(about.label)}[/] {where}{edited}{control}")
    console.print(
        f"{len(found.artifact.files)} files from {len(found.artifact.tasks)} tasks under {escape(about.policy)}: "
        f"{escape(about.gathered)}; {_describe_costs(about.costs)}"
    )
    console.print(f"[dim]digest {found.digest[:16]}, pool {escape(about.pool)}, model {escape(about.model)}[/]")


def _describe_costs(costs: Costs) -> str:
    parts = (("gather", costs.gather_tokens), ("learn", costs.learn_tokens))
    return ", ".join(f"{name} {'unknown' if n is None else f'{n:,.0f}'} tokens" for name, n in parts)
