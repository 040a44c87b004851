"""Free text loses what a chat model puts around it, and nothing of its own; cut, it ends with a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.models.tokenizers import count_tokens
from bench.replies import read_text, strip_label, trim_to_sentence

SUMMARY = "Ann has a mug (blue). It is on desk 1.\n\n**Open:**\n- put it away"


@pytest.mark.parametrize(
    ("text", "repairs"),
    [
        (SUMMARY, ()),
        (f"Here is the updated summary:\n\n{SUMMARY}", ("preamble",)),
        (f"Sure! Here's the new account:\n{SUMMARY}", ("preamble",)),
        (f"**Account**\n\n{SUMMARY}", ("heading",)),
        (f"## Where things stand\n{SUMMARY}", ("heading",)),
        (f"Summary: {SUMMARY}", ("heading",)),
        (f"**Updated summary:** {SUMMARY}", ("heading",)),
        (f"**Updated summary:**\n\n{SUMMARY}", ("heading",)),
        (f"```\n{SUMMARY}\n```", ("fence",)),
        (f"Here is the summary:\n```markdown\n{SUMMARY}\n```", ("preamble", "fence")),
        (f"<think>hm</think>\n{SUMMARY}", ("think-block",)),
        (f"{SUMMARY}\n\nLet me know if you need more.", ("postamble",)),
        (f"**Outcome:** {SUMMARY}", ("heading",)),
        (f"Updated guideline:\n{SUMMARY}", ("heading",)),
        (f"**Cheatsheet**\n{SUMMARY}", ("heading",)),
        (f"**Reflection:** {SUMMARY}", ("heading",)),
        (f"Here is the note: {SUMMARY}", ("preamble",)),
        (f"Here's the one-line outcome: {SUMMARY}", ("preamble",)),
        (f"Certainly.\n\n# Summary\n\n{SUMMARY}\r\n", ("preamble", "heading")),
    ],
)
def test_frame_around_a_text_is_taken_off(text: str, repairs: tuple[str, ...]) -> None:
    read = read_text(text)
    assert (read.value, read.repairs, read.sure) == (SUMMARY, repairs, True)


@pytest.mark.parametrize(
    "text",
    [
        "Here is the mug: on desk 1.",
        "Sure signs of rain.",
        "**Present state (after step 6):**\n- Left holds shot1.",
        "Known state: Shaker1 is on the table.\nOpen: nothing.",
        "Ann: hello.",
        "CORRECT",
    ],
)
def test_text_of_its_own_stays(text: str) -> None:
    assert (read_text(text).value, read_text(text).repairs) == (text, ())


@pytest.mark.parametrize("text", ["", " \n", "```\n```", "<think>a summary", "<think>a</think>", "**"])
def test_no_text_is_unreadable(text: str) -> None:
    assert read_text(text).unreadable


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("find the mug", "find the mug"),
        ("Step 2: find the mug", "find the mug"),
        ("2. **Step 2:** find the mug", "find the mug"),
        ("- find the mug", "find the mug"),
        ("**find the mug**", "find the mug"),
        ('"find the mug"', "find the mug"),
        ("STEP - find the mug", "find the mug"),
        ("Steps lead to the mug", "Steps lead to the mug"),
        ("Note: find the mug", "Note: find the mug"),
        ('"find" finds the "mug"', '"find" finds the "mug"'),
        ("Step 2:", ""),
        ("", ""),
    ],
)
def test_label_of_a_short_text_is_taken_off(text: str, value: str) -> None:
    assert strip_label(text, "Step") == value


@given(st.text())
def test_any_text_can_have_its_label_taken_off(text: str) -> None:
    assert len(strip_label(text, "Step")) <= len(text)


def count(text: str) -> int:
    return len(text.split())


@pytest.mark.parametrize(
    ("text", "limit", "cut", "result"),
    [
        ("A b c. D e f.", 9, False, "A b c. D e f."),
        ("A b c. D e f.", 5, False, "A b c. …"),
        ("A b c. D e f.", 3, False, "A b …"),
        ("A b c. D e", 9, True, "A b c. …"),
        ("A b c. D e f.", 9, True, "A b c. D e f. …"),
        ("A b ca", 9, True, "A b …"),
        ("A", 2, True, "A …"),
        ("A costs 3.50 here. And then", 5, False, "A costs 3.50 here. …"),
        ('He said "no." Then it', 4, False, 'He said "no." …'),
        ("- one two\n- three four\n- five", 7, False, "- one two\n- three four …"),
        ("1. one. 2. two.", 3, False, "1. one. …"),
        ("A b", 1, False, ""),
    ],
)
def test_text_is_cut_where_a_sentence_ends(text: str, limit: int, cut: bool, result: str) -> None:
    assert trim_to_sentence(text, limit, count, cut=cut) == result


@given(
    st.text() | st.lists(st.sampled_from(["A", " b", ".", "\n", "```", "#", "Sure:", "Summary: "])).map("".join),
    st.integers(0, 9),
)
def test_any_text_can_be_read_and_cut(text: str, limit: int) -> None:
    value = read_text(text).value
    short = trim_to_sentence(value, limit, count)
    assert short == value or value.startswith(short.removesuffix(" …"))
    assert (short == value) == (count(value) <= limit)
    assert count(short) <= limit


@given(st.text(alphabet="ab 1,", max_size=80), st.integers(0, 30))
def test_trim_keeps_the_most_complete_words_of_a_text_without_sentences(text: str, limit: int) -> None:
    cut = trim_to_sentence(text, limit, count_tokens)
    assert count_tokens(cut) <= limit
    if cut != text:
        kept = cut.removesuffix(" …")
        words = text[len(kept) :].split()
        assert text.startswith(kept)
        assert kept.split() + words == text.split()  # no word was torn
        longer = text[: text.index(words[0], len(kept)) + len(words[0])] if words else text
        assert count_tokens(f"{longer} …") > limit
