"""The offline player in a style, behind OpenAI's chat completions on this machine.

``python -m tests.servers.styling_server "bold label"`` prints its address and serves until Ctrl-C.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace

from bench.models.offline.reader import OfflineReader
from bench.models.openai_api.chat_server import ChatServer
from bench.models.openai_api.format import ChatRequest
from bench.models.tokenizers import count_tokens
from bench.registry import offline_rules
from bench.types import Reply
from tests.replies.styles import COMMANDLESS, STYLES, Style
from tests.servers.styling import restyle

__all__ = ["StylingServer"]


class StylingServer(ChatServer):
    """Serves while its ``with`` block lasts, as the model ``styled``."""

    def __init__(self, style: Style, port: int = 0):
        self._reader, self._style = OfflineReader(offline_rules()), style
        super().__init__(("styled",), self._reply, port)

    def _reply(self, request: ChatRequest) -> Reply:
        role = self._reader.find_role(request.messages)
        reply = self._reader.chat(request.messages, role=role, max_tokens=request.max_tokens, stop=request.stop)
        text = restyle(self._style, role, reply.text)
        return replace(reply, text=text, usage=replace(reply.usage, completion=count_tokens(text)))


if __name__ == "__main__":
    named = {style.name: style for style in (*STYLES, *COMMANDLESS)}
    with StylingServer(named[sys.argv[1]]) as server:
        print(server.url, flush=True)
        while True:
            time.sleep(3600)
