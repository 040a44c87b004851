"""A-MEM: every turn becomes a note that the model describes, ties to its neighbors and lets them evolve by.

Source: A-MEM (NeurIPS 2025, arXiv 2502.12110; code WujiangXu/A-mem at 0c8039f). A turn costs two calls: keywords, one
context sentence and tags; then, with the ``neighbors`` nearest notes in view (searched by what was said alone), whether
to *strengthen* (link the new note, replace its tags) and to *update_neighbor* (replace a neighbor's context and tags,
for good). Notes are found by content, context, keywords and tags; an evolved neighbor is found by its old text until
the index is brought up to date after every ``rebuild`` evolutions (100). A question is turned into keywords; the k
nearest notes are shown best first, each followed by the notes it links to, up to k linked ones, with what was written
about them on a line ``Note:`` below. ``links=off`` and ``evolution=off`` are the paper's ablations: the action is
ignored, with both off there is no second call.
Defects of the original that are left out: (a) its reference for adversarial questions is the wrong answer; (b) the
prompt tells the gold category; (c) k is tuned on the test questions, here 10; (d) the paper states 7 512 questions of a
file that has 1 986: the suite asks and scores, this file sees neither. Links to notes that do not exist stop it; here
they are faults of the reply.
Differs in: our own prompts; neighbors go by small numbers from 1 and only changed ones are written anew; a note is
shown once; no second call without neighbors; an empty turn is no note; refs are the turns of the notes shown, not
those that made them evolve. A reply that is no such JSON is asked for once more; then the note stays undescribed or
unlinked, or the question itself is searched with, and the decision's notes say so. In an episode (not in the paper) a
note is an action with its observation, the query is the task's paragraph with the current observation, and notes are
shown in the order of steps, for what holds now was said last; the current observation's note is left out.
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
    name="a-mem-v1",
    build=_build,
    params=(
        Param("k", 10, "how many notes are shown, and at most how many linked ones with them", minimum=1),
        Param("neighbors", 5, "how many nearest notes the model sees beside a new one", minimum=1),
        Param("links", True, "link notes (the paper's ablation when off)"),
        Param("evolution", True, "let new notes rewrite their neighbors (the paper's ablation when off)"),
        Param("query", "keywords", "search with the model's keywords or with the question", ("keywords", "question")),
        Param("rebuild", 100, "evolutions after which evolved notes are embedded anew; 1 = at once", minimum=1),
    ),
    source="A-MEM (arXiv 2502.12110, code at 0c8039f): notes, links, evolution; own prompts, gold category not shown",
)
"""The row."""
