"""100,000 random and hostile operations: nothing leaves the root, nothing breaks, raw turns stay as they came."""

from __future__ import annotations

import random

from baselines.horma.listing import build_tree, list_files
from baselines.horma.manager import Manager
from baselines.horma.navigation import NavigationLimits, NavigationSession
from baselines.horma.notes import Line, Meta
from baselines.horma.operations import read_operations
from baselines.horma.paths import WorkspaceLimits
from baselines.horma.refusals import Refusal
from baselines.horma.workspace import Workspace
from tests.baselines.horma.managing import Script, make_kit
from tests.baselines.horma.workspaces import fill_raw

NAMES = (
    *("entities", "events", "notes", "raw_logs", "index.md", "ann.md", "bob", "turn_0001.md", "mug 1", "D1:1", "D9:9"),
    *("session_001_2023-05-08", "..", ".", "", "~", "/", "\\", "C:", "con", "nul.md", "%2e%2e", "．．", "‥", "…", "․․"),
    *(
        "a" * 300,
        ".git",
        "-rf",
        "*",
        "é",
        "É",
        "ı",
        "ﬁ",
        "а",
        "Ω",
        "🙂",
        "\x00",
        "\n",
        "\r\n",
        "\ud800",
        "\u202e",
        "\u200b",
    ),
    *(
        "a\tb",
        "a.md.md",
        "a.MD",
        "x..y",
        "RAW_LOGS",
        "ｒａｗ_logs",
        " raw_logs ",
        "'raw_logs'",
        "r\u0301aw_logs",
        "#3",
        "1:2",
    ),
)
TEXTS = (
    *(
        "moved to Oslo [D1:1]",
        "- x [D9:9]",
        "no source",
        "[D1:1-D2:2]",
        "---",
        "sources: D1:1",
        "",
        "\x00",
        "```",
        "a|b|",
    ),
    *(
        "\ud800 [D1:1]",
        "(a+)+$" * 20,
        "x" * 1200 + " [D1:1]",
        "[" * 50,
        "{" * 50,
        "- [D1:1]",
        "\u2028- a [D1:1]\u2028b",
    ),
    "<think>",
)
WRITE_VERBS = ("write", "append", "replace", "delete", "mkdir", "mv", "ls", "cat", "rm", "ln -s")
READ_VERBS = ("ls", "cd", "grep", "cat", "select", "done", "rm", "find")
LIMITS = WorkspaceLimits(file_chars=4000, total_chars=60_000, entries=120)


def make_path(rng: random.Random) -> str:
    """Return a path that is good, or anything."""
    if rng.random() < 0.3:
        return f"{rng.choice(('entities', 'notes', 'trips'))}/{rng.choice('abcdefgh')}{rng.choice(('', '.md', '/x'))}"
    return rng.choice(("/", "//", "\\", "")).join(rng.choice(NAMES) for _ in range(rng.choice((1, 1, 2, 2, 3, 6))))


def check(workspace: Workspace, raw_files: list[tuple[str, str]]) -> None:
    """Assert that the workspace is whole: paths below the root, caps kept, every source there, raw turns unchanged."""
    files = list_files(workspace)
    assert [pair for pair in files if pair[0].startswith("raw_logs/")] == raw_files
    assert len(dict(files)) == len(files)
    for path, _ in files:
        names = path.split("/")
        assert len(names) <= LIMITS.depth
        assert path.isascii()
        assert path == path.lower()
        assert all(name and name[0].isalnum() and ".." not in name and len(name) <= LIMITS.name_chars for name in names)
    for note in workspace.notes:
        assert len(note.render()) <= LIMITS.file_chars
        assert note.lines
        assert all(line.sources and all(workspace.raw.get(ref) for ref in line.sources) for line in note.lines)
        assert all(len(line.text) <= LIMITS.line_chars and "\n" not in line.text for line in note.lines)
    assert sum(len(note.render()) for note in workspace.notes) <= LIMITS.total_chars
    assert len(workspace.notes) + len(workspace.folders) <= LIMITS.entries
    assert build_tree(workspace)


