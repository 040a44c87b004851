"""Files of an artifact: named in order, found by folder, read in sections as they were written, joined."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from baselines.shared.artifacts import join_artifacts, list_files, name_file, read_sections, write_sections
from bench.types import Artifact

NAMES = ("Task", "Outcome", "Steps")


def test_list_files_finds_the_texts_of_a_folder_in_the_order_of_their_numbers() -> None:
    names = [name_file("a/", number) for number in (12, 2)]
    files = dict.fromkeys([*names, "b/0001.txt", "a/log.jsonl", "ab.txt"], "x")
    assert list(list_files(Artifact(files), "a/")) == ["a/0002.txt", "a/0012.txt"]
    assert list(list_files(Artifact(files), "c/")) == []


def test_write_sections_puts_each_value_below_its_heading() -> None:
    assert write_sections(NAMES, ("Go.", "solved", "a\n\nb\n")) == (
        "# Task\nGo.\n\n# Outcome\nsolved\n\n# Steps\na\n\nb\n"
    )


def test_read_sections_leaves_empty_what_is_not_there() -> None:
    assert read_sections(NAMES, "# Task\nGo.") == ["Go.", "", ""]
    assert read_sections(NAMES, "Go.\n\n# Outcome\nsolved") == ["Go.", "solved", ""]


@given(some.lists(some.text(some.sampled_from("a#\n T"), max_size=12), min_size=3, max_size=3))
def test_read_sections_gives_back_what_was_written(values: list[str]) -> None:
    assert read_sections(NAMES, write_sections(NAMES, values)) == values


def test_join_artifacts_keeps_all_files_and_sources() -> None:
    one, other = Artifact({"a": "1"}, {"a": ("t1",)}), Artifact({"b": "2"})
    assert join_artifacts([one, other]) == Artifact({"a": "1", "b": "2"}, {"a": ("t1",)})
    assert join_artifacts([]) == Artifact()
