"""The wording of a game and its frame."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from adapters.alfworld.games import parse_game
from adapters.alfworld.grammar import GRAMMARS, Grammar, format_list, frame_for, probe
from bench.errors import DataError


@pytest.mark.parametrize(
    ("template", "grammar"), [("move {o} to {r}", Grammar.MOVE), ("put {o} in/on {r}", Grammar.PUT)]
)
def test_probe_reads_the_put_action(game: Callable[..., bytes], template: str, grammar: Grammar) -> None:
    assert probe(parse_game(game(template), "g").grammar, "g") is grammar


def test_probe_ignores_other_actions() -> None:
    text = (
        'action PutObjectInReceptacleObject {\n template :: "put {o} into {outero}";\n}\n'
        'action PutObject {\n template :: "move {o} to {r}";\n}'
    )
    assert probe(text, "g") is Grammar.MOVE


@pytest.mark.parametrize("template", ["place {o} at {r}", ""])
def test_probe_names_an_unknown_wording(game: Callable[..., bytes], template: str) -> None:
    with pytest.raises(DataError, match=r"task x: expected .*bench data get alfworld"):
        probe(parse_game(game(template), "g").grammar, "task x")


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_frame_is_complete(grammar: Grammar) -> None:
    frame = frame_for(grammar)
    whole = frame.instructions + frame.examples
    assert frame.id == f"alfworld-v1/{grammar}"
    assert (frame.label, frame.stimulus_label) == ("Action:", "Observation:")
    assert frame.instructions.splitlines()[0] == "You are in a household and act by text commands, one per turn."
    assert "alfworld" not in whole.lower()
    assert "admissible" not in whole.lower()
    assert "one object at a time" in frame.instructions
    assert "{commands}" not in whole
    assert frame is frame_for(grammar)


def test_frames_use_only_their_own_wording() -> None:
    move = frame_for(Grammar.MOVE)
    put = frame_for(Grammar.PUT)
    assert "Action: move egg 1 to diningtable 1\nObservation: You move the egg 1 to the diningtable 1." in move.examples
    assert "Action: put egg 1 in/on diningtable 1\nObservation: You put the egg 1 in/on" in put.examples
    assert "Observation: You arrive at loc 4. On the countertop 1, you see" in put.examples
    assert "in/on" not in move.instructions + move.examples
    assert "move " not in put.instructions + put.examples
    assert "- help" in move.instructions
    assert "- help" not in put.instructions


@pytest.mark.parametrize("grammar", list(Grammar))
def test_bare_frame_has_commands_and_format_and_teaches_nothing(grammar: Grammar) -> None:
    bare, full = frame_for(grammar, "bare"), frame_for(grammar)
    assert bare.examples == ""
    assert bare.id != full.id
    assert bare.instructions.splitlines()[0] == full.instructions.splitlines()[0]
    commands = [line for line in full.instructions.splitlines() if line.startswith("- ") and "." not in line]
    assert [line for line in bare.instructions.splitlines() if line.startswith("- ")] == commands
    assert "must be opened" in bare.instructions
    assert not {"microwave", "fridge", "sinkbasin", "lamp"} & set(re.findall(r"[a-z]+", bare.instructions))
    assert bare.label == full.label


def test_examples_have_actions_only() -> None:
    lines = frame_for(Grammar.MOVE).examples.splitlines()
    labels = {line.split(" ", 1)[0] for line in lines if line}
    assert labels == {"Example", "Task:", "Action:", "Observation:"}
    actions = [i for i, line in enumerate(lines) if line.startswith("Action:")]
    assert all(lines[i + 1].startswith("Observation:") for i in actions)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("nothing", "nothing"),
        ("cup 1", "a cup 1"),
        ("a 1, b 2", "a a 1, and a b 2"),
        ("a 1, b 1, c 1", "a a 1, a b 1, and a c 1"),
    ],
)
def test_format_list_equals_lists_of_the_games(names: str, said: str) -> None:
    assert format_list(names) == said
