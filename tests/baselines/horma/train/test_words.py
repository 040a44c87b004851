"""Words as tokens: commands come back as they were, transcripts mark who wrote what."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.horma.train.transcript import Transcript
from baselines.horma.train.words import WordCodec, split_words

COMMANDS = ("select now/lamp#2", "cat D1:3", "grep lamp", "select asked/lamp", "done", "cat was/key.md#1", "ls")


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_are_read_back_exactly(command: str) -> None:
    codec = WordCodec.of(COMMANDS)
    ids = codec.encode_reply(command)
    assert codec.decode(ids) == command.lower()
    assert codec.encode_reply(codec.decode(ids)) == ids
    assert (ids[-1] in codec.stops, codec.pad in ids) == (True, False)


def test_lines_stay_lines_and_unknown_words_are_left_out() -> None:
    codec = WordCodec.of(["select now/lamp\ndone"])
    assert codec.decode(codec.encode_reply("select now/lamp\ndone")) == "select now/lamp\ndone"
    assert codec.decode(codec.encode_reply("select piano")) == "select"
    assert split_words("Room: 12\n[D1:4]") == ["room", ":", "1", "2", "\n", "[", "d1:4", "]"]


def test_follow_ends_a_reply_that_did_not_end_itself() -> None:
    codec = WordCodec.of(["done ok"])
    done, ok = codec.encode_reply("done")[0], codec.encode_reply("ok")[0]
    end = next(iter(codec.stops))
    shown, reply = codec.open("")
    assert codec.follow([done, end], "ok") == [shown, ok, reply]
    assert codec.follow([done], "ok") == [end, shown, ok, reply]
    assert codec.open("ok", "instructions are not for it") == [shown, ok, reply]


def test_vocabulary_with_a_word_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="expected each word once"):
        WordCodec(["lamp", "lamp"])


@given(st.lists(st.tuples(st.booleans(), st.lists(st.integers(0, 9), max_size=4)), max_size=6))
def test_transcript_marks_exactly_what_was_written(parts: list[tuple[bool, list[int]]]) -> None:
    transcript = Transcript()
    for written, ids in parts:
        (transcript.write if written else transcript.read)(ids)
    assert transcript.ids == [one for _, ids in parts for one in ids]
    assert [one for one, by in zip(transcript.ids, transcript.by_model, strict=True) if by] == [
        one for written, ids in parts if written for one in ids
    ]
    assert (transcript.written, len(transcript)) == (
        sum(len(ids) for written, ids in parts if written),
        sum(len(ids) for _, ids in parts),
    )
