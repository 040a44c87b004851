from __future__ import annotations

from pathlib import Path

import pytest

from bench.errors import StoreError
from bench.store.place import Place


def test_check_accepts_the_same_file_whatever_is_written_and_wherever_the_process_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f").write_text("a")
    place = Place(Path("f"))
    Path("f").write_text("b")
    monkeypatch.chdir("/")
    place.check()


@pytest.mark.parametrize("how", ["deleted", "replaced", "folder gone", "folder is a file"])
def test_check_refuses_another_file_or_none(tmp_path: Path, how: str) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    file = folder / "f"
    file.touch()
    place = Place(file)
    file.rename(tmp_path / "kept")
    if how == "replaced":
        file.touch()
    elif how != "deleted":
        folder.rmdir()
    if how == "folder is a file":
        folder.touch()
    with pytest.raises(StoreError, match="moved or deleted meanwhile; put it back, then resume"):
        place.check()
    (tmp_path / "kept").unlink()
