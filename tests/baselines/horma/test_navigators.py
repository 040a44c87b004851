"""Who searches: a model with its prompt and limits, the grep rule, the random walk."""

from __future__ import annotations

from baselines.horma.navigation import NavigationLimits, NavigationSession
from baselines.horma.navigators import (
    NAVIGATORS,
    GrepNavigator,
    PromptedNavigator,
    RandomNavigator,
    build_system,
    find_now,
    list_hits,
    play,
)
from baselines.horma.workspace import Workspace
from bench.types import Artifact
from tests.baselines.horma.managing import Script, make_kit
from tests.baselines.horma.workspaces import make_workspace

QUESTION = "When did Ann move to Oslo?"


def make_session(turns: int = 10, query: str = QUESTION) -> NavigationSession:
    return NavigationSession(make_workspace(), query, NavigationLimits(turns=turns))


def test_prompted_navigator_sees_the_opening_and_every_result() -> None:
    script, session = Script(navigate=["grep Oslo", "select D1:1\ndone"]), make_session()
    assert play(session, PromptedNavigator(make_kit(script))) == ("grep Oslo", "select D1:1 done")
    first, second = script.prompts["navigate"]
    assert first[0].content == build_system(10)
    assert "You have at most 10 replies." in first[0].content
    assert "cat shows about 1500 words at most" in first[0].content
    assert "grep shows about 750 words at most" in first[0].content
    assert "{" not in first[0].content
    assert first[1].content == session.opening()
    assert [message.role for message in second] == ["system", "user", "assistant", "user"]
    assert "grep Oslo: 2 lines" in second[3].content
    assert session.selected == ("D1:1",)


def test_prompted_navigator_sees_its_own_skills() -> None:
    script = Script()
    artifact = Artifact({"skills/navigate/1.txt": "Grep rare words.", "skills/organise/1.txt": "Keep dates."})
    play(make_session(), PromptedNavigator(make_kit(script, artifact=artifact)))
    assert script.prompts["navigate"][0][0].content.endswith("\n1. Grep rare words.")


def test_play_gives_up_after_two_replies_without_a_command() -> None:
    session = make_session()
    assert play(session, PromptedNavigator(make_kit(Script(navigate=["Well.", "ls", "Hm.", "Hm."])))) == (
        "Well.",
        "ls",
        "Hm.",
        "Hm.",
    )
    assert session.turns == 4


def test_play_ends_a_navigator_that_never_stops() -> None:
    session = make_session(turns=6)
    assert len(play(session, PromptedNavigator(make_kit(Script(navigate=["ls"]))))) == 6
    assert session.selected == ()


def test_grep_navigator_selects_the_lines_that_hold_the_rarest_words() -> None:
    session = make_session(query="Where did Bob break his arm?")
    trail = play(session, GrepNavigator())
    assert trail[0] == "grep Bob grep break grep arm"
    assert session.selected[0] == "D2:1"


def test_list_hits_leaves_out_what_rests_on_the_current_observation_alone() -> None:
    shown = (
        "grep mug: 4 lines\nnotes/a.md:1: a mug [o1]\nnotes/a.md:2: a mug [o3]\n"
        "notes/a.md:3: mugs [o1, o3]\no3: (shown)\n"
        "and 3 older ones; look in one folder or file for them\nSelected: 0 of 10 tokens."
    )
    assert find_now("# Task\nx\n\n# Current observation, o3\ny") == "o3"
    assert list(list_hits(shown, "o3")) == ["notes/a.md:1", "notes/a.md:3"]
    assert list(list_hits(shown, find_now("# Question\nx"))) == ["notes/a.md:1", "notes/a.md:2", "notes/a.md:3", "o3"]


def test_grep_navigator_ends_where_there_is_nothing_to_grep() -> None:
    session = NavigationSession(Workspace(), "What is it?")
    assert play(session, GrepNavigator()) == ("done",)
    assert session.selected == ()


def test_random_navigator_repeats_itself_for_a_seed() -> None:
    trails = {play(make_session(), RandomNavigator(seed=seed)) for seed in ("a", "a", "b", "c")}
    assert 2 <= len(trails) <= 3
    assert any(
        session.selected
        for seed in range(20)
        if (session := make_session()) and play(session, RandomNavigator(seed=str(seed)))
    )


def test_navigators_are_built_by_name() -> None:
    assert {name: type(build(make_kit(Script()), "s")) for name, build in NAVIGATORS.items()} == {
        "prompted": PromptedNavigator,
        "random": RandomNavigator,
        "grep": GrepNavigator,
    }
