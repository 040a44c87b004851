"""The pure Python engine behind the adapter's interface: no worker, no temporary file, no package to install.

A bounded number of compiled games is cached by the digest of their bytes, so that the strategies of one task share one
compilation. Sessions are independent; several threads may share one ``FastEngines``.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

from adapters.alfworld.engine import Game, Session
from adapters.alfworld.world import FACTS, Engine, Fact, World
from bench.errors import EnvError

__all__ = ["FastEngine", "FastEngines"]

_CACHE_SIZE = 64
"""Number of cached games; one needs much less than a megabyte."""


class FastEngines:
    """Engines that share compiled games."""

    name = "fast"

    def __init__(self) -> None:
        self._games: OrderedDict[str, Game] = OrderedDict()
        self._lock = threading.Lock()

    def take(self) -> Engine:
        return FastEngine(self.game)

    def game(self, data: bytes) -> Game:
        """Return the compiled game of a file's bytes. Raises: DataError naming what is wrong with it."""
        digest = hashlib.sha256(data).hexdigest()
        with self._lock:
            if digest in self._games:
                self._games.move_to_end(digest)
                return self._games[digest]
        game = Game.load(data)
        with self._lock:
            self._games[digest] = game
            while len(self._games) > _CACHE_SIZE:
                self._games.popitem(last=False)
        return game

    def close(self) -> None:
        with self._lock:
            self._games.clear()


class FastEngine:
    """Plays one game at a time."""

    def __init__(self, compile_game: Callable[[bytes], Game]):
        self._compile = compile_game
        self._session: Session | None = None

    def start(self, game: bytes) -> World:
        """Raises: DataError for a game that cannot be compiled."""
        self._session = self._compile(game).start()
        return _to_world(self._session)

    def step(self, command: str) -> World:
        session = self._require_session()
        session.step(command)
        return _to_world(session)

    def admissible(self) -> Sequence[str]:
        return self._require_session().admissible

    def close(self) -> None:
        self._session = None

    def _require_session(self) -> Session:
        if self._session is None:
            raise EnvError("alfworld engine: expected a started game, got none; start one first")
        return self._session


def _to_world(session: Session) -> World:
    # Type names keep the blank that the game files put behind them; the official engine's worker strips it too.
    facts = frozenset(
        Fact(fact.name, tuple(arg.strip() for arg in fact.arguments)) for fact in session.list_named_facts(FACTS)
    )
    return World(session.feedback, session.won, session.won, facts)
