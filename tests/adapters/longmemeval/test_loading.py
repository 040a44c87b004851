"""Loading one instance: order, neutral refs, repairs and errors."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.longmemeval.instance import KINDS, REPAIRS, Instance, Repairs, read_label
from adapters.longmemeval.loading import load
from adapters.shared.turn_text import Repair
from bench.errors import DataError

Rows = list[dict[str, Any]]
WHERE = "file.json instance 3"
CHANGE = Callable[[dict[str, Any]], object]


def test_load_sorts_sessions_and_gives_neutral_refs(rows: Rows) -> None:
    one = load(rows[0], WHERE)
    assert [turn.ref for turn in one.turns] == ["D1:1", "D1:2", "D2:1", "D2:2", "D3:1"]
    assert [turn.speaker for turn in one.turns] == ["Assistant", "User", "User", "Assistant", "User"]
    assert [turn.clock for turn in one.turns] == ["09:00", "09:00", "10:05", "10:05", "08:00"]
    assert one.turns[2].text == "Zoë and I adopted a hedgehog."
    assert (one.day, one.clock, one.turns[-1].day) == ("2023/05/30 (Tue)", "23:40", "2023/06/01 (Thu)")
    assert one.evidence == ("D2:1",)
    assert one.repairs == (Repair("order", f"{WHERE} q1 haystack_sessions", "0 1 2", "1 0 2"),)


def test_load_gives_abstention_item_no_evidence(rows: Rows) -> None:
    one = load(rows[6], WHERE)
    assert (one.label.abstains, one.label.kind, one.evidence) == (True, "multi-session", ())


def damage(row: dict[str, Any]) -> dict[str, Any]:
    """Break an instance in every way that the released files are broken, and have two sessions in one minute."""
    row["answer"] = 3
    row["haystack_dates"][2] = "2023/05/23 (Tue) 09:00"
    row["haystack_session_ids"][2] = "sharegpt_2"
    row["haystack_sessions"][2].insert(0, {"role": "user", "content": " \n"})
    return row


def test_load_makes_and_lists_every_repair(rows: Rows) -> None:
    one = load(damage(rows[0]), WHERE)
    assert (one.reference_answer, Counter(repair.kind for repair in one.repairs)) == (
        "3",
        {"integers": 1, "order": 1, "empty": 1},
    )
    assert [turn.ref for turn in one.turns] == ["D1:1", "D1:2", "D2:2", "D3:1", "D3:2"]
    fewer = load(damage(rows[1]), WHERE, Repairs(repeats=True))
    assert [turn.ref for turn in fewer.turns] == ["D1:1", "D1:2", "D2:1", "D2:2"]
    assert Repair("repeats", f"{WHERE} q2 haystack_sessions[2]", "2023/05/23 (Tue)", "left out") in fewer.repairs
    as_filed = load(damage(rows[2]), WHERE, Repairs(order=False))
    assert [turn.clock for turn in as_filed.turns] == ["10:05", "10:05", "09:00", "09:00", "09:00"]
    assert as_filed.evidence == ("D1:1",)


@pytest.mark.parametrize(
    ("switch", "field"), [("integers", "answer"), ("empty", r"haystack_sessions\[2\]\[0\].content")]
)
def test_load_reports_defect_if_repair_is_off(rows: Rows, switch: str, field: str) -> None:
    with pytest.raises(DataError, match=rf"{WHERE} q1 {field} .*repair {switch} is off"):
        load(damage(rows[0]), WHERE, Repairs(**{switch: False}))
    assert set(REPAIRS) == {"integers", "empty", "order", "repeats"}


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        (("question_type",), "trivia", "question_type"),
        (("question",), None, "question to be text that is not empty, got None"),
        (("question",), " ", "question"),
        (("question_date",), "yesterday", "question_date"),
        (("question_date",), "2023/02/30 (Thu) 10:00", "question_date"),
        (("answer",), None, "answer"),
        (("answer",), "", "answer"),
        (("answer",), True, "answer"),
        (("answer",), float("nan"), "answer to be a text or a number, got nan"),
        (("answer",), float("-inf"), "answer"),
        (("question",), "\ud800", "question to be valid Unicode"),
        (("haystack_sessions",), [], "haystack_sessions"),
        (("haystack_sessions",), None, "haystack_sessions"),
        (("haystack_dates",), ["2023/05/23 (Tue) 09:00"], r"haystack_dates to be as long as haystack_sessions \(3\)"),
        (("haystack_session_ids",), ["a", "b"], "haystack_session_ids"),
        (("haystack_dates", 1), None, r"haystack_dates\[1\]"),
        (("haystack_dates", 1), "", r"haystack_dates\[1\]"),
        (("haystack_sessions", 1), "hello", r"haystack_sessions\[1\]"),
        (("haystack_sessions", 1, 0), "hello", r"haystack_sessions\[1\]\[0\]"),
        (("haystack_sessions",), [[], [], []], "haystack_sessions to be a history with turns"),
    ],
)
def test_load_names_field_that_cannot_be_repaired(
    rows: Rows, path: tuple[str | int, ...], value: object, named: str
) -> None:
    at: Any = rows[0]
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    with pytest.raises(DataError, match=rf"{WHERE} q1 .*{named}"):
        load(rows[0], WHERE)


def test_load_rejects_row_that_is_no_instance() -> None:
    for fields, named in (("broken JSON (at 3)", "readable, got broken JSON"), ({"question_id": 7}, "question_id")):
        assert read_label(fields).name == read_label(fields).kind == "unreadable"
        with pytest.raises(DataError, match=rf"{WHERE}.*{named}.*bench data check longmemeval"):
            load(fields, WHERE)


@pytest.mark.parametrize(
    ("change", "shown", "kinds"),
    [
        ({"content": 5}, ("Assistant", "5"), {}),
        ({"content": [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": "x"}}]},
         ("Assistant", "See"), {"hidden": 1}),
        ({"content": "a\ud800"}, ("Assistant", "a\ufffd"), {"hidden": 1}),
        ({"role": "system"}, ("System", "Here is the rest."), {"speaker": 1}),
        ({"role": None}, ("Unknown", "Here is the rest."), {"speaker": 1}),
        ({"role": ["user"]}, ("Unknown", "Here is the rest."), {"speaker": 1}),
        ({"name": "x", "tool_calls": []}, ("Assistant", "Here is the rest."), {"hidden": 1}),
    ],
)  # fmt: skip
def test_load_shows_or_names_whatever_a_turn_holds(
    rows: Rows, change: dict[str, Any], shown: tuple[str, str], kinds: dict[str, int]
) -> None:
    rows[0]["haystack_sessions"][1][0] |= change
    one = load(rows[0], WHERE)
    assert (one.turns[0].speaker, one.turns[0].text) == shown
    assert one.evidence == ("D2:1",)
    assert Counter(repair.kind for repair in one.repairs) == {"order": 1, **kinds}


@pytest.mark.parametrize("nothing", [None, "", [], [None], {}])
def test_load_leaves_out_turn_that_says_nothing(rows: Rows, nothing: object) -> None:
    rows[0]["haystack_sessions"][1][0]["content"] = nothing
    one = load(rows[0], WHERE)
    assert [turn.ref for turn in one.turns] == ["D1:2", "D2:1", "D2:2", "D3:1"]
    assert Counter(repair.kind for repair in one.repairs) == {"order": 1, "empty": 1}


def test_load_names_weekday_that_contradicts_its_date(rows: Rows) -> None:
    rows[0]["haystack_dates"][2] = "2023/06/01 (Mon) 08:00"
    one = load(rows[0], WHERE)
    assert one.turns[-1].day == "2023/06/01 (Mon)"  # as the file has it
    assert Repair("weekday", f"{WHERE} q1 haystack_dates[2]", "2023/06/01 (Mon), a Thu", "") in one.repairs


def remove_marks(row: dict[str, Any]) -> dict[str, Any]:
    for session in row["haystack_sessions"]:
        for turn in session:
            turn.pop("has_answer", None)
    return row


def test_load_takes_evidence_from_sessions_where_no_turn_is_marked(rows: Rows) -> None:
    one = load(remove_marks(rows[0]), WHERE)
    assert (one.by_session, one.evidence) == (True, ("D2:1", "D2:2"))
    assert load(rows[1], WHERE).by_session is False
    abstaining = load(remove_marks(rows[6]), WHERE)
    assert (abstaining.by_session, abstaining.evidence) == (False, ())


@pytest.mark.parametrize("named", [None, "answer_1", [], ["another"], [["answer_1"]]])
def test_load_has_no_evidence_where_no_turn_and_no_session_is_named(rows: Rows, named: object) -> None:
    rows[0]["answer_session_ids"] = named
    one = load(remove_marks(rows[0]), WHERE)
    assert (one.by_session, one.evidence) == (False, ())


def test_load_accepts_very_long_session(rows: Rows) -> None:
    long = " ".join(f"word{n}" for n in range(200_000))
    rows[0]["haystack_sessions"][1] = [{"role": "user", "content": long}]
    assert load(rows[0], WHERE).turns[0].text == long


@st.composite
def instances(draw: st.DrawFn) -> dict[str, Any]:
    """Any history: sessions at any minute of a few days, repeated ids, empty turns, marks anywhere."""
    size = draw(st.integers(1, 6))
    turn = st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant"]), "content": st.text("ab Zë\n", max_size=6)},
        optional={"has_answer": st.booleans()},
    )
    minute = st.builds(
        "2023/05/{:02d} (Mon) {:02d}:{:02d}".format, st.integers(1, 3), st.integers(0, 23), st.sampled_from([0, 30])
    )
    sessions = draw(st.lists(st.lists(turn, max_size=4), min_size=size - 1, max_size=size - 1))
    return {
        "question_id": draw(st.sampled_from(["q", "q_abs"])),
        "question_type": draw(st.sampled_from(KINDS)),
        "question": "What?",
        "answer": draw(st.integers() | st.just("x")),
        "question_date": "2023/05/02 (Mon) 12:00",
        "haystack_dates": draw(st.lists(minute, min_size=size, max_size=size)),
        "haystack_session_ids": draw(st.lists(st.sampled_from(["answer_1", "b", "c"]), min_size=size, max_size=size)),
        "haystack_sessions": [*sessions, [{"role": "user", "content": "said", "has_answer": True}]],
        "answer_session_ids": ["answer_1"],
    }


@given(instances())
def test_load_gives_ordered_complete_and_neutral_history(fields: dict[str, Any]) -> None:
    one: Instance = load(fields, WHERE)
    refs = [turn.ref for turn in one.turns]
    assert len(set(refs)) == len(refs)
    assert [turn.session for turn in one.turns] == sorted(turn.session for turn in one.turns)
    times = [(turn.day, turn.clock) for turn in one.turns]
    assert times == sorted(times)
    said = [" ".join(turn["content"].split()) for session in fields["haystack_sessions"] for turn in session]
    assert sorted(turn.text for turn in one.turns) == sorted(filter(None, said))
    shown = json.dumps([(turn.ref, turn.speaker, turn.text, turn.day, turn.clock) for turn in one.turns])
    assert "answer" not in shown
    assert "True" not in shown
    assert set(one.evidence) <= set(refs)
    assert one.label.abstains is not bool(one.evidence)
    assert load(fields, WHERE) == one
