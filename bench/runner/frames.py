"""The frame of a trial: its reply limit, and what of it stands in the fingerprint."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from bench.types import Fingerprint, Frame, Shape

__all__ = ["describe_frame", "digest", "digest_frame", "limit_replies"]


def digest(text: str) -> str:
    """Return the first 16 hex digits of a text's SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def digest_frame(frame: Frame) -> str:
    """Return the digest of a frame's wording."""
    return digest(
        "\n".join(
            (frame.id, frame.instructions, frame.answer_format, frame.examples, frame.label, frame.stimulus_label)
        )
    )


def limit_replies(frame: Frame, reply_tokens: int) -> Frame:
    """Return the frame with the reply limit that is in force; 0 = its own."""
    return replace(frame, max_tokens=reply_tokens or frame.max_tokens)


def describe_frame(frame: Frame, shape: Shape, ask_again: int) -> Fingerprint:
    """Return what of a frame must be equal between strategies."""
    limit = "env.reply_tokens" if shape is Shape.EPISODE else "env.answer_tokens"
    fixed = {"env.frame": digest_frame(frame), limit: str(frame.max_tokens), "env.ask_again": str(ask_again)}
    fixed |= {f"env.{name}": text for name, text in frame.rules.items()}
    return Fingerprint(tuple(sorted(fixed.items())))
