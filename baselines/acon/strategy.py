"""ACON: long histories and observations are compressed by the model under guidelines in plain words. Knows no suite.

Source: ACON (arXiv 2510.00615). The history compressor acts when the history fills ``history`` of the room for the
context, the observation compressor on any one observation (or turn) over ``observation`` of it (4 096 and 1 024
tokens on AppWorld). The room is the run's budget, or ``tokens`` where a run has none. The guidelines are text files;
an artifact with files of the same names (``history_guideline.txt``, ``observation_guideline.txt``) takes their place,
which is what learning them from training tasks will write. Until then the row is called untrained.
Differs in: the acting model compresses, no distilled one; prompts are our own; the current observation stands whole
in its fixed place, so compressing an observation takes effect from the next step on; the last step is not compressed
into the history. A compression may take ``share`` of the room (of the threshold, for an observation); a longer one is
cut at a word; one that is empty or no shorter than what it replaces is refused, and after a refusal nothing is asked
until what is kept has grown by a quarter. Where a history does not fit all the same, its oldest events are not shown.
"""

from __future__ import annotations

from baselines.acon.memory import Acon
from bench.agents import default_agent
from bench.protocols import Param, Strategy

__all__ = ["STRATEGY"]


STRATEGY = Strategy(
    name="acon-untrained-v1",
    build=default_agent(Acon),
    params=(
        Param("tokens", 2200, "room for the context where the run has no --budget-tokens", minimum=1),
        Param("history", 0.9, "share of the room at which the history is compressed", minimum=0),
        Param("observation", 0.25, "share of the room over which one observation or turn is compressed", minimum=0),
        Param("share", 0.5, "share of the room, or of an observation's limit, that a compression may take", minimum=0),
    ),
    source="ACON (arXiv 2510.00615), both compressors, guidelines not learned; thresholds follow the shared budget",
)
"""The row."""
