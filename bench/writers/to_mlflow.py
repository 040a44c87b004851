"""Runs into MLflow: one run of its own for each row of the table.

``-o FOLDER`` is a store of its own that needs no server: ``mlflow ui --backend-store-uri sqlite:///FOLDER/mlflow.db``
shows it. Without it, the server or store that MLFLOW_TRACKING_URI names.
The experiment is that of MLFLOW_EXPERIMENT_NAME, else ``memfrontier``. Prompts and replies are not handed on.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.errors import UsageError, writing
from bench.export.targets import Request
from bench.writers.records import TrackedRow, describe_rows, write_files

__all__ = ["write"]

_EXPERIMENT = "memfrontier"
_LONGEST = 6000
"""Characters of a setting that MLflow takes."""


def write(request: Request) -> None:
    """Write runs to MLflow. Raises: UsageError without the package, or without a place; StoreError."""
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")  # nothing is sent that nobody asked for
    try:
        from mlflow import MlflowClient  # noqa: PLC0415
        from mlflow.exceptions import MlflowException  # noqa: PLC0415
    except ImportError:
        raise UsageError(
            "export: expected package mlflow for mlflow, got none; pip install 'memfrontier[mlflow]'"
        ) from None
    place = _find_place(request.out)
    rows = describe_rows(request.folders, timing=request.timing)
    with writing("export", request.out or Path("mlflow")):
        if request.out is not None:
            request.out.mkdir(parents=True, exist_ok=True)
        try:
            _put(MlflowClient(tracking_uri=place), rows, request)
        except MlflowException as cause:
            raise OSError(str(cause)) from cause


def _find_place(out: Path | None) -> str:
    if out is not None:
        return f"sqlite:///{out.resolve() / 'mlflow.db'}"
    if place := os.environ.get("MLFLOW_TRACKING_URI", ""):
        return place
    raise UsageError("export: expected -o FOLDER or MLFLOW_TRACKING_URI for mlflow, got neither; name one")


def _put(client: Any, rows: tuple[TrackedRow, ...], request: Request) -> None:
    from mlflow.entities import Metric, Param  # noqa: PLC0415

    name = os.environ.get("MLFLOW_EXPERIMENT_NAME", _EXPERIMENT)
    known = client.get_experiment_by_name(name)
    files_at = (request.out.resolve() / "artifacts").as_uri() if request.out is not None else None
    experiment = known.experiment_id if known else client.create_experiment(name, artifact_location=files_at)
    with tempfile.TemporaryDirectory() as folder:
        files = write_files(request.folders, Path(folder))
        for row in rows:
            run = client.create_run(experiment, run_name=row.name).info.run_id
            now = int(time.time() * 1000)
            client.log_batch(
                run,
                metrics=[Metric(key, value, now, 0) for key, value in row.metrics.items()],
                params=[Param(key, value[:_LONGEST]) for key, value in row.settings.items()],
            )
            for file in files:
                client.log_artifact(run, str(file))
            client.set_terminated(run, "FINISHED")
