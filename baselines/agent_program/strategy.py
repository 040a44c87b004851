"""An agent that is a program of somebody else's, of any language or framework, closed or open. Knows no suite.

Source: this project; not from a publication. ``docs/agents.md`` has the protocol and what is measured.

* The program is started anew for each trial: it can remember nothing of another one.
* It builds its own prompts, so the budget of a run is told to it and not enforced, and no context is recorded.
* Its model calls go to an address of the trial's own, where the run's model replies: they are recorded, limited and
  replayed as all calls are. A call that fails ends the trial as it would for any strategy.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from baselines.agent_program.agent import ProgramAgent
from baselines.agent_program.command import read_command
from bench.protocols import Param, Params, Strategy

__all__ = ["STRATEGY"]


def _find_inputs(params: Params) -> Mapping[str, Path]:
    """Return the files that the program is known to be made of. Raises: UsageError."""
    files = read_command(params.text("cmd")).files
    return {"program" if at == 1 else f"program_{at}": path for at, path in enumerate(files, start=1)}


STRATEGY = Strategy(
    name="agent-v1",
    build=ProgramAgent,
    inputs=_find_inputs,
    params=(
        Param("cmd", "", "the program: a file, a command line, or a TOML file with command=[...]"),
        Param("timeout_s", 120.0, "seconds for a line, without those of its model calls", minimum=0.1),
        Param("calls", 20, "the most model calls for one decision; 0 = no limit", minimum=0),
    ),
    inner_calls=0,  # the parameter calls is the limit
    source="this project: a program over JSON lines, with the run's model behind an address (docs/agents.md)",
)
"""The strategy."""
