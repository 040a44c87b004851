"""A call that needs JSON: one more try that names the fault, then nothing, counted."""

from __future__ import annotations

from baselines.shared.json_calls import JsonCalls
from bench.embedders.hash import HashEmbedder
from bench.models.scripted import ScriptedModel
from bench.protocols import Kit
from tests.baselines.learners import FRAME, Script


def ask(*replies: str) -> tuple[int | None, JsonCalls, Script]:
    script = Script({"infer": list(replies)})
    calls = JsonCalls(Kit(ScriptedModel(script), HashEmbedder(), FRAME))
    return calls.ask("infer", "Count.", "# Things", lambda node: node["n"].number(1, 9)), calls, script


def test_readable_reply_is_taken_at_once() -> None:
    found, calls, script = ask('Sure:\n```json\n{"n": 3}\n```')
    assert (found, dict(calls.counts), len(script.asked)) == (3, {}, 1)


def test_reply_that_is_refused_is_asked_for_once_more_with_what_was_wrong() -> None:
    found, calls, script = ask('{"n": 12}', '{"n": 2}')
    assert found == 2
    assert dict(calls.counts) == {"infer: asked again": 1}
    assert "n: expected a number of 1 to 9, got 12" in script.requests("infer")[1]


def test_second_fault_gives_up() -> None:
    found, calls, script = ask("I cannot.", "Really.")
    assert found is None
    assert dict(calls.counts) == {"infer: asked again": 1, "infer: given up": 1}
    assert len(script.asked) == 2


def test_endless_reply_is_not_sent_back_whole() -> None:
    _, _, script = ask("word " * 9000, '{"n": 1}')
    assert max(len(message.content) for _, messages in script.asked for message in messages) <= 4000
