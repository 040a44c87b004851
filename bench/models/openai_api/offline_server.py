"""The offline player behind OpenAI's chat completions on this machine: ``bench serve offline/reader``.

A run over this address is a rehearsal of a run with a real model: same prompts, same path, known replies. It has the
scores and the token counts of ``-m offline/reader``. No role travels over HTTP: it is found from the prompt.
"""

from __future__ import annotations

from bench.errors import StrategyError
from bench.models.offline.reader import OfflineReader
from bench.models.openai_api.chat_server import ChatServer
from bench.models.openai_api.format import BadRequest, ChatRequest
from bench.registry import OFFLINE_READER, offline_rules
from bench.types import Reply

__all__ = ["SERVED_NAME", "OfflineServer"]

SERVED_NAME = "offline"
"""Clients name it so: ``-m openai/offline``."""


class OfflineServer(ChatServer):
    """The offline player at one address, until it is closed. Sampling parameters change nothing: it never samples."""

    def __init__(self, port: int = 0):
        """Raises: UsageError if the port is taken."""
        self._reader = OfflineReader(offline_rules())
        super().__init__((SERVED_NAME, OFFLINE_READER), self._reply, port)

    def _reply(self, request: ChatRequest) -> Reply:
        try:
            role = self._reader.find_role(request.messages)
            return self._reader.chat(request.messages, role=role, max_tokens=request.max_tokens, stop=request.stop)
        except StrategyError as unknown:
            raise BadRequest(str(unknown)) from unknown
