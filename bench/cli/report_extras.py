"""What the HTML report shows beside the records of runs: right answers, files of memories, learned artifacts.

All of it is read or played again from what is on this machine; where that does not lead there, it is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.cli.show_workspace import read_workspace
from bench.config import RUN_FILE, read_config
from bench.errors import BenchError
from bench.report.page.report import Extras
from bench.runner.artifacts import LearnedArtifact, read_artifact
from bench.runner.evaluating import list_folders
from bench.runner.references import ReferenceReader
from bench.types import Trial, TrialKey

__all__ = ["ExtrasReader"]

Files = Sequence[tuple[str, str]]


class ExtrasReader:
    """Reads the extras of runs; ``most``: trials of each strategy on each suite whose memory is built again."""

    def __init__(self, folders: Sequence[Path], most: int):
        self._folders, self._most = folders, most
        self._references: dict[Path, ReferenceReader] = {}
        self._built: dict[tuple[Path, str, str], int] = {}

    @property
    def extras(self) -> Extras:
        return Extras(self.read_references, self.read_workspaces, list(self._describe_artifacts()))

    def read_references(self, folder: Path, key: TrialKey) -> Mapping[str, tuple[str, str]]:
        """Return the right answers to the questions of a trial."""
        if folder not in self._references:
            self._references[folder] = ReferenceReader(folder)
        return self._references[folder].read(key)

    def read_workspaces(self, folder: Path, trials: Sequence[Trial]) -> list[Files]:
        """Return the files of each trial's memory; none for a strategy that keeps none, and above the limit."""
        return [self._read_workspace(folder, trial) for trial in trials]

    def _read_workspace(self, folder: Path, trial: Trial) -> Files:
        place = folder, trial.key.suite, trial.key.strategy
        if self._built.get(place, 0) >= self._most:
            return ()
        try:
            files = read_workspace(folder, trial)
        except BenchError:  # it keeps none, or was recorded with another version
            self._built[place] = self._most
            return ()
        self._built[place] = self._built.get(place, 0) + 1
        return files

    def _describe_artifacts(self) -> list[dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        for folder in self._folders:
            try:
                artifacts = [read_artifact(place) for place in list_folders(read_config(folder / RUN_FILE), folder)]
            except BenchError:  # moved since
                continue
            found |= {one.digest: _describe_artifact(one) for one in artifacts}
        return [found[digest] for digest in sorted(found, key=lambda name: (found[name]["label"], name))]

    def close(self) -> None:
        """Close the suites that were opened."""
        for reader in self._references.values():
            reader.close()


def _describe_artifact(one: LearnedArtifact) -> dict[str, Any]:
    about, files = one.about, one.artifact.files
    fields = {name: getattr(about, name) for name in ("label", "suite", "split", "policy", "pool", "model", "gathered")}
    return {"digest": one.digest[:16], **fields, "files": [[name, files[name]] for name in sorted(files)]}
