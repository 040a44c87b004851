"""Actions and answers: every style reads back as the plain value, and what holds no value is unreadable."""

from __future__ import annotations

import importlib.util
import re
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.replies import (
    ReplyError,
    read_action,
    read_answer,
    read_calls,
    read_commands,
    read_json,
    read_lines,
    read_tag,
    read_text,
)


def _load_styles() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reply_styles", Path(__file__).with_name("styles.py"))
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


styles = _load_styles()
ACTION_STYLES = [style for style in styles.STYLES if style.actions]
ANSWER_STYLES = [style for style in styles.STYLES if style.answers]
by_name = {"ids": lambda style: style.name}


@pytest.mark.parametrize("style", ACTION_STYLES, **by_name)
def test_action_reads_back_in_every_style(style: styles.Style) -> None:
    for value in styles.ACTIONS:
        read = read_action(style.write("Action", value))
        assert (read.value, read.sure, read.unreadable) == (value, style.sure, False)


@pytest.mark.parametrize("style", ANSWER_STYLES, **by_name)
def test_answer_reads_back_in_every_style(style: styles.Style) -> None:
    for value in styles.ANSWERS:
        read = read_answer(style.write("Answer", value))
        assert (read.value, read.sure) == (value, style.sure)


@pytest.mark.parametrize("style", styles.COMMANDLESS, **by_name)
@pytest.mark.parametrize("label", ["Action", "Answer"])
def test_reply_without_value_is_unreadable(style: styles.Style, label: str) -> None:
    read = (read_action if label == "Action" else read_answer)(style.write(label, "go to desk 1"))
    assert (read.value, read.sure, read.repairs, read.unreadable) == ("", False, (), True)


def test_there_are_enough_styles() -> None:
    assert len({style.name for style in styles.STYLES + styles.COMMANDLESS}) >= 40


@pytest.mark.parametrize("value", [*styles.ACTIONS, *styles.ANSWERS])
def test_plain_reply_needs_no_repair(value: str) -> None:
    for label, read in (("Action:", read_action), ("Answer:", read_answer)):
        for text in (f"{label} {value}", f"  {label.lower()} {value}\n", f"It is near.\n{label} {value}"):
            assert read(text).value == value
            assert (read(text).repairs, read(text).sure) == ((), True)


@pytest.mark.parametrize(
    ("text", "repairs"),
    [
        ("**Action:** look", ("bold",)),
        ("Action: **look**", ("bold",)),
        ("<think>x</think>Action: look", ("think-block",)),
        ("```\nAction: look\n```", ("fence",)),
        ("Next action: look", ("label-synonym",)),
        ("Action:\nlook", ("next-line",)),
        ('Action: "look"', ("quotes",)),
        ("Action: look (to see more)", ("trailing-comment",)),
        ("Action: look.", ("trailing-stop",)),
        ("Action: look\nObservation: You see.", ("played-on",)),
        ("It is near. Action: look", ("inline-label",)),
        ("Action: Action: look", ("label-twice",)),
        ("## Action: look", ("heading",)),
        ("> Action: look", ("quote",)),
        ("- Action: look", ("bullet",)),
        ("Action: [look]", ("brackets",)),
        ("<action>look</action>", ("tag",)),
        ("Action - look", ("label-synonym",)),
    ],
)
def test_repair_has_a_name(text: str, repairs: tuple[str, ...]) -> None:
    assert (read_action(text).value, read_action(text).repairs) == ("look", repairs)


