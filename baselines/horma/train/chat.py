"""Chat models as navigators: their template as pieces of token ids, their weights with adapters, on disk and back.

The template is asked once what stands around a text; after that ids are only joined. A history is never rendered again:
templates change what they have shown (they drop earlier thoughts, say), and a tokenizer may read a reply otherwise than
it was sampled.

The adapters are LoRA (arXiv 2106.09685) on all linear layers, by the library peft. None of this has been run on a GPU.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

from baselines.horma.train.policy import Policy
from baselines.horma.trained import Manifest
from bench.errors import UsageError

__all__ = ["ChatCodec", "ModelSettings", "build_chat", "load_chat", "save_chat"]

_MARKS = ("@@instructions@@", "@@opening@@", "@@reply@@", "@@observation@@")
_WHAT = "a chat template with a system message that shows each message as it is"


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The model that is trained."""

    name: str
    """A local folder, or a name on the hub."""
    revision: str = ""
    """Of a hub model: a commit or tag; empty = the newest."""
    device: str = "cuda"
    dtype: str = "bfloat16"
    """Of the base; adapters are trained in float32."""
    lora_rank: int = 16
    """0 = all weights are trained."""
    lora_alpha: int = 32
    lora_dropout: float = 0.0
    checkpointing: bool = True
    """Compute activations again on the way back, to save memory."""


