"""The second half of the catalogue: what a strategy put into prompts, what it spent, and how its replies were read."""

from __future__ import annotations

from functools import partial

from bench.scoring.metric import Aggregate, Better, Metric, Topic, Unit, nonzero, nonzero_of, seldom

__all__ = ["COSTS"]

_count = partial(Metric, unit=Unit.COUNT, better=Better.LOWER)
_reply = partial(Metric, topic=Topic.REPLIES, unit=Unit.SHARE, better=Better.LOWER, weight=8, show=nonzero)
_tokens = partial(Metric, topic=Topic.EFFORT, unit=Unit.TOKENS, better=Better.LOWER)
_total = partial(_tokens, aggregate=Aggregate.STRICT_MEAN)
_usd = partial(_total, unit=Unit.USD, digits=4)
_wall = partial(_tokens, topic=Topic.TIME, unit=Unit.SECONDS, digits=2, weight=7, stable=False)

_CONTEXT = (
    "context mean, max: tokens that the memory put before the model, per decision (mean per task; the longest "
    "of any task)."
)
_RELATIVE = "context rel.: mean context over that of the reference row; time rel.: the same of wall time."
_INGEST = (
    "ingest: tokens that writing down one whole conversation took (part of tokens, shared out among its "
    "questions); per question: tokens of reading memory and answering."
)
_RETRIEVAL = (
    "read calls, tokens: model calls and tokens, embeddings included, of reading memory (phase read) per decision."
)
_WALL = "model, env, memory, harness s: wall seconds per task; they differ between equal runs."
_LATENCY = (
    "recall, decision p50, p95 s: wall seconds that half, and 19 of 20, of all decisions took at most: reading from "
    "memory, and the whole decision, calls of models included; replies of a cassette take none."
)
_latency = partial(_wall, aggregate=Aggregate.OF_ROW, digits=3, definition=_LATENCY)
_PROMPT = "prompt: tokens of the whole prompt of a decision (mean per task; mean of the longest of each task)."

