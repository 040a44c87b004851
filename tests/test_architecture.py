"""docs/architecture.md: every ``file:function`` exists, and the hops of a run are called one inside the other."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from types import FrameType

import pytest

from bench.cli.options import RunOptions
from bench.cli.run import run_command

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
NAMED = re.findall(r"((?:bench|adapters|baselines)/[\w/]+\.py)(?::(\w+(?:, \w+)*))?", PAGE)
HOPS = re.findall(r"^\d\. `([\w/]+\.py):(\w+)`", PAGE, flags=re.MULTILINE)


@pytest.mark.parametrize(("file", "functions"), sorted(set(NAMED)))
def test_every_named_function_is_defined_in_its_file(file: str, functions: str) -> None:
    if file.endswith("NAME.py") or "/NAME/" in file:
        return
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    assert set(filter(None, functions.split(", "))) <= defined


def test_page_names_every_room() -> None:
    rooms = {path.name for path in (ROOT / "bench").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert {room for room in rooms if f"`{room}/" not in PAGE} == set()


def test_each_hop_of_a_run_is_called_inside_the_one_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials are played in threads, so what counts is that every hop before is still running."""
    entered: list[tuple[str, str]] = []
    active: list[tuple[str, str]] = []

    def watch(frame: FrameType, event: str, _argument: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event not in ("call", "return") or not path.is_relative_to(ROOT):
            return
        hop = (path.relative_to(ROOT).as_posix(), frame.f_code.co_name)
        if hop in HOPS and event == "call" and hop not in entered:
            assert active == HOPS[: len(active)]  # every hop before it is still running
            entered.append(hop)
            active.append(hop)
        elif hop in HOPS and event == "return" and active and active[-1] == hop:
            active.pop()

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("threading._profile_hook", watch)
    sys.setprofile(watch)
    try:
        run_command(["toy"], RunOptions(strategies=["window"], limit=1, workers=1), tmp_path / "run")
    finally:
        sys.setprofile(None)
    assert entered == HOPS
    assert len(HOPS) == 5
