from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.alfworld.engine import NOTHING, Fact, Game, Session
from adapters.alfworld.engine.facts import EMPTY, Relation, apply_changes
from bench.errors import DataError

Workshop = Callable[..., Game]
NAMES = st.sampled_from(["a", "b", "c"])
FACTS = st.lists(st.builds(Fact, st.sampled_from(["p", "q"]), st.tuples(NAMES, NAMES)), max_size=8)


def walk(session: Session, seed: int, steps: int) -> list[tuple[str, tuple[str, ...], bool]]:
    rng = random.Random(seed)
    seen = []
    for _ in range(steps):
        session.step(rng.choice([*session.admissible, "nonsense"]))
        seen.append((session.feedback, session.admissible, session.won))
    return seen


@given(FACTS, FACTS, FACTS)
def test_apply_changes_drops_then_adds_and_shares_the_rest(
    first: list[Fact], dropped: list[Fact], added: list[Fact]
) -> None:
    world = apply_changes({"r": EMPTY}, (), first)
    after = apply_changes(world, dropped, added)
    facts = {Fact(name, row) for name, relation in after.items() for row in relation.rows}
    assert facts == (set(first) - set(dropped)) | set(added)
    assert after["r"] is EMPTY
    assert (after is world) == (facts == set(first) and all(after.get(n) is world.get(n) for n in after))


def test_relation_indexes_are_sorted() -> None:
    relation = Relation([("b", "x"), ("a", "y"), ("a", "x")])
    assert relation.sorted_rows == (("a", "x"), ("a", "y"), ("b", "x"))
    assert relation.by(1) == {"x": (("a", "x"), ("b", "x")), "y": (("a", "y"),)}
    assert len(relation) == 3


def test_session_plays_game_from_start_to_goal(workshop: Workshop) -> None:
    session = workshop().start()
    assert session.feedback == (
        "Welcome.\n\nYou see saw 1, crate 1and lamp 1. Gone: nothing.\n\nYour task is to: light up."
    )
    assert session.admissible == tuple(sorted(session.admissible))
    assert "grab saw 1" not in session.admissible  # fragile, and not oiled yet
    assert "admire saw 1" not in session.admissible  # a room, is no room
    assert "go to hall " not in session.admissible  # one is there
    assert session.step("oil crate 1") == "Oiled: crate 1. Unlit again: nothing."
    assert session.step("oil saw 1") == "Oiled: crate 1. Unlit again: nothing."  # the saw is spoken of already
    assert session.step(" grab lamp 1\t") == "You have nothing now."  # bound as a tool, told as a lamp
    assert session.step("go to attic 2") == "You stroll to the attic 2. No lamp here."
    assert session.step("drop lamp 1 in attic 2") == "Here: nothing."
    assert session.step("switch in attic 2") == "Click. Lit: nothing."  # blind: on and off are both noted
    assert (session.won, session.done, session.score) == (False, False, 0)
    session.step("grab boxbasin 1")
    assert (session.won, session.done, session.score, session.moves) == (True, True, 1, 7)
    session.step("drop boxbasin 1 in attic 2")
    assert not session.won


@pytest.mark.parametrize(
    "command", ["", "  ", "GRAB saw 1", "grab saw 1", "grab saw 2", "oil saw 1 now", "go  to attic 2", "é"]
)
def test_step_with_inapplicable_command_changes_nothing(workshop: Workshop, command: str) -> None:
    session = workshop().start()
    before = (session.admissible, session.facts, session.won)
    assert session.step(command) == NOTHING == session.feedback
    assert (session.admissible, session.facts, session.won) == before
    assert session.moves == 0


def test_facts_keep_negated_facts_if_strict(workshop: Workshop) -> None:
    session = workshop().start()
    session.step("oil lamp 1")
    facts = set(session.facts)
    assert Fact("oiled", ("lamp_bar__plus_1",)) in facts
    assert Fact("not_dusty", ("lamp_bar__plus_1",)) in facts  # locking a room could make it dusty
    assert Fact("not_blessed", ("lamp_bar__plus_1",)) not in facts  # only crates are ever blessed
    loose = workshop(strict=False).start()
    loose.step("oil lamp 1")
    assert not any(fact.name.startswith("not_") for fact in loose.facts)


def test_facts_ignore_conditions_of_effects_if_strict(workshop: Workshop) -> None:
    session, loose = workshop().start(), workshop(strict=False).start()
    for play in (session, loose):
        play.step("switch in hall ")
        play.step("switch in hall")
    assert "switch in hall " in session.admissible  # the blank makes it unspeakable: commands are stripped
    assert session.moves == 0


def test_list_named_facts_has_display_names(workshop: Workshop) -> None:
    session = workshop().start()
    assert session.list_named_facts(["in", "carries", "unheard_of"]) == (Fact("in", ("robot1 ", "hall ")),)
    session.step("grab crate 1")
    assert session.list_named_facts({"carries"}) == (Fact("carries", ("robot1 ", "crate 1")),)
    assert len(session.list_named_facts()) == len(session.facts)


def test_comma_after_type_hides_it_only_if_strict(workshop: Workshop) -> None:
    assert "admire saw 1" in workshop(strict=False).start().admissible


@given(st.integers(0, 40), st.integers(0, 12))
@settings(max_examples=40)
def test_copy_is_independent(workshop: Workshop, seed: int, steps: int) -> None:
    session = workshop().start()
    walk(session, seed, steps)
    before = (session.feedback, session.admissible, session.facts, session.won, session.moves)
    twin = session.copy()
    assert (twin.feedback, twin.admissible, twin.facts, twin.won, twin.moves) == before
    ahead = walk(twin, seed + 1, 10)
    assert (session.feedback, session.admissible, session.facts, session.won, session.moves) == before
    assert walk(session, seed + 1, 10) == ahead
    assert session.facts == twin.facts


@given(st.integers(0, 100))
@settings(max_examples=30)
def test_cached_commands_equal_fresh_session(workshop: Workshop, seed: int) -> None:
    session = workshop().start()
    rng = random.Random(seed)
    for _ in range(15):
        session.step(rng.choice(session.admissible))
        fresh = Session(session._rules, session._world, session._facts, session.feedback)
        assert fresh.admissible == session.admissible
        assert fresh.won == session.won


def test_threads_can_share_a_game(workshop: Workshop) -> None:
    alone = [walk(workshop().start(), seed, 40) for seed in range(8)]
    game = workshop()
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda seed: walk(game.start(), seed, 40), range(8)))
    assert together == alone


def test_threads_can_share_facts(workshop: Workshop) -> None:
    game = workshop()
    session = game.start()
    for tool in ("lamp 1", "crate 1", "saw 1"):
        session.step(f"oil {tool}")
    wanted = session.copy().facts
    with ThreadPoolExecutor(4) as pool:
        for _ in range(10):
            twin = workshop().start()
            for tool in ("lamp 1", "crate 1", "saw 1"):
                twin.step(f"oil {tool}")
            copies = [twin.copy() for _ in range(4)]
            assert all(facts == wanted for facts in pool.map(lambda copy: copy.facts, copies))


def test_step_rejects_command_with_two_meanings(workshop: Workshop) -> None:
    session = workshop(grammar=('template :: "oil {t}"', 'template :: "grab {t}"')).start()
    with pytest.raises(DataError, match=r"workshop.tw-pddl: expected 'grab crate 1' to mean one thing, got also oil"):
        session.step("grab crate 1")
    same = workshop(grammar=('template :: "admire {t}"', 'template :: "look"')).start()
    assert same.step("look").startswith("You see")
