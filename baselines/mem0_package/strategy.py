"""The package ``mem0ai`` as it is published, for long conversations. Knows no suite.

Source: mem0ai 2.2 (github.com/mem0ai/mem0). Its prompts, parsing and search are its own.

Package step -> function:

* one extraction call a batch, with the last ten messages and the ten nearest memories; facts are only added ->
  ``package.Package.add``
* search by vectors -> ``package.Package.search``
* what is switched off (telemetry, entity links, BM25), and the session's date in the place of today's -> ``package.py``

Differences from the authors' LoCoMo harness:

* Batches of two turns as there, but one store for both speakers. They are the user and the assistant, and their names
  stand before what they say.
* A memory cites all messages of its batch, since the library does not say which it comes from.
* Memories are shown in time order with the date of their session.
* A batch over which the library raises (some replies that are no proper JSON) is not remembered, and a note of the
  decision says so.
* It serves conversations alone: its prompt speaks of a user and an assistant.
"""

from __future__ import annotations

from baselines.mem0_package.memory import PackageMemory
from bench.agents import DefaultAgent
from bench.protocols import Agent, Kit, Param, Strategy
from bench.types import Shape, Stimulus

__all__ = ["STRATEGY"]


def _build(kit: Kit) -> Agent:
    memory = PackageMemory(kit)

    def notes(_stimulus: Stimulus) -> tuple[str, ...]:
        """Say how many batches the library lost."""
        return (f"lost: {memory.lost} batches so far",) if memory.lost else ()

    return DefaultAgent(memory, kit, notes=notes)


STRATEGY = Strategy(
    name="mem0-package-v1",
    build=_build,
    serves=frozenset({Shape.CONVERSATION}),
    needs="mem0",
    params=(
        Param("k", 10, "how many memories are shown", minimum=1),
        Param("batch", 2, "how many turns are added at once", minimum=1),
    ),
    source="the package mem0ai 2.2 (additive); entity links and BM25 off, one store, a memory cites its whole batch",
)
"""The strategy."""
