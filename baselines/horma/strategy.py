"""HORMA: a manager organises what happens in files and folders, a navigator retrieves from them for each query.

Source: HORMA (arXiv 2606.11680). No code was published; the prompts, the grammar, the caps and all limits are ours.

Paper step -> function:

* every interaction is first stored verbatim -> ``workspace.Workspace.write_raw``
* the manager updates folders and files by shell-like operations -> ``manager.Manager.organise``
* a structured note: abstraction, time, references to the raw turns -> ``notes.Note``, checked by ``Workspace``
* a prompt of principles and learned skills -> ``principles.txt``, ``skills.render_skills``
* the retriever acts by ls, cd, grep, cat, select, done -> ``navigation.NavigationSession``
* the main agent sees the observation, what was selected and the task -> ``memory.HormaMemory.recall``
* skills are refined by contrasts of raw and managed history, in rounds -> ``refine.learning.learn``

``horma-untrained`` has no skills. ``horma`` needs a learning stage, whose tasks it plays again itself in each round.

Differences from the paper:

* Operations and commands are a small grammar over files in memory, not a shell.
* The unit of a selection is a line of a note, or a raw turn (the paper does not say). A line of a note stands for the
  turns that it cites; the context shows the line, as a note, unless it only repeats turns that are shown as well.
* The manager is shown the lines that share words with the new turns, and may replace and delete lines.
* The manager sees what it was refused, or looked at, once more; then the step is over.
* In an episode the current observation, which the prompt shows anyway, is named but not shown as a raw turn; notes on
  it are. The first step is not searched: its action is shown.
* ``navigator=random`` and ``navigator=grep`` are rows to compare with and make no call. ``navigator=FOLDER`` is one
  that ``bench train`` has made (``training``): its calls are in the ledger under its own name.
* The list of skills is changed by operations that are checked, has a cap, and begins empty. Skills are for the manager
  or for the navigator; the paper's are for the manager.
* Feedback sees a long past in part: of each question the turns nearest to it, eight questions of a kind at most; of an
  episode the first 25 steps.
* A part of the training tasks is held out, and the version that does best on them is kept; the paper shows each step.
* A question counts as a success from half of its main score on.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from baselines.horma.memory import HormaMemory
from baselines.horma.navigators import find_trained
from baselines.horma.refine.learning import learn
from baselines.horma.training import train
from bench.agents import DefaultAgent
from bench.errors import UsageError
from bench.protocols import ACTOR, Agent, Kit, Param, Params, Strategy
from bench.types import Query, Role, Shape, Stimulus

__all__ = ["MOST_TURNS", "STRATEGY", "UNTRAINED"]

MOST_TURNS = 30


def _build(kit: Kit) -> Agent:
    memory = HormaMemory(kit)

    def notes(stimulus: Stimulus) -> tuple[str, ...]:
        """Say what the manager was refused, since the last step or in the whole conversation, and what was searched."""
        manager, is_episode = memory.manager, stimulus.shape is Shape.EPISODE
        query = Query(stimulus.text, stimulus.goal, stimulus.step, stimulus.shape, kit.budget.tokens, ref=stimulus.ref)
        search = memory.search(query)
        refused = [f"navigate_refused: {kind.value}" for kind, n in search.refused for _ in range(n)]
        return (
            *(manager.take_notes() if is_episode else manager.count_notes()),
            *(f"turn: {reply}" for reply in search.trail),
            *(f"selected: {ref}" for ref in search.selected),
            *refused,
        )

    return DefaultAgent(memory, kit, notes=notes)


_PARAMS = (
    Param(
        "tokens",
        0,
        "room for the context where the run has no --budget-tokens; 0: 2200 in an episode, 10000 in a conversation",
        minimum=0,
    ),
    Param("turns", 10, "the most replies of the navigator to one query", minimum=1, maximum=MOST_TURNS),
    Param("every", 1, "after how many steps, or sessions, the manager files what is new", minimum=1),
    Param("navigator", "prompted", "who searches: prompted (the model), random, grep, or a trained one's folder"),
    Param("navigator_model", ACTOR, "the model that searches", roles=(Role.NAVIGATE,)),
    Param("manager_model", ACTOR, "the model that files what is new", roles=(Role.ORGANISE,)),
)


def _find_inputs(params: Params) -> Mapping[str, Path]:
    """Return the folder of a trained navigator, if there is one. Raises: UsageError."""
    navigator = params.text("navigator")
    if navigator != "prompted" and params.text("navigator_model") != ACTOR:
        raise UsageError(
            f"horma: expected navigator_model beside navigator=prompted, got navigator={navigator}, which calls no "
            "such model; leave one of the two out"
        )
    return find_trained(navigator)


_INNER_CALLS = MOST_TURNS + 1  # the navigator's replies and the answer

STRATEGY = Strategy(
    name="horma-v1",
    build=_build,
    learn=learn,
    train=train,
    inputs=_find_inputs,
    params=(
        *_PARAMS,
        Param("rounds", 4, "how often the list of skills is changed and tried again", minimum=0),
        Param("held_out", 0.3, "share of the training tasks on which versions are compared", minimum=0, maximum=1),
        Param("feedback", 24, "contrasts of a round that feedback is asked on, spread evenly", minimum=1),
        Param("cap", 20, "the most skills", minimum=1),
    ),
    inner_calls=_INNER_CALLS,
    source="HORMA (arXiv 2606.11680); a trained navigator by `bench train`; own prompts, grammar and limits",
)
"""Skills refined on training tasks."""
UNTRAINED = Strategy(
    name="horma-untrained-v1",
    build=_build,
    train=train,
    inputs=_find_inputs,
    params=_PARAMS,
    inner_calls=_INNER_CALLS,
    source="HORMA (arXiv 2606.11680) without refinement; own prompts, grammar and limits",
)
"""No skills."""
