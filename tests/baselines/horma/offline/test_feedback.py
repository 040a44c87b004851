"""What the offline model says about a contrast, fault by fault, and what it makes of all feedback."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import baselines.horma.offline as offline
from baselines.horma.offline.answers import explain_answer
from baselines.horma.offline.augment import AugmentRule
from baselines.horma.offline.courses import explain_course
from baselines.horma.offline.feedback import FeedbackRule
from baselines.horma.refine.calls import Feedback, ask_feedback, augment
from baselines.horma.refine.changes import Cause, Origin, Reader
from baselines.horma.refine.contrast import choose_whole, find_contrasts
from baselines.horma.refine.showing import show_contrast
from baselines.horma.refine.skill_list import SkillList
from bench.models.offline.reader import OfflineReader
from bench.protocols import Kit
from bench.types import Message
from tests.baselines.horma.refine.played import make_episode, make_learner_kit, make_talk
from tests.baselines.learners import Script

HERE = Path(offline.__file__).parent


def block(
    question: str, whole: str, given: str, past: str, *, searched: str = "grep x; select D1:1", mark: str = "right"
) -> str:
    return (
        f"{question}\nWith the whole past: {mark}, {whole}\nWith notes: wrong, something\nSearched: {searched}\n"
        f"What the notes gave:\n{given}\nThe past, where it is nearest to the question and its right answer:\n{past}"
    )


ANN = "[8 May, 2023] Ann: "


@pytest.mark.parametrize(
    ("question", "whole", "given", "past", "fault"),
    [
        ("When was the fair?", "7 May 2023", f"{ANN}The fair was fun.", f"{ANN}The fair was fun yesterday.", "anchor"),
        ("When was the fair?", "8 May 2023", f"{ANN}The fair.", f"{ANN}The fair was fun.", "dates"),
        ("What did Ann buy?", "a red cello", f"{ANN}By the way I", f"{ANN}By the way I bought a red cello.", "whole"),
        ("Who has the cello?", "Zelda", f"{ANN}I gave my cello to", f"{ANN}I gave my cello to Zelda last.", "details"),
        ("What does Ann not like?", "ferries", "(nothing)", f"{ANN}I never liked ferries.", "denials"),
        (
            "What does Ann show?",
            "a green door",
            "(nothing)",
            f"{ANN}Look! [shares a photo of a green door]",
            "pictures",
        ),
        ("What did Ann sell?", "her boat", "(nothing)", f"{ANN}It is late today. I sold my boat.", "sentences"),
        ("Where does she see Bob?", "in Oslo", "(nothing)", f"{ANN}I see Bob in Oslo.", "people"),
        (
            "What is it?",
            "a corgi",
            f"{ANN}You walk a dog?",
            f"{ANN}You walk a dog?\n{ANN}Mine is a corgi.",
            "neighbours",
        ),
        (
            "What is it?",
            "a corgi",
            f"{ANN}You walk a spaniel?",
            f"{ANN}You walk a spaniel?\n{ANN}Rain again.\n{ANN}Mine is a corgi.",
            "latest",
        ),
        ("What did Ann sell?", "her boat", "(nothing)", f"{ANN}I sold my boat.", "rarest"),
    ],
)
def test_answer_is_explained_by_its_fault(question: str, whole: str, given: str, past: str, fault: str) -> None:
    assert explain_answer(block(question, whole, given, past))[0] == fault


def test_search_that_tried_several_words_and_took_one_line_took_too_little() -> None:
    shown = block(
        "What did Ann sell?",
        "her boat",
        f"{ANN}Hm.",
        f"{ANN}I sold my boat.",
        searched="grep a; grep b; select D1:1 done",
    )
    assert explain_answer(shown) == ["enough"]
    assert "enough" not in explain_answer(shown.replace("D1:1", "D1:1, D1:2"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "What?",
        block("What?", "not mentioned", "(nothing)", "(nothing)"),
        block("What is it?", "a cat", f"{ANN}a cat", f"{ANN}It is a cat."),  # it was given
        block("What is it?", "a cat", "(nothing)", f"{ANN}Rain again."),  # nobody said it
    ],
)
def test_answer_that_nothing_explains_has_no_fault(text: str) -> None:
    assert explain_answer(text) == []


def test_notes_that_did_better_with_a_few_lines_held_things_together() -> None:
    assert explain_answer(block("What?", "x", f"{ANN}a cat", f"{ANN}a cat", mark="wrong")) == ["together"]
    assert explain_answer(block("What?", "x", f"{ANN}a cat\n" * 9, f"{ANN}a cat", mark="wrong")) == []


def course(*lines: str, task: str = "Your task is to: cool a mug.", end: str = "not done") -> str:
    return (
        f"# Task\nA room.\n\n{task}\n\n# With the whole past: done\n[1] Action: x\n\n# With notes: {end}\n"
        + "\n".join(lines)
    )


def step(number: int, action: str, seen: str, notes: str = "(nothing)") -> str:
    return f"[{number}] Notes: {notes}\n[{number}] Action: {action}\n[{number}] Observation: {seen}"


SHELF = "On the shelf 1, you see a mug 1."


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ([step(1, "go a", SHELF), step(2, "go b", "Empty.")], "goal"),
        ([step(1, "go a", "Empty."), step(2, "go b", "x"), step(3, "go a", "Empty.")], "searched"),
        ([step(1, "go a", "Empty."), step(2, "go b", "x"), step(3, "go a", "Empty.")], "places"),
        ([step(1, "open x", "Nothing happens."), step(2, "open x", "Nothing happens.")], "failed"),
        (
            [
                step(1, "a", "On b. A cup."),
                step(2, "c", "On b. Empty."),
                step(3, "d", "x", "[1] Observation: On b. A cup. | more"),
            ],
            "latest",
        ),
        ([step(1, "a", "You arrive. On b, a cup 1."), step(2, "c", "x", "1: You arrive | more")], "whole"),
        ([step(1, "go a", "Empty.")], "enough"),
    ],
)
def test_course_is_explained_by_its_faults(lines: list[str], fault: str) -> None:
    assert fault in explain_course(course(*lines))


def test_course_without_a_fault_of_that_kind_does_not_name_it() -> None:
    kept = f"[1] Observation: {SHELF} | more"
    assert explain_course(course(step(1, "go a", SHELF, "x | y"), step(2, "go b", "Empty.", kept))) == []
    assert explain_course("no contrast") == []
    assert explain_course(course(step(1, "go a", SHELF), end="done")) == ["together"]


def test_feedback_rule_says_what_most_questions_ask_for_in_three_sentences() -> None:
    whole = make_talk("c1", {1: ("7 May 2023", True), 2: ("the ferry", True), 3: ("900 crowns", True)}, whole=True)
    noted = make_talk("c1", dict.fromkeys((1, 2, 3), ("x", False)))
    (contrast,) = find_contrasts(choose_whole([whole]), [noted], {"c1"})
    said = FeedbackRule().reply((Message("system", ""), Message("user", show_contrast(contrast))))
    assert said.count(": ") == 3
    assert said.startswith("Navigator: Search for the rarest word")
    nothing = FeedbackRule().reply((Message("system", ""), Message("user", "?")))
    assert nothing == "Nothing in the notes explains it."


def make_offline_kit() -> Kit:
    return replace(make_learner_kit(Script(["x"])), model=OfflineReader((AugmentRule(), FeedbackRule())))


def make_feedback(*texts: str) -> list[Feedback]:
    return [Feedback(Cause(Origin.EXO, f"t{n}"), text) for n, text in enumerate(texts)]


def test_augment_rule_adds_what_several_feedbacks_ask_for_once() -> None:
    skills, kit = SkillList(9), make_offline_kit()
    said = make_feedback(
        "Manager: Keep dates. Navigator: Grep names.", "Manager: Keep dates.", "Nothing.", "Manager: Rest."
    )
    assert augment(skills, said, kit) == 1
    (one,) = skills.skills
    assert (one.text, one.reader, one.tasks) == ("Keep dates.", Reader.ORGANISE, ("t0", "t1"))
    assert augment(skills, said, kit) == 0  # it is known
    assert +skills.rejected == {}
    assert augment(SkillList(9), said[:2], kit) == 2  # of a few feedbacks one is enough


def test_offline_model_finds_its_rules_by_role_and_prompt() -> None:
    (contrast,) = find_contrasts(choose_whole([make_episode("t1", won=True)]), [make_episode("t1", won=False)], {"t1"})
    said = ask_feedback(contrast, make_offline_kit())
    assert said is not None
    assert said.text.startswith("Manager: ")


@given(st.text(max_size=300))
def test_rules_answer_any_text(text: str) -> None:
    messages = (Message("system", ""), Message("user", text))
    assert FeedbackRule().reply(messages)
    assert "operations" in json.loads(AugmentRule().reply(messages))


@pytest.mark.parametrize("name", ["feedback", "answers", "courses", "augment"])
def test_writer_of_skills_knows_nothing_of_their_reader(name: str) -> None:
    text = (HERE / f"{name}.py").read_text(encoding="utf-8")
    imported = {node.module for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)}
    readers = {f"baselines.horma.offline.{one}" for one in ("skills", "manager", "navigator", "wording")}
    assert imported.isdisjoint(readers)
    assert "skills_" not in text
