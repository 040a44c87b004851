"""Lines, calls, tags and commands of the dialects, in the styles of chat models, and prose that is none of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.replies import Block, Command, read_action, read_blocks, read_calls, read_commands, read_lines, read_tag

SUBGOAL = {"subgoal": ("sub-goal",)}
CALLS = ("branch", "return", "checkpoint", "retrieve")
TOOLS = ("grep", "read", "list", "done", "open", "find", "fact", "none")


@pytest.mark.parametrize(
    "text",
    [
        "Subgoal: find a mug\nAction: go",
        "**Subgoal:** find a mug\n**Action:** go",
        "**Subgoal: find a mug**\n**Action: go**",
        "Subgoal 2: find a mug.\nAction: go",
        "New Subgoal: find a mug\nAction: go",
        "Next sub-goal: find a mug\nNext action: go",
        "Sub goal: find a mug\nAction: go",
        "3 Subgoal: find a mug\nAction: go",
        "Subgoal:\nfind a mug\nAction:\ngo",
        "Subgoal: find a mug. Action: go",
        "**Subgoal:** find a mug **Action:** go",
        "Subgoal: find a mug\ngo",
        "Action: Subgoal: find a mug\nAction: go",
        "1. Subgoal: find a mug\n2. Action: go",
        "- **Subgoal**: find a mug\n- **Action**: go",
        "```\nSubgoal: find a mug\nAction: go\n```",
        "Thought: I need one.\nSubgoal: find a mug\nAction: go",
        "<think>Subgoal: no\nAction: no</think>\n### Subgoal\nfind a mug\n\n### Action\ngo",
        "Subgoal: no\nSubgoal: find a mug\nAction: go\nObservation: x\nSubgoal: no\nAction: no",
        "Subgoal: find a mug\nAction: go Subgoal: no",
    ],
)
def test_sub_goal_and_action_read_in_every_style(text: str) -> None:
    lines = read_lines(text, SUBGOAL)
    action = read_action(lines.rest)
    assert (lines["subgoal"], action.value, action.sure) == ("find a mug", "go", True)


@pytest.mark.parametrize(
    "text", ["Action: go\nSubgoal: no", "My subgoals are many.\nAction: go", "Subgoal:\nAction: go"]
)
def test_what_is_no_sub_goal_is_none(text: str) -> None:
    lines = read_lines(text, SUBGOAL)
    assert (lines["subgoal"], read_action(lines.rest).value) == ("", "go")


def test_line_of_several_sentences_keeps_its_last_stop() -> None:
    lines = read_lines("**Summary:** The table is empty. Now the shelf.\nAction: go", {"summary": ("summary",)})
    assert lines["summary"] == "The table is empty. Now the shelf."


def test_frame_without_label_is_read_by_lines() -> None:
    lines = read_lines("Subgoal: a\ngo\nstay", SUBGOAL, action="")
    assert (lines["subgoal"], read_action(lines.rest, "").value) == ("a", "go")


@pytest.mark.parametrize(
    ("text", "calls", "action"),
    [
        ("branch(find mug)\nAction: go", [("branch", "find mug")], "go"),
        ("Action: branch(find mug)\nAction: go", [("branch", "find mug")], "go"),
        ("**branch(find mug)**\n\n**Action:** go", [("branch", "find mug")], "go"),
        ("```\nbranch(find mug)\n```\nAction: go", [("branch", "find mug")], "go"),
        ("- `Branch (find mug)`.\n- Action: go", [("branch", "find mug")], "go"),
        ('Action: branch("find (all) mugs")', [("branch", "find (all) mugs")], ""),
        ("return(a is (on) b.)\nbranch(next)\nAction: go", [("return", "a is (on) b."), ("branch", "next")], "go"),
        ("return(a). branch(b) Action: go", [("return", "a"), ("branch", "b")], "go"),
        ("Action: return(a). This closes it.\nAction: go", [("return", "a")], "go"),
        ("checkpoint(Goal.\n- a (b)\n\n- next: go)\nAction: go", [("checkpoint", "Goal. - a (b) - next: go")], "go"),
        ("checkpoint(\nGoal: x\n)\nAction: go", [("checkpoint", "Goal: x")], "go"),
        ("return(found it :) there)\nAction: go", [("return", "found it :) there")], "go"),
        ("return(cut off", [("return", "cut off")], ""),
        ("checkpoint(Goal: x\nAction: go", [("checkpoint", "Goal: x")], "go"),
        ("return()", [("return", "")], ""),
        ("Thought: I need one.\nbranch(a)\nAction: go", [("branch", "a")], "go"),
        ("branch(a)\nObservation: x\nreturn(b)\nAction: no", [("branch", "a")], ""),
        ("Action: go\nreturn(a)", [], "go"),
        ("I could use a branch (for the search).\nAction: go", [], "go"),
        ("I will return (go back) to desk 1\nAction: go", [], "go"),
        ("return (go back) to desk 1\nAction: go", [], "go"),
        ("Thought: branch(a) may help.\nAction: go", [], "go"),
        ("<think>\nbranch(a)\n</think>\nAction: go", [], "go"),
    ],
)  # fmt: skip
def test_calls_stand_on_lines_of_their_own(text: str, calls: list[tuple[str, str]], action: str) -> None:
    read = read_calls(text, CALLS)
    assert [(call.name, call.text) for call in read.calls] == calls
    assert read_action(read.rest).value == action


FORMS = (
    "branch(find mug)", "**branch**(find mug)", "`branch`(find mug)", "*branch*(find mug)", "__branch__ (find mug)",
    "**Branch** (find mug)", "**`branch`**(find mug)", "- **branch**(find mug)", "1. **branch**(find mug)",
    "[4] branch(find mug)", "### branch(find mug)", "> branch(find mug)", "→ branch(find mug)", "$branch(find mug)$",
    "(branch(find mug))", "[branch(find mug)]", "{branch(find mug)}", "BRANCH(find mug)", "branch（find mug）",
    "**branch:** find mug", "branch: find mug", "**Branch:** (find mug)", "**branch**: find mug", "branch = find mug",
    "**Branch:**\nfind mug", "branch - find mug", 'branch "find mug"', "branch[find mug]", "branch{find mug}",
    "branch<find mug>", "<branch>find mug</branch>", "<branch>\nfind mug\n</branch>", "Call: branch(find mug)",
    "**Command:** branch(find mug)", "Tool: branch(find mug)", "Step 1: branch(find mug)", "call branch(find mug)",
    "First, branch(find mug)", "I open a branch for it: branch(find mug)", "**branch:** branch(find mug)",
    "branch(find mug):", "branch(find mug) // opens it", "branch(find mug) - for the task",
    "branch(find mug) (opens it)", "branch(description: find mug)", "branch(**description:** find mug)",
    "branch(**find mug**)", "branch(\n  find mug\n)", "```\nbranch(find mug)\n```", "```branch(find mug)```",
)  # fmt: skip


@pytest.mark.parametrize("action", ["Action: go", "**Action:** go", "\n```\nAction: go\n```"])
@pytest.mark.parametrize("form", FORMS)
def test_call_is_read_in_every_form(form: str, action: str) -> None:
    read = read_calls(f"{form}\n{action}", CALLS)
    assert [(call.name, call.text) for call in read.calls] == [("branch", "find mug")]
    assert read_action(read.rest).value == "go"


@pytest.mark.parametrize(
    "line",
    [
        "I will return (go back) to desk 1", "Return to desk 1.", "Branches are of no use here.",
        "A branch: none needed.", "Thought: branch(x) may help", "**Thought:** I could branch(off)",
        "The return[s] are few", "Observation: branch(x)", "I must not return(yet) but go on", "return home",
        'I said "branch" already',
    ],
)  # fmt: skip
def test_prose_that_names_a_call_is_none(line: str) -> None:
    read = read_calls(f"{line}\nAction: go", CALLS)
    assert read.calls == ()


def test_calls_on_one_line_with_the_action_are_read() -> None:
    for text in (
        "branch(a); Action: go",
        "branch(a) then Action: go",
        "branch: a. Action: go",
        "**branch**(a) **Action:** go",
    ):
        read = read_calls(text, CALLS)
        assert [(call.name, call.text.rstrip(".")) for call in read.calls] == [("branch", "a")], text
        assert read_action(read.rest).value == "go", text


def test_call_has_named_arguments_numbers_and_an_end() -> None:
    (call,) = read_calls("branch(description=\"Find (a) mug, or cup\", prompt='Look\nround')", CALLS).calls
    assert call.arguments == {"description": "Find (a) mug, or cup", "prompt": "Look round"}
    assert (call.text, call.closed) == ("Find (a) mug, or cup", True)
    (call,) = read_calls("Action: retrieve( 1, #3, 1", CALLS).calls
    assert (call.numbers, call.closed, call.arguments) == ((1, 3), False, {})


@pytest.mark.parametrize(
    ("text", "held", "rest"),
    [
        ("<summary>a mug</summary>\nAction: go", "a mug", "Action: go"),
        ("< Summary >a mug\nand a cup</ SUMMARY > Action: go", "a mug\nand a cup", "Action: go"),
        ("<summary>a mug\nAction: go", "a mug", "Action: go"),
        ("<summary>x</summary>\n<summary>a mug</summary>\nAction: go", "a mug", "Action: go"),
        ("a mug</summary>\nAction: go", None, "a mug\nAction: go"),
        ("<summary></summary>Action: go", "", "Action: go"),
        ("<think><summary>x</summary></think>Action: go", None, "Action: go"),
        ("**<summary>**a mug**</summary>**\n**Action:** go", "a mug", "**Action:** go"),
        ("**<summary>a mug</summary>**\nAction: go", "a mug", "Action: go"),
        ("<summary>**a mug**</summary>\nAction: go", "a mug", "Action: go"),
        ("`<summary>a mug</summary>`\nAction: go", "a mug", "Action: go"),
        ("<summary>**A** mug</summary>\nAction: go", "**A** mug", "Action: go"),
    ],
)
def test_tag_reads_what_it_holds(text: str, held: str | None, rest: str) -> None:
    assert (read_tag(text, "summary").text, read_tag(text, "summary").rest) == (held, rest)


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("done", [Command("done")]),
        ("done.", [Command("done")]),
        ("**Done**", [Command("done")]),
        ("done: nothing more is needed", [Command("done", "nothing more is needed")]),
        ("grep: ferry work", [Command("grep", "ferry work")]),
        ("grep -i ferry", [Command("grep", "ferry", ("-i",))]),
        ("- grep ferry", [Command("grep", "ferry")]),
        ("`grep ferry`", [Command("grep", "ferry")]),
        ("**grep** ferry.", [Command("grep", "ferry")]),
        ("$ grep ferry", [Command("grep", "ferry")]),
        ("Command: grep ferry", [Command("grep", "ferry")]),
        ("```bash\ngrep ferry\n```", [Command("grep", "ferry")]),
        ("1. open: a/b, c/*\n2. done", [Command("open", "a/b, c/*"), Command("done")]),
        ("open a/b", [Command("open", "a/b")]),
        ("**open: a/b**", [Command("open", "a/b")]),
        ("I will look for the ferry first.\n\ngrep ferry", [Command("grep", "ferry")]),
        ("Find out where she works.\nfind: work", [Command("find", "work")]),
        ("Open the file to see more, please.", []),
        ("Thought: done is near.\n<think>done</think>", []),
        ("fact: a/b | Ann moved. | 1:2", [Command("fact", "a/b | Ann moved. | 1:2")]),
        ("facts: none\nThe list: x\ngrepping is fun", []),
        ("I look for the colleagues first: `grep colleague`", [Command("grep", "colleague")]),
        ("I would use `grep x` or `grep y`.", []),
        ("The line answers it: last Saturday before 12 July, 2022. done", [Command("done")]),
        ("We are nearly done", []),
        ("", []),
    ],
)
def test_commands_read_in_every_style(text: str, commands: list[Command]) -> None:
    assert list(read_commands(text, TOOLS)) == commands


def test_command_has_words_without_quotes() -> None:
    (command,) = read_commands('grep "go to work" Ann', TOOLS)
    assert command.words == ("go", "to", "work", "Ann")


PIECES = st.sampled_from(
    ["Subgoal:", "subgoal 2:", "branch(", "return(a)", ")", "(", "Action:", "go", "\n", " ", "<summary>", "</summary>",
     "grep", "done", ":", "```", "**", "Observation:", "<think>", "</think>", "Thought:", '"', "description="]
)  # fmt: skip


@given(st.lists(PIECES | st.text(max_size=4), max_size=14).map("".join))
def test_any_text_can_be_read(text: str) -> None:
    lines = read_lines(text, SUBGOAL)
    calls = read_calls(lines.rest, CALLS)
    assert len(lines["subgoal"].splitlines()) <= 1
    assert all(call.name in CALLS and len(call.text.splitlines()) <= 1 for call in calls.calls)
    assert read_calls(lines.rest, CALLS) == calls
    assert all(command.name in TOOLS for command in read_commands(text, TOOLS))
    assert read_tag(text, "summary") == read_tag(text, "summary")


def begins(command: Command) -> bool:
    return "/" in command.text


@pytest.mark.parametrize(
    "text",
    [
        "write a/b.md\n- one\n- write to Ann\n\nlist c/",
        "First I look.\n\nwrite a/b.md\n- one\n- write to Ann\nlist c/",
        "```\nwrite a/b.md\n- one\n- write to Ann\nlist c/\n```",
        "**write** a/b.md\n- one\n- write to Ann\n**list** c/",
        "1. write a/b.md\n   - one\n   - write to Ann\n2. list c/",
        "<think>write x/y.md\n- no</think>\nwrite a/b.md\n- one\n- write to Ann\nlist c/",
        "**Operations:** write a/b.md\n- one\n- write to Ann\nlist c/",
        "Summary: write a/b.md\n- one\n- write to Ann\nlist c/",
        "Thought: write x/y.md\nwrite a/b.md\n- one\n- write to Ann\nlist c/",
    ],
)
def test_read_blocks_gives_each_command_the_lines_below(text: str) -> None:
    assert read_blocks(text, ("write", "list"), begins) == (
        Block(Command("write", "a/b.md"), ("- one", "- write to Ann")),
        Block(Command("list", "c/")),
    )


@pytest.mark.parametrize("text", ["", "- one\n- two", "write to Ann", "I write a/b.md now."])
def test_read_blocks_without_a_command_that_begins_one_is_empty(text: str) -> None:
    assert read_blocks(text, ("write", "list"), begins) == ()
