"""The interfaces of what can be plugged in; plug-ins import these names from here.

A ``Strategy`` is a memory method; a ``SuiteSpec`` is a benchmark; an ``OfflineRule`` is what the offline model replies
to one kind of prompt. A strategy that shows the last event and forgets the rest is a memory and a name for it::

    class LastEvent:
        def __init__(self, kit: Kit):
            self._count, self._last = kit.budget.count, Event("", EventKind.NOTE, "")

        def observe(self, event: Event) -> None:    # called for every event, in order
            self._last = event

        def recall(self, query: Query) -> Context:  # what stands in the prompt; changes nothing
            if self._last.ref == query.ref:         # nothing yet, or the prompt shows it anyway
                return Context()
            text = render([self._last])
            if query.budget_tokens is not None:
                text = trim_to_sentence(text, query.budget_tokens, self._count)
            return Context(text, (self._last.ref,))

    STRATEGY = Strategy("last-event-v1", default_agent(LastEvent), source="an example")

``Event``, ``Query`` and ``Context`` come from ``bench.types``, ``default_agent`` and ``render`` from ``bench.agents``,
``trim_to_sentence`` from ``bench.replies``.
"""

from bench.protocols.conversation import (
    Conversation,
    ConversationSuite,
    HasEvidence,
    HasJudgeCase,
    HasKnownIssues,
    HasSessionEvidence,
    Question,
    write_question,
)
from bench.protocols.model import (
    Embedder,
    Estimate,
    HasJsonMode,
    HasPrice,
    HasRequestChanges,
    HasStop,
    HasTries,
    Model,
    ModelSource,
    OfflineDialect,
    OfflineRule,
    Tokenizer,
    Tries,
    Vectors,
)
from bench.protocols.params import ACTOR, Param, Params
from bench.protocols.strategy import (
    Agent,
    Budget,
    HasClose,
    HasFiles,
    HasReach,
    HasThoughts,
    Kit,
    Memory,
    Shapes,
    Strategy,
    Training,
    TrainingQuestion,
    TrainingTask,
    count_words,
)
from bench.protocols.suite import (
    DataProblem,
    DataSource,
    DataSpec,
    Environment,
    EpisodeSuite,
    HasNeededFacts,
    HasNotices,
    NeededFact,
    SuiteOptions,
    SuiteSpec,
    WorkerKind,
)

__all__ = [
    "ACTOR",
    "Agent",
    "Budget",
    "Conversation",
    "ConversationSuite",
    "DataProblem",
    "DataSource",
    "DataSpec",
    "Embedder",
    "Environment",
    "EpisodeSuite",
    "Estimate",
    "HasClose",
    "HasEvidence",
    "HasFiles",
    "HasJsonMode",
    "HasJudgeCase",
    "HasKnownIssues",
    "HasNeededFacts",
    "HasNotices",
    "HasPrice",
    "HasReach",
    "HasRequestChanges",
    "HasSessionEvidence",
    "HasStop",
    "HasThoughts",
    "HasTries",
    "Kit",
    "Memory",
    "Model",
    "ModelSource",
    "NeededFact",
    "OfflineDialect",
    "OfflineRule",
    "Param",
    "Params",
    "Question",
    "Shapes",
    "Strategy",
    "SuiteOptions",
    "SuiteSpec",
    "Tokenizer",
    "Training",
    "TrainingQuestion",
    "TrainingTask",
    "Tries",
    "Vectors",
    "WorkerKind",
    "count_words",
    "write_question",
]

_RENAMED = {"Doubted": "HasKnownIssues", "Evident": "HasEvidence", "Judged": "HasJudgeCase"}


def __getattr__(name: str) -> object:
    if name in _RENAMED:
        raise ImportError(f"bench.protocols: {name} is now {_RENAMED[name]}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
