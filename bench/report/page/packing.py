"""A part of the page as it stands in the file: JSON, deflated, in base64; the same bytes for the same value."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

__all__ = ["pack", "pack_text", "to_text"]

_LEVEL = 6


def to_text(value: Any) -> str:
    """Return a value as JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def pack_text(text: str) -> str:
    """Return a text deflated, in base64; half a surrogate pair becomes a ?."""
    return base64.b64encode(zlib.compress(text.encode(errors="replace"), _LEVEL)).decode("ascii")


def pack(value: Any) -> str:
    """Return a value as it stands in the file."""
    return pack_text(to_text(value))
