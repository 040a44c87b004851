"""The package ``mem0ai`` as it is published, for long conversations. Knows no suite.

Source: mem0ai 2.2 (github.com/mem0ai/mem0): additive extraction in one call per batch, with the last ten messages and
the ten nearest memories; search by vectors. Its prompts, its parsing and its search are its own; see ``package.py`` for
what is switched off (telemetry, entity links, BM25) and for the date that is put in the place of today's.
Differs in: batches of two messages as in the authors' LoCoMo harness, one store for both speakers, who are the user and
the assistant and whose names stand before what they say; a memory cites all messages of its batch, since the library
does not tell; memories are shown dated by session and in time order. A batch over which the library raises (some
replies that are no proper JSON) is not remembered, and a note says so. It serves conversations only: its prompt speaks
of a user and an assistant.
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
"""The row."""
