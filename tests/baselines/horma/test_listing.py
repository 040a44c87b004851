"""A workspace as text: listings, index, tree and files."""

from __future__ import annotations

from baselines.horma.listing import build_index, build_tree, list_files, list_folder, read_page
from baselines.horma.notes import Line, Meta
from baselines.horma.workspace import Workspace
from tests.baselines.horma.workspaces import make_workspace


def test_list_folder_says_what_each_thing_holds() -> None:
    workspace = make_workspace()
    assert list_folder(workspace, "entities") == (
        "ann.md (2 lines, 8 May, 2023 - 2 June, 2023)",
        "bob.md (1 line, 2 June, 2023)",
    )
    assert list_folder(workspace, "raw_logs") == (
        "session_001_2023-05-08/ (3 turns, 8 May, 2023)",
        "session_002_2023-06-02/ (2 turns, 2 June, 2023)",
    )
    assert list_folder(workspace, "")[2:] == ("index.md (generated)", "notes/ (0 entries)", "raw_logs/ (2 entries)")


def test_list_files_is_sorted_markdown_with_front_matter() -> None:
    files = dict(list_files(make_workspace()))
    assert list(files) == sorted(files)
    assert files["events/2023-05-01_move.md"] == (
        "---\nid: events/2023-05-01_move\nkind: event\ntime_from: 8 May, 2023\ntime_to: 8 May, 2023\nturns: 2\n"
        "sources: [D1:1, D1:3]\n---\n- Ann and the cat Momo moved [D1:1, D1:3]\n"
    )
    assert files["raw_logs/session_001_2023-05-08/turn_0003.md"].endswith("---\nYes, Momo came by train.\n")
    assert files["index.md"].startswith("# Index\n\n- entities/ ann (2), bob (1)\n- events/ 2023-05-01_move (1)\n")


def test_build_tree_shows_the_longest_notes_and_counts_the_rest() -> None:
    workspace = make_workspace()
    workspace.mkdir("notes/empty")
    workspace.write("entities/zoe.md", Meta(), [Line("x", ("D1:1",))] * 3)
    assert build_tree(workspace, 2).splitlines() == [
        "entities/ ann (2), zoe (3), and 1 more",
        "events/ 2023-05-01_move (1)",
        "notes/ empty/",
        "raw_logs/ (2 folders, 5 turns, 8 May, 2023 - 2 June, 2023)",
    ]


def test_empty_workspace_has_an_index_and_no_other_file() -> None:
    assert [path for path, _ in list_files(Workspace())] == ["index.md"]
    assert build_index(Workspace())[-1] == "raw_logs/ (0 folders, 0 turns)"
    assert read_page(Workspace(), "index.md")[0].text == "entities/ (empty)"
