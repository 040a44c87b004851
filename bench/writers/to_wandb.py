"""Runs into Weights & Biases: one run of its own for each row of the table.

``-o FOLDER`` writes offline runs there, without any network; ``wandb sync`` sends them later. Without it, WANDB_MODE
has to be ``online``: nothing is sent that nobody asked for. The project is that of WANDB_PROJECT, else ``memfrontier``.
Prompts and replies are not handed on, nor code, nor anything about this machine.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from bench.errors import UsageError, writing
from bench.export.targets import Request
from bench.writers.records import describe_rows, write_files

__all__ = ["write"]

_PROJECT = "memfrontier"


def write(request: Request) -> None:
    """Write runs to W&B. Raises: UsageError without the package, or without a place; StoreError."""
    os.environ.setdefault("WANDB_ERROR_REPORTING", "false")
    try:
        import wandb  # noqa: PLC0415
    except ImportError:
        raise UsageError(
            "export: expected package wandb for wandb, got none; pip install 'memfrontier[wandb]'"
        ) from None
    if request.out is None and os.environ.get("WANDB_MODE") != "online":
        raise UsageError("export: expected -o FOLDER or WANDB_MODE=online for wandb, got neither; name one")
    rows = describe_rows(request.folders, timing=request.timing)
    with tempfile.TemporaryDirectory() as folder, writing("export", request.out or Path("wandb")):
        place = request.out or Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        files = write_files(request.folders, Path(folder))
        settings = wandb.Settings(
            silent=True, console="off", disable_git=True, disable_code=True, save_code=False,
            x_disable_meta=True, x_disable_stats=True, x_disable_machine_info=True, x_save_requirements=False,
        )  # fmt: skip
        for row in rows:
            run = wandb.init(
                project=os.environ.get("WANDB_PROJECT", _PROJECT),
                name=row.name,
                config=dict(row.settings),
                dir=str(place),
                mode="online" if request.out is None else "offline",
                reinit="create_new",
                settings=settings,
            )
            run.summary.update(dict(row.metrics))
            for file in files:
                shutil.copy(file, run.dir)  # what lies there is part of the run, and goes with it when it is sent
            run.finish()
