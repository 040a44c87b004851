"""The catalogue of metrics: every number that is recorded, averaged, printed, compared or drawn has one entry here.

The entries stand in the order of a table's columns. A plug-in adds one with an entry point of the group
``memfrontier.metrics`` that names a ``Metric`` with a ``compute`` function. ``docs/metrics.md`` is written from this.
"""

from __future__ import annotations

from functools import partial

from bench.scoring.metric import Aggregate, Better, Metric, Topic, Unit, differs_from, nonzero, nonzero_of

__all__ = ["METRICS"]

_share = partial(Metric, unit=Unit.SHARE, better=Better.HIGHER)
_outcome = partial(_share, topic=Topic.OUTCOME)
_answer = partial(_share, topic=Topic.ANSWERS)
_evidence = partial(_share, topic=Topic.EVIDENCE)
_count = partial(Metric, unit=Unit.COUNT, better=Better.LOWER)
_tokens = partial(Metric, topic=Topic.EFFORT, unit=Unit.TOKENS, better=Better.LOWER)
_total = partial(_tokens, aggregate=Aggregate.STRICT_MEAN)
_usd = partial(_total, unit=Unit.USD, digits=4)
_wall = partial(_tokens, topic=Topic.TIME, unit=Unit.SECONDS, digits=2, weight=7, stable=False)

_SOUND = "sound: the same without the questions whose reference answer is known to be wrong."
_REFUSALS = (
    "adversarial, abstention: refusals among the adversarial questions, or among those that cannot be answered; a "
    "strategy that always refuses wins there and only there."
)
_COVERAGE = (
    "evidence recall, prec.: share of the turns a question rests on that the context cites, and share of the turns "
    "cited that it rests on; questions without evidence are left out."
)
_CONTEXT = (
    "context mean, max: tokens that the memory put before the model, per decision (mean per task; the longest "
    "of any task)."
)
_RELATIVE = "context rel.: mean context over that of the reference row; time rel.: the same of wall time."
_INGEST = (
    "ingest: tokens that writing down one whole conversation took (part of tokens, shared out among its "
    "questions); per question: tokens of reading memory and answering."
)
_WALL = "model, env, memory, harness s: wall seconds per task; they differ between equal runs."
_PROMPT = "prompt: tokens of the whole prompt of a decision (mean per task; mean of the longest of each task)."

