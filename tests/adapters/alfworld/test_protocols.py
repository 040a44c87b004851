"""The papers' protocols: the whole prompt against the original files, and an episode of each."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from adapters.alfworld.suite import PUBLISHED_TYPES, SUITE
from bench.agents import DefaultAgent, compose
from bench.config import RunConfig
from bench.drivers import run_episode
from bench.models.scripted import ScriptedModel
from bench.protocols import EpisodeSuite, Kit, Params, SuiteOptions
from bench.runner.batch import run
from bench.store.read import read_trials
from bench.types import Context, EndReason, Event, Opening, Query, Shape, Step, Stimulus

pytest.importorskip("alfworld", reason="needs package alfworld")
pytestmark = pytest.mark.data
PROTOCOLS = ("react", "reflexion", "expel", "agentboard")
TYPES = tuple(PUBLISHED_TYPES)


@pytest.fixture
def root(data_root: Path) -> Path:
    return data_root / "prompts"


def build(data_root: Path, step_cap: int = 0, **given: str) -> EpisodeSuite:
    built: Any = SUITE.build(SuiteOptions("procedural", Params(SUITE.params, given), data_root, step_cap))
    return built


def open_first(suite: EpisodeSuite, group: str) -> Opening:
    task = next(task for task in suite.tasks() if task.group == group)
    return suite.open(task).reset()


def write_prompt(opening: Opening) -> tuple[str, str]:
    """Return the system message and the user message of a decision in mid-episode."""
    stimulus = Stimulus(Shape.EPISODE, "You arrive at desk 1.", opening.goal, 2, "o1")
    system, user = compose(opening.frame, stimulus, "[1] Action: go to desk 1")
    return system.content, user.content


def assert_in_order(text: str, pieces: Sequence[str]) -> None:
    """Every piece stands in the text, word for word and each after the one before."""
    at = 0
    for piece in pieces:
        assert piece, pieces
        found = text.find(piece, at)
        assert found >= 0, piece[:80]
        at = found + len(piece)


def read_originals(root: Path, protocol: str, key: str) -> list[str]:
    """Return the pieces of a prompt in the order of the paper, read another way than the suite reads them."""
    if protocol in ("react", "reflexion"):
        texts = json.loads((root / "react" / "alfworld_3prompts.json").read_text())
        return [texts[f"react_{key}_1"], texts[f"react_{key}_0"]]
    if protocol == "agentboard":
        texts = json.loads((root / "agentboard" / "alfworld_base.json").read_text())
        return [texts["system_msg"], texts["instruction"], *texts["examples"][key]]
    tree = ast.parse((root / "expel" / "prompts_alfworld.py").read_text())
    named = {node.targets[0].id: node.value for node in tree.body if isinstance(node, ast.Assign)}  # type: ignore[attr-defined]
    texts = ast.literal_eval(named["d"])
    return [
        ast.literal_eval(named["SYSTEM_INSTRUCTION"]),
        "You may take maximum of 20 steps.\nHere are two examples:",
        texts[f"react_{key}_0"],
        texts[f"react_{key}_1"],
        "(END OF EXAMPLES)",
    ]


@pytest.mark.parametrize("group", TYPES)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_prompt_holds_every_piece_of_the_paper_in_its_order(
    protocol: str, group: str, data_root: Path, root: Path
) -> None:
    opening = open_first(build(data_root, protocol=protocol, version="put"), group)
    system, user = write_prompt(opening)
    pieces = [piece.strip("\n") for piece in read_originals(root, protocol, PUBLISHED_TYPES[group])]
    assert_in_order(system, pieces)
    assert sum(map(len, pieces)) > 0.8 * len(system)  # little is said beside
    assert user.startswith(f"# Task\n{opening.goal}")
    assert user.endswith("Action:")


@pytest.mark.parametrize("protocol", ["house", *PROTOCOLS])
def test_prompt_begins_with_the_line_by_which_the_suite_is_known(protocol: str, data_root: Path) -> None:
    opening = open_first(build(data_root, protocol=protocol), TYPES[0])
    assert opening.frame.instructions.startswith("You are in a household and act by text commands, one per turn.")


@pytest.mark.parametrize(
    ("protocol", "steps", "loop", "tokens", "thoughts"),
    [
        ("house", 50, 0, 512, None),
        ("react", 49, 0, 100, "think: step, most 0, OK."),
        ("reflexion", 30, 4, 256, "think: step, most 0, OK."),
        ("expel", 20, 2, 512, "think: free, most 2, OK."),
        ("agentboard", 30, 0, 100, None),
    ],
)
def test_protocol_sets_limits_and_thoughts(
    protocol: str, steps: int, loop: int, tokens: int, thoughts: str | None, data_root: Path
) -> None:
    suite = build(data_root, protocol=protocol)
    frame = open_first(suite, TYPES[0]).frame
    assert (suite.limits().step_cap, suite.limits().loop_cap, frame.max_tokens) == (steps, loop, tokens)
    assert frame.rules.get("thoughts") == thoughts
    assert build(data_root, 7, protocol=protocol).limits().step_cap == 7
    assert build(data_root, protocol=protocol, preset="h2r").limits().step_cap == 30


def test_steps_of_the_run_are_told_where_the_paper_tells_them(data_root: Path) -> None:
    frame = open_first(build(data_root, 7, protocol="expel"), TYPES[0]).frame
    assert "You may take maximum of 7 steps." in frame.instructions


def test_fingerprints_of_protocols_differ(data_root: Path) -> None:
    entries = [dict(build(data_root, protocol=one).fingerprint().entries) for one in ("house", *PROTOCOLS)]
    assert len({one["protocol"] for one in entries}) == len(entries)
    assert [one.get("protocol_task_type") for one in entries] == [None, *["oracle"] * 4]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_offline_model_plays_the_prompt_of_a_paper(
    protocol: str, data_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCH_DATA", str(data_root))
    suites, strategies = (f"alfworld:protocol={protocol}",), ("full-history", "react", "window:k=3")
    run(RunConfig(suites=suites, strategies=strategies, split="procedural", limit=2), tmp_path / "run")
    trials = read_trials(tmp_path / "run")
    assert [trial.error for trial in trials] == [""] * 6
    assert {t.end for t in trials if not t.key.strategy.startswith("window")} == {EndReason.WON}
    assert {dict(t.fingerprint.entries)["env.protocol"].split()[0] for t in trials} == {protocol}


class Everything:
    """A memory that shows nothing and keeps what happened."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def observe(self, event: Event) -> None:
        self.events.append(event)

    def recall(self, query: Query) -> Context:
        return Context()


@pytest.mark.parametrize(("protocol", "counted"), [("react", 4), ("expel", 2), ("agentboard", 4)])
def test_thoughts_of_a_chat_model_are_counted_as_the_paper_does(protocol: str, counted: int, data_root: Path) -> None:
    suite = build(data_root, protocol=protocol)
    env = suite.open(suite.tasks()[0])
    opening = env.reset()
    said = ["**Action:** think: where to begin?", "look", "> think: I see. Next, go on.", "Action: inventory"] * 20
    model, record, memory = ScriptedModel(said), list[Step](), Everything()
    kit: Any = Kit(model, None, opening.frame, ask_again=0)  # type: ignore[arg-type]
    run_episode(DefaultAgent(memory, kit), env, opening, suite.limits(), record)
    assert sum(step.counts for step in record[:4]) == counted
    replies = [event.text for event in memory.events if event.ref in ("o1", "o3")]
    expected = "Nothing happens: your reply held no action that could be read." if protocol == "agentboard" else "OK."
    assert replies == [expected] * 2
    assert sum(step.counts for step in record) == suite.limits().step_cap