class ChatCodec:
    """The tokenizer and the template of a chat model."""

    def __init__(self, tokenizer: Any):
        """Raises: UsageError for a template that cannot be taken apart."""
        self.tokenizer = tokenizer
        self._before, self._between, self._to_reply, self._after_reply, self._to_next = self._take_apart()

    @property
    def pad(self) -> int:
        found = self.tokenizer.pad_token_id
        return int(self.tokenizer.eos_token_id if found is None else found)

    @cached_property
    def stops(self) -> frozenset[int]:
        """The ids that end a reply: what the template puts behind one, and the model's own end of text."""
        ids = {self._after_reply[0], self.tokenizer.eos_token_id}
        return frozenset(one for one in ids if one is not None)

    def open(self, opening: str, instructions: str = "") -> list[int]:
        """Return the ids of instructions and opening, up to where the model writes."""
        texts = (self._encode(instructions), self._encode(opening))
        return [*self._before, *texts[0], *self._between, *texts[1], *self._to_reply]

    def follow(self, reply: Sequence[int], observation: str) -> list[int]:
        """Return the ids that come after a reply, up to where the model writes again."""
        ended = bool(reply) and reply[-1] in self.stops
        return [*self._after_reply[ended:], *self._encode(observation), *self._to_next]

    def encode_reply(self, text: str) -> list[int]:
        return [*self._encode(text), self._after_reply[0]]

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of a reply without what ends it."""
        return str(self.tokenizer.decode([one for one in ids if one not in self.stops], skip_special_tokens=True))

    def _encode(self, text: str) -> list[int]:
        """Return the ids of a text. What looks like a special token in it is text: a turn cannot end a turn."""
        return list(self.tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"])

    def _take_apart(self) -> list[list[int]]:
        roles = ("system", "user", "assistant", "user")
        messages = [{"role": role, "content": mark} for role, mark in zip(roles, _MARKS, strict=True)]
        try:
            # A template without a mode for thinking ignores the switch.
            whole = self._render(messages)
            first = self._render(messages[:2])
        except Exception as fault:  # jinja2's own errors, and those that templates raise
            raise UsageError(f"train: expected {_WHAT}, got {fault}; choose another model") from fault
        pieces, rest = list[str](), whole
        for mark in _MARKS:
            piece, found, rest = rest.partition(mark)
            if not found:
                raise UsageError(f"train: expected {_WHAT}, got one that leaves out {mark!r}; choose another model")
            pieces.append(piece)
        # Before the first reply the template may add what it leaves out of a history, such as an empty thought.
        pieces[2:] = [first.partition(_MARKS[1])[2], pieces[3], rest]
        parts = [list(self.tokenizer(piece, add_special_tokens=False)["input_ids"]) for piece in pieces]
        if not all(parts[1:]):
            raise UsageError(f"train: expected {_WHAT}, got one with nothing between messages; choose another model")
        return parts

    def _render(self, messages: list[dict[str, str]]) -> str:
        return str(
            self.tokenizer.apply_chat_template(
                messages, add_generation_prompt=True, tokenize=False, enable_thinking=False
            )
        )


def build_chat(settings: ModelSettings, seed: int = 0) -> Policy:
    """Return a chat model ready to be trained; new adapters come from the seed. Raises: UsageError."""
    torch.manual_seed(seed)
    model, tokenizer = _load_base(settings.name, settings.revision, settings.dtype)
    if settings.lora_rank:
        peft = import_module("peft")
        adapters = peft.LoraConfig(
            r=settings.lora_rank,
            lora_alpha=settings.lora_alpha,
            lora_dropout=settings.lora_dropout,
            target_modules="all-linear",
            task_type="CAUSAL_LM",
        )
        with _quiet():
            model = peft.get_peft_model(model, adapters)
        for one in model.parameters():
            if one.requires_grad:
                one.data = one.data.float()
    if settings.checkpointing:
        model.activation_checkpointing_enable({"use_reentrant": False})
        model.enable_input_require_grads()
    return Policy(model, ChatCodec(tokenizer), settings.device)


def save_chat(model: Any, codec: ChatCodec, folder: Path) -> tuple[int, str]:
    """Write adapters, or all weights, and the tokenizer; return the rows of the model, and of adapters their base."""
    model.save_pretrained(folder)
    codec.tokenizer.save_pretrained(folder)
    has_adapters = hasattr(model, "peft_config")
    base = model.get_base_model() if has_adapters else model
    name = str(base.name_or_path)
    where = str(Path(name).resolve()) if Path(name).is_dir() else name
    return base.get_input_embeddings().weight.shape[0], where if has_adapters else ""


def load_chat(folder: Path, manifest: Manifest) -> Policy:
    """Return the chat model of a navigator's folder. Raises: UsageError if its base is not there, or has other rows."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype = "bfloat16" if device == "cuda" else "float32"
    model, _ = _load_base(manifest.base or str(folder), manifest.revision, dtype)
    rows = model.get_input_embeddings().weight.shape[0]
    if rows != manifest.rows:
        raise UsageError(
            f"navigator: expected a base with {manifest.rows} tokens for {folder}, got {manifest.base} with {rows}; "
            "name the model that it was trained from"
        )
    if manifest.base:
        with _quiet():
            model = import_module("peft").PeftModel.from_pretrained(model, str(folder))
    tokenizer = import_module("transformers").AutoTokenizer.from_pretrained(str(folder))
    return Policy(model, ChatCodec(tokenizer), device)


@contextmanager
def _quiet() -> Iterator[None]:
    """Leave out what one library has to say about the next version of the other."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        yield


def _load_base(name: str, revision: str, dtype: str) -> tuple[Any, Any]:
    """Raises: UsageError if there is no such folder, or the hub does not give the model."""
    transformers = import_module("transformers")
    transformers.utils.logging.disable_progress_bar()
    if name.startswith((".", "/", "~")) and not Path(name).expanduser().is_dir():
        raise UsageError(f"train: expected a model's folder or a name on the hub, got no folder {name}; mend the path")
    where = str(Path(name).expanduser()) if name.startswith("~") else name
    pinned = {"revision": revision} if revision else {}
    try:
        model = transformers.AutoModelForCausalLM.from_pretrained(where, dtype=dtype, **pinned)
        return model, transformers.AutoTokenizer.from_pretrained(where, **pinned)
    except (OSError, ValueError) as fault:
        first = str(fault).strip().split("\n")[0]
        raise UsageError(
            f"train: expected a model's folder or a name on the hub, got {name!r} ({first}); download it first"
        ) from fault
