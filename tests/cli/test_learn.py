"""``bench learn`` and ``bench show`` of an artifact; the options of a learning stage."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.cli.learn import control_command, learn_command
from bench.cli.options import RunOptions
from bench.cli.run import read_question, run_command
from bench.cli.show import show_command
from bench.config import read_config
from bench.errors import UsageError
from bench.runner.artifacts import read_artifact
from tests.conftest import RunBench

TOY = ["toy:houses=8"]


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("learned") / "run"
    assert learn_command(TOY, RunOptions(strategies=["exprag"], embedder="hash"), folder) == 0
    return folder


def test_learn_prints_what_was_learned_and_where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    learn_command(TOY, RunOptions(strategies=["exprag,exprecent"], embedder="hash"), tmp_path / "run")
    out = capsys.readouterr().out
    assert "exprag (exprag-v2)  on toy:houses=8 houses" in out
    assert "4 files from 4 tasks under grouped-by-spec: 4 trials by full-history, 4 won" in out
    assert str(tmp_path / "run" / "artifacts" / "toy_houses=8" / "exprecent") in out.replace("\n", "")
    assert read_config(tmp_path / "run" / "run.toml").learn is not None


def test_learn_says_so_where_nothing_was_won(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = RunOptions(strategies=["exprag"], learn_collectors="no-memory", steps=2, embedder="hash")
    assert learn_command(TOY, options, tmp_path / "run") == 1
    assert "nothing was learned: 4 trials by no-memory, 0 won" in capsys.readouterr().out


def test_learn_refuses_strategies_that_do_not_learn(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected a strategy that learns, got window"):
        learn_command(TOY, RunOptions(strategies=["window"]), tmp_path / "run")


def test_run_goes_on_from_what_was_learned(learned: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert learn_command([str(learned)], RunOptions(), None) == 0
    assert run_command([str(learned)], RunOptions(), None) == 0
    out = capsys.readouterr().out
    assert "4/4" in out
    assert "exprag learned from 4 tasks of houses under grouped-by-spec" in out


def test_run_takes_every_artifact_below_a_folder(learned: Path, tmp_path: Path) -> None:
    options = RunOptions(
        strategies=["exprag"], artifacts=[str(learned)], learn_policy="grouped-by-spec", embedder="hash"
    )
    assert run_command(TOY, options, tmp_path / "run") == 0
    assert not (tmp_path / "run" / "collect").exists()


def test_show_lists_the_files_of_an_artifact_and_prints_one(learned: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = learned / "artifacts" / "toy_houses=8" / "exprag"
    show_command(folder, None)
    assert "experience/0001.txt" in capsys.readouterr().out
    show_command(folder, "experience/0001.txt")
    out = capsys.readouterr().out
    assert out.startswith("from house-")
    assert "# Outcome\nsolved" in out
    with pytest.raises(UsageError, match=r"did you mean experience/0001\.txt"):
        show_command(folder, "experience/001.txt")


def test_controls_are_made_of_every_artifact_below_a_folder(
    learned: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert control_command(learned, "placebo", tmp_path) == 0
    assert "placebo control of" in capsys.readouterr().out
    assert read_artifact(tmp_path / "toy_houses=8" / "exprag").about.control == "placebo"


@pytest.mark.parametrize(
    ("source", "kind", "missing"), [(None, "placebo", "--from"), (Path("learned"), "", "--control")]
)
def test_control_without_source_or_kind_is_refused(
    source: Path | None, kind: str, missing: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=f"together, got no {missing}; controls are placebo"):
        control_command(source, kind, tmp_path)


def test_options_of_learning_fill_its_table() -> None:
    options = RunOptions(
        strategies=["reasoning-bank"], learn_policy="half-random", learn_tasks=3, learn_attempts=2,
        learn_collectors="reflexion,window:k=3", learn_every="attempt", leak="official",
    )  # fmt: skip
    config = read_question(TOY, options).config
    assert config.learn is not None
    assert (config.learn.policy, config.learn.tasks, config.learn.attempts) == ("half-random", 3, 2)
    assert (config.learn.collectors, config.leak) == (("reflexion", "window:k=3"), "official")
    assert config.learn.every == "attempt"


def test_stream_says_after_how_many_tasks_memory_is_updated() -> None:
    assert read_question(TOY, RunOptions(strategies=["exprag"], stream=3)).config.stream == 3


def test_split_to_learn_from_says_which_policy_it_is() -> None:
    config = read_question(["alfworld"], RunOptions(strategies=["exprag"], learn_split="train")).config
    assert config.learn is not None
    assert (config.learn.policy, config.learn.split) == ("two-splits", "train")


def test_option_replaces_one_field_of_a_written_stage(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text('suites = ["toy"]\nstrategies = ["exprag"]\n[learn]\npolicy = "half-random"\nrounds = 2\n')
    config = read_question([str(file)], RunOptions(learn_tasks=4)).config
    assert config.learn is not None
    assert (config.learn.policy, config.learn.rounds, config.learn.tasks) == ("half-random", 2, 4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("polcy = 'half-random'", "did you mean policy"),
        ("rounds = 0", "expected learn.rounds to be valid, got 0"),
        ("every = 'task'", "expected learn.every to be valid, got 'task'"),
    ],
)
def test_wrong_field_of_the_stage_is_named(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "run.toml"
    file.write_text(f'suites = ["toy"]\nstrategies = ["exprag"]\n[learn]\n{text}\n')
    with pytest.raises(UsageError, match=message):
        read_question([str(file)], RunOptions())


@pytest.mark.parametrize("word", ["table", "export", "frontier", "errors", "show"])
def test_folder_in_which_something_was_only_learned_has_no_table(bench: RunBench, word: str) -> None:
    assert bench("learn", "toy:houses=8", "-s", "exprag", "--embedder", "hash", "-o", "learned").code == 0
    done = bench(word, "learned")
    assert done.code == 2
    assert done.err.startswith("bench: run folder: expected trials of an evaluation, got none in learned; ")
    assert done.err.count("\n") == 1
