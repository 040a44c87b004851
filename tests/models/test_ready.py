"""The source of models that are built already."""

from __future__ import annotations

from bench.models.ready import ReadySource
from bench.models.scripted import ScriptedModel
from bench.models.tokenizers import SIMPLE


def test_ready_source_gives_the_same_model_for_every_seed() -> None:
    model = ScriptedModel(["a"], name="mine")
    source = ReadySource(model)
    assert source.model(0) is source.model(7) is model
    assert (source.name, source.identity) == ("mine", "mine")
    source.close()
    assert source.model(0) is model


def test_ready_source_plays_one_process_a_core_with_the_simple_tokenizer() -> None:
    source = ReadySource(ScriptedModel(["a"]))
    assert (source.remote, source.workers, source.tokenizer) == (False, 0, SIMPLE)