@pytest.mark.parametrize(
    ("text", "value", "sure"),
    [
        ("I will go to desk 1 and look for the mug there.", "I will go to desk 1 and look for the mug there", False),
        ("It may be there.\n\ngo to desk 1", "go to desk 1", False),
        ("go to desk 1\ntake mug 1", "go to desk 1", False),
        ("```\ngo to desk 1\ntake mug 1\n```", "go to desk 1", False),
        ("go to desk 1\nObservation: You see a mug.", "go to desk 1", True),
        ('{"Action": "go"}', "go", True),
        ('{"thought": "Action: take mug 1", "action": "go"}', "go", True),
        ('{"thought": "Action: take mug 1",\n"note": "Action: look"}\nAction: go', "go", True),
        ('{"name": "act", "arguments": "{\\"command\\": \\"go to desk 1\\"}"}', "go to desk 1", True),
        ('[{"action": "go"}, {"action": "look"}]', "go", True),
        ('Action: {"action": "go"}', "go", True),
        ('{"action": "go"}\n\nAction: look', "look", True),
        ('{"action": "go to desk 1", "thought": "I nee', "go to desk 1", True),
        ("{'thought': 'it's there', 'action': 'go',}", "go", True),
        ("I'll try `go to desk 1` next.", "go to desk 1", False),
        ('I will type "go to desk 1" now.', "go to desk 1", False),
        ("I'll try `go` or `look` next.", "I'll try `go` or `look` next", False),
        ('"go to desk 1" to find it', "go to desk 1", True),
        ("It may be there.\n> go to desk 1", "go to desk 1", True),
        ("> It may be there, so I go.", "It may be there, so I go", False),
        ("The best action is go to desk 1.", "go to desk 1", False),
        ("Action\n\nObservation: You see a mug.", "", False),
        ('<tool_call>{"name": "look"}</tool_call>', "", False),
        ("Nächste Aktion: go", "go", True),
        ("Action: go | Reason: it is near", "go", True),
        ("Next step: I need to find a mug.\nAction: go", "go", True),
        ("(Action: put mug 1 (blue) away) It helps.", "put mug 1 (blue) away", True),
        ("| Thought | it is there |\n| Action | go | near |", "go", True),
        ("Thought\nIt is there.\n\nAction\ngo", "go", True),
        ("The answer is near.\nAction: go", "go", True),
        ("Action: return(Found it. It is (still) open.)", "return(Found it. It is (still) open.)", True),
        ('Action: type "abc. Def" there. It helps.', 'type "abc. Def" there', True),
        ("Action: (unstack b2 b1)", "(unstack b2 b1)", True),
        ("Action: Ask Mr. Smith about J. Doe", "Ask Mr. Smith about J. Doe", True),
        ("行动：打开盒子\nAction: 打开盒子。", "打开盒子", True),
        ("Action: 打开盒子。这样更好。", "打开盒子", True),
        ("Thought: The next action: go to desk 2?\nAction: go to desk 1", "go to desk 1", True),
        ("Action:\n1. go to desk 1\n2. take mug 1", "go to desk 1", True),
        ("Action: go<|im_end|>", "go", True),
        ("```\nThought: go\n```", "", False),
        ("Thought: It is there.\ngo to desk 1", "go to desk 1", False),
        ("Action: go\x00 to \ud83d desk", "go to \ufffd desk", True),
    ],
)
def test_action_of_an_odd_reply(text: str, value: str, sure: bool) -> None:
    assert (read_action(text).value, read_action(text).sure) == (value, sure)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Answer:\n- a kingfisher\n- an adder", "a kingfisher, an adder"),
        ("**Answer:**\n\n1. a kingfisher;\n\n2. an adder.", "a kingfisher, an adder"),
        ("Answer: They saw:\n* **a kingfisher**\n* an adder", "a kingfisher, an adder"),
        ("- a kingfisher\n- an adder", "a kingfisher, an adder"),
        ("Answer:\nThey saw a fox.\nThey saw an adder.\n\nI hope so.", "They saw a fox.\nThey saw an adder."),
        ("It was on 8 May, so the day before.\n\n**Answer:** **7 May 2023** (a Sunday).", "7 May 2023 (a Sunday)"),
        ("Answer: at 5 p.m.", "at 5 p.m."),
        ("Answer: 2\n- a kingfisher\n- an adder", "2"),
        ("Answer: You could try this. It suits you.", "You could try this. It suits you."),
        ("Answer: the **red** one", "the red one"),
        ("It was on 8 May. So the answer would be 7 May 2023. I hope so.", "7 May 2023"),
        ("The answer is in the past. So the answer is Oslo.", "Oslo"),
        ("The answer is near.\nAnswer: Oslo", "Oslo"),
        ("So we get $\\boxed{\\text{7 May}}$, as said.", "7 May"),
        ("The final answer is $\\boxed{\\frac{1}{2}}$.", "\\frac{1}{2}"),
        ("Answer: $5 and $7", "$5 and $7"),
        ('{"answer": ["a kingfisher", "an adder"]}', "a kingfisher, an adder"),
        ('{"answer": 7}', "7"),
        ('["a kingfisher", "an adder"]', "a kingfisher, an adder"),
        ("The answer to your question is Oslo.", "Oslo"),
        ("Answer is Oslo", "Oslo"),
        ('Answer: ["a kingfisher", "an adder"]', "a kingfisher, an adder"),
        ('{"reason": "the answer is 8", "answer": "7"}', "7"),
        ("Answer: [a guess] Oslo", "[a guess] Oslo"),
        ("Answer:\n7. Mai 2023", "7. Mai 2023"),
        ("Answer: \"A\" and \"B\"", "\"A\" and \"B\""),
        ("答えはオスロです。\nAnswer: オスロ。", "オスロ"),
        ("Final Answer: Oslo\nQuestion: Where else?\nAnswer: Rome", "Oslo"),
    ],
)  # fmt: skip
def test_answer_may_span_lines_and_keeps_its_wording(text: str, value: str) -> None:
    assert (read_answer(text).value, read_answer(text).sure) == (value, True)


