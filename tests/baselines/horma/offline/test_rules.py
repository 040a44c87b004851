"""The offline manager and navigator: what a novice does, and what skills add to it."""

from __future__ import annotations

from baselines.horma.manager import Manager
from baselines.horma.navigation import NavigationLimits, NavigationSession
from baselines.horma.navigators import PromptedNavigator, play
from baselines.horma.notes import Line
from baselines.horma.offline.rules import RULES
from baselines.horma.refusals import RefusalKind
from baselines.horma.strategy import STRATEGY
from baselines.horma.workspace import Workspace
from bench.embedders.hash import HashEmbedder
from bench.models.offline.reader import OfflineReader
from bench.protocols import Budget, Kit, Params, count_words
from bench.types import Artifact, Event, EventKind, Frame
from tests.baselines.horma.workspaces import make_turn

TALK = (
    ("D1:1", "Ann", "Hey Bob! I finally moved to a small old flat in the north of Oslo with my cat Momo last week. "
     "My sister Zoe helped me with all the boxes."),
    ("D1:2", "Bob", "Wow! Where exactly?"),
    ("D1:3", "Ann", "Near the harbour museum. I don't have a car there."),
    ("D2:1", "Bob", "I broke my arm at the climbing hall yesterday. [shares a photo of a green cast]"),
)  # fmt: skip


def make_kit(*, organise: tuple[str, ...] = (), navigate: tuple[str, ...] = ()) -> Kit:
    files = {"skills/organise/1.txt": "\n".join(organise), "skills/navigate/1.txt": "\n".join(navigate)}
    params = Params(STRATEGY.params, {}, who="horma")
    return Kit(
        OfflineReader(RULES),
        HashEmbedder(),
        Frame("f", ""),
        Budget(None, count_words),
        params,
        artifact=Artifact(files),
    )


def file_talk(*skills: str) -> Workspace:
    workspace = Workspace()
    for ref, who, text in TALK:
        workspace.write_raw(make_turn(ref, who, text, "8 May, 2023" if ref[1] == "1" else "2 June, 2023"))
    Manager(make_kit(organise=skills), workspace).organise(workspace.raw.turns)
    assert workspace.refusals == {}
    return workspace


def list_lines(workspace: Workspace) -> dict[str, list[str]]:
    return {note.path: [str(line) for line in note.lines] for note in workspace.notes}


def search(workspace: Workspace, question: str, *skills: str) -> tuple[str, ...]:
    session = NavigationSession(workspace, question, NavigationLimits(turns=6))
    play(session, PromptedNavigator(make_kit(navigate=skills)))
    assert set(session.refusals) <= {RefusalKind.MISSING}  # a neighbour of the last turn
    return session.selected


def test_novice_files_one_shortened_sentence_of_each_turn_under_its_speaker() -> None:
    assert list_lines(file_talk()) == {
        "entities/ann.md": [
            "Ann: I finally moved to a small old flat in the [D1:1]",
            "Ann: Near the harbour museum. [D1:3]",
        ],
        "entities/bob.md": ["Bob: I broke my arm at the climbing hall yesterday. [D2:1]"],
    }


def test_skills_keep_details_dates_denials_names_and_pictures() -> None:
    filed = list_lines(
        file_talk(
            "Record exact dates.",
            "Anchor yesterday and last week as dates.",
            "Keep denials.",
            "File a line under each name.",
            "Write every fact that is stated.",
            "Keep pictures.",
        )
    )
    assert filed["entities/ann.md"][0] == (
        "Ann: I finally moved to a small old flat in the north of Oslo with my cat Momo last week "
        "(the week before 8 May 2023). [D1:1]"
    )
    assert "Ann: I don't have a car there. [D1:3]" in filed["entities/ann.md"]
    assert filed["entities/momo.md"] == filed["entities/ann.md"][:1]
    assert filed["entities/zoe.md"] == ["Ann: My sister Zoe helped me with all the boxes. [D1:1]"]
    assert filed["entities/bob.md"] == [
        "Bob: I broke my arm at the climbing hall yesterday (1 June 2023). [D2:1]",
        "Bob: shares a photo of a green cast [D2:1]",
    ]


def test_a_skill_that_says_nothing_to_it_has_no_effect() -> None:
    assert list_lines(file_talk("Be brave and kind.")) == list_lines(file_talk())


def test_a_long_note_goes_on_in_another() -> None:
    workspace = Workspace()
    manager = Manager(make_kit(), workspace)
    for session in range(1, 5):
        turns = [
            workspace.write_raw(
                make_turn(f"D{session}:{n}", "Ann", f"I bought painting number {n} then.", "8 May, 2023")
            )
            for n in range(1, 121)
        ]
        manager.organise(turns)
    assert [(note.path, len(note.lines)) for note in workspace.notes] == [
        ("entities/ann.md", 240),
        ("entities/ann_2.md", 240),
    ]


