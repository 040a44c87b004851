"""Plain files and a grep agent: each session is a text file, and for a question the model searches them by command.

Source: the "filesystem" baseline that Letta (formerly MemGPT) reports on LoCoMo: files and a search tool, no other
memory. Its agent and prompts are not published in full.

Source step -> function:

* write sessions to files -> ``files.Files.write``: ``session-07.txt`` with its date; an episode is ``log.txt``. The
  files are in memory, not on disk.
* search by commands (``grep WORDS``, ``read FILE FROM TO``, ``list``, ``done``) -> ``memory.FilesMemory._navigate``,
  ``commands.parse``
* show what a command finds, at most ``lines`` lines, long ones cut to ``chars`` characters -> ``_format_lines``
* answer from what was seen -> ``recall``: each line seen, whole, in time order; under a budget those found first

Differences from the source:

* Letta's agent answers in the same loop and can also search by meaning. Here at most ``rounds`` commands precede the
  common answering prompt.
* The first reply without a command is asked for once more, with what is wrong; of several commands the first counts.
  The second such reply ends the search with what it has, and the notes of the decision say so.
* A search runs once for each query and state of the files.
* In an episode the query is the task paragraph with the current observation, whose own line is not shown.
"""

from __future__ import annotations

from baselines.files_grep.memory import MOST_ROUNDS, FilesMemory
from bench.agents import DefaultAgent
from bench.protocols import ACTOR, Agent, Kit, Param, Strategy
from bench.types import Query, Role, Stimulus

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
    name="files-grep-v3",
    build=_build,
    params=(
        Param("rounds", 4, "the most commands the model may give for one query", minimum=0, maximum=MOST_ROUNDS),
        Param("lines", 20, "the most lines that one command shows", minimum=1),
        Param("chars", 300, "characters to which a shown line is cut; the context has it whole", minimum=20),
        Param("navigator_model", ACTOR, "the model that gives the commands", roles=(Role.NAVIGATE,)),
    ),
    inner_calls=MOST_ROUNDS + 2,  # the commands, one that is asked for again, the answer
    source="plain files and a grep agent, after Letta's filesystem baseline; own prompt, commands and loop",
)
"""The strategy."""
