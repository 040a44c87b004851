"""The catalogue of metrics: every number that is recorded, averaged, printed, compared or drawn has one entry here.

The entries stand in the order of a table's columns. A plug-in adds one with an entry point of the group
``memfrontier.metrics`` that names a ``Metric`` with a ``compute`` function. ``docs/metrics.md`` is written from this.
"""

from __future__ import annotations

from functools import partial

from bench.scoring.attribution import Cause, name_error
from bench.scoring.catalog_costs import COSTS
from bench.scoring.metric import Aggregate, Better, Metric, Topic, Unit, differs_from, known_beside, nonzero

__all__ = ["METRICS"]

_share = partial(Metric, unit=Unit.SHARE, better=Better.HIGHER)
_outcome = partial(_share, topic=Topic.OUTCOME)
_answer = partial(_share, topic=Topic.ANSWERS)
_evidence = partial(_share, topic=Topic.EVIDENCE)
_count = partial(Metric, unit=Unit.COUNT, better=Better.LOWER)

_SOUND = "sound: the same without the questions whose reference answer is known to be wrong."
_REFUSALS = (
    "adversarial, abstention: refusals among the adversarial questions, or among those that cannot be answered; a "
    "strategy that always refuses wins there and only there."
)
_COVERAGE = (
    "evidence recall, prec.: share of the turns a question rests on that the context cites, and share of the turns "
    "cited that it rests on (of an episode: of the past steps a decision depends on, mean over its decisions); those "
    "without evidence are left out."
)
_ERRORS = (
    "constr., retr., reason.: share of questions (of an episode: of decisions that needed something told before) that "
    "failed because a needed turn was out of the memory's reach, or its fact lost from the text; because it was in "
    "reach and not recalled; although it was recalled and in the text. The rest succeeded; questions without evidence "
    "and those that a refusal answers are left out."
)

_ATTEMPTS = (
    "success@n: share of tasks won within n attempts, the best of all of them; success is that of the first attempt "
    "alone. attempts: how many were played per task."
)

_RECOVERY = (
    "recov., regr.: share of tasks won here and lost without memory, and lost here and won without; p recov.: "
    "McNemar's exact test of the two counts, not adjusted."
)

_ORDER = (
    "first third, last third: share of tasks won among the first and the last third of the order of a stream, the mean "
    "over its orders; lowest, highest: the last third of one order. All rows play the same orders, so compare with one "
    "that learns nothing."
)

