"""The process that runs TextWorld for one environment at a time. It is started by path and imports nothing of this
project.

It reads one JSON line per request from its standard input and writes one JSON line per reply to its original standard
output; the prints of the libraries are redirected. The process ends with its input or with its parent process. The only
file that imports textworld and alfworld.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

PARENT_CHECK_S = 1.0


def _exit_with_parent(parent: int) -> None:
    """End this process when its parent is gone; the end of the pipe is not seen during a hang."""
    while os.getppid() == parent:
        time.sleep(PARENT_CHECK_S)
    os._exit(1)


class Game:
    """One loaded game file."""

    def __init__(self, path: str, keep: Iterable[str], planner: bool):
        import textworld  # noqa: PLC0415 -- heavy, and optional
        from alfworld.agents.environment.alfred_tw_env import AlfredDemangler  # noqa: PLC0415

        self._keep = frozenset(keep)
        infos = textworld.EnvInfos(
            feedback=True, won=True, facts=True, admissible_commands=True, policy_commands=planner
        )
        self._env = textworld.start(path, request_infos=infos, wrappers=[AlfredDemangler()])

    def reset(self) -> dict[str, Any]:
        return self._describe(self._env.reset(), done=False)

    def step(self, command: str) -> dict[str, Any]:
        state, _score, done = self._env.step(command)
        return self._describe(state, done=bool(done))

    def close(self) -> None:
        self._env.close()

    def _describe(self, state: Any, *, done: bool) -> dict[str, Any]:
        facts = [[fact.name, *(arg.name.strip() for arg in fact.arguments)] for fact in state["facts"]]
        return {
            "feedback": state.feedback,
            "won": bool(state["won"]),
            "done": done,
            "facts": sorted(fact for fact in facts if fact[0] in self._keep),
            "admissible": list(state["admissible_commands"]),
            "plan": list(state.get("policy_commands") or ()),
        }


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
                game = Game(request["start"], request["keep"], request["planner"])
                answer = game.reset()
                Path(request["start"]).unlink(missing_ok=True)
            elif game is None:
                answer = {"error": "expected a game to be started first"}
            else:
                answer = game.step(request["step"])
        except ImportError as error:
            answer = {"missing": f"{type(error).__name__}: {error}"}
        except (Exception, SystemExit) as error:  # the planner's parser calls sys.exit for a bad problem
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    return 0


if __name__ == "__main__":
    sys.exit(serve())
