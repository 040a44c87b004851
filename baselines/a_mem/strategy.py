"""A-MEM: each turn becomes a note that the model describes, links to its neighbors and lets change them.

Source: A-MEM (NeurIPS 2025, arXiv 2502.12110; code WujiangXu/A-mem at 0c8039f).

Paper step -> function (``memory.AMem`` where no module is named):

* note construction (keywords, one context sentence, tags; first call of a turn) -> ``_add``, ``replies.read_card``
* embedding of content + context + keywords + tags -> ``notes.Note.index_text``, ``notes.Index.add``
* nearest notes of a new one, found by what was said alone -> ``notes.Index.find_nearest``
* link generation (*strengthen*) and memory evolution (*update_neighbor*; second call) -> ``_ask_evolution``,
  ``_apply_evolution``
* index rebuilt after every 100 evolutions (``rebuild``); until then a changed note is found by its old text ->
  ``notes.Index.refresh``
* question turned into keywords -> ``_choose_search_text``
* top k, each followed by the notes it links to -> ``recall``, ``_add_links``
* ablations: ``links=off``, ``evolution=off``; with both off there is no second call

Differences from the paper and its code:

* The prompts are our own. They do not name the category of a question; the original's do.
* k is 10; the original tunes it on the test questions.
* The original takes the adversarial (wrong) answer as reference in category 5 and states 7,512 questions for a file of
  1,986. The suite asks and scores, so neither applies here.
* Neighbors have small numbers from 1, and only changed ones are written again. A link to a note that does not exist
  stops the original; here it is a fault of the reply.
* A note is shown once, an empty turn makes no note, and there is no second call without neighbors.
* A reply in which no JSON can be read is asked for once more, with what is wrong; an entry that cannot be read is left
  out. Then the note stays without description or links, or
  the question itself is the search text, and the notes of the decision say so.
* Refs are the turns of the notes shown, not those of notes that changed them.
* In an episode (not in the paper) a note is an action with its observation, the search text is the task paragraph with
  the current observation, and notes are shown in the order of steps. The note of the current observation is left out.
"""

from __future__ import annotations

from baselines.a_mem.memory import AMem
from baselines.shared.units import build_query_text
from bench.agents import DefaultAgent
from bench.protocols import Agent, Kit, Param, Strategy
from bench.types import Query, Stimulus

__all__ = ["STRATEGY"]


def _build(kit: Kit) -> Agent:
    memory = AMem(kit)

    def notes(stimulus: Stimulus) -> tuple[str, ...]:
        """Say what went without a usable reply."""
        return memory.describe_failures(build_query_text(Query(stimulus.text, stimulus.goal, shape=stimulus.shape)))

    return DefaultAgent(memory, kit, notes=notes)


STRATEGY = Strategy(
    name="a-mem-v3",
    build=_build,
    params=(
        Param("k", 10, "how many notes are shown, and at most how many linked ones with them", minimum=1),
        Param("neighbors", 5, "how many nearest notes the model compares with a new one", minimum=1),
        Param("links", True, "link notes (the paper's ablation when off)"),
        Param("evolution", True, "let new notes rewrite their neighbors (the paper's ablation when off)"),
        Param("query", "keywords", "search with the model's keywords or with the question", ("keywords", "question")),
        Param("rebuild", 100, "evolutions after which evolved notes are embedded again; 1 = at once", minimum=1),
    ),
    source="A-MEM (arXiv 2502.12110, code at 0c8039f): notes, links, evolution; own prompts, question category hidden",
)
"""The strategy."""
