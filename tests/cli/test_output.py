"""What is printed and written: pipes that close, disks that are full, encodings that lack a letter, names too long."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.config import RunConfig
from bench.runner.batch import run
from bench.store.read import read_trials
from tests.conftest import RunBench

ROOT = Path(__file__).parents[2]
LONG = "x" * 300
needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played") / "base"
    run(RunConfig(suites=("toy",), strategies=("window", "no-memory"), limit=2, workers=1), folder)
    return folder


def shell(script: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a shell script in which ``$B`` is the command."""
    command = f"{sys.executable} -P -c 'from bench.cli.app import main; main()'"
    known = {"PYTHONPATH": str(ROOT), "BENCH_DATA": str(cwd / "none"), "B": command, "PATH": os.environ["PATH"]}
    return subprocess.run(
        ["bash", "-c", script.replace("$B", command)],
        cwd=cwd, env={**known, **environment}, capture_output=True, encoding="utf-8", errors="replace", check=False,
        timeout=300,
    )  # fmt: skip


@pytest.mark.parametrize("words", ["table base", "export base", "--help"])
def test_closed_pipe_ends_quietly(played: Path, words: str) -> None:
    done = shell(f"$B {words} | head -1; $B {words} | true", played.parent)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize("words", ["table base", "list models"])
def test_closed_output_is_no_error(played: Path, words: str) -> None:
    done = shell(f"$B {words} >&-", played.parent)
    assert (done.returncode, done.stderr) == (0, "")


def test_database_does_not_get_the_number_of_a_closed_output(tmp_path: Path) -> None:
    assert shell("$B run toy -s no-memory --limit 1 -o made >&- 2>&-", tmp_path).returncode == 0
    assert len(read_trials(tmp_path / "made")) == 1


@needs_full
@pytest.mark.parametrize("words", ["table base", "list models"])
def test_full_output_is_one_line(played: Path, words: str) -> None:
    done = shell(f"$B {words} >/dev/full", played.parent)
    assert done.returncode == 2
    assert done.stderr.startswith(
        "bench: output: expected room for what is printed, got none (No space left on device);"
    )
    assert done.stderr.count("\n") == 1


@needs_full
def test_run_is_complete_where_its_messages_have_no_room(tmp_path: Path) -> None:
    shell("$B run toy -s no-memory --limit 1 -o made >/dev/full 2>/dev/full", tmp_path)
    assert len(read_trials(tmp_path / "made")) == 1


@pytest.mark.parametrize("encoding", ["ascii:strict", "latin-1"])
def test_output_without_utf8_is_escaped(played: Path, encoding: str) -> None:
    for words in ("table base --notes", "list strategies", "show base", "run é"):
        done = shell(f"$B {words} | cat; exit ${{PIPESTATUS[0]}}", played.parent, PYTHONIOENCODING=encoding)
        assert "Traceback" not in done.stderr
        assert done.returncode == (2 if words == "run é" else 0)


def test_locale_without_utf8_changes_no_file_and_no_json(played: Path) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    printed = shell("$B table base --format json", played.parent, **plain)
    assert json.loads(printed.stdout) == json.loads(shell("$B table base --format json", played.parent).stdout)
    for name, environment in (("plain", plain), ("utf8", {"PYTHONUTF8": "1"})):
        words = f"$B run toy -s no-memory --limit 1 -o {name} && $B export {name} -o {name}.csv"
        assert shell(words, played.parent, **environment).returncode == 0
    made = [(played.parent / f"{name}.csv").read_bytes() for name in ("plain", "utf8")]
    assert made[0] == made[1]
    assert (played.parent / "plain" / "run.toml").read_bytes() == (played.parent / "utf8" / "run.toml").read_bytes()


@pytest.fixture
def here(bench: RunBench, played: Path, tmp_path: Path) -> RunBench:
    (tmp_path / "base").symlink_to(played)
    (tmp_path / "file").write_text("x", encoding="utf-8")
    if Path("/dev/full").exists():
        for suffix in ("png", "csv"):
            (tmp_path / f"full.{suffix}").symlink_to("/dev/full")
    return bench


