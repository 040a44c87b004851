"""The process that plays one story file at a time. It is started by path and imports nothing of this project.

It reads one JSON line per request from its standard input and writes one JSON line per reply to its original standard
output; the prints of the engine are redirected. Each game gets a new engine. The process ends with its input or with
its parent process. The only file that imports jericho.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import threading
import time
import warnings
from typing import Any

PARENT_CHECK_S = 1.0
_LAST_WITH_STATUS_LINE = 3
_TIME_GAME = 0b10
_SCORE = re.compile(r"(-?\d+)\D{0,40}?\b(?:out of|total of|possible|maximum)\b\D{0,40}?(\d+)", re.IGNORECASE)
"""``Your score is 5 (total of 350 points)`` of Infocom, ``5 out of a possible 100`` of Inform."""


def _exit_with_parent(parent: int) -> None:
    """End this process when its parent is gone; the end of the pipe is not seen during a hang."""
    while os.getppid() == parent:
        time.sleep(PARENT_CHECK_S)
    _remove_folder()
    os._exit(1)


def _remove_folder() -> None:
    """Remove the folder of this process if it is empty."""
    with contextlib.suppress(OSError):
        os.rmdir(os.getcwd())  # noqa: PTH106, PTH109 -- only ever an empty one


class Game:
    """One loaded story file."""

    def __init__(self, path: str, seed: int, asks_score: bool = False):
        import numpy as np  # noqa: PLC0415 -- comes with jericho
        from jericho import FrotzEnv  # noqa: PLC0415 -- optional

        self._numpy = np
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # for a release that jericho does not know; handled below
            self._env = FrotzEnv(path, seed=seed)
        self._asks_score = asks_score

    def reset(self) -> dict[str, Any]:
        text, _ = self._env.reset()
        return self._describe(text)

    def step(self, command: str) -> dict[str, Any]:
        before = self._env.get_state()
        text, _reward, _done, _info = self._env.step(command)
        halted = bool(self._env._emulator_halted())
        if halted:
            # Some commands stop the interpreter (Zork III: "take seal"): restore the state before the command.
            self._env.reset()
            self._env.set_state(before)
        return {**self._describe(text), "halted": halted}

    def close(self) -> None:
        self._env.close()

    def _describe(self, text: str) -> dict[str, Any]:
        env, known = self._env, bool(self._env.is_fully_supported)
        score, most = (int(env.get_score()), int(env.get_max_score())) if known else (self._status_score(), 0)
        if self._asks_score and not known:
            score, most = self._ask_score() or (score, 0)
        return {
            "text": text,
            "score": score,
            "max_score": most,
            "won": known and bool(env.victory()),
            "over": known and bool(env.game_over()),
            "halted": False,
        }

    def _ask_score(self) -> tuple[int, int] | None:
        """Return score and maximum as the game answers SCORE, and take the question back; None for another answer."""
        before = self._env.get_state()
        text, *_ = self._env.step("score")
        if self._env._emulator_halted():
            self._env.reset()
        self._env.set_state(before)
        found = _SCORE.search(text)
        return (int(found[1]), int(found[2])) if found else None

    def _status_score(self) -> int | None:
        """Return the score that the status line shows: by the Z-machine standard, global 1 of a version 3 game."""
        library = self._env.frotz_lib
        ram = self._numpy.zeros(library.getRAMSize(), dtype=self._numpy.uint8)
        library.getRAM(self._numpy.ctypeslib.as_ctypes(ram))
        memory = ram.tobytes()
        if memory[0] > _LAST_WITH_STATUS_LINE or memory[1] & _TIME_GAME:
            return None
        at = int.from_bytes(memory[0x0C:0x0E], "big") + 2
        return int.from_bytes(memory[at : at + 2], "big", signed=True)


def serve() -> int:
    """Answer requests until there are no more."""
    parent = int(sys.argv[1])
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    threading.Thread(target=_exit_with_parent, args=(parent,), daemon=True).start()
    game: Game | None = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if "start" in request:
                if game is not None:
                    game.close()
                    game = None
                game = Game(request["start"], request["seed"], request.get("asks_score", False))
                answer = game.reset()
            elif game is None:
                answer = {"error": "expected a game to be started first"}
            else:
                answer = game.step(request["step"])
        except ImportError as error:
            answer = {"missing": f"{type(error).__name__}: {error}"}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    # A parent that was killed may still be listed when its pipe has ended; one that is alive does not mind.
    _remove_folder()
    return 0


if __name__ == "__main__":
    sys.exit(serve())
