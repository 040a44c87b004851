"""The suite: splits, ids in file order, events, neutral prompts, evidence."""

from __future__ import annotations

import json
import lzma
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adapters.longmemeval.data import ROOT
from adapters.longmemeval.instance import KINDS
from adapters.longmemeval.suite import FRAME, SUITE, LongMemEvalConversation, LongMemEvalSuite
from bench.agents import compose, render
from bench.errors import DataError
from bench.protocols import HasEvidence, HasJudgeCase, HasKnownIssues, Params, SuiteOptions
from bench.types import EventKind, JudgeCase, Shape, Stimulus, Task

Rows = list[dict[str, Any]]
Write = Callable[[Rows], Path]


def suite(root: Path, split: str = "oracle", **given: str) -> LongMemEvalSuite:
    made = SUITE.build(SuiteOptions(split, Params(SUITE.params, given), root))
    assert isinstance(made, LongMemEvalSuite)
    return made


def conversation(made: LongMemEvalSuite, task: Task) -> LongMemEvalConversation:
    opened = made.open(task)
    assert isinstance(opened, LongMemEvalConversation)
    return opened


def conversations(made: LongMemEvalSuite) -> list[LongMemEvalConversation]:
    return [conversation(made, task) for task in made.tasks()]


def test_tasks_are_in_order_of_file_and_ids(rows: Rows, write: Write) -> None:
    tasks = suite(write(rows[::-1])).tasks()
    assert [task.id for task in tasks] == sorted(task.id for task in tasks)
    assert [task.id for task in tasks][:2] == ["0001-q7_abs", "0002-q6"]
    assert [task.cluster for task in tasks] == ["q7_abs", "q6", "q5", "q4", "q3", "q2", "q1"]
    assert [task.group for task in tasks] == ["abstention", *(row["question_type"] for row in rows[-2::-1])]
    assert len({task.digest for task in tasks}) == 7


def test_split_367_has_no_multi_session_question(rows: Rows, write: Write) -> None:
    root = write(rows)
    names = [task.id for task in suite(root, "oracle367").tasks()]
    assert names == ["0001-q1", "0002-q2", "0003-q3", "0005-q5", "0006-q6"]
    assert conversation(suite(root, "oracle367"), suite(root).tasks()[4]).questions()[0].id == "q5"


def test_events_are_dated_turns_and_session_ends(rows: Rows, write: Write) -> None:
    root = write(rows)
    events = list(conversations(suite(root))[0].events())
    assert [event.ref for event in events] == ["D1:1", "D1:2", "D1", "D2:1", "D2:2", "D2", "D3:1", "D3"]
    assert [event.kind is EventKind.SESSION_END for event in events] == [
        False,
        False,
        True,
        False,
        False,
        True,
        False,
        True,
    ]
    assert [event.step for event in events] == [1, 1, 1, 2, 2, 2, 3, 3]
    assert render(events).splitlines()[2] == "[2023/05/23 (Tue)] User: Zoë and I adopted a hedgehog."
    clocked = list(conversations(suite(root, clock="on"))[0].events())
    assert clocked[3].time == "2023/05/23 (Tue) 10:05"


def test_prompt_contains_date_and_no_labels(rows: Rows, write: Write) -> None:
    for row, one in zip(rows, conversations(suite(write(rows))), strict=True):
        (question,) = one.questions()
        assert (question.text, question.time) == (row["question"], "2023/05/30 (Tue)")
        goal = f"{question.text} (asked on {question.time})"
        messages = compose(one.frame, Stimulus(Shape.CONVERSATION, question.text, goal), render(one.events()))
        text = "\n".join(message.content for message in messages)
        for word in ("answer_", "has_answer", "_abs", "ultrachat", "sharegpt", *KINDS, "abstention"):
            assert word not in text
    assert conversations(suite(write(rows), clock="on"))[0].questions()[0].time == "2023/05/30 (Tue) 23:40"
    assert FRAME.instructions == messages[0].content