METRICS: tuple[Metric, ...] = (
    _outcome(
        name="success", key="success_rate", header="success %", interval="success", brief=True, axis="success",
        definition="success: the environment reported a win; of a question, its suite's main score.", noted=False,
    ),
    _outcome(
        name="success_solvable", key="success_rate_solvable", header="solvable %", weight=9,
        show=differs_from("success"),  # only where the cap leaves some tasks out of reach
        definition="solvable: success over the tasks whose shortest solution fits the step cap.",
    ),
    _answer(name="success_sound", header="sound %", weight=3, definition=_SOUND),
    _outcome(
        name="progress", key="progress_rate", header="progress %", weight=2, interval="progress", graded=True,
        brief=True, axis="progress",
        definition="progress: best share of the goal reached so far; [95 % BCa bootstrap interval] over tasks.",
    ),
    _answer(
        name="judge_accuracy", header="judge %", weight=1, interval="judge", brief=True, noted=False,
        definition="judge: share of answers that the judge graded CORRECT; its tokens have a column of their own.",
    ),
    _answer(name="judge_sound", header="judge sound %", weight=3, definition=_SOUND),
    _answer(
        name="f1", header="F1 %", weight=1, brief=True,
        show=differs_from("success"),  # the main score of a suite stands in its own column already
        definition="F1: word overlap with the reference answer over all questions; where adversarial ones are among "
        "them, a refusal counts as 1.",
    ),
    _answer(
        name="judge_adversarial", header="judge adv. %", weight=4, brief=True,
        definition="judge adv.: the judge on the adversarial questions, which are not in the column judge.",
    ),
    _answer(name="adversarial", header="adversarial %", weight=2, brief=True, definition=_REFUSALS),
    _answer(name="abstention", header="abstention %", weight=2, brief=True, definition=_REFUSALS),
    _answer(
        name="criteria", brief=True,
        definition="criteria: share of questions answered right by LongMemEval's rules that need no judge.",
    ),
    _answer(name="f1-set", definition="f1-set: word overlap with repeated words counted once (LoCoMo)."),
    _answer(name="bleu-1", definition="bleu-1: BLEU of single words against the reference answer (LoCoMo)."),
    _evidence(name="evidence_recall", header="evidence recall %", weight=3, brief=True, definition=_COVERAGE),
    _evidence(name="evidence_precision", header="evidence prec. %", weight=5, brief=True, definition=_COVERAGE),
    _evidence(
        name="evidence_jaccard",
        definition="evidence Jaccard: turns both cited and needed over turns either cited or needed.",
    ),
    _evidence(
        name="evidence_session_recall",
        definition="evidence session recall: share of the sessions a question rests on that the context cites.",
    ),
    _evidence(
        name="evidence_recall_official",
        definition="evidence recall, official: as LoCoMo's code has it, 1 for a question without evidence.",
    ),
    *(
        _evidence(name=f"{level}_{name}_at_{{k}}", definition=f"{level} {title}@k: {what} ({level} level).")
        for level in ("turn", "session")
        for name, title, what in (
            ("recall", "recall", "share of the evidence among the first k of the memory's ranking"),
            ("recall_all", "recall-all", "1 if all the evidence is among the first k of the ranking"),
            ("recall_any", "recall-any", "1 if any of the evidence is among the first k of the ranking"),
            ("ndcg", "nDCG", "discounted gain of the first k of the ranking, relevance 0 or 1"),
            ("ndcg_official", "nDCG, official", "the same with LongMemEval's discount, 1 at ranks 1 and 2"),
        )
    ),
    _tokens(
        name="answer_tokens", header="answer", digits=1, weight=7,
        definition="answer: length of the answer in tokens.",
    ),
    _count(
        name="steps", topic=Topic.OUTCOME, header="steps", digits=1, weight=4, brief=True, noted=False,
        definition="steps: actions of an episode.",
    ),
    _count(name="steps_won", topic=Topic.OUTCOME, definition="steps won: steps of the episodes won."),
    _count(
        name="steps_over_optimal", topic=Topic.OUTCOME, header="steps/opt.", digits=2, weight=8,
        definition="steps/opt.: steps of the episodes won over those of a shortest solution.",
    ),
    _outcome(
        name="valid_action_rate", header="valid %", weight=5,
        definition="valid: share of actions that the world understood and carried out, per task, then averaged.",
    ),
    _outcome(
        name="progress_at_{k}", aggregate=Aggregate.CARRIED_MEAN,
        definition="progress at k: progress after k steps; an episode that ended before goes on at its last value.",
    ),
    _outcome(
        name="valid_at_{k}",
        definition="valid at k: share of valid actions at step k, of the episodes that got so far.",
    ),
    _count(name="invalid_actions", topic=Topic.OUTCOME, definition="invalid actions: actions that were not valid."),
    _count(
        name="helper_calls", topic=Topic.OUTCOME, header="helper", digits=1, weight=9, show=nonzero, noted=False,
        definition="helper: actions that request help from the environment, such as the list of valid actions.",
    ),
    _count(name="repairs", topic=Topic.OUTCOME, definition="repairs: changes that made an action's text readable."),
    Metric(
        name="budget_tokens", topic=Topic.EFFORT, unit=Unit.TOKENS, better=Better.NEITHER,
        aggregate=Aggregate.OF_ROW, header="budget", weight=3,
        definition="budget: the most tokens a context was allowed; – no limit. A context over it is a strategy's "
        "error.",
    ),
    _tokens(
        name="context_tokens_mean", aliases=("context",), header="context mean", weight=3, definition=_CONTEXT,
        axis="context tokens per decision (log scale)",
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
        axis="tokens per {item} (prompt + completion, log scale)",
        definition="tokens: prompt + completion of all the agent's calls per task (act + write + read, embedding calls "
        "included, retries and judge excluded); – where any usage is missing.",
    ),
    _total(
        name="query_tokens", header="per question", weight=6, definition=_INGEST,
        show=nonzero_of("ingest_tokens"),  # says nothing new where nothing was spent before the first question
    ),
    _total(name="ingest_tokens", header="ingest", weight=6, show=nonzero, definition=_INGEST),
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
    _total(
        name="tokens_learn", header="learn", weight=9, show=nonzero, noted=False,
        definition="learn: tokens of learning before the test; not in tokens.",
    ),
    _total(name="tokens_gather", definition="gather: tokens of gathering experience before the test; not in tokens."),
    _total(
        name="tokens_judge", header="judge tokens", weight=9, show=nonzero, noted=False,
        definition="judge tokens: tokens of the judge; in no other column.",
    ),
    _total(
        name="cached_tokens", better=Better.HIGHER, header="cached", weight=9, show=nonzero, noted=False,
        definition="cached: prompt tokens that the provider read from its cache.",
    ),
    _usd(
        name="cost_usd", aliases=("cost",), header="US$", weight=4, show=nonzero, axis="US$ per {item} (log scale)",
        definition="US$: spend per task at the run's dated prices, retries included, replayed calls and judge "
        "excluded.",
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
    _tokens(
        name="notes_{kind}_tokens", better=Better.NEITHER,
        definition="noted tokens: an amount that the strategy itself reports with a question.",
    ),
    _count(
        name="notes_{kind}", topic=Topic.EFFORT, better=Better.NEITHER,
        definition="notes by kind: how often a strategy reported doing something.",
    ),
    _wall(name="wall_model_s", header="model s", definition=_WALL),
    _wall(name="wall_env_s", header="env s", definition=_WALL),
    _wall(name="wall_memory_s", header="memory s", definition=_WALL),
    _wall(name="wall_harness_s", header="harness s", definition=_WALL),
    _wall(
        name="wall_relative", unit=Unit.SHARE, aggregate=Aggregate.OF_ROW, header="time rel. %", definition=_RELATIVE
    ),
    _wall(name="wall_s", definition="wall s: wall seconds per task, all parts together."),
)  # fmt: skip
