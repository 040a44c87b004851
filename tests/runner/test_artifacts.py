"""A damaged manifest of an artifact is one line that says where."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.errors import UsageError
from bench.runner.artifacts import MANIFEST, LearnedArtifact, Provenance, read_artifact, write_artifact
from bench.types import Artifact

ABOUT = Provenance(
    "expel-v1", "expel", "toy", "houses", "grouped-by-spec", 0, "offline/reader", ("full-history",), "p", 2, 1,
    {"rooms": "f"}, {"t1": "s"}, {"t1": "k"},
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_artifact(LearnedArtifact(Artifact({"a.txt": "x"}, {"a.txt": ("t1",)}, ("t1",)), ABOUT), tmp_path / "learned")
    return tmp_path / "learned"


def test_what_was_written_is_read_again(folder: Path) -> None:
    found = read_artifact(folder)
    assert (found.about, found.edited) == (ABOUT, False)
    assert found.artifact == Artifact({"a.txt": "x"}, {"a.txt": ("t1",)}, ("t1",))


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ('tasks = [\n    "t1",\n]', "tasks = [true]", "files.a.txt.tasks.0"),
        ('spec = "s"', "", "tasks.t1.spec"),
        ("digest = ", "other = ", "digest"),
        ("trials = 2", 'trials = "many"', "trials"),
        ('rooms = "f"', "rooms = 1.5", "frames.rooms"),
        ("format = 1", 'format = "new"', ""),
    ],
)
def test_a_wrong_field_is_one_line_that_names_it(folder: Path, old: str, new: str, place: str) -> None:
    path = folder / MANIFEST
    assert old in path.read_text(encoding="utf-8")
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UsageError) as told:
        read_artifact(folder)
    assert (f"got one whose {place} is not right" if place else "expected format 1, got new") in str(told.value)
    assert "\n" not in str(told.value)
