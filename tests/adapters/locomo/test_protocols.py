"""The papers' protocols: the whole prompt against the original files, the choice of questions, and a run of each."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from adapters.locomo.suite import SUITE
from bench.agents import compose
from bench.config import RunConfig
from bench.errors import DataError
from bench.protocols import Conversation, Params, Question, SuiteOptions, write_question
from bench.runner.batch import run
from bench.store.read import read_trials
from bench.types import Shape, Stimulus

pytestmark = pytest.mark.data
PROTOCOLS = ("locomo", "mem0", "a-mem")
GROUPS = ("multi-hop", "temporal", "open-domain", "single-hop", "adversarial")
CONSTANTS = {
    "CONV_START_PROMPT": "conversation_start",
    "QA_PROMPT": "question",
    "QA_PROMPT_CAT_5": "question_category_5",
}


@pytest.fixture
def texts(data_root: Path) -> dict[str, str]:
    """The texts of LoCoMo's own evaluation."""
    read: dict[str, str] = json.loads((data_root / "prompts" / "locomo" / "qa_prompts.json").read_text("utf-8"))
    return read


@pytest.fixture
def root(data_root: Path, tmp_path: Path, texts: dict[str, str]) -> Path:
    """A data root with the papers' files; LoCoMo's is put together from its texts, by which it is pinned."""
    prompts = tmp_path / "root" / "prompts"
    (prompts / "locomo").mkdir(parents=True)
    for name in ("mem0", "a_mem"):
        (prompts / name).symlink_to(data_root / "prompts" / name)
    source = "".join(f"{name} = {texts[key]!r}\n" for name, key in CONSTANTS.items())
    (prompts / "locomo" / "gpt_utils.py").write_text(source, encoding="utf-8")
    return tmp_path / "root"


def open_conversation(root: Path, protocol: str) -> Conversation:
    suite: Any = SUITE.build(SuiteOptions("generated", Params(SUITE.params, {"protocol": protocol}), root))
    opened: Conversation = suite.open(suite.tasks()[0])
    return opened


def find_question(conversation: Conversation, group: str) -> Question:
    return next(question for question in conversation.questions() if question.group == group)


def write_prompt(conversation: Conversation, question: Question) -> tuple[str, str]:
    stimulus = Stimulus(Shape.CONVERSATION, question.text, write_question(question), 1)
    system, user = compose(conversation.frame, stimulus, "[8 May, 2023] Ann: Hello.")
    return system.content, user.content


def read_a_mem(root: Path) -> dict[str, list[str]]:
    """Return the texts of A-MEM's questions around their slots, by group, read another way than the suite does."""
    tree = ast.parse((root / "prompts" / "a_mem" / "test_advanced.py").read_text(encoding="utf-8"))
    found = [
        [str(part.value) for part in node.value.values if isinstance(part, ast.Constant)]
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id == "user_prompt"
        and isinstance(node.value, ast.JoinedStr)
    ]

    def find(mark: str) -> list[list[str]]:
        return [pieces for pieces in found if any(mark in piece for piece in pieces)]

    (choice,), (date,), (first, second) = find("Select the correct"), find("Use DATE"), find("short phrase")
    long, short = sorted((first, second), key=lambda pieces: pieces[0].startswith("Based"))
    return {
        "adversarial": choice,
        "temporal": date,
        "open-domain": long,
        "multi-hop": short,
        "single-hop": short,
    }


def assert_in_order(text: str, pieces: list[str]) -> None:
    at = 0
    for piece in pieces:
        found = text.find(piece.strip(), at)
        assert found >= 0, piece
        at = found + len(piece.strip())


@pytest.mark.parametrize("group", GROUPS)
def test_a_mem_asks_each_category_in_its_words(group: str, root: Path) -> None:
    conversation = open_conversation(root, "a-mem")
    question = find_question(conversation, group)
    _, user = write_prompt(conversation, question)
    assert_in_order(user, read_a_mem(root)[group])
    assert question.text in user
    assert "{" not in user


@pytest.mark.parametrize("group", GROUPS)
def test_locomo_asks_each_category_in_its_words(group: str, root: Path, texts: dict[str, str]) -> None:
    conversation = open_conversation(root, "locomo")
    question = find_question(conversation, group)
    system, user = write_prompt(conversation, question)
    names = list(dict.fromkeys(event.speaker for event in conversation.events() if event.speaker))
    starts = [texts["conversation_start"].format(*pair).strip() for pair in (names[:2], names[1::-1])]
    assert any(start in system for start in starts)
    before, after = texts["question_category_5" if group == "adversarial" else "question"].split("{}")
    assert_in_order(user, [before, question.text, after])


def test_mem0_gives_its_instructions_and_leaves_category_5_out(root: Path) -> None:
    tree = ast.parse((root / "prompts" / "mem0" / "prompts.py").read_text(encoding="utf-8"))
    named = {ast.unparse(node.targets[0]): node.value for node in tree.body if isinstance(node, ast.Assign)}
    original = ast.literal_eval(named["ANSWER_PROMPT"]).partition("Memories for user")[0]
    conversation = open_conversation(root, "mem0")
    system, user = write_prompt(conversation, conversation.questions()[0])
    assert original.strip() in system
    assert {question.group for question in conversation.questions()} == set(GROUPS) - {"adversarial"}
    assert user.endswith(f"# Question\n{conversation.questions()[0].text}\n\nAnswer:")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_paper_has_the_refusal_line_of_the_house(protocol: str, root: Path) -> None:
    assert "`not mentioned`" in open_conversation(root, "house").frame.instructions
    assert "not mentioned" not in open_conversation(root, protocol).frame.instructions


def test_choice_of_two_is_scored_by_the_option_named(root: Path) -> None:
    for protocol in ("locomo", "a-mem"):
        conversation = open_conversation(root, protocol)
        question = find_question(conversation, "adversarial")
        given = {answer: conversation.score(question, answer) for answer in ("a", "b", "not mentioned", "neither")}
        values = {answer: {one.name: one.value for one in scores}["adversarial"] for answer, scores in given.items()}
        assert {values["a"], values["b"]} == {0.0, 1.0}
        assert (values["not mentioned"], values["neither"]) == (1.0, 0.0)


def test_memory_gets_the_question_alone(root: Path) -> None:
    plain = [question.text for question in open_conversation(root, "house").questions()]
    assert [question.text for question in open_conversation(root, "a-mem").questions()] == plain


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_offline_model_answers_under_the_prompt_of_a_paper(
    protocol: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCH_DATA", str(root))
    config = RunConfig(suites=(f"locomo:protocol={protocol},ask=4,talks=1",), strategies=("bm25",), split="generated")
    run(config, tmp_path / "run")
    (trial,) = read_trials(tmp_path / "run")
    assert (trial.error, len(trial.steps)) == ("", 4)
    assert dict(trial.fingerprint.entries)["env.protocol"].startswith(protocol)


def test_missing_file_is_named_with_the_command(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"prompts/mem0/prompts\.py, got none .*bench data get prompts"):
        open_conversation(tmp_path, "mem0")