def write_at_random(rng: random.Random, workspace: Workspace) -> None:
    """Give one operation: through the grammar, or straight to the workspace."""
    path, lines = make_path(rng), [rng.choice(TEXTS) for _ in range(rng.randrange(4))]
    if rng.random() < 0.5:
        behind = rng.choice((f" {make_path(rng)}", "#1", "#1,3", "#2-9", "#0", "#99999999"))
        reply = "\n".join([f"{rng.choice(WRITE_VERBS)} {path}{behind}", *(f"- {line}" for line in lines)])
        for found in read_operations(reply, workspace.raw):
            if found.verb in ("write", "append"):
                workspace.append(found.path, found.lines, found.meta.sources)
            elif found.verb == "mv":
                workspace.mv(found.path, found.target)
            elif found.verb == "mkdir":
                workspace.mkdir(found.path)
            elif found.verb == "delete":
                workspace.delete_lines(found.path, found.numbers)
            elif found.verb == "replace" and found.lines:
                workspace.replace_line(found.path, sum(found.numbers), found.lines[0])
        return
    verb = rng.choice(("write", "append", "replace", "delete", "mv", "mkdir"))
    refs = tuple(rng.sample(["D1:1", "D1:3", "D2:2", "D9:9", "\x00", "raw_logs"], rng.randrange(3)))
    given = [Line(text, refs if rng.random() < 0.5 else ()) for text in lines]
    if verb == "write":
        workspace.write(path, Meta("\n" * rng.randrange(3), rng.choice(TEXTS), refs), given)
    elif verb == "append":
        workspace.append(path, given, refs)
    elif verb == "mv":
        workspace.mv(path, make_path(rng))
    elif verb == "replace" and given:
        workspace.replace_line(rng.choice((path, *(note.path for note in workspace.notes))), rng.randrange(4), given[0])
    elif verb == "delete":
        numbers = [rng.randrange(5) for _ in range(rng.randrange(3))]
        workspace.delete_lines(rng.choice((path, *(note.path for note in workspace.notes))), numbers)
    else:
        workspace.mkdir(path)


def test_fifty_thousand_writing_operations_leave_raw_turns_and_root_alone() -> None:
    rng, workspace = random.Random(13), fill_raw(Workspace(LIMITS))
    raw_files = [pair for pair in list_files(workspace) if pair[0].startswith("raw_logs/")]
    refused = written = unprintable = 0
    for at in range(50_000):
        before = workspace.state
        try:
            write_at_random(rng, workspace)
        except Refusal as refusal:
            refused += 1
            unprintable += not str(refusal).isprintable()
        written += workspace.state != before
        if at % 1000 == 999:
            check(workspace, raw_files)
            workspace = fill_raw(Workspace(LIMITS))  # a full one refuses nearly everything
    check(workspace, raw_files)
    assert unprintable == 0
    assert refused > 10_000
    assert written > 2500


def test_fifty_thousand_navigation_commands_change_nothing() -> None:
    rng, workspace = random.Random(14), fill_raw(Workspace(LIMITS))
    workspace.write("entities/ann.md", Meta(sources=("D1:1",)), [Line("moved"), Line("likes (a+)+$", ("D2:2",))])
    workspace.write("notes/a.md", Meta(sources=workspace.raw.refs), [Line("everything")])
    before, known, commands = list_files(workspace), set(workspace.raw.refs), 0
    good = ("entities/ann.md#1", "D1:1-3", "notes/a.md", "raw_logs/session_001 2:3", "moved", "'a|b' notes", "..", "")
    while commands < 50_000:
        budget = rng.choice((None, 0, 5, 40))
        session = NavigationSession(
            workspace, "?", NavigationLimits(turns=8, budget_tokens=budget), rng.choice(("", "D1:2"))
        )
        session.opening()
        while True:
            words = [rng.choice((*good, make_path(rng), rng.choice(TEXTS))) for _ in range(rng.randrange(5))]
            reply = "\n".join(f"{rng.choice(READ_VERBS)} {word}" for word in words) or rng.choice(TEXTS)
            commands += max(1, len(words))
            result = session.step(reply)
            if result.done:
                break
        assert set(session.selected) <= known
        assert budget is None or len(session.render().split()) <= budget
    assert list_files(workspace) == before


def test_a_manager_that_replies_with_anything_leaves_a_whole_workspace() -> None:
    rng = random.Random(15)
    for _ in range(200):
        replies = [
            "\n".join(rng.choice((*TEXTS, f"write {make_path(rng)}", "delete notes/a.md#1-3")) for _ in range(6))
            for _ in range(2)
        ]
        workspace = fill_raw(Workspace(LIMITS))
        raw_files = [pair for pair in list_files(workspace) if pair[0].startswith("raw_logs/")]
        Manager(make_kit(Script(replies)), workspace).organise(workspace.raw.turns)
        check(workspace, raw_files)