COSTS: tuple[Metric, ...] = (
    Metric(
        name="budget_tokens", topic=Topic.EFFORT, unit=Unit.TOKENS, better=Better.NEITHER,
        aggregate=Aggregate.OF_ROW, header="budget", weight=3,
        definition="budget: the most tokens a context was allowed; – no limit. A context over it is a strategy's "
        "error.",
    ),
    _tokens(
        name="context_tokens_mean", aliases=("context",), header="context mean", weight=3, definition=_CONTEXT,
        axis="context tokens per decision",
    ),
    _tokens(
        name="context_relative", unit=Unit.SHARE, aggregate=Aggregate.OF_ROW, header="context rel. %", weight=7,
        definition=_RELATIVE,
    ),
    _tokens(
        name="context_tokens_max", aggregate=Aggregate.MAXIMUM, header="context max", weight=6, definition=_CONTEXT
    ),
    _count(
        name="truncated_contexts", topic=Topic.EFFORT,
        definition="truncated contexts: decisions whose context was cut to fit.",
    ),
    _total(name="prompt_tokens_mean", definition=_PROMPT),
    _total(name="prompt_tokens_max", definition=_PROMPT),
    _total(
        name="tokens_total", aliases=("tokens",), header="tokens", weight=1, brief=True, estimable=True,
        axis="tokens per {item} (prompt + completion)",
        definition="tokens: prompt + completion of all the agent's calls per task (act + write + read, embedding calls "
        "included, retries and judge excluded); – where any usage is missing.",
    ),
    _total(
        name="tokens_at_n", header="tokens@n", weight=4, axis="tokens per {item}, all attempts",
        definition="tokens@n: tokens of all attempts at a task; tokens are those of the first attempt alone.",
    ),
    _total(
        name="query_tokens", header="per question", weight=6, definition=_INGEST,
        axis="tokens per question, without writing the memory down",
        show=nonzero_of("ingest_tokens"),  # says nothing new where nothing was spent before the first question
    ),
    _total(name="ingest_tokens", header="ingest", weight=6, show=nonzero, definition=_INGEST),
    _count(
        name="pays_off_after", topic=Topic.EFFORT, aggregate=Aggregate.OF_ROW, header="pays off", digits=1, weight=7,
        show=nonzero,
        definition="pays off: questions on one conversation after which ingest costs less than what each question "
        "saves against the reference strategy; – never.",
    ),
    _total(
        name="tokens_act", header="act", weight=8, noted=False,
        definition="act: tokens of deciding on actions and answers.",
    ),
    _total(
        name="tokens_write", header="write", weight=8, show=nonzero, noted=False,
        definition="write: tokens of writing to memory.",
    ),
    _total(
        name="tokens_read", header="read", weight=8, show=nonzero, noted=False,
        definition="read: tokens of reading from memory.",
    ),
    _count(
        name="retrieval_calls", topic=Topic.EFFORT, header="read calls", digits=1, weight=8, show=nonzero,
        definition=_RETRIEVAL,
    ),
    _total(name="retrieval_tokens", header="read tokens", weight=8, show=nonzero, definition=_RETRIEVAL),
    _total(
        name="tokens_learn", header="learn", weight=9, show=nonzero, noted=False,
        definition="learn: tokens of making an artifact, shared out among the tasks evaluated; not in tokens.",
    ),
    _total(
        name="tokens_gather", header="gather", weight=9, show=nonzero,
        definition="gather: tokens of gathering what was learned from, shared out among the tasks evaluated; not in "
        "tokens. Rows that learned from one pool share what it took.",
    ),
    _total(
        name="tokens_build", aliases=("build",), header="build", weight=5, show=nonzero,
        axis="tokens of learning per {item}",
        definition="build: gather + learn, per evaluated task.",
    ),
    _total(
        name="tokens_with_build", header="tokens+build", weight=5, show=nonzero_of("tokens_build"),
        axis="tokens per {item}, learning included",
        definition="tokens+build: tokens with what learning took, per evaluated task.",
    ),
    _total(
        name="tokens_judge", header="judge tokens", weight=9, show=nonzero, noted=False,
        definition="judge tokens: tokens of the judge; in no other column.",
    ),
    _total(
        name="cached_tokens", better=Better.HIGHER, header="cached", weight=9, show=nonzero, noted=False,
        definition="cached: prompt tokens that the provider read from its cache.",
    ),
    _usd(
        name="cost_usd", aliases=("cost",), header="US$", weight=4, show=nonzero, axis="US$ per {item}",
        definition="US$: spend per task at the run's dated prices, retries included, replayed calls and judge "
        "excluded.",
    ),
    _usd(
        name="build_cost_usd", header="build US$", weight=5, show=nonzero,
        definition="build US$: spend on gathering and learning, per evaluated task; not in US$.",
    ),
    _usd(name="judge_cost_usd", definition="judge US$: spend on the judge per task."),
    _count(
        name="calls", topic=Topic.EFFORT, header="calls", digits=1, weight=6, brief=True, noted=False,
        definition="calls: model calls of the agent that got a reply, embedding calls excluded.",
    ),
    _count(name="embed_calls", topic=Topic.EFFORT, definition="embedding calls: calls of the embedder."),
    _count(name="retries", topic=Topic.EFFORT, definition="retries: attempts of a call after its first."),
    _count(
        name="estimated_calls", topic=Topic.EFFORT, better=Better.NEITHER,
        definition="estimated calls: calls whose tokens a tokenizer estimated.",
    ),
    _count(
        name="unreported_calls", topic=Topic.EFFORT, better=Better.NEITHER,
        definition="unreported calls: calls whose tokens nobody counted; a row with one has no tokens.",
    ),
    _count(
        name="calls_{role}", topic=Topic.EFFORT, better=Better.NEITHER,
        definition="calls by role: inner calls of a strategy, such as summaries.",
    ),
    _total(
        name="tokens_role_{role}",
        definition="tokens by role: tokens of the calls of a role that has a model of its own; part of tokens.",
    ),
    _usd(
        name="cost_usd_role_{role}",
        definition="US$ by role: spend on the calls of a role that has a model of its own; part of US$.",
    ),
    _tokens(
        name="notes_{kind}_tokens", better=Better.NEITHER,
        definition="noted tokens: an amount that the strategy itself reports with a question.",
    ),
    _count(
        name="notes_{kind}", topic=Topic.EFFORT, better=Better.NEITHER,
        definition="notes by kind: how often a strategy reported doing something.",
    ),
    _reply(
        name="unreadable", header="unread. %",
        definition="unread.: share of decisions whose replies held no readable action or answer; such an action costs "
        "a step and does nothing.",
    ),
    _reply(
        name="asked_again", unit=Unit.COUNT, header="again", digits=2,
        definition="again: further calls per decision because a reply could not be read.",
    ),
    _reply(
        name="cut", header="cut %",
        definition="cut: share of decisions with a reply that ended at its token limit.",
    ),
    _reply(
        name="repaired", header="repaired %", weight=9,
        definition="repaired: share of decisions whose reply was not in the plain form, such as a label in bold.",
    ),
    _reply(
        name="dialect_lines", unit=Unit.COUNT, better=Better.NEITHER, header="dialect", digits=1, weight=9,
        definition="dialect: lines of the strategy's own reply format, such as sub-goals, per task or question.",
    ),
    _reply(
        name="context_shown", better=Better.NEITHER, header="context shown %", weight=9, show=seldom,
        definition="context shown: share of decisions with a context that was not empty.",
    ),
    _tokens(
        name="experience_shown", unit=Unit.SHARE, better=Better.NEITHER, header="shown %", weight=6, show=nonzero,
        definition="shown: share of decisions whose context held something learned from other tasks.",
    ),
    _tokens(
        name="memory_tokens", aliases=("memory",), aggregate=Aggregate.OF_ROW, header="memory", weight=5, show=nonzero,
        definition="memory: tokens of all texts that a strategy learned, of which a context shows some.",
    ),
    _wall(name="wall_model_s", header="model s", definition=_WALL),
    _wall(name="wall_env_s", header="env s", definition=_WALL),
    _wall(name="wall_memory_s", header="memory s", definition=_WALL),
    _wall(name="wall_harness_s", header="harness s", definition=_WALL),
    _wall(
        name="wall_relative", unit=Unit.SHARE, aggregate=Aggregate.OF_ROW, header="time rel. %", definition=_RELATIVE
    ),
    _latency(name="recall_p50_s", header="recall p50 s"),
    _latency(name="recall_p95_s", header="recall p95 s"),
    _latency(name="decision_p50_s", header="decision p50 s"),
    _latency(name="decision_p95_s", header="decision p95 s"),
    _wall(name="wall_s", definition="wall s: wall seconds per task, all parts together."),
)  # fmt: skip
