"""The folder of a trained navigator: what is refused before any work, without torch."""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from baselines.horma.navigators import choose_navigator, find_trained
from baselines.horma.trained import Manifest, TrainedModel, check_trained, hash_files, hash_navigator, write_manifest
from bench.config import RunConfig
from bench.errors import UsageError
from bench.runner.resolve import resolve_run
from tests.conftest import RunBench

HAS_TORCH = find_spec("torch") is not None


def make_folder(tmp_path: Path, **changes: Any) -> Path:
    folder = tmp_path / "navigator"
    folder.mkdir()
    (folder / "vocabulary.txt").write_text("lamp\nnow\n")
    (folder / "weights.bin").write_bytes(b"weights")
    about = Manifest("tiny", hash_files(folder, ("vocabulary.txt",)), 7, reply_tokens=8, window=400)
    (folder / "navigator.json").write_text(json.dumps({**asdict(about), **changes}))
    return folder


def test_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"expected the folder of a trained navigator, got no folder .*gone"):
        check_trained(tmp_path / "gone")
    with pytest.raises(UsageError, match="write its path, or train one"):
        TrainedModel(tmp_path / "gone")


@pytest.mark.parametrize("text", ["", "[]", "{", '{"format": 2}', '{"format": 1, "kind": "tiny"}'])
def test_folder_without_a_usable_manifest_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"expected a trained navigator in .*, got no usable navigator.json"):
        check_trained(tmp_path)
    (tmp_path / "navigator.json").write_text(text)
    with pytest.raises(UsageError, match=r"got no usable navigator.json"):
        check_trained(tmp_path)


@pytest.mark.parametrize("changes", [{"kind": "huge"}, {"format": 9}, {"extra": 1}])
def test_manifest_of_another_kind_is_refused(changes: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"got no usable navigator.json"):
        check_trained(make_folder(tmp_path, **changes))


def test_another_vocabulary_is_refused(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    (folder / "vocabulary.txt").write_text("lamp\nnow\nwas\n")
    with pytest.raises(UsageError, match=r"expected the vocabulary that .* was trained with \(\w{12}\), got another"):
        check_trained(folder)


def test_missing_weights_and_a_missing_base_are_refused(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, base="/nowhere/model")
    with pytest.raises(UsageError, match=r"expected the model that .* belongs to, got no folder /nowhere/model"):
        check_trained(folder)
    (folder / "weights.bin").unlink()
    with pytest.raises(UsageError, match=r"expected weights in .*, got none of weights.bin"):
        check_trained(folder)


@pytest.mark.skipif(HAS_TORCH, reason="torch is installed")
def test_missing_extra_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"got no package torch; pip install 'memfrontier\[train\]'"):
        check_trained(make_folder(tmp_path))


@pytest.mark.skipif(not HAS_TORCH, reason="needs the extra [train]")
def test_sound_folder_is_found_and_its_name_follows_its_files(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    assert check_trained(folder).rows == 7
    assert find_trained(str(folder)) == {"navigator": folder}
    assert TrainedModel(folder).name == f"trained/{hash_navigator(folder)}"
    (folder / "checkpoint.pt").write_bytes(b"no part of it")
    before = hash_navigator.__wrapped__(folder)
    assert before == hash_navigator(folder)
    (folder / "weights.bin").write_bytes(b"others")
    assert hash_navigator.__wrapped__(folder) != before


def test_written_manifest_is_read_back(tmp_path: Path) -> None:
    about = Manifest("tiny", "ab", 7, 8, 400, base="hub/name", revision="v1")
    write_manifest(about, tmp_path)
    assert json.loads((tmp_path / "navigator.json").read_text()) == asdict(about)


def test_navigator_by_name_needs_no_folder_and_an_unknown_one_names_the_nearest() -> None:
    assert find_trained("grep") == {}
    assert choose_navigator("random") is not choose_navigator("grep")
    with pytest.raises(UsageError, match="got 'prompt'; did you mean prompted"):
        find_trained("prompt")


def test_bad_navigator_stops_a_run_before_any_work(bench: RunBench, tmp_path: Path) -> None:
    done = bench("run", "toy-talk", "-s", "horma:navigator=./gone", "-o", "out")
    assert done.code == 2
    assert "navigator: expected the folder of a trained navigator, got no folder gone" in done.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("navigator", ["grep", "random"])
def test_a_model_for_a_navigator_that_calls_none_is_refused(navigator: str) -> None:
    asked = f"horma-untrained:navigator={navigator},navigator_model=offline/reader"
    with pytest.raises(UsageError, match=f"got navigator={navigator}, which calls no such model"):
        resolve_run(RunConfig(suites=("toy-talk",), strategies=(asked,)), Path())
    assert resolve_run(RunConfig(suites=("toy-talk",), strategies=(f"horma-untrained:navigator={navigator}",)), Path())
