"""llama.cpp in this process: one model file, one conversation at a time, replies that do not depend on what ran before.

Wraps xllamacpp, which is llama.cpp's own server as a library (chat templates, stop strings, prefix cache); this is the
one file that imports it. A prompt that is partly in the prefix cache must give the reply that an empty cache gives, so
every token is computed in the same way whatever came before it. Measured on SmolLM2-135M, Q4_1:

* one token at a time (ubatch 1): pieces of other lengths are added up otherwise, 0.19 in a log-probability after
  1,243 tokens and other words in 3 of 50 replies; one at a time, all bits agree. Reading is 1.7 times slower for it;
* flash attention off: 0.5 in a log-probability, other words in 2 of 6 replies; and no repacked weights, to be as plain;
* one thread: on a machine that is shared, two wait for each other (20 times slower on two busy cores);
* one sequence; its state is saved in memory when another conversation comes in between, and restored by its prefix.

Knows nothing of names, runs or trials.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.errors import ContextOverflow, ModelError, UsageError
from bench.types import Message, Reply, Usage

__all__ = ["CONTEXT_TOKENS", "DEFAULT_MAX_TOKENS", "INSTALL", "Llama", "Sampling", "open_llama"]

CONTEXT_TOKENS = 8192
"""Prompt and reply together; less where the model was trained on less."""
DEFAULT_MAX_TOKENS = 512
"""Tokens of the longest reply where a call sets no limit: a small model may never stop by itself."""
INSTALL = "pip install 'memfrontier[local]'"
_STATE_CACHE_MIB = 1024
"""Memory for the states of other conversations, about 23 KiB a token for the 135M model."""
_MAGIC = b"GGUF"
_OVERFLOW = "exceed_context_size_error"


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the next token is chosen: temperature 0 takes the likeliest. There are no penalties and no other filters."""

    temperature: float = 0.0
    top_p: float = 1.0
    seed: int | None = None
    """None = a different one for each call; without effect at temperature 0."""


class Llama:
    """One loaded model file. Threads take turns."""

    def __init__(self, path: Path):
        """Load the file. Raises: UsageError for a missing extra, a missing file or one that is no model."""
        _check_file(path)
        self.path = path
        self._lock = threading.Lock()
        self._server = _load_server(path)

    def complete(
        self, messages: Sequence[Message], sampling: Sampling, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        """Return the reply, with the model's own token counts.

        Raises: ContextOverflow if the prompt does not fit; ModelError for anything else llama.cpp refuses.
        """
        request = {
            "messages": [
                {"role": message.role, "content": _replace_surrogates(message.content)} for message in messages
            ],
            "max_tokens": DEFAULT_MAX_TOKENS if max_tokens is None else max_tokens,
            "stop": [_replace_surrogates(text) for text in stop],
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "top_k": 0,
            "min_p": 0.0,
            "repeat_penalty": 1.0,
            "cache_prompt": True,
        }
        if sampling.seed is not None:
            request["seed"] = sampling.seed % 2**32
        with self._lock:
            try:
                response = self._server.handle_chat_completions(request)
            except Exception as cause:
                raise ModelError(f"{self.path.name}: llama.cpp: {cause}") from cause
        return _read_reply(response, self.path.name)


def _check_file(path: Path) -> None:
    """Raises: UsageError if there is no readable file that begins like a model."""
    try:
        with path.open("rb") as file:
            start = file.read(len(_MAGIC))
    except OSError as cause:
        raise UsageError(
            f"model file {path}: expected a GGUF file, got none ({cause.strerror}); check the path"
        ) from cause
    if start != _MAGIC:
        raise UsageError(f"model file {path}: expected a GGUF file, got one that begins with {start!r}; check the path")


def _load_server(path: Path) -> Any:
    try:
        library = import_module("xllamacpp")
    except ImportError as missing:
        raise UsageError(
            f"model: expected the extra 'local' for a model in this process, got no package {missing.name}; {INSTALL}"
        ) from missing
    params = library.CommonParams()
    params.model.path = str(path)
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = params.n_ubatch = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.n_gpu_layers = 0
    params.flash_attn_type = library.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    params.no_extra_bufts = True
    params.cache_ram_mib = _STATE_CACHE_MIB
    params.fit_params = params.warmup = params.ui = params.endpoint_slots = params.endpoint_props = False
    params.verbosity = -1
    # The library opens a loopback port of its own, which is not needed: a random key closes it.
    params.api_keys = [secrets.token_urlsafe(32)]
    params.n_threads_http = 1
    try:
        return library.Server(params)
    except Exception as cause:
        raise UsageError(
            f"model file {path}: expected a GGUF model that llama.cpp can load, got a damaged or unknown one "
            f"({cause}); "
            "fetch it again"
        ) from cause


def _replace_surrogates(text: str) -> str:
    """Return the text with a ? for each lone surrogate, which JSON cannot hold."""
    return text.encode(errors="replace").decode()


def _read_reply(response: Any, who: str) -> Reply:
    if not isinstance(response, Mapping):
        raise ModelError(f"{who}: llama.cpp: expected a completion, got {str(response)[:200]}")
    error = response.get("error")
    if isinstance(error, Mapping):
        if error.get("type") == _OVERFLOW:
            raise ContextOverflow(f"{who}: {error.get('message')}")
        raise ModelError(f"{who}: llama.cpp: {json.dumps(error)}")
    choice, counts = response["choices"][0], response["usage"]
    usage = Usage(
        prompt=counts["prompt_tokens"],
        cached_read=counts["prompt_tokens_details"]["cached_tokens"],
        completion=counts["completion_tokens"],
    )
    finish = "length" if choice["finish_reason"] == "length" else "stop"
    return Reply(choice["message"].get("content") or "", usage, cost_usd=0.0, finish=finish)


_loaded: dict[Path, Llama] = {}
_loading = threading.Lock()


def open_llama(path: Path) -> Llama:
    """Return this process's one copy of a model file, loading it at the first call; it stays until the process ends.

    Raises: UsageError for a missing extra, a missing file or one that is no model.
    """
    path = path.resolve()
    with _loading:
        if path not in _loaded:
            _loaded[path] = Llama(path)
        return _loaded[path]