def file_steps(*skills: str) -> Workspace:
    workspace = Workspace()
    manager = Manager(make_kit(organise=skills), workspace)
    manager.task = "You are in a room.\n\nYour task is to: put a mug in the desk."
    for step, (action, text) in enumerate(
        (
            ("go to shelf 1", "You arrive at shelf 1. On the shelf 1, you see a book 1, and a mug 2."),
            ("open book 1", "Nothing happens."),
        ),
        start=1,
    ):
        manager.organise(
            [
                workspace.write_raw(Event(f"a{step}", EventKind.ACTION, action, step)),
                workspace.write_raw(Event(f"o{step}", EventKind.OBSERVATION, text, step)),
            ]
        )
    return workspace


def test_novice_files_the_first_sentence_of_an_observation() -> None:
    assert list_lines(file_steps()) == {"entities/shelf_1.md": ["You arrive at shelf 1. [o1]"]}


def test_skills_note_goal_objects_places_and_failed_actions() -> None:
    filed = list_lines(
        file_steps("Note where a goal object was seen.", "Note places that were searched.", "Note actions that fail.")
    )
    assert filed["entities/mug_2.md"] == ["On the shelf 1, you see a book 1, and a mug 2. [o1]"]
    assert filed["notes/places.md"] == ["You arrive at shelf 1. On the shelf 1, you see a book 1, and a mug 2. [o1]"]
    assert filed["notes/failed.md"] == ["open book 1: Nothing happens. [a2, o2]"]


def test_novice_greps_one_word_and_takes_the_first_line() -> None:
    assert search(file_talk(), "Where did Bob break an arm?") == ("D2:1",)
    assert search(file_talk(), "What is the name of the cat of Ann?") == ("D1:1",)


def test_skills_find_by_the_rarest_words_and_take_more() -> None:
    workspace = file_talk()
    question = "What was near the harbour, and when did Bob break his arm?"
    found = search(
        workspace, question, "Grep the rarest words.", "Try several words.", "Select every line that may help."
    )
    assert set(found) == {"D1:3", "D2:1"}
    wide = search(workspace, "What is near the harbour?", "Grep the rarest words.", "Read the neighbours.")
    assert wide == ("D1:3", "D1:2")


def test_turns_behind_notes_are_found_with_the_skill_for_it() -> None:
    workspace = file_talk()
    assert search(workspace, "What is in Oslo?", "Grep rare words.") == ("D1:1",)
    session = NavigationSession(workspace, "Who has an old flat?", NavigationLimits())
    play(session, PromptedNavigator(make_kit(navigate=("Grep rare words.", "Expand notes to the turns they cite."))))
    assert [unit.path for unit in session.selected_units] == ["entities/ann.md", "raw_logs/session_001_2023-05-08"]


def test_a_task_takes_the_notes_on_places() -> None:
    workspace = file_steps("Note places that were searched.")
    question = "Your task is to: put a mug in the desk.\nYou see nothing."
    session = NavigationSession(workspace, question, NavigationLimits())
    trail = play(session, PromptedNavigator(make_kit(navigate=("Take the notes on places searched.",))))
    assert trail[0].startswith("Skills followed: 1 of 1. select notes/places.md")
    assert "notes/places.md" in {unit.path for unit in session.selected_units}


def test_notes_on_the_current_observation_are_not_taken() -> None:
    workspace = file_steps("Note places that were searched.", "Keep the whole observation.")
    workspace.write_raw(Event("a3", EventKind.ACTION, "go to shelf 2", 3))
    workspace.write_raw(Event("o3", EventKind.OBSERVATION, "On the shelf 2, you see a mug 3.", 3))
    workspace.append("notes/new.md", [Line("a mug 3 is on shelf 2", ("o3",))])
    session = NavigationSession(workspace, "Your task is to: put a mug in the desk.", NavigationLimits(), "o3")
    trail = play(session, PromptedNavigator(make_kit()))
    assert trail[0] == "grep desk"
    assert session.selected == ()
    session = NavigationSession(workspace, "Your task is to: find a mug.", NavigationLimits(), "o3")
    play(session, PromptedNavigator(make_kit(navigate=("Grep rare words.", "Select every line."))))
    assert session.selected == ("o1",)


def test_nothing_to_grep_ends_the_search() -> None:
    assert search(Workspace(), "Who is it?") == ()
