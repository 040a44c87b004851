"""Action repairs: their names, what they leave unchanged, and that one pass is enough."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.alfworld.grammar import GRAMMARS, Grammar
from adapters.alfworld.normalise import FUZZY, find_nearest, normalise

# Kinds whose letters hold "in", "on", "to" and "move"/"put", the traps of a blind replacement.
WORDS = st.sampled_from(
    ["sinkbasin", "spoon", "tvstand", "tomato", "onion", "inkpot", "remotecontrol", "toaster", "computer", "stool"]
) | st.text("inotmvepu", min_size=1, max_size=8)
NAMES = st.builds(lambda word, number: f"{word} {number}", WORDS, st.integers(1, 40))


@pytest.mark.parametrize(
    ("said", "text", "repairs"),
    [
        ("go to desk 1", "go to desk 1", ()),
        ("go to\ndesk 1", "go to desk 1", ("space",)),
        ("  Go   to Desk 1 ", "go to desk 1", ("space", "case")),
        ("", "", ()),
    ],
)
def test_normalise_names_repairs(said: str, text: str, repairs: tuple[str, ...]) -> None:
    repaired = normalise(said, Grammar.MOVE)
    assert (repaired.text, repaired.repairs) == (text, repairs)


@given(thing=NAMES, place=NAMES, word=st.sampled_from(["in/on", "in", "on", "into", "onto", "inside"]))
def test_normalise_accepts_any_preposition_and_keeps_names(thing: str, place: str, word: str) -> None:
    own = normalise(f"put {thing} {word} {place}", Grammar.PUT)
    assert own.text == f"put {thing} in/on {place}"
    assert own.repairs == (() if word == "in/on" else ("preposition",))
    other = normalise(f"put {thing} {word} {place}", Grammar.MOVE)
    assert (other.text, other.repairs) == (f"move {thing} to {place}", ("put-move",))


@given(thing=NAMES, place=NAMES)
def test_normalise_translates_move_to_put(thing: str, place: str) -> None:
    assert normalise(f"move {thing} to {place}", Grammar.PUT).text == f"put {thing} in/on {place}"
    same = normalise(f"move {thing} to {place}", Grammar.MOVE)
    assert (same.text, same.repairs) == (f"move {thing} to {place}", ())


@given(
    verb=st.sampled_from(
        ["take {} from {}", "heat {} with {}", "clean {} with {}", "cool {} with {}", "slice {} with {}"]
    ),
    thing=NAMES,
    place=NAMES,
    grammar=st.sampled_from(GRAMMARS),
)
def test_normalise_keeps_other_commands(verb: str, thing: str, place: str, grammar: Grammar) -> None:
    command = verb.format(thing, place)
    assert normalise(command, grammar).text == command
    assert normalise(command, grammar).repairs == ()


@given(said=st.text(max_size=60), grammar=st.sampled_from(GRAMMARS))
def test_normalise_any_text_gives_one_line_and_names_changes(said: str, grammar: Grammar) -> None:
    repaired = normalise(said, grammar)
    assert "\n" not in repaired.text
    assert (repaired.text != said) == bool(repaired.repairs)
    assert len(set(repaired.repairs)) == len(repaired.repairs)


def test_find_nearest_names_its_repair() -> None:
    admissible = ["take mug 1 from desk 1", "go to desk 1", "look"]
    assert find_nearest("take the mug 1 from desk 1", admissible).text == "take mug 1 from desk 1"
    assert find_nearest("take the mug 1 from desk 1", admissible).repairs == (FUZZY,)
    assert find_nearest("look", admissible).repairs == ()
    assert find_nearest("sing a song about mugs", admissible).text == "sing a song about mugs"
