"""The playbook: what tags and deltas change, what is rejected, merged and evicted, and how it is written and read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from baselines.ace.playbook import SECTIONS, Bullet, Operation, Playbook, Tag, read_playbook
from bench.embedders.hash import HashEmbedder
from bench.types import Artifact
from tests.baselines.learners import CountingEmbedder

READ, WASH, OPEN = "Read labels before pouring.", "Wash brushes at the sink.", "Open boxes with a knife."


def add(text: str, section: str = "strategies") -> Operation:
    return Operation("add", section=section, text=text)


def update(number: int, text: str) -> Operation:
    return Operation("update", number, text=text)


def remove(number: int) -> Operation:
    return Operation("remove", number)


def make_playbook(*texts: str, cap: int = 9, similar: float = 0.95) -> Playbook:
    """Return a playbook with one bullet from each of the tasks t1, t2 and so on."""
    playbook = Playbook(HashEmbedder(), cap, similar)
    for number, text in enumerate(texts, start=1):
        playbook.apply([add(text)], f"t{number}")
    return playbook


def texts(playbook: Playbook) -> dict[int, str]:
    return {one.id: one.text for one in playbook.bullets}


def test_delta_changes_what_it_names_and_leaves_the_rest_as_it_was() -> None:
    playbook = make_playbook(READ, WASH, OPEN)
    before = playbook.bullets
    playbook.apply([update(1, "Read the label first."), remove(2), add("Jars hold glue.", "facts")], "t9")
    assert texts(playbook) == {1: "Read the label first.", 3: OPEN, 4: "Jars hold glue."}
    assert playbook.bullets[1] == before[2]
    assert [one.section for one in playbook.bullets] == ["strategies", "strategies", "facts"]


def test_id_is_never_used_again() -> None:
    playbook = make_playbook(READ, WASH)
    playbook.apply([remove(2)], "t3")
    playbook.apply([add(OPEN)], "t4")
    assert texts(playbook) == {1: READ, 3: OPEN}


def test_tags_are_counted_and_change_no_text() -> None:
    playbook = make_playbook(READ, WASH)
    playbook.count([Tag(1, True), Tag(2, False)])
    playbook.count([Tag(1, True)])
    assert [(one.helpful, one.harmful, one.support) for one in playbook.bullets] == [(2, 0, 2), (0, 1, -1)]
    assert texts(playbook) == {1: READ, 2: WASH}


def test_update_keeps_the_counts_and_adds_its_task_to_the_sources() -> None:
    playbook = make_playbook(READ)
    playbook.count([Tag(1, True)])
    playbook.apply([update(1, WASH)], "t0")
    assert playbook.bullets == (Bullet(1, "strategies", WASH, 1, 0, ("t0", "t1"), 1),)


@pytest.mark.parametrize(
    ("operations", "reason"),
    [
        ([update(9, WASH)], "unknown id"),
        ([remove(0)], "unknown id"),
        ([update(1, WASH), remove(1)], "second on one id"),
        ([remove(1), update(1, WASH)], "second on one id"),
        ([add("  ")], "empty text"),
        ([update(1, "")], "empty text"),
        ([*(add(word) for word in ("apple", "bread", "cloth", "dough")), add("eel")], "more than 4 operations"),
    ],
)
def test_operation_that_cannot_be_applied_is_counted_and_changes_nothing(
    operations: Sequence[Operation], reason: str
) -> None:
    playbook, expected = make_playbook(READ), make_playbook(READ)
    playbook.apply(operations, "t2")
    expected.apply(operations[:-1], "t2")
    assert playbook.rejected == {reason: 1}
    assert playbook.bullets == expected.bullets


def test_tag_of_no_bullet_and_second_tag_are_counted() -> None:
    playbook = make_playbook(READ)
    playbook.count([Tag(7, True), Tag(1, True), Tag(1, False)])
    assert playbook.rejected == {"unknown id": 1, "second on one id": 1}
    assert playbook.bullets[0].support == 1


def test_doubles_become_one_with_the_older_id_the_better_text_and_both_counts() -> None:
    playbook = make_playbook(READ, WASH)
    playbook.count([Tag(1, False), Tag(2, True)])
    playbook.apply([update(2, READ.upper())], "t3")
    assert playbook.bullets == (Bullet(1, "strategies", READ.upper(), 1, 1, ("t1", "t2", "t3"), 1),)
    playbook.apply([add(READ)], "t4")
    assert texts(playbook) == {1: READ.upper()}


def test_similar_says_how_near_two_bullets_may_be() -> None:
    near = "Wash brushes at a sink."
    vectors = HashEmbedder().embed([WASH, near])
    assert 0.5 < float(np.dot(*vectors)) < 0.95
    assert len(make_playbook(WASH, near).bullets) == 2
    assert texts(make_playbook(WASH, near, similar=0.5)) == {1: WASH}


def test_new_texts_are_embedded_once_in_one_call() -> None:
    embedder = CountingEmbedder()
    playbook = Playbook(embedder, 9, 0.95)
    playbook.apply([add(READ), add(WASH)], "t1")
    playbook.apply([], "t2")
    playbook.apply([add(OPEN)], "t3")
    assert embedder.calls == [[READ, WASH], [OPEN]]


def test_full_playbook_evicts_what_has_had_the_least_support() -> None:
    playbook = make_playbook(READ, WASH, cap=2)
    playbook.count([Tag(2, True)])
    playbook.apply([add(OPEN)], "t3")
    assert texts(playbook) == {2: WASH, 3: OPEN}


def test_new_bullet_is_not_evicted_for_one_that_had_little_support_in_a_long_time() -> None:
    playbook = make_playbook(READ, cap=2)
    playbook.count([Tag(1, True)])
    for number in range(2, 6):
        playbook.apply([], f"t{number}")
    playbook.apply([add(WASH)], "t6")
    playbook.apply([add(OPEN)], "t7")
    assert texts(playbook) == {2: WASH, 3: OPEN}  # 2 in 7 attempts against 1 in 2


def test_render_shows_ids_and_counts_below_sections_in_their_order() -> None:
    playbook = make_playbook(READ)
    playbook.apply([add("Jars hold glue.", "facts"), add(WASH)], "t2")
    playbook.count([Tag(3, False)])
    assert playbook.render() == (
        f"strategies:\n#1 {READ} (helpful 0, harmful 0)\n#3 {WASH} (helpful 0, harmful 1)\n"
        "facts:\n#2 Jars hold glue. (helpful 0, harmful 0)"
    )
    assert make_playbook().render() == "(empty)"


def test_bullet_is_a_file_of_its_own_with_its_sources() -> None:
    playbook = make_playbook(READ, WASH)
    playbook.count([Tag(2, True)])
    artifact = playbook.write()
    assert artifact.files["playbook/0002.txt"] == f"{WASH}\n(bullet 2 of strategies, helpful 1, harmful 0)\n"
    assert artifact.sources == {"playbook/0001.txt": ("t1",), "playbook/0002.txt": ("t2",)}
    assert read_playbook(artifact) == [Bullet(1, "strategies", READ), Bullet(2, "strategies", WASH, 1)]


def test_text_that_was_not_written_here_is_one_of_the_others() -> None:
    files = {"playbook/a.txt": "Look\nfirst.", "playbook/b.txt": " \n", "insights/c.txt": "No.", "playbook/d.md": "No."}
    files["playbook/e.txt"] = "Jump.\n(bullet 3 of sports, helpful 1, harmful 0)\n"
    assert read_playbook(Artifact(files)) == [Bullet(1, "others", "Look first."), Bullet(3, "others", "Jump.")]


_OPERATIONS = some.builds(
    Operation,
    some.sampled_from(["add", "update", "remove"]),
    some.integers(0, 9),
    some.sampled_from(SECTIONS),
    some.sampled_from(["", READ, READ.upper(), WASH, OPEN, "Read labels before you pour.", "Jars hold glue."]),
)
_TAGS = some.lists(some.builds(Tag, some.integers(0, 9), some.booleans()), max_size=5)
_DELTAS = some.lists(
    some.tuples(_TAGS, some.lists(_OPERATIONS, max_size=6), some.sampled_from(["t1", "t2", "t3"])), max_size=12
)


@given(_DELTAS, some.integers(1, 4), some.sampled_from([0.6, 0.95]))
def test_playbook_stays_small_and_free_of_doubles_and_comes_back_from_its_files(
    deltas: list[tuple[list[Tag], list[Operation], str]], cap: int, similar: float
) -> None:
    playbook, tasks = make_playbook(cap=cap, similar=similar), set[str]()
    for tags, operations, task in deltas:
        tasks.add(task)
        playbook.count(tags)
        playbook.apply(operations, task)
        ids = [one.id for one in playbook.bullets]
        assert ids == sorted(set(ids))
        assert len(ids) <= cap
        assert all(one.text.strip() and one.sources and tasks.issuperset(one.sources) for one in playbook.bullets)
        vectors = HashEmbedder().embed([one.text for one in playbook.bullets])
        assert all(float(np.dot(one, other)) < similar for one, other in combinations(vectors, 2))
    shown = [(one.id, one.section, one.text, one.helpful, one.harmful) for one in playbook.bullets]
    read = read_playbook(playbook.write())
    assert [(one.id, one.section, one.text, one.helpful, one.harmful) for one in read] == shown
