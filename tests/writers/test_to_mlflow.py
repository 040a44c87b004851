"""Rows into a store of MLflow on this disk, with the real package."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from bench.errors import UsageError
from bench.export.targets import Request, load_writer
from bench.writers.records import describe_rows
from tests.conftest import RunBench

pytestmark = [
    pytest.mark.needs("mlflow", "sqlalchemy", "alembic"),
    pytest.mark.filterwarnings("ignore"),  # of the packages that it brings
]


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MLFLOW_TRACKING_URI", "MLFLOW_EXPERIMENT_NAME"):
        monkeypatch.delenv(name, raising=False)


def read_runs(store: Path, experiment: str = "memfrontier") -> list[Any]:
    client = import_module("mlflow").MlflowClient(tracking_uri=f"sqlite:///{store / 'mlflow.db'}")
    found = client.get_experiment_by_name(experiment)
    assert found is not None
    return list(client.search_runs([found.experiment_id]))


def test_each_row_is_a_run_with_settings_metrics_and_files(bench: RunBench, played: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    assert bench("export", str(played), "--to", "mlflow", "-o", str(store)).code == 0
    runs = {run.data.params["strategy"]: run for run in read_runs(store)}
    rows = {row.settings["strategy"]: row for row in describe_rows([played])}
    assert set(runs) == set(rows)
    for name, row in rows.items():
        assert runs[name].data.metrics == pytest.approx(dict(row.metrics))
        assert runs[name].data.params == dict(row.settings)
        assert runs[name].info.status == "FINISHED"
    kept = sorted(path.name for path in (store / "artifacts").rglob("*") if path.is_file())
    assert kept == sorted(2 * ["frontier.csv", "frontier.svg", "table.csv", "table.json", "table.md"])
    # A second time adds runs to the same experiment.
    load_writer("mlflow")(Request((played,), out=store))
    assert len(read_runs(store)) == 4


def test_without_a_place_it_says_what_to_name(played: Path) -> None:
    with pytest.raises(UsageError, match="-o FOLDER or MLFLOW_TRACKING_URI"):
        load_writer("mlflow")(Request((played,)))
