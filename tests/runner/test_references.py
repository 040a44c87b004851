"""The right answers of a recorded conversation: read from the data, and nothing where that is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.api import run
from bench.runner.references import ReferenceReader
from bench.types import TrialKey


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded") / "out"
    run("toy,toy-talk", "no-memory", out=folder, limit=1)
    return folder


def read(folder: Path, suite: str, task: str) -> dict[str, tuple[str, str]]:
    reader = ReferenceReader(folder)
    try:
        return reader.read(TrialKey(suite, "", task, "no-memory", "offline/reader"))
    finally:
        reader.close()


def test_questions_have_their_right_answer_and_rubric(recorded: Path) -> None:
    found = read(recorded, "toy-talk", "talk-00")
    assert found["Cleo/0"] == ("Porto", "update")
    assert all(answer and rubric for answer, rubric in found.values())


@pytest.mark.parametrize(("suite", "task"), [("toy", "house-000"), ("toy-talk", "talk-99"), ("gone", "talk-00")])
def test_episodes_and_tasks_that_are_not_there_have_none(recorded: Path, suite: str, task: str) -> None:
    assert read(recorded, suite, task) == {}


@pytest.mark.parametrize("config", [None, "suites = [", 'suites = ["no-such-suite"]\nstrategies = ["no-memory"]\n'])
def test_run_that_cannot_be_opened_has_none(tmp_path: Path, config: str | None) -> None:
    if config is not None:
        (tmp_path / "run.toml").write_text(config, encoding="utf-8")
    assert read(tmp_path, "toy-talk", "talk-00") == {}