@pytest.mark.parametrize(
    "place", ["file/x.png", f"{LONG}.png", "nowhere/x.png", pytest.param("full.png", marks=needs_full)]
)
@pytest.mark.parametrize("words", [("frontier", "base"), ("export", "base"), ("export", "base", "--to", "parquet")])
def test_file_that_cannot_be_written_is_one_line(here: RunBench, words: tuple[str, ...], place: str) -> None:
    done = here(*words, "-o", place)
    if "pyarrow" in done.err:
        pytest.skip("needs pyarrow")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert f"{words[0]}: expected a file that can be written, got {place[:40]}" in done.err
    assert done.err.rstrip().endswith("; free space, or choose another with -o")


@pytest.mark.parametrize(
    "words",
    [
        ("run", LONG),
        ("run", f"{LONG}.toml"),
        ("run", "a/" * 3000),
        ("run", "toy", "-s", LONG),
        ("run", "toy", "-o", LONG),
        ("run", "toy", "-o", "file"),
        ("run", "toy", "-o", "file/x"),
        ("run", "toy", "--artifact", LONG),
        ("run", "toy", "-m", "openai/x", "--base-url", "http://127.0.0.1:9/v1", "--endpoint", LONG),
        ("table", LONG),
        ("show", LONG),
        ("train", LONG),
        ("learn", "--from", LONG, "--control", "placebo", "-o", "x"),
        ("cache", "import", LONG),
        ("learn", "toy", "-s", "awm", "-o", "file"),
        ("proxy", "--upstream", "offline/reader", "-o", "file/x"),
    ],
)
def test_name_that_no_file_can_have_is_one_line(
    here: RunBench, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-key-at-all")
    done = here(*words)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert ": expected " in done.err
    assert "; " in done.err


@pytest.mark.parametrize("value", ["1" + "0" * 20, str(2**63), "9" * 5000, "-1"])
@pytest.mark.parametrize("flag", ["--steps", "--limit", "--attempts", "--workers", "--budget-tokens", "--max-tokens"])
def test_whole_number_out_of_range_is_one_short_line(bench: RunBench, tmp_path: Path, flag: str, value: str) -> None:
    done = bench("run", "toy", "-s", "no-memory", flag, value, "-o", "made")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert len(done.err) < 500
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("value", ["inf", "nan", "-inf", "1e999"])
@pytest.mark.parametrize("flag", ["--task-wall-s", "--max-usd", "--temperature", "--top-p"])
def test_number_that_is_none_is_refused(bench: RunBench, tmp_path: Path, flag: str, value: str) -> None:
    done = bench("run", "toy", "-s", "no-memory", flag, value, "-o", "made")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("seeds", ["1" + "0" * 20, str(-(2**63)), "9" * 5000])
def test_seed_that_no_database_holds_is_refused(bench: RunBench, seeds: str) -> None:
    done = bench("run", "toy", "-s", "no-memory", f"--seeds={seeds}")
    assert (done.code, done.err.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    "name", ["toy:houses=1" + "0" * 20, "toy:houses=nan", "toy:houses=" + "9" * 5000, "toy:houses=10001"]
)
def test_parameter_out_of_range_is_refused(bench: RunBench, name: str) -> None:
    done = bench("run", name, "-s", "no-memory")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert len(done.err) < 500


@pytest.mark.parametrize(
    ("variable", "words"),
    [("BENCH_CACHE", ("cache", "where")), ("BENCH_DATA", ("data", "where")), ("BENCH_DATA", ("doctor",))],
)
@pytest.mark.parametrize("place", ["~no-such-user/x", LONG, "file"])
def test_place_of_a_variable_that_cannot_be_is_no_traceback(
    here: RunBench, monkeypatch: pytest.MonkeyPatch, variable: str, words: tuple[str, ...], place: str
) -> None:
    monkeypatch.setenv(variable, place)
    done = here(*words)
    assert done.code in (0, 2)
    assert done.err.count("\n") == (done.code == 2)


@pytest.mark.parametrize(
    "flags", [("--judge", "openai/x@http://[::1"), ("-m", "openai/x", "--base-url", "http://[::1")]
)
def test_address_that_is_none_is_one_line(
    here: RunBench, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-key-at-all")
    done = here("run", "toy", "-s", "no-memory", *flags)
    assert done.code == 2
    assert done.err.splitlines()[-1].startswith("bench: base URL: expected http(s)://host:port/v1, got 'http://[::1'; ")
    assert "Traceback" not in done.err
