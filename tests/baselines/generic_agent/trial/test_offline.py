"""The offline model in this dialect: the suite decides, the line says what was seen, key info comes when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from adapters.alfworld.offline.prompt import read_prompt
from adapters.alfworld.offline.world import believe
from baselines.generic_agent.trial.memory import KEY_INFO_TOKENS, GenericMemory
from baselines.generic_agent.trial.offline import RULES, AnchorDialect, summarize_observation
from baselines.generic_agent.trial.reply import read_reply
from baselines.generic_agent.trial.strategy import STRATEGY, build_dialect
from bench.agents import compose
from bench.models.offline.reader import OfflineReader
from bench.models.tokenizers import count_tokens
from bench.protocols import OfflineDialect
from bench.types import EventKind, Frame, Message, Shape, Stimulus

FRAME = Frame("frame", "Act in the house.")
GOAL = "You are in a room.\n\nYour task is to: put a mug in the desk."
DIALECT = build_dialect(KEY_INFO_TOKENS, has_files=True)
NUDGE = "Notice: write the key info anew with this action."


class Suite:
    """The suite's rule: says what it was shown, and always does the same."""

    role = "act"
    header = FRAME.instructions

    def __init__(self) -> None:
        self.prompts: list[tuple[Message, ...]] = []

    def reply(self, messages: Sequence[Message]) -> str:
        self.prompts.append(tuple(messages))
        return "Action: go to desk 1"


def prompt(context: str, now: str = "", dialect: str = DIALECT) -> tuple[Message, ...]:
    return compose(FRAME, Stimulus(Shape.EPISODE, now, GOAL, 9), context, dialect=dialect)


def reply_offline(context: str, now: str = "") -> str:
    return OfflineReader([Suite(), *RULES]).chat(prompt(context, now), role="act").text


def test_dialect_declares_its_block_and_ignores_other_prompts() -> None:
    dialect = RULES[0]
    assert isinstance(dialect, OfflineDialect)
    assert dialect.role == "act"
    assert dialect.block in STRATEGY.dialect
    assert dialect.block in DIALECT
    assert OfflineReader([Suite(), *RULES]).chat(prompt("", dialect=""), role="act").text == "Action: go to desk 1"


def test_suites_rule_gets_the_prompt_without_the_dialect() -> None:
    suite = Suite()
    OfflineReader([suite, *RULES]).chat(prompt(f"Turn 9.\n{NUDGE}", "A mug."), role="act")
    system, body = suite.prompts[0]
    assert system.content == "Act in the house."
    assert body.content == prompt("Turn 9.", "A mug.")[1].content


def test_summary_line_holds_observation_and_action() -> None:
    assert reply_offline("Turn 2.", "On the shelf 1, you see a mug 2.") == (
        "<summary>On the shelf 1, you see a mug 2. Then: go to desk 1</summary>\nAction: go to desk 1"
    )
    assert reply_offline("") == "<summary>Then: go to desk 1</summary>\nAction: go to desk 1"


def test_key_info_is_written_at_a_reminder_and_when_old() -> None:
    raw = "[8] Action: take mug 2 from shelf 1\n[8] Observation: You pick up the mug 2 from the shelf 1."
    now = "You arrive at desk 1. On the desk 1, you see nothing."
    for context in (f"Turn 9.\n{raw}\n{NUDGE}", f"Turn 19.\n{raw}"):
        said_then = read_reply(reply_offline(context, now), FRAME)
        assert said_then.reply.value == "go to desk 1"
        assert said_then.key_info == f"You pick up the mug 2 from the shelf 1. {now}"
    assert read_reply(reply_offline(f"Turn 9.\n{raw}", now), FRAME).key_info is None


def test_key_info_joins_the_former_one_and_later_events() -> None:
    context = "\n".join(
        (
            "Turn 12.", "Key info:", "[5] On the shelf 1, you see a mug 2. On the bed 1, you see a book 1.",
            "Past turns:", "[4] Summary: On the sink 1, you see a fork 1. Then: go to desk 1",
            "[7] Summary: On the shelf 1, you see a cup 9. Then: go to desk 2",
            "[8] Action: go to desk 2", "[8] Observation: The desk 2 is closed.", NUDGE,
        )
    )  # fmt: skip
    kept = read_reply(reply_offline(context, "You open the desk 2."), FRAME).key_info
    assert kept == (
        "On the bed 1, you see a book 1. On the shelf 1, you see a cup 9. The desk 2 is closed. You open the desk 2."
    )


