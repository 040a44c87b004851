"""Which raw turns a line cites, in the forms that chat models write."""

from __future__ import annotations

import pytest

from baselines.horma.raw_logs import RawLogs
from baselines.horma.sources import cut_sources, find_refs
from baselines.horma.workspace import Workspace
from tests.baselines.horma.workspaces import fill_raw


@pytest.fixture
def raw() -> RawLogs:
    return fill_raw(Workspace()).raw


@pytest.mark.parametrize(
    ("text", "line", "refs"),
    [
        ("moved to Oslo [D1:1]", "moved to Oslo", ("D1:1",)),
        ("moved to Oslo [D1:1, D1:3].", "moved to Oslo.", ("D1:1", "D1:3")),
        ("moved to Oslo (D1:1; D1:3)", "moved to Oslo", ("D1:1", "D1:3")),
        ("moved to Oslo [D1:1][D1:3]", "moved to Oslo", ("D1:1", "D1:3")),
        ("moved to Oslo [sources: D1:1 and D1:3]", "moved to Oslo", ("D1:1", "D1:3")),
        ("moved to Oslo [D1:1-3]", "moved to Oslo", ("D1:1", "D1:2", "D1:3")),
        ("moved [D1:1] with Momo [D1:3]", "moved with Momo", ("D1:1", "D1:3")),
        ("moved [D9:7]", "moved", ("D9:7",)),
        ("moved [D1:1, D9:7]", "moved", ("D1:1", "D9:7")),
        ("sang [laughs]", "sang [laughs]", ()),
        ("on [2023-05-07] she moved", "on [2023-05-07] she moved", ()),
        ("the cat (Momo, 3) moved [D1:3]", "the cat (Momo, 3) moved", ("D1:3",)),
        ("nothing cited", "nothing cited", ()),
    ],
)
def test_cut_sources_takes_brackets_of_turns(raw: RawLogs, text: str, line: str, refs: tuple[str, ...]) -> None:
    assert cut_sources(text, raw) == (line, refs)


def test_find_refs_keeps_what_is_no_turn(raw: RawLogs) -> None:
    assert find_refs("turns D1:2, D7:1 and nonsense", raw) == ("D1:2", "D7:1", "nonsense")
    assert find_refs("D1:3 to D2:1", raw) == ("D1:3", "D2:1")
    assert find_refs("", raw) == ()
