"""Loading the file: records, repairs and errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adapters.locomo.data import DATA, FILE, Fault, RawConversation, check, read_file
from adapters.locomo.loading import NO_ANSWER, REPAIRS, Repairs, load
from adapters.shared.turn_text import Repair
from bench.errors import DataError

Rows = list[dict[str, Any]]
Write = Callable[[Rows], Path]


def raw(conversation: dict[str, Any]) -> RawConversation:
    return RawConversation(conversation["sample_id"], conversation, "")


def test_load_intact_conversation_needs_no_repair(rows: Rows) -> None:
    conversation = load(raw(rows[0]), Repairs(*[False] * len(REPAIRS)))
    assert conversation.repairs == ()
    assert conversation.speakers == ("Zoë", "Łukasz")
    assert [turn.ref for turn in conversation.turns] == ["D1:1", "D1:2", "D2:1"]
    assert conversation.turns[0].text == "Hi Łukasz! I adopted a hedgehog yesterday."
    assert (conversation.turns[1].caption, conversation.turns[1].day, conversation.turns[2].day) == (
        "a cello",
        "8 May, 2023",
        "1 June, 2023",
    )
    assert [asked.category for asked in conversation.questions] == [2, 4, 1, 3, 5]


def damage(conversation: dict[str, Any]) -> dict[str, Any]:
    """Break a conversation in every way that the released file is broken."""
    qa = conversation["qa"]
    qa[0]["evidence"] = ["D1:1; D2:1", "D", "D:1:02", "D9:9"]
    qa[1]["answer"] = 2022
    qa[4] = {"question": "What did Zoë buy?", "adversarial_answer": "a cello", "evidence": ["D1:2"], "category": 5}
    qa.append(dict(qa[2]))
    conversation["conversation"]["session_3_date_time"] = "1:00 pm on 2 June, 2023"
    return conversation


def test_load_makes_and_lists_every_repair(rows: Rows) -> None:
    conversation = load(raw(damage(rows[0])), Repairs(repeats=True))
    assert conversation.questions[0].evidence == ("D1:1", "D2:1", "D1:2")
    assert (
        conversation.questions[1].reference_answer,
        conversation.questions[4].reference_answer,
        conversation.questions[4].adversarial,
    ) == ("2022", NO_ANSWER, "a cello")
    assert len(conversation.questions) == 5
    assert Counter(repair.kind for repair in conversation.repairs) == {
        **{"evidence": 4, "integers": 1, "traps": 1, "dates": 1, "repeats": 1},
    }
    assert Repair("evidence", "conv-4 qa[0].evidence", "D1:1; D2:1", "D1:1 D2:1") in conversation.repairs
    assert Repair("evidence", "conv-4 qa[0].evidence", "D9:9", "") in conversation.repairs


@pytest.mark.parametrize(
    ("switch", "field"),
    [
        ("evidence", r"qa\[0\].evidence"),
        ("integers", r"qa\[1\].answer"),
        ("traps", r"qa\[4\].answer"),
        ("dates", "session_3_date_time"),
    ],
)
def test_load_reports_defect_if_repair_is_off(rows: Rows, switch: str, field: str) -> None:
    with pytest.raises(DataError, match=rf"{FILE} conv-4 .*{field}.*turn its repair on: locomo:{switch}=on"):
        load(raw(damage(rows[0])), Repairs(**{switch: False}))


def test_load_keeps_repeated_questions_by_default(rows: Rows) -> None:
    conversation = load(raw(damage(rows[0])))
    assert [one.index for one in conversation.questions if one.text == conversation.questions[2].text] == [2, 5]


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        (("conversation",), None, "conversation"),
        (("conversation",), {"speaker_a": "Zoë", "speaker_b": "Łukasz"}, "sessions"),
        (("conversation", "speaker_b"), "", "speaker_b"),
        (("conversation", "session_1_date_time"), None, "session_1_date_time"),
        (("conversation", "session_2_date_time"), "some day", "session_2_date_time"),
        (("conversation", "session_2_date_time"), "30 February, 2023", "session_2_date_time"),
        (("conversation", "session_2_date_time"), "1:00 pm on 3 Mai, 2023", "session_2_date_time"),
        (("conversation", "session_2"), "hello", "session_2"),
        (("conversation", "session_1", 0), "hello", r"session_1\[0\].dia_id"),
        (("conversation", "speaker_a"), "Zo\ud800", "speaker_a to be text in valid Unicode"),
        (("conversation", "session_1", 0, "dia_id"), "D2:1", "dia_id"),
        (("qa",), {}, "qa"),
        (("qa", 0), "what?", r"qa\[0\].question"),
        (("qa", 0, "category"), 6, r"qa\[0\].category"),
        (("qa", 0, "category"), True, r"qa\[0\].category"),
        (("qa", 0, "answer"), None, r"qa\[0\].answer"),
        (("qa", 0, "answer"), float("nan"), r"qa\[0\].answer to be a text or a number, got nan"),
        (("qa", 0, "question"), "What\udc00?", r"qa\[0\].question"),
        (("qa", 0, "evidence"), "D1:1", r"qa\[0\].evidence"),
    ],
)
def test_load_names_field_that_cannot_be_repaired(
    rows: Rows, path: tuple[str | int, ...], value: object, named: str
) -> None:
    at: Any = rows[0]
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    with pytest.raises(DataError, match=rf"{FILE} conv-4 .*{named}"):
        load(raw(rows[0]))


@pytest.mark.parametrize(
    ("change", "shown", "kinds"),
    [
        ({"text": None}, ("", "a cello"), {}),
        ({"text": ""}, ("", "a cello"), {}),
        ({"text": 5}, ("5", "a cello"), {}),
        ({"text": ["Hi", {"type": "text", "text": "there"}, {"type": "image", "url": "x"}]}, ("Hi there", "a cello"),
         {"hidden": 1}),
        ({"text": {"text": "Hi"}, "blip_caption": ["a cello", "a bow"]}, ("Hi", "a cello a bow"), {}),
        ({"text": "a\ud800b"}, ("a\ufffdb", "a cello"), {"hidden": 1}),
        ({"speaker": None}, ("Lovely! I bought a cello last week.", "a cello"), {"speaker": 1}),
        ({"img_url": ["x"], "blip_caption": ""}, ("Lovely! I bought a cello last week.", ""), {"picture": 1}),
        ({"img_url": ["x"], "query": "cello", "re-download": True}, ("Lovely! I bought a cello last week.", "a cello"),
         {}),
        ({"audio": "x", "mood": None}, ("Lovely! I bought a cello last week.", "a cello"), {"hidden": 1}),
    ],
)  # fmt: skip
def test_load_shows_or_names_whatever_a_turn_holds(
    rows: Rows, change: dict[str, Any], shown: tuple[str, str], kinds: dict[str, int]
) -> None:
    rows[0]["conversation"]["session_1"][1] |= change
    conversation = load(raw(rows[0]))
    turn = conversation.turns[1]
    assert (turn.ref, turn.text, turn.caption) == ("D1:2", *shown)
    assert turn.speaker == ("Unknown" if "speaker" in change else "Łukasz")
    assert Counter(repair.kind for repair in conversation.repairs) == kinds


def test_load_leaves_out_empty_turns_and_sessions_and_says_so(rows: Rows) -> None:
    fields = rows[0]["conversation"]
    fields |= {"session_3": [], "session_3_date_time": None, "session_4": None}
    fields["session_1"][0]["text"] = []
    conversation = load(raw(rows[0]))
    assert [turn.ref for turn in conversation.turns] == ["D1:2", "D2:1"]
    assert conversation.questions[0].evidence == ()  # it cited the turn that is left out
    assert Counter(repair.kind for repair in conversation.repairs) == {"empty": 3, "evidence": 1}


def test_read_file_accepts_byte_order_mark_and_names_deep_nesting(tmp_path: Path, rows: Rows, write: Write) -> None:
    path = write(rows) / FILE
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert len(read_file(tmp_path)) == 4
    path.write_text("[" * 100_000)
    with pytest.raises(DataError, match=r"expected JSON in .*bench data check locomo"):
        read_file(tmp_path)


def test_read_file_sorts_and_digests_conversations(rows: Rows, write: Write) -> None:
    before = read_file(write(rows))
    assert [one.name for one in before] == ["conv-1", "conv-2", "conv-3", "conv-4"]
    rows[0]["qa"][0]["answer"] = "8 May 2023"
    rows[1]["event_summary"] = "not used"
    after = read_file(write(rows))
    assert [a.sha256 == b.sha256 for a, b in zip(before, after, strict=True)] == [True, True, True, False]


@pytest.mark.parametrize(
    ("text", "named"),
    [("[{", "JSON"), ("{}", "list"), ("[]", "list"), ('[{"qa": []}]', r"\[0\] sample_id"), ("[3]", "id")],
)
def test_read_file_names_broken_file(tmp_path: Path, write: Write, text: str, named: str) -> None:
    (write([]) / FILE).write_text(text)
    with pytest.raises(DataError, match=rf"{FILE}.*{named}|{named}.*{FILE}"):
        read_file(tmp_path)


def test_check_reports_missing_or_altered_file(tmp_path: Path, rows: Rows, write: Write) -> None:
    assert check(tmp_path) == (Fault(FILE, "missing"),)
    with pytest.raises(DataError, match=r"expected .*locomo10.json.*bench data get locomo"):
        read_file(tmp_path)
    assert check(write(rows)) == (Fault(FILE, "altered"),)


@pytest.mark.data
def test_load_repairs_released_file(data_root: Path) -> None:
    assert DATA.check(data_root) == ()
    conversations = [load(one, Repairs(repeats=True)) for one in read_file(data_root)]
    counts = Counter(repair.kind for conversation in conversations for repair in conversation.repairs)
    assert counts == {"traps": 444, "dates": 16, "evidence": 9, "integers": 6, "repeats": 11}
    assert sum(len(conversation.turns) for conversation in conversations) == 5882
    assert sum(bool(turn.caption) for conversation in conversations for turn in conversation.turns) == 1226
    refs = [{turn.ref for turn in conversation.turns} for conversation in conversations]
    assert all(
        set(one.evidence) <= known
        for conversation, known in zip(conversations, refs, strict=True)
        for one in conversation.questions
    )
    assert sum(not one.evidence for conversation in conversations for one in conversation.questions) == 4
