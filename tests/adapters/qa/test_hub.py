"""A set of the hub by name: downloaded once, used again without the network, and one line where it cannot be had."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers.hub_server import FakeHub

ROOT = Path(__file__).parents[3]
LINES = (
    b'{"question": "Who came?", "answer": "Ann", "context": "Ann came."}\n'
    b'{"question": "Who left?", "answer": ["Ben"], "context": "Ben left."}\n'
)
pytestmark = pytest.mark.needs("datasets", "pyarrow")


def run_python(home: Path, code: str, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own: the client of the hub reads its environment when it is imported."""
    environment = {
        "PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], "HOME": str(home), "HF_HOME": str(home / "hf"),
        "BENCH_DATA": str(home / "none"), **more,
    }  # fmt: skip
    return subprocess.run(
        [sys.executable, "-P", "-c", code, *words], cwd=home, env=environment, capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip


def run_bench(home: Path, target: str, out: str) -> subprocess.CompletedProcess[str]:
    """Run the suite with no network."""
    words = ("run", target, "-s", "no-memory", "--workers", "1", "-o", out)
    return run_python(home, "from bench.cli.app import main; main()", *words, HF_HUB_OFFLINE="1")


TWICE = """
from pathlib import Path
from adapters.shared.rows import Origin, open_rows
for name in ("owner/talks", "owner/talks", "owner/tlks"):
    try:
        print([row["question"] for row in open_rows("qa", Origin(name), Path("none"))])
    except Exception as error:
        print(type(error).__name__, error)
"""


def test_set_of_the_hub_is_downloaded_once_and_then_needs_no_network(tmp_path: Path) -> None:
    with FakeHub("owner/talks", {"talks.jsonl": LINES}) as hub:
        done = run_python(tmp_path, TWICE, HF_ENDPOINT=hub.address)
        assert [name for name, _ in hub.list_downloads()] == ["talks.jsonl"]
    first, second, unknown = done.stdout.splitlines()
    assert first == second == "['Who came?', 'Who left?']", done.stderr
    assert unknown.startswith("Unreachable qa: expected the set owner/tlks from the Hugging Face hub, got ")
    offline = run_bench(tmp_path, "qa:path=owner/talks", "run")
    assert offline.returncode == 0, offline.stderr
    assert "2/2" in offline.stdout


def test_set_that_cannot_be_had_is_one_line_and_exit_code_1(tmp_path: Path) -> None:
    done = run_bench(tmp_path, "qa:path=owner/talks", "run")
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    assert done.stderr.startswith("bench: qa: expected the set owner/talks from the Hugging Face hub, got ")
    assert done.stderr.endswith("; check the name and the network, or give a file\n")
    assert done.stderr.count("\n") == 1
