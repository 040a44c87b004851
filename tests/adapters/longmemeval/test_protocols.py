"""The paper's protocols: the whole prompt against the original file, the reply limits, and a run of each."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adapters.longmemeval.suite import SUITE, LongMemEvalConversation
from bench.agents import compose
from bench.config import RunConfig
from bench.protocols import Params, SuiteOptions, write_question
from bench.runner.batch import run
from bench.store.read import read_trials
from bench.types import Shape, Stimulus

pytestmark = pytest.mark.data
Rows = list[dict[str, Any]]
Write = Callable[[Rows], Path]
LIMITS = {"longmemeval": 500, "longmemeval-cot": 800}


@pytest.fixture
def root(rows: Rows, write: Write, data_root: Path) -> Path:
    """A data root with the small set of these tests and the paper's file."""
    made = write(rows)
    (made / "prompts").symlink_to(data_root / "prompts")
    return made


def open_first(root: Path, protocol: str) -> LongMemEvalConversation:
    suite = SUITE.build(SuiteOptions("oracle", Params(SUITE.params, {"protocol": protocol}), root))
    opened = suite.open(suite.tasks()[0])
    suite.close()
    assert isinstance(opened, LongMemEvalConversation)
    return opened


def read_original(root: Path, *, in_steps: bool) -> str:
    source = (root / "prompts" / "longmemeval" / "run_generation.py").read_text(encoding="utf-8")
    texts = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
    start = "I will give you several history chats between you and a user. "
    found = [text for text in texts if isinstance(text, str) and text.startswith(start)]
    (original,) = [text for text in found if ("step by step" in text) == in_steps]
    return original


@pytest.mark.parametrize("protocol", LIMITS)
def test_prompt_is_the_paper_around_the_memory(protocol: str, root: Path) -> None:
    conversation = open_first(root, protocol)
    (question,) = conversation.questions()
    stimulus = Stimulus(Shape.CONVERSATION, question.text, write_question(question), 1)
    system, user = (message.content for message in compose(conversation.frame, stimulus, "[day] user: Hello."))
    original = read_original(root, in_steps=protocol.endswith("cot"))
    head, rest = original.split("\n\n\nHistory Chats:\n\n{}\n\n")
    (plain,) = open_first(root, "house").questions()
    assert head in system
    question_text, _, cue = rest.rpartition("\n")
    assert question_text.format(plain.time, plain.text) in user
    assert user.rpartition("\n")[2] == cue
    assert "asked on" not in user


@pytest.mark.parametrize("protocol", LIMITS)
def test_protocol_sets_the_reply_limit_and_drops_the_refusal_line(protocol: str, root: Path) -> None:
    frame = open_first(root, protocol).frame
    assert frame.max_tokens == LIMITS[protocol]
    assert "not mentioned" not in frame.instructions
    assert open_first(root, "house").frame.max_tokens == 512


@pytest.mark.parametrize("protocol", LIMITS)
def test_offline_model_answers_under_the_prompt_of_the_paper(
    protocol: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCH_DATA", str(root))
    suites = (f"longmemeval:protocol={protocol}",)
    run(RunConfig(suites=suites, strategies=("full-history",), split="oracle", limit=3), tmp_path / "run")
    trials = read_trials(tmp_path / "run")
    assert [(trial.error, len(trial.steps)) for trial in trials] == [("", 1)] * 3
    assert {dict(t.fingerprint.entries)["env.answer_tokens"] for t in trials} == {str(LIMITS[protocol])}
