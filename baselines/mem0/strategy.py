"""Mem0: the model takes facts from every two messages and keeps them free of repeats and contradictions.

A query is shown the k facts nearest to it, dated, in time order. Knows no suite.

Source: Mem0 (arXiv 2504.19413, sec. 2.1; ``variant=paper``), and the package ``mem0ai`` of 2026 (``variant=add-only``).

Paper step -> function:

* extraction from the new messages, the last m and a rolling summary -> ``writing.Writer.extract_facts``
* the s nearest memories of each fact -> ``store.FactStore.find_candidates``
* one operation a fact: ADD, UPDATE, DELETE, NOOP -> ``Writer.decide_operations``, ``memory.Mem0Memory._apply``
* rolling summary -> ``Writer.update_summary``
* dense search, or joined with BM25 -> ``search.Search.rank``, ``Mem0Memory.recall``
* the package of 2026: one call a batch that sees the s nearest memories and no summary; facts are only added, an exact
  repeat is known by its digest -> ``Mem0Memory._write_to``, ``_add``

Differences from the sources:

* The prompts are our own, and facts name the messages they come from, so that evidence can be measured.
* All facts of a batch are decided in one call over the joint candidates, as in the package of 2025; in none while the
  store is empty. A fact may be given a DELETE and an ADD.
* A reply that cannot be used is asked for once more; an entry that cannot be read does not discard the others. Then the
  message is stored as it is, or the fact added, and a note of the decision says so.
* The summary is refreshed at the end of each session (in an episode after 20 messages), not by a clock, and has at most
  250 tokens; a longer one is trimmed at the end of a sentence, and noted.
* One store for all speakers. The paper's harness keeps one for each with k facts each: ``stores=speaker`` reads each
  batch once for each speaker met so far.
* A fact has the date of its session, an updated one the date of its update.
* ``search=hybrid`` joins both rankings by reciprocal ranks; the package adds scores and a boost for entities. There is
  no threshold of nearness.
* In an episode an action and its observation are two messages, written at once; they have no speaker's store.
"""

from __future__ import annotations

from baselines.mem0.memory import Mem0Memory
from bench.agents import DefaultAgent
from bench.protocols import ACTOR, Agent, Kit, Param, Strategy
from bench.types import Role, Stimulus

__all__ = ["STRATEGY"]


def _build(kit: Kit) -> Agent:
    memory = Mem0Memory(kit)

    def notes(_stimulus: Stimulus) -> tuple[str, ...]:
        """Say how much of what the model replied to the memory could not be used."""
        writer = memory.writer
        counts = (("verbatim", writer.verbatim, "messages"), ("undecided", writer.undecided, "facts"))
        failures = (f"{name}: {count} {what} so far" for name, count, what in counts if count)
        return (*failures, *writer.summarizer.describe_trimmed())

    return DefaultAgent(memory, kit, notes=notes)


STRATEGY = Strategy(
    name="mem0-v3",
    build=_build,
    params=(
        Param(
            "variant",
            "paper",
            "paper: add, update, delete, noop; add-only: the additive 2026 one",
            ("paper", "add-only"),
        ),
        Param("k", 10, "how many facts are shown (of each store)", minimum=1),
        Param("s", 10, "how many memories are compared: per fact (paper), per batch (add-only)", minimum=1),
        Param("m", 10, "how many earlier messages an extraction is shown", minimum=0),
        Param("batch", 2, "how many messages are written down at once (conversation)", minimum=1),
        Param(
            "summary",
            "auto",
            "rolling summary in extractions; auto: on for paper, off for add-only",
            ("auto", "on", "off"),
        ),
        Param("search", "dense", "dense: by vectors; hybrid: joined with BM25", ("dense", "hybrid")),
        Param("stores", "one", "one: all facts together; speaker: a store for each speaker", ("one", "speaker")),
        Param(
            "writer_model", ACTOR, "the model that writes the memory", roles=(Role.EXTRACT, Role.UPDATE, Role.SUMMARIZE)
        ),
    ),
    source="Mem0 (arXiv 2504.19413; mem0ai 2026 as add-only); own prompts, facts cite turns, one store by default",
)
"""The strategy."""
