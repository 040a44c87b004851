from __future__ import annotations

import subprocess
import sys

import pytest

from bench.errors import UsageError
from bench.registry import embedder_names, load_embedder


def test_hash_needs_no_extra() -> None:
    assert load_embedder("hash").name == "hash"


def test_litellm_names_are_accepted_without_importing_the_library() -> None:
    assert load_embedder("litellm/openai/text-embedding-3-small").name == "litellm/openai/text-embedding-3-small"


@pytest.mark.parametrize("name", ["hsah", "", "MiniLM"])
def test_unknown_name_gives_an_error_with_the_known_names(name: str) -> None:
    with pytest.raises(UsageError, match="embedder: expected an embedder, got") as error:
        load_embedder(name)
    assert any(known in str(error.value) for known in embedder_names())


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
