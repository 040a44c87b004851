"""The memory around the library: what it is shown and what it gives back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from baselines.mem0_package.memory import PackageMemory
from bench.errors import ModelError
from bench.types import (
    Message,
    Reply,
)
from tests.baselines.mem0_package.script import Script, conversation, feed, kit, memories, needs_library, question


@needs_library
def test_recall_shows_memories_in_time_order_with_date_and_messages() -> None:
    model = Script(memories("Ann lives in Oslo", "Bob owns a boat"), memories("Ann  sold the\nOslo flat"))
    memory = feed(PackageMemory(kit(model)), conversation("Ann: I live in Oslo.", "Bob: I own a boat."))
    feed(memory, conversation("Ann: I sold it.", date="1 June, 2023", first=5))
    context = memory.recall(question("Ann Oslo flat"))
    assert context.text.splitlines()[-1] == "[1 June, 2023] Ann sold the Oslo flat"
    assert context.text.splitlines()[0] == "[8 May, 2023] Ann lives in Oslo"
    assert context.refs == context.ranking
    assert set(context.refs) == {"t0", "t1", "t5"}
    assert context == memory.recall(question("Ann Oslo flat"))


@needs_library
def test_prompt_has_the_date_of_the_session() -> None:
    model = Script(memories())
    feed(PackageMemory(kit(model)), conversation("Ann: I live in Oslo.", "Bob: Nice.", date="8 May, 2023"))
    feed(PackageMemory(kit(model)), conversation("Ann: I live in Oslo.", date=""))
    first, second = (messages[-1].content for messages in model.prompts)
    assert "## Observation Date\n8 May, 2023\n\n## Current Date\n8 May, 2023\n" in first
    assert "## Observation Date\nnot known\n" in second
    today = datetime.now(UTC).date().isoformat()
    assert all(today not in message.content for messages in model.prompts for message in messages)
    assert "## New Messages\nuser: Ann: I live in Oslo.\nassistant: Bob: Nice.\n" in first


@needs_library
def test_prompt_has_earlier_messages_and_known_memories() -> None:
    model = Script(memories("Ann lives in Oslo"), memories())
    feed(
        PackageMemory(kit(model)),
        [*conversation("Ann: I live in Oslo."), *conversation("Ann: Still in Oslo.", first=5)],
    )
    second = model.prompts[1][-1].content
    assert "## Last k Messages\nuser: Ann: I live in Oslo." in second
    assert '[{"id": "0", "text": "Ann lives in Oslo"}]' in second


@needs_library
def test_recall_is_limited_by_budget_and_k() -> None:
    model = Script(memories("dog " * 9, "a dog and a cat", "one more dog"))
    memory = feed(PackageMemory(kit(model, k="2")), conversation("Ann: dogs", "Bob: cats"))
    assert len(memory.recall(question("dog")).text.splitlines()) == 2
    cut = memory.recall(question("dog", 8))
    assert len(cut.text.split()) <= 8
    assert cut.truncated
    assert memory.recall(question(" ")).text == ""


@needs_library
def test_recall_shows_turns_that_wait_for_their_batch() -> None:
    model = Script(memories("Ann lives in Oslo"))
    memory = feed(
        PackageMemory(kit(model, k="1")), conversation("Ann: I live in Oslo.", "Bob: Nice.", "Bob: My dog barks.")[:3]
    )
    context = memory.recall(question("Oslo"))
    assert (context.text, context.refs) == ("[8 May, 2023] Bob: My dog barks.", ("t2",))
    assert context.ranking == ("t2", "t0", "t1")
    assert len(model.prompts) == 1


@needs_library
def test_two_memories_are_independent() -> None:
    one = feed(PackageMemory(kit(Script(memories("Ann lives in Oslo")))), conversation("Ann: I live in Oslo."))
    other = feed(PackageMemory(kit(Script(memories("Eve owns a boat")))), conversation("Eve: I own a boat."))
    assert one.recall(question("Oslo boat")).text == "[8 May, 2023] Ann lives in Oslo"
    assert other.recall(question("Oslo boat")).text == "[8 May, 2023] Eve owns a boat"


@needs_library
@pytest.mark.parametrize(
    "reply", ["Sure!", "{", '{"memory": "none"}', '{"memory": [{"text": 7}, {"text": ""}]}', "[1]"]
)
def test_unusable_reply_loses_at_most_its_batch(reply: str) -> None:
    memory = feed(PackageMemory(kit(Script(reply, memories("Bob owns a boat")))), conversation("Ann: I live in Oslo."))
    feed(memory, conversation("Bob: I own a boat.", first=5))
    assert memory.recall(question("boat Oslo")).text == "[8 May, 2023] Bob owns a boat"


class Failing:
    """A model that is gone."""

    name = "failing"

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        raise ModelError("failing: no reply")


@needs_library
def test_model_error_is_raised_and_not_counted_as_lost() -> None:
    memory = PackageMemory(kit(Failing()))
    with pytest.raises(ModelError, match="failing: no reply"):
        feed(memory, conversation("Ann: I live in Oslo."))
    assert memory.lost == 0
