"""The targets of ``bench export --to``: their names, and the function that writes each.

A target is a function ``write(request: Request) -> None`` in a module of its own. A new one is a line in ``TARGETS``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.errors import UsageError, unknown_name
from bench.plugins import load_target

__all__ = ["TARGETS", "Request", "load_writer"]

TARGETS = {
    "csv": "bench.export.tables:write_csv",
    "jsonl": "bench.export.tables:write_json_lines",
    "mlflow": "bench.writers.to_mlflow:write",
    "parquet": "bench.export.tables:write_parquet",
    "hf": "bench.export.hub_folder:write_folder",
    "eee": "bench.export.eee:write_eee",
    "trajectories": "bench.export.trajectories:write_trajectories",
    "wandb": "bench.writers.to_wandb:write",
}


@dataclass(frozen=True, slots=True)
class Request:
    """What to export, and where to."""

    folders: tuple[Path, ...]
    columns: tuple[str, ...] = ()
    """The scores to keep, short names allowed; all if empty."""
    timing: bool = False
    """Wall times too."""
    out: Path | None = None

    def take_out(self, target: str, why: str) -> Path:
        """Return where to write. Raises: UsageError if nothing was given; ``why`` says why that is needed."""
        if self.out is None:
            raise UsageError(f"export: expected -o PATH for {target}, got none; {why}")
        return self.out


Writer = Callable[[Request], None]


def load_writer(name: str) -> Writer:
    """Return the function that writes a target. Raises: UsageError for an unknown one."""
    if name not in TARGETS:
        raise unknown_name("export", "a format", name, TARGETS)
    found: Writer = load_target(TARGETS[name], "a function that writes a run", callable)
    return found
