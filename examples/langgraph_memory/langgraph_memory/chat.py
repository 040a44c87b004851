"""A LangChain chat model whose calls are those of a memfrontier trial: metered, recorded, replayed.

Any graph, chain or memory of LangChain or LangGraph that takes a chat model can be given this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, convert_to_openai_messages
from langchain_core.outputs import ChatGeneration, ChatResult

from bench.models.openai_api.client import MeteredClient

__all__ = ["MeteredChat"]


class MeteredChat(BaseChatModel):
    """Sends what the framework sends through ``MeteredClient``; model and sampling are those of the run."""

    client: Any
    """A ``MeteredClient``. The first failed call is kept there, for ``client.guard()`` to raise."""
    max_tokens: int = 512

    @classmethod
    def wrap(cls, client: MeteredClient, max_tokens: int) -> MeteredChat:
        return cls(client=client, max_tokens=max_tokens)

    @property
    def _llm_type(self) -> str:
        return "memfrontier"

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **_: Any
    ) -> ChatResult:
        sent: Sequence[Any] = convert_to_openai_messages(messages)
        reply = self.client.chat.completions.create(messages=list(sent), max_tokens=self.max_tokens, stop=stop)
        text = reply.choices[0].message.content
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=text or ""))])
