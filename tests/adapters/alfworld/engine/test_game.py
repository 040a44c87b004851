from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.alfworld.engine import Game
from bench.errors import DataError

Workshop = Callable[..., Game]


def test_load_gives_game_with_walkthrough(workshop: Workshop, texts: Mapping[str, str]) -> None:
    data = json.dumps({**texts, "solvable": True, "walkthrough": ["oil saw 1"]})
    game = Game.load(data.encode(), name="w")
    assert game.walkthrough == ("oil saw 1",)
    assert game.start().admissible == Game.load(data).start().admissible == workshop().start().admissible
    assert game.command_templates[0] == "admire {t}"
    assert game.goal_reachable


def test_load_writes_no_file(texts: Mapping[str, str]) -> None:
    before = list(sys.argv)
    Game.load(json.dumps(texts)).start()
    assert sys.argv == before
    assert "textworld" not in {name.split(".")[0] for name in vars(sys.modules["adapters.alfworld.engine.game"])}


@given(st.floats(0.0, 0.999))
@settings(max_examples=40)
def test_load_names_truncated_file(texts: Mapping[str, str], share: float) -> None:
    data = json.dumps({**texts, "solvable": True}).encode()
    with pytest.raises(DataError, match=r"^half\.tw-pddl: expected one whole JSON object, got \d+ characters"):
        Game.load(data[: int(len(data) * share)], name="half.tw-pddl")


@pytest.mark.parametrize("key", ["pddl_domain", "grammar", "pddl_problem"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 0.98])
def test_load_names_truncated_text(texts: Mapping[str, str], key: str, share: float) -> None:
    text = texts[key].rstrip()
    content = {**texts, key: text[: int(len(text) * share)]}
    with pytest.raises(DataError, match=rf"^half\.tw-pddl: (expected|{key}|grammar)"):
        Game.load(json.dumps(content), name="half.tw-pddl")


@pytest.mark.parametrize("content", ["[]", "3", "{}", '{"pddl_domain": 1, "grammar": "", "pddl_problem": ""}', '"x"'])
def test_load_rejects_other_json(content: str) -> None:
    with pytest.raises(DataError, match="expected the texts pddl_domain, grammar, pddl_problem"):
        Game.load(content)


CHANGES: list[tuple[str, str, str, str]] = [
    ("grammar", "#stroll.feedback#", "#strol.feedback#", r"a rule for #strol.feedback#"),
    ("grammar", "#lamps#", "#lumps#", r"a rule for #lumps#"),
    ("grammar", '"list_empty"', '"list_emty"', r"a rule for #list_empty#"),
    ("grammar", "lies(l:lamp, to:room) & lit(l:lamp)", "lies(l:ship, to:room)", r"declared type, got 'ship'"),
    ("grammar", "{t.indefinite} shiny", "{len(t)} shiny", r"expression, got 'len\(t\)'"),
    ("grammar", "action unlock", "action unlatch", r"a template and a feedback for action 'unlock'"),
    ("pddl_domain", "(blessed ?t - tool)", "(blessed ?t - tool) :x", "a bracketed expression"),
    ("pddl_domain", "(:functions", "(:constraints (x)) (:functions", "unsupported"),
    ("pddl_problem", "(in robot1 Hall)", "(in robot1 Moon)", "declared objects in :init, got 'moon'"),
    ("pddl_problem", "(in robot1 Hall)", "(in robot1 Hall) (not ())", "a ground fact after 'not'"),
    ("pddl_problem", "(in robot1 Hall)", "(in robot1)", r"2 argument\(s\), got \(in robot1\)"),
    ("pddl_problem", "(lit ?l)", "(fragile ?l)", "unsolvable"),
]


@pytest.mark.parametrize(("key", "old", "new", "message"), CHANGES)
def test_load_names_error_in_text(workshop: Workshop, key: str, old: str, new: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        workshop(**{key: (old, new)})
    assert str(caught.value).startswith("workshop.tw-pddl: ")


def test_load_rejects_game_marked_unsolvable(workshop: Workshop) -> None:
    with pytest.raises(DataError, match="marks unsolvable"):
        workshop(solvable=False)


def test_load_finds_unreachable_goal_unless_marked_solvable(workshop: Workshop, texts: Mapping[str, str]) -> None:
    change = ("(exists (?t - tool) (carries robot1 ?t))", "(blessed Saw_bar_1)")
    game = workshop(pddl_problem=change)
    assert not game.goal_reachable
    assert not game.start().won
    unvouched = {**texts, "pddl_problem": texts["pddl_problem"].replace(*change)}
    with pytest.raises(DataError, match="that actions can bring about, got an unsolvable problem"):
        Game.load(json.dumps(unvouched))


def test_start_rejects_command_with_braces(workshop: Workshop) -> None:
    session = workshop(pddl_problem=("Crate_bar_7", "Cra{te_bar_7")).start()
    with pytest.raises(DataError, match=r"a command without braces, got '\w+ cra\{te 1'"):
        _ = session.admissible


def test_load_shares_equal_grammars(workshop: Workshop) -> None:
    one, other = workshop(), workshop(pddl_problem=("(dusty Saw_bar_1)", ""))
    assert one._grammar is other._grammar
    assert one._domain is other._domain


@given(st.data())
@settings(max_examples=150)
def test_load_of_damaged_game_plays_or_raises_data_error(texts: Mapping[str, str], data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(sorted(texts)))
    text = texts[key]
    at = data.draw(st.integers(0, len(text)))
    size = data.draw(st.sampled_from([0, 1, 3, 20]))
    put = data.draw(st.sampled_from(["", "(", ")", "?", " - ", '"', "{", "}", "#", "|", "[", ";", "x"]))
    content = {**texts, key: text[:at] + put + text[at + size :]}
    try:
        session = Game.load(json.dumps(content), name="damaged.tw-pddl").start()
        for command in session.admissible[:4]:
            session.step(command)
        assert session.facts
    except DataError as error:
        assert str(error).startswith("damaged.tw-pddl: ")  # noqa: PT017 - either outcome is right