def test_judge_case_evidence_and_known_issue_of_each_type(rows: Rows, write: Write) -> None:
    rows[4]["question_id"] = "dd2973ad"  # a doubtful one of the release, with another question here
    made = conversations(suite(write(rows)))
    assert all(isinstance(made[0], kind) for kind in (HasEvidence, HasJudgeCase, HasKnownIssues))
    judge_cases = [one.judge_case(one.questions()[0]) for one in made]
    assert [one.rubric for one in judge_cases] == [
        *("answer", "answer", "preference", "answer", "temporal", "update", "abstention")
    ]
    assert judge_cases[3] == JudgeCase("answer", "How many hedgehogs do I have?", "2")
    assert [one.evidence(one.questions()[0]) for one in made] == [("D2:1",)] * 6 + [()]
    assert not any(one.find_known_issue(one.questions()[0]) for one in made)
    assert not any(one.knows_sessions_only(one.questions()[0]) for one in made)


@pytest.mark.data
def test_known_issues_are_of_released_questions_under_any_name(data_root: Path, tmp_path: Path) -> None:
    doubted = {"370a8ff4", "9aaed6a3", "dd2973ad", "gpt4_88806d6e", "gpt4_f420262d"}
    released = json.loads((data_root / ROOT / "longmemeval_oracle.json").read_text(encoding="utf-8"))
    one = next(row for row in released if row["question_id"] == "dd2973ad")
    mine = [one | {"question_id": "mine"}, one | {"answer": "another"}]
    (tmp_path / "mine.json").write_text(json.dumps(mine))
    same, changed = conversations(suite(tmp_path, path="mine.json"))
    assert "LongMemEval issue 21" in same.find_known_issue(same.questions()[0])
    assert changed.find_known_issue(changed.questions()[0]) == ""
    found = conversations(suite(data_root))
    assert {one.questions()[0].id for one in found if one.find_known_issue(one.questions()[0])} == doubted


def test_doubled_question_id_is_a_data_error_of_the_later_instance(rows: Rows, write: Write) -> None:
    rows[3]["question_id"] = "q2"
    made = suite(write(rows))
    tasks = made.tasks()
    assert conversation(made, tasks[1]).questions()[0].id == "q2"
    with pytest.raises(DataError, match=r"instance 4 question_id to be a new one, got that of 0002-q2"):
        made.open(tasks[3])


def test_notices_name_evidence_by_session_and_what_is_not_shown(rows: Rows, write: Write) -> None:
    assert suite(write(rows)).notices() == ()
    for row in rows[:3]:
        for session in row["haystack_sessions"]:
            for turn in session:
                turn.pop("has_answer", None)
    rows[1]["haystack_sessions"][0][1]["audio"] = "x"
    del rows[2]["question"]  # a data error when it is opened, and no notice
    made = suite(write(rows))
    by_session, hidden = made.notices()
    assert "longmemeval_oracle.json: evidence by session: 2 instances mark no turn" in by_session
    assert hidden == (
        "longmemeval_oracle.json: not shown: 1, first longmemeval_oracle.json instance 2 q2 haystack_sessions[0][1]: "
        "'audio'"
    )
    one = conversation(made, made.tasks()[0])
    assert one.knows_sessions_only(one.questions()[0])


@pytest.mark.data
def test_released_files_need_no_notice(data_root: Path) -> None:
    assert [suite(data_root, split).notices() for split in ("oracle", "s")] == [(), ()]


@pytest.mark.parametrize(
    ("split", "path", "advice"),
    [
        ("oracle", "", "bench data get longmemeval"),
        ("s", "", "bench data get longmemeval"),
        ("m", "", "download it from https://huggingface.co/"),
        ("sample7", "", "put it into the folder"),
        ("m", "own.json", "name a file that exists"),
    ],
)
def test_missing_file_is_told_with_what_helps(tmp_path: Path, split: str, path: str, advice: str) -> None:
    for ask in (suite(tmp_path, split, path=path).tasks, suite(tmp_path, split, path=path).fingerprint):
        with pytest.raises(DataError, match=advice) as raised:
            ask()
        assert ("data get" in str(raised.value)) == ("data get" in advice)


