"""The committed boards are what the code makes: some of their episodes are played again and must match to the digit."""

from __future__ import annotations

import io
import shutil
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pandas as pd
import pytest

from bench.board.make import find_items, make_board
from bench.board.record import read_board
from bench.config import LearnConfig, RunConfig
from bench.export.items import select_items
from bench.registry import split_names
from bench.runner.artifacts import read_artifact, write_artifact
from bench.runner.batch import run
from bench.runner.controls import make_control

BOARDS = Path(__file__).parents[2] / "results" / "boards"
PLAIN = ("no-memory", "full-history", "truncation", "window:k=5", "embedding", "bm25")
ROWS = (*PLAIN, "hiagent", "fold", "resum", "acon-untrained", "summary", "generic-agent")
SCORES = ("success", "progress", "steps", "valid_action_rate", "context_tokens_mean", "tokens_total")


@pytest.mark.data
@pytest.mark.parametrize(("suite", "steps", "limit"), [("alfworld", 50, 12), ("pddl", 40, 8)])
def test_offline_episodes(suite: str, steps: int, limit: int, data_root: Path, tmp_path: Path) -> None:
    config = RunConfig(suites=(suite,), strategies=ROWS, steps=steps, limit=limit, embedder="hash")
    run(config, tmp_path / suite, root=data_root)
    made = select_items([tmp_path / suite], SCORES)
    assert len(made) == limit * len(ROWS)
    pd.testing.assert_frame_equal(made, read_part("offline-episodes", suite, SCORES, made), check_exact=True)


def read_part(board: str, name: str, columns: Sequence[str], made: pd.DataFrame) -> pd.DataFrame:
    """Return the items of a board about the tasks that were made again."""
    items = select_items([BOARDS / board / "items" / f"{name}.csv.xz"], columns)
    return items[items["task"].isin(set(made["task"]))].reset_index(drop=True)


LEARNERS = "expel,expel:retrieve=off,expel:insights=off,h2r,h2r:high=off,h2r:low=off,exprag,reasoning-bank,awm,memp"
LEARNING = ("no-memory", "full-history", "react", "reflexion", *split_names(LEARNERS))
LEARNED = (*SCORES[:1], "success_at_20", "success_at_30", "steps", "experience_shown", *SCORES[4:])


@pytest.mark.data
def test_offline_learning(data_root: Path, tmp_path: Path) -> None:
    """The sample of the board is gathered, learned, made a control of and evaluated again."""
    learn = LearnConfig(tasks=6, attempts=4, collectors=("reflexion:actions=0",))
    config = RunConfig(
        suites=("alfworld:frame=bare",), split="valid_unseen", strategies=LEARNING, model="offline/novice", steps=50,
        limit=6, embedder="hash", learn=learn,
    )  # fmt: skip
    run(config, tmp_path / "sample", root=data_root)
    learned = read_artifact(tmp_path / "sample" / "artifacts" / "alfworld_frame=bare" / "expel")
    write_artifact(make_control(learned, "swapped"), tmp_path / "control")
    swapped = {"strategies": ("expel",), "learn": LearnConfig(), "artifacts": (str(tmp_path / "control"),)}
    run(config.model_copy(update=swapped), tmp_path / "sample-swapped", root=data_root)
    text = io.StringIO()
    made = select_items([tmp_path / "sample", tmp_path / "sample-swapped"], LEARNED)
    made.to_csv(text, index=False, float_format="%.10g")
    assert len(made) == 6 * (len(LEARNING) + 1)
    assert text.getvalue() == (BOARDS / "offline-learning" / "sample-items.csv").read_text(encoding="utf-8")


@pytest.mark.data
def test_offline_learning_of_pddl_under_the_reader(data_root: Path, tmp_path: Path) -> None:
    """All 40 training problems are gathered and learned from again; one problem of each domain is evaluated."""
    learn = LearnConfig(policy="two-splits", split="generated", attempts=4, collectors=("reflexion:actions=0",))
    config = RunConfig(
        suites=("pddl:frame=bare",), split="agentboard", strategies=LEARNING, steps=50, limit=4, embedder="hash",
        learn=learn,
    )  # fmt: skip
    run(config, tmp_path / "run", root=data_root)
    made = select_items([tmp_path / "run"], LEARNED)
    part = read_part("offline-learning", "pddl-reader", LEARNED, made)
    assert set(part["group"]) == {"barman", "blockworld", "gripper", "tyreworld"}
    assert len(made) == 4 * len(LEARNING)
    pd.testing.assert_frame_equal(made, part, check_exact=True)


SANITY = "full-history,no-memory,always-refuse,oracle-evidence"
CUTS = "truncation:keep=head,tokens=2000,truncation:keep=tail,tokens=2000,window:k=20"
SEARCH = "bm25:k=10,bm25:k=3,unit=chunk,embedding:k=10,embedding:k=3,unit=chunk,embedding:k=1,unit=session,hybrid:k=10"
WRITTEN = "files-grep,mem0,mem0:variant=add-only,a-mem,generic-agent-dialogue,summary,resum,acon-untrained"
ANSWERING = tuple(split_names(",".join((SANITY, CUTS, SEARCH, WRITTEN))))
ANSWERED = ("success", "judge_accuracy", "evidence_recall", "tokens_total")
PACKAGE = "mem0-package"


