from __future__ import annotations

import subprocess
import sys

import pytest

from bench.errors import UsageError
from bench.registry import embedder_names, load_embedder


def test_hash_is_there_without_an_extra() -> None:
    assert load_embedder("hash").name == "hash"


def test_any_litellm_name_is_taken_without_importing_the_library() -> None:
    assert load_embedder("litellm/openai/text-embedding-3-small").name == "litellm/openai/text-embedding-3-small"


@pytest.mark.parametrize("name", ["hsah", "", "MiniLM"])
def test_unknown_names_name_the_known(name: str) -> None:
    with pytest.raises(UsageError, match="embedder: expected an embedder, got") as error:
        load_embedder(name)
    assert any(known in str(error.value) for known in embedder_names())


def test_litellm_wants_a_name() -> None:
    with pytest.raises(UsageError, match="expected litellm/<model>"):
        load_embedder("litellm/")


def test_importing_the_package_loads_no_heavy_library() -> None:
    code = (
        "import sys, bench.registry, bench.embedders.minilm, bench.embedders.litellm; "
        "print(sorted({'torch', 'litellm', 'sentence_transformers', 'transformers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