def test_thought_is_kept_for_notes() -> None:
    assert read_action("<think>a\nb</think>\nThought: c\nAction: look").thought == "a\nb\nc"
    assert read_action("Action: look\nThought: later").thought == ""


def test_open_think_block_is_told_apart() -> None:
    read = read_action("<think>I could go to")
    assert (read.cut, read.thought, read.unreadable) == (True, "I could go to", True)
    assert read_action("Action: look\n<think>and then").value == "look"


VALUES = st.from_regex(
    r"[a-z]{2,8}( (?!is\b|because\b)[a-z]{1,8}| [1-9][0-9]?| in/on| [a-z]{2,5}-[a-z]{2,5}"
    r"| \"[a-z]{2,6}(, [a-z]{2,6})?\"| [a-z]{2,5}: [0-9]|, [a-z]{2,6}){0,4}",
    fullmatch=True,
).filter(lambda value: "action:" not in value and "answer:" not in value)


@settings(max_examples=40)
@given(VALUES)
def test_any_value_reads_back_in_every_style(value: str) -> None:
    for style in ACTION_STYLES:
        assert (style.name, read_action(style.write("Action", value)).value) == (style.name, value)
    for style in ANSWER_STYLES:
        assert (style.name, read_answer(style.write("Answer", value)).value) == (style.name, value)


PIECES = st.sampled_from(
    ["Action:", "**", "`", "```", '"', "Answer:", "<think>", "</think>", "Observation:", "Thought:", "\n", "\r\n",
     " ", "go to desk 1", "- ", "1. ", "{", "}", '{"a": 1}', "[", "]", "(", ")", ".", "\ud800", "\x00", "\u00a0", "："]
)  # fmt: skip
MARKS = re.compile("[*_`,\x00\u200b\ufeff]")
REPLIES = st.text(st.characters(exclude_categories=()), max_size=60) | st.lists(PIECES, max_size=14).map("".join)


@given(REPLIES)
def test_any_text_can_be_read_and_the_value_is_made_of_it(text: str) -> None:
    for read in (read_action, read_answer):
        found = read(text)
        assert found == read(text)
        assert found.unreadable == (not found.value)
        assert not (found.sure and found.unreadable)
        source = MARKS.sub("", re.sub("[\ud800-\udfff]", "\ufffd", text))
        for word in found.value.split():
            assert MARKS.sub("", word) in source
        found.value.encode()  # half a character could not be stored


READERS: tuple[Callable[[str], object], ...] = (
    read_action,
    read_answer,
    read_json,
    read_text,
    lambda text: read_calls(text, ("branch", "return")),
    lambda text: read_commands(text, ("grep", "done")),
    lambda text: read_lines(text, {"subgoal": ("sub-goal",)}),
    lambda text: read_tag(text, "summary"),
)
LONGEST_S = 60.0
"""Of the processor; wide, for a reader that is quadratic takes many minutes."""


@pytest.mark.parametrize(
    "piece",
    ["*", "`", "Action: ", "<think>", "{", '{"a":', "[[", " (", "**a ", "``` ", "a. B", '"', "Answer:\n\n", "branch(",
     "branch(a) ", "- a\n", "{}", "{'a': ", "\\boxed{", "The answer is a. "],
)  # fmt: skip
def test_long_reply_is_read_in_linear_time(piece: str) -> None:
    text = piece * (400_000 // len(piece))
    started = time.process_time()
    for read in READERS:
        with suppress(ReplyError):
            read(f"Action: {text}")
    assert time.process_time() - started < LONGEST_S


WORDS = [
    "go",
    "to",
    "desk",
    "1",
    "take",
    "mug",
    "12",
    "from",
    "shelf",
    "i",
    "think",
    "a",
    "the",
    "in",
    "on",
    "reason",
    "action",
    "answer",
    "none",
    "because",
    "then",
    "look",
    "n",
    "done",
]


@given(st.lists(st.sampled_from(WORDS) | st.text("abcxyz019", min_size=1, max_size=6), min_size=1, max_size=12))
def test_plain_reply_is_read_as_the_full_reader_reads_it(words: list[str]) -> None:
    for label, read in (("Action:", read_action), ("Answer:", read_answer)):
        plain = f"{label} {' '.join(words)}"
        assert read(plain) == read(f"\n{plain}")  # a line above, which the short way does not take
