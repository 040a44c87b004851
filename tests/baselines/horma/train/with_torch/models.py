"""Models for the tests: a tiny one, and a random chat model of two layers with its tokenizer and template."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

from baselines.horma.train.policy import Policy
from baselines.horma.train.tiny import Shape, TinyModel
from baselines.horma.train.words import WordCodec

WORDS = ("question", "select", "look", "done", "a", "b", "c", "seen", "what", "?")
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n"
    "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n{% endif %}{% endif %}"
)
SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")


def make_policy(seed: int = 0, width: int = 16, layers: int = 1) -> Policy:
    torch.manual_seed(seed)
    codec = WordCodec(WORDS)
    return Policy(TinyModel(Shape(len(codec), width, 2, layers)), codec)


def make_tokenizer(template: str = TEMPLATE) -> Any:
    """Return a tokenizer with one token a byte, and one merge, so that a text has two readings."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {letter: at for at, letter in enumerate([*alphabet, "do"])}
    plain = Tokenizer(models.BPE(vocabulary, [("d", "o")]))
    plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    plain.decoder = decoders.ByteLevel()
    plain.add_special_tokens([AddedToken(one, special=True) for one in SPECIAL])
    return PreTrainedTokenizerFast(
        tokenizer_object=plain, eos_token="<|im_end|>", pad_token="<|endoftext|>", chat_template=template
    )


def save_chat_model(folder: Path, seed: int = 0) -> Path:
    """Write a random chat model and its tokenizer as a local folder, as a hub's would be."""
    tokenizer = make_tokenizer()
    torch.manual_seed(seed)
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        head_dim=16,
        max_position_embeddings=4096,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    Qwen3ForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def load_model(folder: Path) -> Any:
    return AutoModelForCausalLM.from_pretrained(str(folder))