def test_score_uses_rubric_of_instance(rows: Rows, write: Write) -> None:
    made = conversations(suite(write(rows)))
    values = [
        [one.score(one.questions()[0], answer)[0].value for one in made]
        for answer in ("not mentioned", "a hedgehog, GR-90, 2")
    ]
    assert values == [[0.0, 0.0, None, 0.0, 0.0, 0.0, 1.0], [1.0, 1.0, None, 1.0, 0.0, 0.0, 0.0]]
    assert [one.score(one.questions()[0], "8 days")[0].value for one in made][4] == 1.0


@pytest.mark.parametrize(
    ("field", "value"),
    [("question", None), ("answer", None), ("haystack_sessions", []), ("haystack_dates", ["", "", ""])],
)
def test_broken_instance_fails_its_own_task_only(rows: Rows, write: Write, field: str, value: object) -> None:
    rows[1][field] = value
    made = suite(write(rows))
    tasks = made.tasks()
    with pytest.raises(DataError, match=rf"longmemeval_oracle\.json instance 2 q2 {field}"):
        made.open(tasks[1])
    assert [conversation(made, task).questions()[0].id for task in tasks if task is not tasks[1]] == [
        *("q1", "q3", "q4", "q5", "q6", "q7_abs")
    ]


def test_unreadable_line_is_a_task_that_fails(tmp_path: Path, rows: Rows) -> None:
    broken = [json.dumps(row) for row in rows]
    broken[2] = broken[2][:90]
    (tmp_path / "own.jsonl.xz").write_bytes(lzma.compress("\n".join(broken).encode()))
    made = suite(tmp_path, "m", path="own.jsonl.xz")
    tasks = made.tasks()
    assert [task.id for task in tasks][1:4] == ["0002-q2", "0003-unreadable", "0004-q4"]
    with pytest.raises(DataError, match=r"own\.jsonl\.xz instance 3 to be readable, got broken JSON"):
        made.open(tasks[2])
    assert conversation(made, tasks[3]).questions()[0].id == "q4"
    made.close()


def test_open_rejects_task_of_another_file(rows: Rows, write: Write) -> None:
    root = write(rows)
    first, second, *_ = suite(root).tasks()
    made = suite(write(rows[1:]))
    with pytest.raises(DataError, match=r"expected .* to hold 0001-q1, got 0001-q2; take the run's file"):
        made.open(first)
    with pytest.raises(DataError, match="task id like 0001-e47becba, got 'q1'"):
        made.open(Task("q1", "", "", "", ""))
    with pytest.raises(DataError, match="got none"):
        suite(write([])).tasks()
    assert second.id == "0002-q2"


def test_fingerprint_differs_by_split_switches_and_data(rows: Rows, write: Write) -> None:
    root = write(rows)
    prints = {
        suite(root).fingerprint(),
        suite(root, "oracle367").fingerprint(),
        suite(root, clock="on").fingerprint(),
        suite(root, repeats="on").fingerprint(),
        suite(root, order="off").fingerprint(),
    }
    rows[0]["answer"] = "a newt"
    prints.add(suite(write(rows)).fingerprint())
    assert len(prints) == 6
    assert all(dict(one.entries)["release"] == "cleaned 2025-09" for one in prints)
    assert SUITE.workers == "process"


def stamp(time: str) -> str:
    """Return ``2023/05/30 (Tue) 23:40`` without the day of the week, so that dates compare as text."""
    return time[:10] + time[-5:]


