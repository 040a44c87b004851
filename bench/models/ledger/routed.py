"""Several metered models behind the interface of one: the calls of some roles go to models of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.models.ledger.metered import MeteredModel
from bench.types import Message, Reply

__all__ = ["RoutedModel"]


class RoutedModel:
    """What a kit carries where a strategy names models for some of its roles.

    All the models book in one meter, so that their calls are counted, replayed and limited together, each call under
    the name of the model that replied.
    """

    def __init__(self, acting: MeteredModel, by_role: Mapping[str, MeteredModel]):
        self._acting, self._by_role = acting, by_role

    @property
    def name(self) -> str:
        return self._acting.name

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        """Return the reply of the role's model. Raises: as ``MeteredModel.chat``."""
        return self._choose(role).chat(messages, role=role, max_tokens=max_tokens, stop=stop)

    @property
    def json_mode(self) -> bool:
        """True if the acting model can be held to one JSON object; ``chat_json`` goes by the model of the role."""
        return self._acting.json_mode

    def chat_json(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        """Return the reply of the role's model. Raises: as ``MeteredModel.chat_json``."""
        return self._choose(role).chat_json(messages, role=role, max_tokens=max_tokens, stop=stop)

    def _choose(self, role: str) -> MeteredModel:
        return self._by_role.get(role, self._acting)
