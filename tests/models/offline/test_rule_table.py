"""The lookup of an offline rule by role and header."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from bench.errors import UsageError
from bench.models.offline.rule_table import RuleTable, read_header
from bench.protocols import OfflineDialect
from bench.registry import offline_rules
from bench.types import Message


@dataclass(frozen=True)
class Rule:
    role: str
    header: str

    def reply(self, messages: Sequence[Message]) -> str:
        return f"{len(messages)} messages"


ACT = Rule("act", "You open doors. They creak.")


@pytest.mark.parametrize(
    ("prompt", "header"),
    [
        ("You open doors.", "You open doors"),
        ("You open doors. They creak.", "You open doors"),
        ("You open doors\nand windows.", "You open doors"),
        ("\n\n You open doors", "You open doors"),
        ("You extract memories — a precise tool.", "You extract memories"),
        ("Use version 2.1: it is newer.", "Use version 2.1: it is newer"),
        ("", ""),
    ],
)
def test_read_header_returns_the_first_sentence(prompt: str, header: str) -> None:
    assert read_header(prompt) == header


@pytest.mark.parametrize(
    "messages",
    [
        [Message("system", "You open doors. Quietly.\n\nAn example:")],
        [Message("system", "# ROLE\n\nYou open doors.")],
        [Message("system", "You are a ReAct agent."), Message("user", "You open doors.")],
        [Message("user", "Please act.\n\nYou open doors.\nMore.")],
    ],
)
def test_find_reads_the_header_at_the_start_of_any_paragraph(messages: list[Message]) -> None:
    assert RuleTable([ACT]).find(messages, "act") is ACT
    assert RuleTable([ACT]).find(messages, "answer") is None


def test_find_roles_reads_the_first_known_header_of_any_role() -> None:
    table = RuleTable([ACT, Rule("answer", "You answer."), Rule("link", "You answer.")])
    assert table.find_roles([Message("system", "You are a ReAct agent.\n\nYou open doors.\n\nYou answer.")]) == ("act",)
    assert table.find_roles([Message("system", "You answer."), Message("user", ACT.header)]) == (
        "answer",
        "link",
    )
    assert table.find_roles([Message("system", "You close doors.")]) == table.find_roles([]) == ()


def test_find_prefers_the_first_header() -> None:
    other = Rule("act", "You close doors.")
    table = RuleTable([other, ACT])
    assert table.find([Message("system", "You open doors.\n\nYou close doors.")], "act") is ACT


@pytest.mark.parametrize("text", ["You open doors and windows.", "Sometimes You open doors.", ""])
def test_find_returns_none_for_an_unknown_header(text: str) -> None:
    assert RuleTable([ACT]).find([Message("system", text)], "act") is None
    assert RuleTable([ACT]).find([], "act") is None


def test_two_rules_with_one_header_are_an_error_that_names_both() -> None:
    clash = Rule("act", "You open doors.")
    with pytest.raises(
        UsageError, match=r"one rule for role 'act' and a prompt that begins 'You open doors'.*Rule and"
    ):
        RuleTable([ACT, clash])
    RuleTable([ACT, Rule("answer", ACT.header)])


def test_installed_rules_have_headers_of_their_own() -> None:
    rules = [rule for rule in offline_rules() if not isinstance(rule, OfflineDialect)]
    table = RuleTable(rules)
    assert all(table.find([Message("system", rule.header)], rule.role) is rule for rule in rules)
