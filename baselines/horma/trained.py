"""A trained navigator: what the folder that training leaves holds, whether it can be used, and the model in it.

The folder is checked without torch, before any work. The weights are loaded when the first reply is asked for: a run
that is resumed, or shown, may need none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from bench.errors import ModelError, UsageError, boundary
from bench.types import Message, Reply, Usage

__all__ = [
    "INSTALL",
    "MANIFEST",
    "VOCABULARIES",
    "Manifest",
    "TrainedModel",
    "check_trained",
    "find_missing_package",
    "hash_files",
    "hash_navigator",
    "write_manifest",
]

MANIFEST = "navigator.json"
INSTALL = "pip install 'memfrontier[train]'"
_FORMAT = 1
_PACKAGES = {"tiny": ("torch",), "chat": ("torch", "transformers", "peft")}
VOCABULARIES = {"tiny": ("vocabulary.txt",), "chat": ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja")}
_WEIGHTS = {
    "tiny": ("weights.bin",),
    "chat": ("adapter_model.safetensors", "model.safetensors", "model.safetensors.index.json"),
}
_NO_PART = (".pt", ".part", ".csv")
_LOADING = Lock()
_NO_REPLY = "(no reply)"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a training says about the navigator it has made."""

    kind: str
    """tiny: words as tokens, a model of this project; chat: a model of the library transformers."""
    vocabulary: str
    """Digest of the files that say what a token is."""
    rows: int
    """How many tokens the model has a row for."""
    reply_tokens: int
    window: int
    base: str = ""
    """Of adapters: the model they belong to, a folder or a hub name; empty = the folder holds all weights."""
    revision: str = ""
    """Of a base on the hub."""
    format: int = _FORMAT


def write_manifest(manifest: Manifest, folder: Path) -> None:
    (folder / MANIFEST).write_text(json.dumps(asdict(manifest), indent=1, sort_keys=True) + "\n", encoding="utf-8")


def check_trained(folder: Path) -> Manifest:
    """Return what is in a navigator's folder.

    Raises: UsageError if there is no such folder, it holds no navigator, one of another vocabulary, or one that needs a
    package which is not installed.
    """
    if not folder.is_dir():
        raise _refuse("the folder of a trained navigator", f"no folder {folder}", "write its path, or train one")
    manifest = _read_manifest(folder)
    if (found := hash_files(folder, VOCABULARIES[manifest.kind])) != manifest.vocabulary:
        raise _refuse(
            f"the vocabulary that {folder} was trained with ({manifest.vocabulary[:12]})",
            f"another ({found[:12]})",
            "restore its files, or train it again",
        )
    if not any((folder / name).is_file() for name in _WEIGHTS[manifest.kind]):
        raise _refuse(f"weights in {folder}", f"none of {', '.join(_WEIGHTS[manifest.kind])}", "train it again")
    if manifest.base.startswith("/") and not Path(manifest.base).is_dir():
        raise _refuse(f"the model that {folder} belongs to", f"no folder {manifest.base}", "put it back")
    if missing := find_missing_package(manifest.kind):
        raise _refuse(f"the extra 'train' for {folder}", f"no package {missing}", INSTALL)
    return manifest


def find_missing_package(kind: str) -> str:
    """Return the first package that navigators of a kind need and that is not installed; empty if all are."""
    return next((package for package in _PACKAGES[kind] if find_spec(package) is None), "")


def _read_manifest(folder: Path) -> Manifest:
    path = folder / MANIFEST
    try:
        held = json.loads(path.read_text(encoding="utf-8-sig"))
        if (
            held["format"] != _FORMAT
            or held["kind"] not in _PACKAGES
            or set(held) != {f.name for f in fields(Manifest)}
        ):
            raise ValueError(f"format {held['format']}, kind {held['kind']}")
        return Manifest(**held)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as fault:
        raise _refuse(
            f"a trained navigator in {folder}", f"no usable {MANIFEST} ({fault})", "train it again"
        ) from fault


def hash_files(folder: Path, names: Sequence[str]) -> str:
    """Return the digest of those files that are there, names included."""
    digest = hashlib.sha256()
    for name in sorted(names):
        if (folder / name).is_file():
            with (folder / name).open("rb") as file:
                digest.update(f"{name} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()


@cache
def hash_navigator(folder: Path) -> str:
    """Return the digest of a navigator's folder, as 16 hex digits; checkpoints and logs are no part of it."""
    return hash_files(folder, [path.name for path in folder.iterdir() if path.suffix not in _NO_PART])[:16]


class TrainedModel:
    """The model of a navigator's folder. It takes the likeliest token: a reply depends on the messages alone."""

    def __init__(self, folder: Path):
        """Raises: UsageError, as ``check_trained``."""
        self._folder, self._manifest = folder, check_trained(folder)

    @property
    def name(self) -> str:
        return f"trained/{hash_navigator(self._folder)}"

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        """Return the next reply of a search: system, opening, reply, observation, ... Raises: ModelError.

        A prompt that leaves no room for a reply within the window that it was trained with ends the search.
        """
        with boundary(ModelError, f"navigator {self._folder}"), _LOADING:
            policy = _load(self._folder, self._manifest)
            prompt = policy.encode(messages)
            if len(prompt) + self._manifest.reply_tokens > self._manifest.window:
                return Reply("done", Usage(prompt=len(prompt), completion=0), 0.0)
            most = min(self._manifest.reply_tokens, max_tokens or self._manifest.reply_tokens)
            reply = policy.sample([prompt], most, temperature=0.0, rng=None)[0]
            text = policy.codec.decode(reply).strip()
        # A reply without a text would be a fault of the model; here it is a reply that the session cannot read.
        return Reply(text or _NO_REPLY, Usage(prompt=len(prompt), completion=len(reply)), 0.0)


@cache
def _load(folder: Path, manifest: Manifest) -> Any:
    return import_module("baselines.horma.train.saving").load_policy(folder, manifest)


def _refuse(expected: str, got: str, advice: str) -> UsageError:
    return UsageError(f"navigator: expected {expected}, got {got}; {advice}")
