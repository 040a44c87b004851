"""What a part has to be able to do to be plugged in; plug-ins import these names from here.

A ``Strategy`` is a memory method; a ``SuiteSpec`` is a benchmark; an ``OfflineRule`` is what the offline player knows
about one frame or one role.
"""

from bench.protocols.conversation import (
    Conversation,
    ConversationSuite,
    HasEvidence,
    HasJudgeCase,
    HasKnownIssues,
    Question,
)
from bench.protocols.model import Embedder, Ledger, Model, ModelSource, OfflineDialect, OfflineRule, Tokenizer, Vectors
from bench.protocols.params import Param, Params
from bench.protocols.strategy import Agent, Budget, Kit, Memory, Shapes, Strategy, count_words
from bench.protocols.suite import (
    DataProblem,
    DataSource,
    DataSpec,
    Environment,
    EpisodeSuite,
    SuiteOptions,
    SuiteSpec,
)

__all__ = [
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
    "HasEvidence",
    "HasJudgeCase",
    "HasKnownIssues",
    "Kit",
    "Ledger",
    "Memory",
    "Model",
    "ModelSource",
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
    "Vectors",
    "count_words",
]
