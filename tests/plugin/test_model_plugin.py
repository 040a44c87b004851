"""The example model and embedder: usable as an installed package, and no replacement of a built-in name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path


def test_installed_model_and_embedder_play(bench_with_plugins: Callable[..., str]) -> None:
    bench_with_plugins(
        *("run", "toy", "-s", "embedding", "-m", "acme/parrot", "--embedder", "letters", "--limit", "1", "-o", "run")
    )
    (line,) = json.loads(bench_with_plugins("table", "run", "--format", "json"))
    assert (line["model"], line["n"], line["offline"]) == ("acme/parrot", 1, False)
    assert line["tokens_act"] > 0


def test_installed_embedder_cannot_replace_a_built_in(run_with_plugins: Callable[..., str], tmp_path: Path) -> None:
    code = (
        "from bench.registry import embedder_names, load_embedder, model_names; "
        "print(*model_names(), *embedder_names(), type(load_embedder('hash')).__name__)"
    )
    words = run_with_plugins("-c", code, cwd=tmp_path).split()
    assert words[-5:] == ["acme/parrot", "hash", "letters", "minilm", "HashEmbedder"]
