"""Navigators on disk: a folder with the model, its vocabulary, and a manifest that says how both are used."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from baselines.horma.train.chat import ChatCodec, load_chat, save_chat
from baselines.horma.train.policy import Policy
from baselines.horma.train.settings import TrainSettings
from baselines.horma.train.tiny import Shape, TinyModel
from baselines.horma.train.words import WordCodec
from baselines.horma.trained import VOCABULARIES, Manifest, hash_files, write_manifest
from bench.errors import UsageError

__all__ = ["load_policy", "save_navigator"]

_WEIGHTS = "weights.bin"
_WORDS = VOCABULARIES["tiny"][0]


def save_navigator(policy: Policy, folder: Path, settings: TrainSettings, revision: str = "") -> None:
    """Write a navigator with the settings that it was trained with. ``revision``: of a base on the hub."""
    folder.mkdir(parents=True, exist_ok=True)
    if isinstance(policy.codec, WordCodec):
        (folder / _WORDS).write_text("".join(f"{_escape(word)}\n" for word in policy.codec.words), encoding="utf-8")
        torch.save({"shape": asdict(policy.model.shape), "weights": policy.model.state_dict()}, folder / _WEIGHTS)
        kind, rows, base = "tiny", policy.model.shape.vocabulary, ""
    else:
        assert isinstance(policy.codec, ChatCodec)
        kind, (rows, base) = "chat", save_chat(policy.model, policy.codec, folder)
    vocabulary = hash_files(folder, VOCABULARIES[kind])
    write_manifest(Manifest(kind, vocabulary, rows, settings.reply_tokens, settings.window, base, revision), folder)


def load_policy(folder: Path, manifest: Manifest) -> Policy:
    """Return the navigator of a folder. Raises: UsageError for a model that has rows for another vocabulary."""
    if manifest.kind == "chat":
        return load_chat(folder, manifest)
    lines = (folder / _WORDS).read_text(encoding="utf-8").split("\n")[:-1]
    codec = WordCodec([_unescape(line) for line in lines])
    held: dict[str, Any] = torch.load(folder / _WEIGHTS, weights_only=True)
    shape = Shape(**held["shape"])
    if not len(codec) == shape.vocabulary == manifest.rows:
        raise UsageError(
            f"navigator: expected weights for the {len(codec)} tokens of {folder / _WORDS}, got weights for "
            f"{shape.vocabulary}; restore the files, or train it again"
        )
    model = TinyModel(shape)
    model.load_state_dict(held["weights"])
    return Policy(model, codec)


def _escape(word: str) -> str:
    return word.replace("\n", "\\n")


def _unescape(line: str) -> str:
    return line.replace("\\n", "\n")