@pytest.mark.data
def test_oracle_split_has_published_counts(data_root: Path) -> None:
    made = suite(data_root, clock="on")
    groups, kinds, repairs = Counter[str](), Counter[str](), Counter[str]()
    late = without = sessions = 0
    for task in made.tasks():
        one = conversation(made, task)
        (question,) = one.questions()
        groups[question.group] += 1
        kinds[one.judge_case(question).rubric] += 1
        repairs.update(repair.kind for repair in one.repairs)
        events = list(one.events())
        sessions += sum(event.kind is EventKind.SESSION_END for event in events)
        without += not one.evidence(question)
        late += max(stamp(event.time) for event in events) > stamp(question.time)
    assert groups == {
        **{"single-session-user": 64, "single-session-assistant": 56, "single-session-preference": 30},
        **{"multi-session": 121, "temporal-reasoning": 127, "knowledge-update": 72, "abstention": 30},
    }
    assert kinds == {"answer": 241, "temporal": 127, "update": 72, "preference": 30, "abstention": 30}
    assert repairs == {"integers": 32, "order": 34}
    assert (sessions, without, late) == (948, 30, 43)
    assert len(suite(data_root, "oracle367").tasks()) == 367


@pytest.mark.data
def test_reference_answers_score_470_and_refusals_30(data_root: Path) -> None:
    made = suite(data_root)
    references = refusals = 0.0
    for one in conversations(made):
        (question,) = one.questions()
        references += one.score(question, one.judge_case(question).reference_answer)[0].value or 0.0
        refusals += one.score(question, "not mentioned")[0].value or 0.0
    assert (references, refusals) == (470, 30)


@pytest.mark.data
def test_s_split_is_read_in_one_pass(data_root: Path) -> None:
    path = data_root / ROOT / "longmemeval_s_cleaned.499of500.jsonl.xz"
    if not path.is_file():
        pytest.skip(f"$BENCH_DATA holds no {path.name}")
    made = suite(data_root, "s367", path=str(path))
    tasks = made.tasks()
    assert len(tasks) == 366
    opened = [conversation(made, task) for task in tasks[:6]]
    turns = [sum(event.kind is EventKind.TURN for event in one.events()) for one in opened]
    assert all(300 < count < 700 for count in turns), turns
    made.close()


@pytest.mark.data
def test_sample7_split_has_one_of_each_type(data_root: Path) -> None:
    if not (data_root / ROOT / "longmemeval_s_cleaned.sample7.json").is_file():
        pytest.skip("$BENCH_DATA holds no sample")
    groups = {one.questions()[0].group for one in conversations(suite(data_root, "sample7"))}
    assert groups == {*KINDS, "abstention"}


_WHOLE_S = """
import json, re, sys
from collections import Counter
from pathlib import Path
from adapters.longmemeval.suite import SUITE
from bench.protocols import Params, SuiteOptions
made = SUITE.build(SuiteOptions("s", Params(SUITE.params, {"repeats": "on", "clock": "on"}), Path(sys.argv[1])))
counts = Counter()
stamp = lambda time: time[:10] + time[-5:]
for task in made.tasks():
    conversation = made.open(task)
    (question,) = conversation.questions()
    counts[question.group] += 1
    counts["late"] += any(stamp(event.time) > stamp(question.time) for event in conversation.events())
    counts.update(repair.kind for repair in conversation.repairs)
status = Path("/proc/self/status")  # not getrusage, which counts what the process was forked from
most = re.search(r"VmHWM:\\s+(\\d+) kB", status.read_text())[1] if status.exists() else 0
print(json.dumps([counts, int(most)]))
"""


@pytest.mark.data
def test_s_split_has_published_counts_within_400_mb(data_root: Path) -> None:
    if not (data_root / ROOT / "longmemeval_s_cleaned.499of500.jsonl.xz").is_file():
        pytest.skip("$BENCH_DATA holds no S of 499")
    done = subprocess.run(
        [sys.executable, "-c", _WHOLE_S, str(data_root)], check=True, capture_output=True, text=True, timeout=600
    )
    counts, used_kib = json.loads(done.stdout)
    assert counts == {
        **{"single-session-user": 64, "single-session-assistant": 56, "single-session-preference": 30},
        **{"multi-session": 121, "temporal-reasoning": 126, "knowledge-update": 72, "abstention": 30},
        **{"late": 76, "order": 210, "integers": 32, "empty": 12, "repeats": 13},
    }
    assert used_kib < 400_000  # of which the unpacking takes 260,000