def test_key_info_leaves_out_reversed_changes() -> None:
    # A line of a past turn may still tell of the change, so leaving both out would be a lie.
    context = f"Turn 9.\n[7] Observation: You have a cup. The hand is no longer empty.\n{NUDGE}"
    now = "The hand is empty. You no longer have a cup."
    assert read_reply(reply_offline(context, now), FRAME).key_info == now


def test_key_info_shortens_lists_to_what_the_task_names() -> None:
    seen = "On the shelf 1, you see a cup 1, a fork 2, a mug 3, a pan 4, a plate 7, and a spoon 2."
    assert read_reply(reply_offline(f"Turn 9.\n[8] Observation: {seen}\n{NUDGE}", "Quiet."), FRAME).key_info == (
        "On the shelf 1, you see a cup 1, a fork 2, a mug 3. Quiet."
    )


def test_key_info_drops_unchanged_facts_first() -> None:
    opening = "The lamp is off. The door is shut.\n\nYour task is to: put a mug in the desk."
    key_info = "The door is no longer shut. The lamp is off. The cup is no longer full. " + " ".join(
        f"Thing {n} lies in box {n}." for n in range(40)
    )
    asked = compose(
        FRAME, Stimulus(Shape.EPISODE, "Quiet.", opening, 9), f"Turn 9.\nKey info:\n[8] Note: {key_info}\n{NUDGE}",
        dialect=DIALECT,
    )  # fmt: skip
    kept = read_reply(OfflineReader([Suite(), *RULES]).chat(asked, role="act").text, FRAME).key_info or ""
    assert "lamp" not in kept
    assert "cup" not in kept
    assert "Thing 39 lies in box 39." in kept


def test_key_info_reads_long_and_skips_cut_observations() -> None:
    context = f"Turn 9.\n[7] Observation: The hall is dark.\nA rat is here.\n[8] Observation: A … b.\n{NUDGE}"
    kept = read_reply(reply_offline(context, "Quiet."), FRAME).key_info
    assert kept == "The hall is dark. A rat is here. Quiet."


def test_key_info_is_within_its_limit() -> None:
    facts = " ".join(f"On the shelf {n}, you see a cup {n}, and a plate {n}." for n in range(80))
    kept = read_reply(reply_offline(f"Turn 9.\n[8] Observation: {facts}\n{NUDGE}", "Quiet."), FRAME).key_info
    assert kept
    assert count_tokens(kept) <= KEY_INFO_TOKENS
    assert "cup 79" in kept
    assert "cup 1," not in kept


@pytest.mark.parametrize(
    ("seen", "chars", "told"),
    [
        ("A mug is here.", 60, "A mug is here."),
        ("The mug is no longer here. The mug is on the bed.", 30, "The mug is on the bed."),
        ("On the shelf 1, you see a cup 1, a fork 2, a mug 3, and a pan 4.", 40, "On the shelf 1, you see a mug 3."),
        ("A long sentence about something else entirely. A mug.", 20, "A mug."),
        ("Nothing at all that fits into this little room", 10, ""),
        ("Current state: A is b. The mug is c. D is e. F is g. H is i.", 24, "A is b. The mug is c."),
    ],
)
def test_summarize_observation_fits_and_prefers_what_the_task_names(seen: str, chars: int, told: str) -> None:
    assert summarize_observation(seen, GOAL, chars) == told
    assert len(told) <= chars


def test_suites_reader_understands_the_anchor(history: Any) -> None:
    # A shelf looked at, a thing taken, a safe seen shut, all of it out of the raw past: a reader of lines still knows.
    held = GenericMemory(history.kit(STRATEGY, count=count_tokens))
    seen = ["On the shelf 1, you see a mug 2.", "You pick up the mug 2 from the shelf 1.", "The safe 1 is closed."]
    events = history.episode(*((f"wait {n}", text) for n, text in enumerate([*seen, *["Time goes by. " * 30] * 12], 1)))
    for before, event in pairwise(events):
        if event.kind is EventKind.ACTION:
            asked = prompt(held.recall(history.now([before])).text, before.text if event.step > 1 else "")
            action = f"Action: {event.text}"
            reply = AnchorDialect().reply_with(asked, lambda _plain, reply=action: reply)
            held.set_summary(read_reply(reply, FRAME).summary)
        held.observe(event)
    context = held.recall(history.now(events)).text
    assert "[3] Action" not in context
    world = believe(read_prompt(prompt(context, "You wait.")).memory, "you wait.")
    assert world.contents["shelf 1"] == []
    assert world.holding == "mug 2"
    assert world.closed["safe 1"]
