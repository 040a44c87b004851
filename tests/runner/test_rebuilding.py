"""A memory as it was at the end of a recorded trial: rebuilt from the recorded calls alone, or refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench import registry
from bench.config import LearnConfig, RunConfig
from bench.errors import UsageError
from bench.models.scripted import ScriptedSource
from bench.protocols import HasFiles
from bench.runner.batch import run
from bench.runner.rebuilding import rebuild_memory
from bench.store.read import read_trials
from bench.types import Trial


def play(folder: Path, **fields: object) -> list[Trial]:
    config = RunConfig(suites=("toy",), strategies=("horma-untrained",), limit=2, steps=4).model_copy(update=fields)
    run(config, folder)
    return read_trials(folder)


def list_files(folder: Path, trial: Trial) -> dict[str, str]:
    memory = rebuild_memory(folder, trial)
    assert isinstance(memory, HasFiles)
    return dict(memory.files())


def test_rebuild_memory_holds_what_was_observed_until_the_end(tmp_path: Path) -> None:
    trial = play(tmp_path)[0]
    files = list_files(tmp_path, trial)
    raw = sorted(path for path in files if path.startswith("raw_logs/step_"))
    assert raw[-1] == "raw_logs/step_003/turn_0002.md"
    assert trial.steps[0].observation.text in files["raw_logs/step_001/turn_0002.md"]
    assert any(path.startswith("entities/") for path in files)


def test_rebuild_memory_calls_no_model_and_changes_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trial = play(tmp_path, suites=("toy-talk",))[0]
    before = (tmp_path / "run.sqlite").read_bytes()
    monkeypatch.setattr("bench.models.offline.reader.OfflineReader.chat", None)
    assert any(path.startswith("entities/") for path in list_files(tmp_path, trial))
    assert (tmp_path / "run.sqlite").read_bytes() == before


def test_rebuild_memory_needs_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = ScriptedSource(lambda _messages, role, _number: "none" if role == "organise" else "Action: look\ndone")
    monkeypatch.setattr(registry, "load_source", lambda *_: source)
    monkeypatch.setattr("bench.runner.build.load_source", lambda *_: source)
    trial = play(tmp_path, model="openai/some", steps=2)[0]
    made: list[int] = []
    monkeypatch.setattr(source, "model", made.append)
    assert "raw_logs/step_001/turn_0001.md" in list_files(tmp_path, trial)
    assert made == []


def test_rebuild_memory_of_a_learner_uses_its_artifact(tmp_path: Path) -> None:
    (trial, *_) = [
        trial
        for trial in play(tmp_path, suites=("toy:houses=8",), strategies=("exprag",), limit=None, learn=LearnConfig())
        if trial.key.attempt
    ]
    assert rebuild_memory(tmp_path, trial)


def test_rebuild_memory_refuses_calls_that_lead_elsewhere(tmp_path: Path) -> None:
    trial = play(tmp_path)[0]
    other = replace(trial.calls[0], request_hash="0" * 64)
    with pytest.raises(UsageError, match="to lead to its memory, got replay: expected request 000000000000 at call 0"):
        rebuild_memory(tmp_path, replace(trial, calls=(other, *trial.calls[1:])))
    with pytest.raises(UsageError, match="got a call that is not recorded"):
        rebuild_memory(tmp_path, replace(trial, calls=trial.calls[:1]))


def test_rebuild_memory_refuses_a_stream(tmp_path: Path) -> None:
    trial = play(tmp_path)[0]
    path = tmp_path / "run.toml"
    path.write_text(path.read_text().replace("stream = 0", "stream = 2"))
    with pytest.raises(UsageError, match="a stream, which keeps"):
        rebuild_memory(tmp_path, trial)


def test_rebuild_memory_refuses_a_task_that_is_gone(tmp_path: Path) -> None:
    trial = play(tmp_path)[0]
    with pytest.raises(UsageError, match="got data without this task"):
        rebuild_memory(tmp_path, replace(trial, key=replace(trial.key, task="house-999")))
