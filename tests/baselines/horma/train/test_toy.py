"""The toy tasks: made anew alike, answerable from one note, and no prey for a search."""

from __future__ import annotations

from statistics import fmean

import pytest

from baselines.horma.navigators import GrepNavigator
from baselines.horma.train.toy import KINDS, make_questions, make_task
from baselines.horma.train.walk import ToyWalk, search


def test_tasks_are_the_same_every_time_and_differ_between_splits() -> None:
    first, again, other = make_task("train", 3), make_task("train", 3), make_task("test", 3)
    texts = [[turn.event.text for turn in one.workspace.raw.turns] for one in (first, again, other)]
    assert (first.question, first.evidence, texts[0]) == (again.question, again.evidence, texts[1])
    assert texts[0] != texts[2]


@pytest.mark.parametrize("number", range(12))
def test_one_note_rests_on_exactly_the_evidence(number: int) -> None:
    task = make_task("train", number)
    if task.kind == "unknown":
        assert task.evidence == ()
        return
    thing = next(word for word in task.question.rstrip("?").split() if f"{task.kind}/{word}.md" in paths(number))
    note = next(note for note in task.workspace.notes if note.path == f"{task.kind}/{thing}.md")
    assert note.sources == task.evidence
    assert len(task.evidence) == (2 if task.kind == "asked" else 1)


def paths(number: int) -> set[str]:
    return {note.path for note in make_task("train", number).workspace.notes}


def test_every_kind_of_question_is_drawn() -> None:
    kinds = [make_task("train", number).kind for number in range(100)]
    assert set(kinds) == {*KINDS, "unknown"}
    assert 3 <= kinds.count("unknown") <= 20


def test_walk_writes_valid_commands_and_finds_little() -> None:
    found = [search(question, ToyWalk(question.id)) for question in make_questions("train", 60)]
    assert sum(one.outcome.refused for one in found) == 0
    assert 0.1 < fmean(one.outcome.jaccard for one in found) < 0.5
    again = search(make_questions("train", 1)[0], ToyWalk("train-0000"))
    assert again == found[0]


def test_greps_find_the_evidence_and_as_much_besides() -> None:
    found = [search(question, GrepNavigator()).outcome for question in make_questions("train", 60)]
    assert fmean(one.recall or 0.0 for one in found if one.recall is not None) == 1.0
    assert fmean(one.jaccard for one in found) < 0.5
