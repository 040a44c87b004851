"""Rows that somebody hands in: played again, compared, marked; what does not fit is one line."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from bench.board.check import check_submission
from bench.board.submission import read_corrections
from bench.board.submissions_page import PAGE, write_submissions
from bench.errors import UsageError
from bench.models.cache.cassette import read_cassette, write_cassette
from bench.secrets import Secrets

BOARD = Path(__file__).parents[2] / "results" / "boards" / "offline-toy"
NAME = "first-and-last"
REMOTE = ('model = "offline/reader"', 'model = "openai/gpt"')


@pytest.fixture
def board(tmp_path: Path) -> Path:
    return Path(shutil.copytree(BOARD, tmp_path / "board"))


@pytest.fixture
def mine(board: Path) -> Path:
    return board / "submissions" / NAME


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_committed_submissions_are_played_again_and_the_page_is_theirs(bench: Any, board: Path) -> None:
    done = bench("board", "--check", str(board))
    assert done.out.splitlines()[0] == f"{NAME}: verified: 8 items played again, the same to ten digits"
    assert done.code == 0
    assert (board / PAGE).read_bytes() == (BOARD / PAGE).read_bytes()


def test_item_that_differs_is_named(mine: Path) -> None:
    change(mine / "items.csv", "done,won", "done,step-cap")
    found = check_submission(mine)
    assert found.status == "not reproduced"
    assert found.why.startswith("end of house-00")
    assert found.why.endswith("handed in step-cap, played again won")


def test_cassette_that_lacks_a_reply_is_not_reproduced(mine: Path, bench: Any) -> None:
    replies = list(read_cassette(mine / "cassette.jsonl.gz"))
    write_cassette(replies[:-1], mine / "cassette.jsonl.gz", Secrets({}))
    done = bench("board", "--check", str(mine))
    assert done.code == 1
    assert f"{NAME}: not reproduced: 1 items are not scored" in done.out or "got none" in done.out
    assert "Traceback" not in done.out + done.err


def test_code_that_fails_is_not_reproduced(mine: Path) -> None:
    (mine / "strategy.py").write_text("raise SystemError('no')\n", encoding="utf-8")
    found = check_submission(mine)
    assert found.status == "not reproduced"
    assert found.why.startswith("it cannot be played again: bench: ")
    assert "SystemError: no" in found.why


def test_code_gets_no_key(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test")
    (mine / "cassette.jsonl.gz").unlink()
    change(
        mine / "strategy.py",
        "import annotations\n",
        "import annotations\n\nimport os\n\nassert 'sk-of-a-test' not in os.environ.values()\n",
    )
    assert check_submission(mine).status == "verified"


def test_row_of_a_remote_model_without_a_cassette_is_self_reported(board: Path, mine: Path) -> None:
    for path in (mine / "run.toml", board / "items" / "toy.toml"):
        change(path, *REMOTE)
    (mine / "cassette.jsonl.gz").unlink()
    found = check_submission(mine)
    assert (found.status, found.why) == ("self-reported", "no cassette.jsonl.gz, and its model is not played here")
    page = write_submissions(board, "T", [found], ())
    assert "| self-reported |" in page
    assert f"first-and-last:k=6 ({NAME}, self-reported)" in page


def test_withdrawn_row_stays_visible_and_leaves_the_table(board: Path, mine: Path) -> None:
    (board / "corrections.toml").write_text(
        '[[correction]]\ndate = 2026-12-01\nsubmission = "first-and-last"\nwhat = "withdrawn"\nwhy = "a <b>slip</b>"\n'
        "withdrawn = true\n",
        encoding="utf-8",
    )
    for path in (mine / "run.toml", board / "items" / "toy.toml"):
        change(path, *REMOTE)
    (mine / "cassette.jsonl.gz").unlink()
    page = write_submissions(board, "T", [check_submission(mine)], read_corrections(board))
    assert f"| ~~{NAME}~~ | the project, as an example | `first-and-last:k=6` | withdrawn |" in page
    assert "- 2026-12-01, first-and-last: withdrawn; a &lt;b>slip&lt;/b>" in page
    assert "###" not in page


@pytest.mark.parametrize(
    ("file", "old", "new", "line"),
    [
        (
            "run.toml",
            "steps = 0",
            "steps = 9",
            r"expected the configuration of the board, got another \(steps: 0 -> 9\)",
        ),
        ("run.toml", "k=6", "k=7", "expected the one strategy first-and-last:k=6"),
        ("submission.toml", 'run = "toy"', 'run = "tоy"', "expected a configuration of the board, got no"),
        ("submission.toml", "by =", "from =", r"submission\.toml: expected by as docs/submit\.md says"),
        ("submission.toml", "strategy.py:STRATEGY", "strategy.py", "expected source as docs/submit"),
        ("submission.toml", "title = ", "title ", "expected TOML"),
    ],
)
def test_submission_that_does_not_fit_is_one_line(mine: Path, file: str, old: str, new: str, line: str) -> None:
    change(mine / file, old, new)
    with pytest.raises(UsageError, match=line):
        check_submission(mine)


def test_correction_of_nothing_and_folder_without_submissions_are_refused(
    board: Path, bench: Any, tmp_path: Path
) -> None:
    (board / "corrections.toml").write_text(
        '[[correction]]\ndate = 2026-12-01\nsubmission = "nobody"\nwhat = "x"\nwhy = "y"\n', encoding="utf-8"
    )
    with pytest.raises(UsageError, match="expected the name of a submission, got 'nobody'"):
        write_submissions(board, "T", [], read_corrections(board))
    shutil.rmtree(board / "submissions")
    done = bench("board", "--check", str(board))
    assert done.code == 2
    assert "expected a submission in" in done.err
    assert bench("board", "--check", str(tmp_path)).code == 2


def test_cassette_of_the_example_is_small_and_holds_what_a_model_said() -> None:
    path = BOARD / "submissions" / NAME / "cassette.jsonl.gz"
    assert path.stat().st_size < 20_000
    assert json.loads(gzip.decompress(path.read_bytes()).splitlines()[0])
