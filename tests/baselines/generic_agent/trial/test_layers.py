"""The index stays small whatever the layers hold; files are found by name and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.generic_agent.trial.layers import INDEX_LINES, INDEX_TOKENS, Layers
from bench.protocols import count_words

WRITTEN = "Red line: never sell the lamp.\nkitchen facts -> l2/kitchen.txt"


def files(procedures: int) -> dict[str, str]:
    verbs = ("heat", "cool", "clean", "find", "put")
    made = {f"l3/{verbs[n % 5]}-{n}.txt": f"Procedure {n}. " + "Step. " * 20 for n in range(procedures)}
    return {"l1.txt": WRITTEN, "l2/kitchen.txt": "The lamp is in the hall.\nThe cup is red.", **made}


def test_index_names_classes_of_files() -> None:
    assert Layers(files(6), count_words).index == (
        *WRITTEN.splitlines(), "l3/clean*: 1 file", "l3/cool*: 1 file", "l3/find*: 1 file", "l3/heat*: 2 files",
        "l3/put*: 1 file",
    )  # fmt: skip


def test_index_does_not_grow_with_the_files_of_a_class() -> None:
    small, large = Layers(files(10), count_words).index, Layers(files(1000), count_words).index
    assert len(large) == len(small) <= INDEX_LINES
    assert count_words("\n".join(large)) == count_words("\n".join(small))
    assert "l3/heat*: 200 files" in large


def test_index_has_one_line_a_layer_for_too_many_classes() -> None:
    many = {f"l3/kind{n}x-a.txt": "x" for n in range(1000)}
    assert Layers({"l1.txt": WRITTEN, **many}, count_words).index == (*WRITTEN.splitlines(), "l3*: 1000 files")


def test_index_cuts_a_too_long_l1_file() -> None:
    index = Layers({"l1.txt": "\n".join(f"rule {n}" for n in range(99)), "l3/a.txt": "x"}, count_words).index
    assert len(index) == INDEX_LINES
    assert (index[0], index[-1]) == ("rule 0", "l3*: 1 file")
    assert Layers({"l1.txt": "word " * 5000}, count_words).index == ()


@given(st.dictionaries(st.text("l1234/ab-_.tx", max_size=12), st.text(max_size=30), max_size=60), st.text(max_size=400))
def test_index_is_bounded_for_any_files(held: dict[str, str], written: str) -> None:
    def count(text: str) -> int:
        return len(text)  # the strictest counter: a token a character

    index = Layers({**held, "l1.txt": written}, count).index
    assert len(index) <= INDEX_LINES
    assert count("\n".join(index)) <= INDEX_TOKENS


@pytest.mark.parametrize("name", ["l2/kitchen.txt", " l2/kitchen ", "'L2/KITCHEN.txt'"])
def test_read_finds_a_file_by_name(name: str) -> None:
    file = Layers(files(3), count_words).read(name)
    assert file is not None
    assert (file.name, file.text) == ("l2/kitchen.txt", "The lamp is in the hall.\nThe cup is red.")


def test_read_l0_returns_the_procedure_without_any_file() -> None:
    layers = Layers({}, count_words)
    file = layers.read("l0.txt")
    assert file is not None
    assert file.name == "l0"
    assert file.text.startswith("Layers. ")
    assert (layers.layer_names, layers.index) == (("l0",), ())


def test_read_lists_names_with_a_common_beginning() -> None:
    layers = Layers(files(300), count_words)
    listed = layers.read("l3/heat*")
    assert listed is not None
    assert listed.text.startswith("l3/heat-0.txt; l3/heat-10.txt; ")
    assert listed.text.endswith("; and 30 more, name the first letters to see them")
    assert layers.layer_names == ("l0", "l2", "l3")


@pytest.mark.parametrize("name", ["", "l", "l9", "l1.txt", "/etc/passwd", "l2/../l2/kitchen.txt", "kitchen", "l3/zz"])
def test_read_returns_none_for_an_unknown_name(name: str) -> None:
    assert Layers(files(3), count_words).read(name) is None


def test_read_cuts_long_lines() -> None:
    file = Layers({"l2/a.txt": "x" * 5000 + "\nshort"}, count_words).read("l2/a")
    assert file is not None
    assert [len(line) for line in file.text.splitlines()] == [1280, 5]
