"""ACON: the model compresses long histories and long observations under guidelines in plain words. Knows no suite.

Source: ACON (arXiv 2510.00615). Its thresholds on AppWorld are 4,096 tokens of history and 1,024 of one observation.

Paper step -> function (``memory.py``):

* history compressor, when the history is longer than its threshold -> ``Acon._compress``
* observation compressor, when one observation is longer than its threshold -> ``Acon._shorten``
* compression under a guideline -> ``Compressor.compress``
* utility: guidelines learned where the compressed context failed and the full one succeeded -> ``learning.learn``,
  whose texts take the place of ``history_guideline.txt`` and ``observation_guideline.txt`` of this folder
* compression: then made to ask for less where the compressed context succeeded (``shorten``) -> ``learning.learn``

``acon-untrained`` keeps the texts of this folder. ``acon`` needs a learning stage in which some training trials were
played with the whole history and some with compressed ones, neither under a budget of the run:
``--learn-collectors full-history,acon-untrained:tokens=300``.

Differences from the paper:

* Thresholds are shares (``history``, ``observation``) of the room for the context: the run's budget, or ``tokens``
  where a run has none.
* The acting model compresses; there is no distilled compressor. The prompts are our own.
* The current observation stands whole in its fixed place of the prompt, so its compression takes effect from the next
  step on. The last step is not compressed into the history.
* A compression may take ``share`` of the room (for an observation: of its threshold); a longer one is asked for once
  more, then trimmed at the end of a sentence; both are noted.
* A compression that is empty or no shorter than what it replaces is refused. After a refusal there is no new call until
  the context has grown by a quarter.
* Where a history still does not fit, its oldest events are not shown.
* A failed attempt counts as compressed if its last prompt did not hold every sentence of the earlier observations. Of
  the successes of its task the one that saw most of them is compared with it.
* One analysis of an attempt speaks of both compressions; a guideline is rewritten from what concerns it, after every
  ``batch`` attempts.
* The second step looks at successes with a compressed memory, each at the first prompt that lacked something, and at
  the training trials there are: no new trials are played under the guidelines of the first step.
* The paper's choice among several candidates on held-out tasks is not done.
"""

from __future__ import annotations

from baselines.acon.learning import learn
from baselines.acon.memory import Acon
from bench.agents import DefaultAgent
from bench.protocols import Agent, Kit, Param, Strategy
from bench.types import Shape

__all__ = ["STRATEGY", "UNTRAINED"]

_PARAMS = (
    Param("tokens", 2200, "room for the context where the run has no --budget-tokens", minimum=1),
    Param("history", 0.9, "share of the room at which the history is compressed", minimum=0),
    Param("observation", 0.25, "share of the room over which one observation or turn is compressed", minimum=0),
    Param("share", 0.5, "share of the room, or of an observation's limit, that a compression may take", minimum=0),
)


def _build(kit: Kit) -> Agent:
    memory = Acon(kit)
    return DefaultAgent(memory, kit, notes=lambda _stimulus: memory.describe_lengths())


STRATEGY = Strategy(
    name="acon-v2",
    build=_build,
    learn=learn,
    serves=frozenset({Shape.EPISODE}),
    params=(
        *_PARAMS,
        Param("batch", 8, "attempts after which the guidelines are rewritten", minimum=1),
        Param("shorten", True, "after failures, learn from successes what need not be kept"),
    ),
    source="ACON (arXiv 2510.00615), both compressors, guidelines learned in two steps; thresholds follow the budget",
)
"""Guidelines learned from training tasks."""
UNTRAINED = Strategy(
    name="acon-untrained-v4",
    build=_build,
    params=_PARAMS,
    source="ACON (arXiv 2510.00615), both compressors, guidelines not learned; thresholds follow the shared budget",
)
"""Guidelines as they stand in the text files."""