def test_offline_conversations_that_need_no_download(tmp_path: Path) -> None:
    same_answers("locomo", "generated", 0, "generated", tmp_path, tmp_path)


@pytest.mark.data
@pytest.mark.parametrize(
    ("suite", "split", "limit", "name"),
    [("locomo", "all", 1, "locomo"), ("longmemeval", "oracle", 14, "longmemeval-oracle")],
)
def test_offline_conversations(suite: str, split: str, limit: int, name: str, data_root: Path, tmp_path: Path) -> None:
    same_answers(suite, split, limit, name, data_root, tmp_path)


def same_answers(suite: str, split: str, limit: int, name: str, root: Path, folder: Path) -> None:
    """Answer again what the board answered; the row of the package is left out, it may not be installed."""
    config = RunConfig(
        suites=(suite,), split=split, strategies=ANSWERING, judge="offline/reader", limit=limit, embedder="hash"
    )
    run(config, folder / "run", root=root)
    made = select_items([folder / "run"], ANSWERED)
    board = read_part("offline-conversations", name, ANSWERED, made)
    part = board[~board["strategy"].str.startswith(PACKAGE)].reset_index(drop=True)
    assert len(part) >= 14 * len(ANSWERING)
    pd.testing.assert_frame_equal(made, part, check_exact=True)


NAVIGATORS = "full-history,horma,horma-untrained,horma-untrained:navigator=grep,horma-untrained:navigator=random"
NAVIGATED = (
    "success", "steps", "evidence_recall", "evidence_jaccard", "context_tokens_mean", "tokens_write", "tokens_read",
    "tokens_total",
)  # fmt: skip


@pytest.mark.data
def test_offline_horma(data_root: Path, tmp_path: Path) -> None:
    """The sample of the board: skills are learned again, and tasks that they do not come from are played with them."""
    rows, plain = tuple(split_names(NAVIGATORS)), {"model": "offline/reader", "embedder": "hash", "limit": 6}
    asked = (
        RunConfig(
            suites=("alfworld:evidence=on",), split="valid_unseen", strategies=rows, steps=50,
            learn=LearnConfig(tasks=6), **plain,
        ),
        RunConfig(
            suites=("locomo",), split="generated", strategies=rows, judge="offline/reader",
            learn=LearnConfig(policy="half-random", tasks=6), **plain,
        ),
    )  # fmt: skip
    folders = [tmp_path / config.suites[0].partition(":")[0] for config in asked]
    for config, folder in zip(asked, folders, strict=True):
        run(config, folder, root=data_root)
    made = select_items(folders, NAVIGATED)
    samples = [BOARDS / "offline-horma" / "items" / f"sample-{name}.csv.xz" for name in ("alfworld", "locomo")]
    assert set(made["strategy"]) == set(rows)
    pd.testing.assert_frame_equal(made, select_items(samples, NAVIGATED), check_exact=True)


HELD = ("offline-conversations", "offline-episodes", "offline-horma", "offline-learning")
SUBSET = (
    ("offline-episodes", "hiagent-five"), ("offline-episodes", "pddl-groups"), ("offline-conversations", "generated"),
    ("offline-learning", "pddl-reader"), ("offline-horma", "alfworld-2200-skills"),
)  # fmt: skip


@pytest.mark.parametrize(("board", "name"), SUBSET)
def test_part_of_a_board_is_made_again_to_the_byte(board: str, name: str, tmp_path: Path) -> None:
    copy_board(board, tmp_path)
    made = make_board(tmp_path, [name])
    assert made
    for path in made:
        assert path.read_bytes() == (BOARDS / board / path.name).read_bytes(), path.name


@pytest.mark.slow
@pytest.mark.parametrize("board", HELD)
def test_board_is_made_again_to_the_byte(board: str, tmp_path: Path) -> None:
    """All of it, as `bench board --remake` does; a PNG depends on the machine's libraries."""
    copy_board(board, tmp_path)
    for path in make_board(tmp_path):
        if path.suffix != ".png":
            assert path.read_bytes() == (BOARDS / board / path.name).read_bytes(), path.name


def copy_board(board: str, folder: Path) -> None:
    shutil.copy(BOARDS / board / "board.toml", folder)
    (folder / "items").symlink_to(BOARDS / board / "items")


def test_all_that_a_board_names_is_committed_and_its_items_are_those_told() -> None:
    for board in HELD:
        record, files = read_board(BOARDS / board), find_items(BOARDS / board)
        missing = [f"{one.name}.{end}" for one in record.outputs for end in one.formats]
        assert [name for name in missing if not (BOARDS / board / name).is_file()] == []
        told = (BOARDS / board / "provenance.md").read_text("utf-8")
        assert all(sha256(path.read_bytes()).hexdigest() in told for path in files.values())
