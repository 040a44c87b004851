"""Plain files and a grep agent: each session is a text file, and at a question the model looks through them by command.

Source: the "filesystem" baseline that Letta (formerly MemGPT) reports on LoCoMo: no memory but files and a search tool.
Its agent and prompts are not published in full; here a conversation is one file a session (``session-07.txt``, with its
date), lines numbered, and an episode is one file, ``log.txt``. Nothing is on a disk. At a question the model may give
up to ``rounds`` commands (``grep WORDS``, ``read FILE FROM TO``, ``list``, ``done``); each shows at most ``lines``
lines, a long one cut to ``chars`` characters around what was found. The context is every line that was shown, whole, in
time order; under a budget those found first that fit. The ranking is the order of first finding.
Differs in: Letta's agent answers in the same loop and searches by meaning as well; here a fixed number of commands
precedes the common answering prompt. The first reply that is no command is asked for once more; the second ends the
search with what it has, and the decision's notes say so. A search runs once for each query and state of the files. Of
an episode the query is the task's paragraph with the current observation, whose line is not shown.
"""

from __future__ import annotations

from baselines.files_grep.memory import MOST_ROUNDS, FilesMemory
from bench.agents import DefaultAgent
from bench.protocols import Agent, Kit, Param, Strategy
from bench.types import Query, Stimulus

__all__ = ["STRATEGY"]


def _build(kit: Kit) -> Agent:
    memory = FilesMemory(kit)

    def notes(stimulus: Stimulus) -> tuple[str, ...]:
        """Say when a search broke off."""
        query = Query(stimulus.text, stimulus.goal, stimulus.step, stimulus.shape, ref=stimulus.ref)
        failure = memory.search(query).failure
        return (failure,) if failure else ()

    return DefaultAgent(memory, kit, notes=notes)


STRATEGY = Strategy(
    name="files-grep-v1",
    build=_build,
    params=(
        Param("rounds", 4, "the most commands the model may give for one query", minimum=0, maximum=MOST_ROUNDS),
        Param("lines", 20, "the most lines that one command shows", minimum=1),
        Param("chars", 300, "characters to which a shown line is cut; the context has it whole", minimum=20),
    ),
    inner_calls=MOST_ROUNDS + 2,  # the commands, one that is asked for again, the answer
    source="plain files and a grep agent, after Letta's filesystem baseline; own prompt, commands and loop",
)
"""The row."""
