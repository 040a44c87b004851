"""What tests of endpoints share: a prompt, the two clients, and one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bench.models.litellm_catalog import litellm_folder
from bench.models.remote.source import RemoteSource
from bench.types import Message, Reply

needs_litellm = pytest.mark.skipif(litellm_folder() is None, reason="needs the extra [litellm]")
CLIENTS = ("direct", pytest.param("litellm", marks=needs_litellm))
PROMPT = (Message("system", "Be brief. Überall."), Message("user", "Where is the mug?\nAct."))
SECRET = "sk-test-0123456789abcdef"
QUICK = "[limits]\nretries = 2\nbackoff_s = 0.001\ntimeout_s = 20\n"


Make = Callable[..., RemoteSource]


def chat(source: RemoteSource, seed: int = 0, **more: Any) -> Reply:
    return source.model(seed).chat(PROMPT, role="act", **more)
