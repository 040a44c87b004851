"""Calls that revise an insight pool: what the model is shown, how its reply is read, when it is asked again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from baselines.shared.insight_calls import list_shown, read_operations, render_insights, revise
from baselines.shared.insights import InsightPool, Kind, Operation, Rejection
from bench.embedders.hash import HashEmbedder
from bench.models.scripted import ScriptedModel
from bench.protocols import Kit
from bench.replies import JsonNode, ReplyError, read_json
from bench.types import Frame, Message

ADD = '{"operations": [{"op": "add", "text": "Look first."}]}'


class Script:
    """Replies in order, and keeps the messages."""

    def __init__(self, *replies: str):
        self._replies, self.seen = list(replies), list[tuple[Message, ...]]()

    def __call__(self, messages: Sequence[Message], role: str) -> str:
        assert role == "insight"
        self.seen.append(tuple(messages))
        return self._replies.pop(0)


def ask(pool: InsightPool, *replies: str) -> Script:
    script = Script(*replies)
    kit = Kit(ScriptedModel(script), HashEmbedder(), Frame("f", "Act."))
    revise(pool, kit, "Compare.", "# Runs\n...", ["task-1"])
    return script


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (ADD, [Operation(Kind.ADD, text="Look first.")]),
        (ADD.replace("Look", "**Insight 4:** Look"), [Operation(Kind.ADD, text="Look first.")]),
        ('[{"op": "UPVOTE", "id": "insight 3"}]', [Operation(Kind.UPVOTE, 3)]),
        ('Sure:\n```json\n{"op": "edit", "id": 2, "text": "a\\n b"}\n```', [Operation(Kind.EDIT, 2, "a b")]),
        ('{"operations": [{"op": "downvote", "id": 1, "text": "because"}]}', [Operation(Kind.DOWNVOTE, 1)]),
        ('{"operations": [{"op": "add"}]}', [Operation(Kind.ADD)]),
        ('{"operations": []}', []),
        ("[]", []),
    ],
)
def test_operations_are_read_in_every_form(reply: str, expected: list[Operation]) -> None:
    refused: Counter[Rejection] = Counter()
    assert list(read_operations(read_json(reply, arrays=True), refused)) == expected
    assert not refused


def test_entry_that_is_no_operation_is_counted_and_the_others_are_read() -> None:
    refused: Counter[Rejection] = Counter()
    reply = '{"operations": [{"op": "erase", "id": 1}, "x", {"op": "upvote"}, {"op": "upvote", "id": 1}]}'
    assert read_operations(read_json(reply), refused) == (Operation(Kind.UPVOTE, 1),)
    assert refused == {Rejection.NOT_AN_OPERATION: 3}


@pytest.mark.parametrize("value", [{}, {"insights": []}, {"operations": "none"}])
def test_reply_without_operations_is_an_error(value: object) -> None:
    with pytest.raises(ReplyError):
        read_operations(JsonNode(value), Counter())


@pytest.mark.parametrize("number", ["1", '"1"', '"#1"', "#1", "[1]", '"[1]"', '"insight #1"'])
def test_id_is_read_however_it_is_written(number: str) -> None:
    pool = InsightPool(5)
    ask(pool, ADD)
    ask(pool, f'{{"operations": [{{"op": "upvote", "id": {number}}}]}}')
    assert [one.count for one in pool.insights] == [3]


def test_shown_insights_are_read_back_and_steps_are_none() -> None:
    pool = InsightPool(5)
    pool.apply([Operation(Kind.ADD, text="Look (count 3) first."), Operation(Kind.ADD, text="#4 Wait.")], ["task-1"])
    assert list_shown(f"[1] Action: look\n{render_insights(pool)}") == {1: "Look (count 3) first.", 2: "#4 Wait."}


def test_prompt_says_what_counts_mean_as_the_pool_counts() -> None:
    pool = InsightPool(5)
    script = ask(pool, ADD)
    assert f"{pool.insights[0].count} when it is added" in script.seen[0][0].content
    pool.apply([Operation(Kind.DOWNVOTE, 1)], ["task-1"])
    pool.apply([Operation(Kind.DOWNVOTE, 1)], ["task-1"])
    assert not pool.insights


def test_prompt_shows_the_insights_with_id_and_count() -> None:
    pool = InsightPool(2)
    first = ask(pool, ADD)
    second = ask(pool, '{"operations": []}')
    assert first.seen[0][1].content == "# Runs\n...\n\n# Insights so far\n(none)"
    assert second.seen[0][1].content.endswith("# Insights so far\n#1 Look first. (count 2)")
    assert first.seen[0][0].content.startswith("Compare.\n\nReply with one JSON object")


def test_full_pool_is_said_to_be_full() -> None:
    pool = InsightPool(1)
    before, after = ask(pool, ADD), ask(pool, '{"operations": []}')
    assert "The list is full" not in before.seen[0][0].content
    assert "The list is full" in after.seen[0][0].content


def test_reply_without_json_is_asked_for_once_more() -> None:
    pool = InsightPool(5)
    script = ask(pool, "Well, look first.", ADD)
    assert len(script.seen) == 2
    assert "That reply cannot be used" in script.seen[1][-1].content
    assert [one.text for one in pool.insights] == ["Look first."]
    assert not pool.rejected


def test_second_reply_without_json_is_counted_and_changes_nothing() -> None:
    pool = InsightPool(5)
    ask(pool, "no", "no")
    assert pool.insights == ()
    assert pool.rejected == {Rejection.NO_JSON: 1}
    assert InsightPool.replay(pool.log).rejected == pool.rejected