METRICS: tuple[Metric, ...] = (
    _outcome(
        name="success", key="success_rate", header="success %", interval="success", brief=True, axis="success",
        definition="success: the environment reported a win; of a question, its suite's main score.", noted=False,
    ),
    _outcome(
        name="success_spread", better=Better.NEITHER, aggregate=Aggregate.OF_ROW, header="run sd %", weight=2,
        definition="run sd: standard deviation of success between the runs (seeds) of a row, each over its tasks.",
    ),
    _outcome(
        name="macro_{role}", aggregate=Aggregate.OF_ROW,
        definition="macro: mean over the groups of tasks (types, domains, categories) of the score that the name ends "
        "in, each group counted once; `--columns macro_success` shows it.",
    ),
    _outcome(
        name="success_solvable", key="success_rate_solvable", header="solvable %", weight=9,
        show=differs_from("success"),  # only where the cap leaves some tasks out of reach
        definition="solvable: success over the tasks whose shortest solution fits the step cap.",
    ),
    _outcome(
        name="success_at_n", aggregate=Aggregate.STRICT_MEAN, header="success@n %", weight=1, interval="success_at_n",
        brief=True, axis="success within n attempts", definition=_ATTEMPTS,
    ),
    _count(
        name="attempts", topic=Topic.OUTCOME, aggregate=Aggregate.STRICT_MEAN, header="attempts", digits=1, weight=4,
        definition=_ATTEMPTS,
    ),
    _count(
        name="attempts_allowed", topic=Topic.OUTCOME, better=Better.NEITHER, header="n", weight=5, noted=False,
        definition="n: the most attempts at a task.",
    ),
    _outcome(
        name="success_at_attempt_{k}", aggregate=Aggregate.STRICT_MEAN,
        definition="success at attempt k: share of tasks won within the first k attempts.",
    ),
    _outcome(
        name="recovered", aggregate=Aggregate.OF_ROW, header="recov. %", weight=3, show=known_beside("tokens_build"),
        definition=_RECOVERY,
    ),
    _outcome(
        name="regressed", better=Better.LOWER, aggregate=Aggregate.OF_ROW, header="regr. %", weight=3,
        show=known_beside("tokens_build"), definition=_RECOVERY,
    ),
    Metric(
        name="recovery_p", topic=Topic.OUTCOME, unit=Unit.P_VALUE, better=Better.NEITHER, aggregate=Aggregate.OF_ROW,
        header="p recov.", digits=3, weight=5, show=known_beside("tokens_build"), definition=_RECOVERY,
    ),
    *(
        _outcome(name=name, aggregate=Aggregate.OF_ROW, header=f"{title} %", weight=weight, definition=_ORDER)
        for name, title, weight in (
            ("success_first_third", "first third", 4),
            ("success_last_third", "last third", 1),
            ("last_third_lowest", "lowest", 3),
            ("last_third_highest", "highest", 3),
        )
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
    _answer(
        name="exact_match", header="exact %", weight=4, show=differs_from("success"), brief=True, noted=False,
        definition="exact: share of answers equal to an accepted one, case, punctuation and articles left out (SQuAD).",
    ),
    _answer(
        name="contains", header="contains %", weight=5, show=differs_from("success"), brief=True, noted=False,
        definition="contains: share of answers in which the words of an accepted one stand one after the other.",
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
        name="retained", header="retained %", weight=6, brief=True,
        definition="retained: share of contexts that still state what the reference answer states and the evidence "
        "says: all dates and numbers, two thirds of the words; answers that have to be inferred are left out. Of an "
        "episode: share of decisions whose context names each needed fact on one line.",
    ),
    _evidence(
        name="retention",
        definition="retention: of what the reference answer states and the evidence says, the share that the context "
        "states; of an episode, share of the needed facts whose names stand on one line of it.",
    ),
    *(
        _evidence(
            name=name_error(cause), better=Better.LOWER, header=header, weight=7, definition=_ERRORS,
        )
        for cause, header in zip(Cause, ("constr. %", "retr. %", "reason. %"), strict=True)
    ),
    _count(
        name="evidence_decisions", topic=Topic.EVIDENCE, better=Better.NEITHER,
        definition="evidence decisions: decisions of an episode that needed something told before the last step.",
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
    Metric(
        name="answer_tokens", topic=Topic.EFFORT, unit=Unit.TOKENS, better=Better.LOWER, header="answer", digits=1,
        weight=7,
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
        name="success_at_{k}",
        definition="success at k: won within k steps; what a run with the smaller step cap k would have won.",
    ),
    _outcome(
        name="valid_at_{k}",
        definition="valid at k: share of valid actions at step k, of the episodes that got so far.",
    ),
    _count(name="invalid_actions", topic=Topic.OUTCOME, definition="invalid actions: actions that were not valid."),
    _count(
        name="thoughts", topic=Topic.OUTCOME, header="thoughts", digits=1, weight=9, show=nonzero, noted=False,
        definition="thoughts: replies that were a thought; whether one takes a step is a matter of the protocol.",
    ),
    _count(
        name="helper_calls", topic=Topic.OUTCOME, header="helper", digits=1, weight=9, show=nonzero, noted=False,
        definition="helper: actions that request help from the environment, such as the list of valid actions.",
    ),
    _count(name="repairs", topic=Topic.OUTCOME, definition="repairs: changes that made an action's text readable."),
    Metric(
        name="teaching_understood", topic=Topic.EFFORT, unit=Unit.SHARE, better=Better.HIGHER,
        header="understood %", weight=6,
        definition="understood: share of the lines a context teaches with that the novice made something of.",
    ),
    *COSTS,
)  # fmt: skip
