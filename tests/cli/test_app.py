"""The command line: exit codes, one line for what is wrong, and nothing on disk after a wrong word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench import __version__

RUN = ("run", "toy", "-s", "window:k=2", "--limit", "2", "-o", "out")


@pytest.mark.parametrize(
    ("words", "pieces"),
    [
        (["run", "tooy"], ["expected a suite", "'tooy'", "did you mean toy"]),
        (["run", "toy:house=3"], ["expected a parameter", "'house'", "did you mean houses"]),
        (["run", "toy:houses=0"], ["expected houses >= 1", "got 0"]),
        (["run", "toy", "-s", "windw"], ["expected a strategy", "'windw'", "did you mean window"]),
        (["run", "toy", "-s", "window:kk=1"], ["expected a parameter", "'kk'", "did you mean k"]),
        (["run", "toy", "-s", "window:k=x"], ["expected k=<int>", "'x'"]),
        (["run", "toy", "-s", "truncation:keep=tial"], ["expected keep=", "'tial'", "did you mean tail"]),
        (["run", "toy", "-s", "window,window"], ["expected each strategy once", "window twice"]),
        (["run", "toy", "-m", "offline/readr"], ["expected a model", "'offline/readr'", "did you mean offline/reader"]),
        (["run", "toy", "--embedder", "hsh"], ["expected an embedder", "'hsh'", "did you mean hash"]),
        (["run", "toy", "--split", "house"], ["expected a split", "'house'", "did you mean houses"]),
        (["run", "toy", "--limit", "-1"], ["expected limit to be valid", "-1", "greater than or equal to 0"]),
        (["run", "toy", "--limit", "many"], ["'--limit': Input should be a valid integer", "got 'many'"]),
        (["run", "toy", "--seeds", "0,x"], ["expected whole numbers with commas", "'0,x'", "write 0,1,2"]),
        (["run", "toy", "--seeds", ","], ["expected seeds to be valid", "()"]),
        (["run", "toy", "--stepz", "3"], ["No such option", "--stepz", "--steps"]),
        (["run"], ["Missing argument", "bench run --help"]),
        (["run", "nowhere.toml"], ["nowhere.toml", "expected a TOML file", "got nothing there"]),
        (["run", "pddl", "--split", "agentboard"], ["pddl", "splits that need no download: generated"]),
        (["table", "nowhere"], ["expected run.sqlite in it", "got nowhere"]),
        (["show", "nowhere"], ["expected run.sqlite in it", "got nowhere"]),
        (["list", "suits"], ["expected a kind", "'suits'", "did you mean suites"]),
        (["check", "windw"], ["expected a strategy", "'windw'", "did you mean window"]),
        (["data", "chek"], ["expected an action", "'chek'", "did you mean check"]),
        (["data", "check", "toy"], ["expected a suite with data", "'toy'"]),
        (["data", "get"], ["expected a name, got none", "alfworld"]),
        (["rnu"], ["expected a command", "'rnu'", "did you mean run"]),
        (["zzzz"], ["expected a command", "'zzzz'", "known: ", "check, compare"]),
    ],
)
def test_wrong_word_exits_2_with_one_line_and_writes_nothing(
    bench: Any, tmp_path: Path, words: list[str], pieces: list[str]
) -> None:
    done = bench(*words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("bench: ")
    assert done.err.count("\n") == 1
    assert [piece for piece in pieces if piece not in done.err] == [], done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("suites = [", ["expected TOML", "fix or remove that line"]),
        ('suites = ["toy"]\nstrategies = ["window"]\nlimt = 3\n', ["expected a known field", "'limt'", "limit"]),
        ('suites = ["toy"]\n', ["expected strategies to be valid", "Field required"]),
        ('suites = ["toy"]\nstrategies = ["window"]\nlimit = "x"\n', ["expected limit to be valid", "'x'"]),
        ('suites = ["toy"]\nstrategies = ["windw"]\n', ["expected a strategy", "'windw'", "did you mean window"]),
        ('suites = ["toy"]\nstrategies = ["window", "window"]\n', ["expected each strategy once"]),
    ],
)
def test_malformed_run_file_exits_2_with_one_line_and_writes_nothing(
    bench: Any, tmp_path: Path, text: str, pieces: list[str]
) -> None:
    (tmp_path / "mine.toml").write_text(text)
    done = bench("run", "mine.toml", "-o", "out")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert [piece for piece in pieces if piece not in done.err] == [], done.err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.toml"]


def test_run_prints_table_and_folder(bench: Any, tmp_path: Path) -> None:
    done = bench(*RUN)
    assert done.code == 0
    assert "window:k=2" in done.out
    assert "offline (rule-based)" in done.out
    assert done.err.splitlines()[0] == "run: 2 trials, 0 already done"
    assert done.err.splitlines()[-1] == "run: recorded in out"
    assert {"run.toml", "run.sqlite"} <= {path.name for path in (tmp_path / "out").iterdir()}
    again = bench(*RUN)
    assert (again.code, again.out) == (0, done.out)
    assert again.err.splitlines()[0] == "run: 2 trials, 2 already done"
    assert bench("run", "out").out == done.out


def test_run_uses_same_default_folder_for_same_question(bench: Any, tmp_path: Path) -> None:
    words = ("run", "toy", "-s", "no-memory", "--limit", "1")
    bench(*words)
    bench(*words, "--workers", "2", "--max-tokens", "999999")
    assert len(list((tmp_path / "runs").iterdir())) == 1
    bench(*words, "--steps", "5")
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_run_options_override_run_file(bench: Any, tmp_path: Path) -> None:
    bench(*RUN)
    (tmp_path / "mine.toml").write_text((tmp_path / "out" / "run.toml").read_text())
    done = bench("run", "mine.toml", "-s", "no-memory,window:k=3", "-o", "other")
    assert done.code == 0
    rows = json.loads(bench("table", "other", "--format", "json").out)
    assert sorted(row["strategy"] for row in rows) == ["no-memory", "window:k=3"]


def test_run_refuses_another_question_in_a_folder(bench: Any) -> None:
    bench(*RUN)
    for words in (["out", "--limit", "3"], ["toy", "-s", "window:k=2", "--limit", "3", "-o", "out"]):
        done = bench("run", *words)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert "got another (limit: 2 -> 3)" in done.err
    done = bench("run", "out", "toy")
    assert done.code == 2
    assert "expected a run folder alone" in done.err


def test_run_exits_3_at_token_limit_and_goes_on_with_a_higher_one(bench: Any) -> None:
    stopped = bench(*RUN, "--max-tokens", "10", "--workers", "1")
    assert (stopped.code, stopped.out) == (3, "")
    assert stopped.err.splitlines()[-1].startswith("bench: run: max_tokens 10 reached (")
    assert bench("run", "out", "--max-tokens", "1000000").code == 0


def test_table_has_every_format(bench: Any) -> None:
    bench(*RUN)
    assert bench("table", "out").out.splitlines()[0].startswith("toy · houses")
    assert "| strategy |" in bench("table", "out", "--format", "md").out
    assert bench("table", "out", "--format", "csv").out.startswith("suite,")
    assert r"\begin{tabular}" in bench("table", "out", "--format", "latex").out
    rows = json.loads(bench("table", "out", "--format", "json", "--by", "group").out)
    assert {row["group"] for row in rows} > {"all"}
    for words, hint in ((["--format", "jsn"], "did you mean json"), (["--by", "grp"], "group")):
        done = bench("table", "out", *words)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert hint in done.err


@pytest.mark.parametrize("words", [[], ["--help"], ["run", "--help"]])
def test_help_is_printed(bench: Any, words: list[str]) -> None:
    done = bench(*words)
    assert "Usage: bench" in done.out
    assert done.code == (0 if words else 2)


def test_version_is_printed(bench: Any) -> None:
    assert bench("--version") == type(bench("--version"))(0, f"memfrontier {__version__}\n", "")


def test_bug_exits_1_with_traceback(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: str) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("bench.cli.list_check.list_command", broken)
    done = bench("list", "suites")
    assert done.code == 1
    assert "Traceback" in done.err
    assert done.err.rstrip().endswith("RuntimeError: a bug")
