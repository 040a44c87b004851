"""The skill list: what is applied, what is refused and why, and that its log plays to the same list."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.horma.refine.changes import (
    MOST_CHARS,
    MOST_OPERATIONS,
    Cause,
    Kind,
    Operation,
    Origin,
    Reader,
    Rejection,
    Skill,
)
from baselines.horma.refine.skill_list import SkillList, write_skills
from baselines.horma.skills import read_skills

CAUSES = (Cause(Origin.EXO, "t1"), Cause(Origin.EXO, "t2"), Cause(Origin.END, "t1"))
DATES, NAMES, WORDS = "Record exact dates.", "File under every name.", "Grep the rarest word first."


def add(text: str, *causes: int, reader: Reader = Reader.ORGANISE) -> Operation:
    return Operation(Kind.ADD, 0, text, reader, causes)


def edit(number: int, text: str, *causes: int) -> Operation:
    return Operation(Kind.EDIT, number, text, causes=causes)


def remove(number: int) -> Operation:
    return Operation(Kind.REMOVE, number)


def make_list(*texts: str, cap: int = 9) -> SkillList:
    made = SkillList(cap)
    made.apply([add(text) for text in texts], CAUSES[:1])
    return made


def list_texts(skills: SkillList) -> list[str]:
    return [one.text for one in skills.skills]


def test_skill_knows_origin_tasks_and_round_of_what_it_is_based_on() -> None:
    skills = make_list(DATES)
    skills.apply([add(NAMES, 2), add(WORDS, 1, 3, reader=Reader.NAVIGATE), add("Keep denials.")], CAUSES)
    assert skills.skills == (
        Skill(1, DATES, Reader.ORGANISE, (Origin.EXO,), ("t1",), 1),
        Skill(2, NAMES, Reader.ORGANISE, (Origin.EXO,), ("t2",), 2),
        Skill(3, WORDS, Reader.NAVIGATE, (Origin.END, Origin.EXO), ("t1",), 2),
        Skill(4, "Keep denials.", Reader.ORGANISE, (Origin.END, Origin.EXO), ("t1", "t2"), 2),  # names none: all
    )


def test_edit_keeps_id_and_reader_and_adds_to_what_the_skill_is_based_on() -> None:
    skills = make_list(DATES)
    assert skills.apply([edit(1, "Record dates and hours.", 3)], CAUSES) == 1
    (one,) = skills.skills
    assert (one.id, one.text, one.round) == (1, "Record dates and hours.", 2)
    assert (one.origins, one.tasks) == ((Origin.END, Origin.EXO), ("t1",))


def test_removed_id_is_never_used_again() -> None:
    skills = make_list(DATES, NAMES)
    skills.apply([add("Keep denials."), remove(2)], CAUSES)
    assert [(one.id, one.text) for one in skills.skills] == [(1, DATES), (3, "Keep denials.")]


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        (remove(7), Rejection.UNKNOWN_ID),
        (remove(0), Rejection.UNKNOWN_ID),
        (edit(7, "Keep denials."), Rejection.UNKNOWN_ID),
        (add("  "), Rejection.EMPTY_TEXT),
        (add("..."), Rejection.EMPTY_TEXT),
        (edit(1, ""), Rejection.EMPTY_TEXT),
        (add("word " * MOST_CHARS), Rejection.TOO_LONG),
        (add("exact dates: record them"), Rejection.DUPLICATE),
        (edit(1, "File under each and every name"), Rejection.DUPLICATE),
        (edit(1, DATES), Rejection.DUPLICATE),
        (add("Do not record exact dates."), Rejection.CONTRADICTION),
        (edit(2, "Never record exact dates."), Rejection.CONTRADICTION),
    ],
)
def test_what_cannot_be_applied_changes_nothing_and_is_counted(operation: Operation, reason: Rejection) -> None:
    skills = make_list(DATES, NAMES)
    before = skills.skills
    assert skills.apply([operation], CAUSES) == 0
    assert skills.skills == before
    assert skills.rejected == {reason: 1}
    assert json.loads(skills.log.splitlines()[-1])["rejected"] == {str(reason): 1}


def test_same_words_may_be_said_to_both_readers() -> None:
    skills = make_list(DATES)
    assert skills.apply([add(DATES, reader=Reader.NAVIGATE)], CAUSES) == 1


def test_skill_may_be_turned_round_by_an_edit_of_its_own() -> None:
    skills = make_list(DATES)
    assert skills.apply([edit(1, "Do not record exact dates.")], CAUSES) == 1


def test_two_operations_on_one_skill_are_one_too_many() -> None:
    skills = make_list(DATES)
    assert skills.apply([edit(1, "Record hours."), edit(1, "Record years."), remove(1)], CAUSES) == 1
    assert (list_texts(skills), skills.rejected[Rejection.SECOND_ON_ID]) == ([], 2)  # what removes comes first


def test_full_list_takes_a_skill_only_for_one_that_is_removed() -> None:
    skills = make_list(DATES, NAMES, cap=2)
    assert skills.is_full
    assert skills.apply([add("Keep denials."), remove(1), add("Note pictures.")], CAUSES) == 2
    assert list_texts(skills) == [NAMES, "Keep denials."]
    assert skills.rejected == {Rejection.FULL: 1}


def test_more_operations_than_a_call_may_have_are_refused() -> None:
    skills = SkillList(99)
    texts = [
        f"Keep {word}."
        for word in ["names", "dates", "places", "numbers", "titles", "colours", "prices", "moods", "smells"]
    ]
    assert skills.apply([add(text) for text in texts], CAUSES) == MOST_OPERATIONS == len(texts) - 1
    assert skills.rejected == {Rejection.TOO_MANY: 1}


def test_unknown_feedback_is_counted_and_what_is_known_is_kept() -> None:
    skills = SkillList(9)
    skills.apply([add(DATES, 0, 2, 99), add(NAMES, 99)], CAUSES)
    assert [one.tasks for one in skills.skills] == [("t2",), ("t1", "t2")]
    assert skills.rejected == {Rejection.UNKNOWN_FEEDBACK: 3}


def test_render_numbers_by_id_and_says_what_a_skill_is_based_on() -> None:
    skills = make_list(DATES)
    skills.apply([add(WORDS, reader=Reader.NAVIGATE)], CAUSES)
    assert skills.render().splitlines() == [
        f"#1 organise: {DATES} (exo, 1 task, round 1)",
        f"#2 navigate: {WORDS} (end+exo, 2 tasks, round 2)",
    ]
    assert SkillList(3).render() == "(none)"


def test_written_skills_are_read_by_the_one_they_are_for() -> None:
    skills = make_list(DATES, NAMES)
    skills.apply([add(WORDS, 2, reader=Reader.NAVIGATE), remove(1)], CAUSES)
    artifact = write_skills(skills.skills)
    assert read_skills(artifact, "organise") == (NAMES,)
    assert read_skills(artifact, "navigate") == (WORDS,)
    assert artifact.sources == {"skills/organise/0002.txt": ("t1",), "skills/navigate/0003.txt": ("t2",)}


@pytest.mark.parametrize(
    "log",
    [
        "",
        "no json",
        '{"cap": "x"}',
        '{"cap": 3}\n[]',
        '{"cap": 3}\n{"causes": [], "applied": [{"kind": "burn"}], "rejected": {}}',
        '{"cap": 3}\n{"causes": [], "applied": [], "rejected": {"because": 1}}',
        '{"cap": 3}\n{"causes": [["exo"]], "applied": [], "rejected": {}}',
    ],
)
def test_replay_rejects_what_is_no_log(log: str) -> None:
    with pytest.raises(ValueError, match="skills: expected a log of operations"):
        SkillList.replay(log)


TEXTS = st.sampled_from(
    [DATES, "Do not record exact dates.", NAMES, WORDS, "Keep denials.", "", "word " * 60, "Ünï 記"]
)
OPERATIONS = st.builds(
    Operation,
    st.sampled_from(Kind),
    st.integers(0, 6),
    TEXTS,
    st.sampled_from(Reader),
    st.lists(st.integers(-1, 5), max_size=3).map(tuple),
)
CALLS = st.lists(
    st.tuples(
        st.lists(OPERATIONS, max_size=12),
        st.lists(st.builds(Cause, st.sampled_from(Origin), st.sampled_from(["t1", "t2"])), min_size=1, max_size=3),
    ),
    max_size=5,
)


@given(CALLS, st.integers(1, 4))
def test_log_plays_to_the_same_list_within_the_cap_and_without_clashes(
    calls: list[tuple[list[Operation], list[Cause]]], cap: int
) -> None:
    skills = SkillList(cap)
    for operations, causes in calls:
        applied = skills.apply(operations, causes)
        assert applied <= min(len(operations), MOST_OPERATIONS)
    again = SkillList.replay(skills.log)
    assert (again.skills, again.log, again.rejected) == (skills.skills, skills.log, skills.rejected)
    ids = [one.id for one in skills.skills]
    assert ids == sorted(set(ids))
    assert len(ids) <= cap
    assert all(one.tasks and one.origins and one.text.strip() for one in skills.skills)
    pairs = {(one.reader, one.text) for one in skills.skills}
    assert len(pairs) == len(ids)
