"""How well a context covers the evidence of a question: pure functions of refs, knowing no suite and no strategy.

Two views. A context is a set of turns: recall, precision and Jaccard over the refs it cites. A ranking is a list of
turns, best first: recall@k, its any and all forms, and nDCG@k, at turn level and, by the first turn of each session, at
session level. An empty set of evidence leaves a number unscored, with a reason: it is counted, not averaged. Two have
a value even then: Jaccard (1 for an empty context, else 0) and LoCoMo's own recall (1).

Source: LongMemEval (arXiv 2410.10813), recall_any, recall_all and ndcg_any; LoCoMo's recall of evidence ids. Names that
end in ``_official`` repeat two known faults of the originals: nDCG gives ranks 1 and 2 the same weight (the discount is
log2 of the rank from rank 2 on), and LoCoMo's recall is 1 where a question has no evidence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from bench.types import Context, Score

__all__ = [
    "SESSION_AT",
    "TURN_AT",
    "jaccard",
    "ndcg",
    "ndcg_official",
    "precision",
    "recall",
    "recall_all",
    "reward",
    "score_evidence",
]

TURN_AT = (5, 10, 50)
"""The k of the turn level; a ranking shorter than k is scored over its length."""
SESSION_AT = (5, 10)
_NONE = "no evidence"
_UNRANKED = "the memory ranks nothing"


def recall(found: Sequence[str], needed: Sequence[str]) -> float:
    """Return the share of the needed refs that were found."""
    return len(set(found) & set(needed)) / len(set(needed))


def precision(cited: Sequence[str], needed: Sequence[str]) -> float:
    """Return the share of the cited refs that are needed; 0 for a context that cites none."""
    return len(set(cited) & set(needed)) / len(set(cited)) if cited else 0.0


def recall_all(found: Sequence[str], needed: Sequence[str]) -> float:
    """Return 1 if every needed ref was found."""
    return float(set(needed) <= set(found))


def recall_any(found: Sequence[str], needed: Sequence[str]) -> float:
    """Return 1 if any needed ref was found."""
    return float(not set(needed).isdisjoint(found))


def jaccard(cited: Sequence[str], needed: Sequence[str]) -> float:
    """Return what is common to both over what is in either; two empty sets are alike."""
    either = set(cited) | set(needed)
    return len(set(cited) & set(needed)) / len(either) if either else 1.0


def reward(
    selected: Sequence[str],
    needed: Sequence[str],
    *,
    faults: int = 0,
    fault_penalty: float = 0.0,
    tokens: int = 0,
    token_penalty: float = 0.0,
) -> float:
    """Return what a navigator that selected these refs is trained on: Jaccard, less penalties that are 0 by default.

    Nothing needed and nothing selected is 1; something selected where nothing is needed is 0; refs that are there twice
    count once, so a note that cites 20 turns costs 19 of them. ``faults`` counts refused operations; ``tokens`` is the
    length of the context. The result may be below 0 where a penalty is set.

    A question of LoCoMo's category 5 has evidence, the turn that its false premise is taken from, and is rewarded for
    it like any other: to refuse for a reason, one has to see whose fact it is.

    Source: HORMA (arXiv 2606.11680), the Jaccard reward; its unit and edge cases are not published.
    """
    return jaccard(selected, needed) - fault_penalty * faults - token_penalty * tokens


def ndcg(ranking: Sequence[str], needed: Sequence[str], k: int) -> float:
    """Return nDCG@k with relevance 0 or 1 and the discount 1 / log2(rank + 1)."""
    return _ndcg(ranking, needed, k, lambda rank: 1 / math.log2(rank + 1))


def ndcg_official(ranking: Sequence[str], needed: Sequence[str], k: int) -> float:
    """Return nDCG@k as LongMemEval's code has it: the discount is 1 at ranks 1 and 2, then 1 / log2(rank)."""
    return _ndcg(ranking, needed, k, lambda rank: 1.0 if rank == 1 else 1 / math.log2(rank))


def _ndcg(ranking: Sequence[str], needed: Sequence[str], k: int, discount: Callable[[int], float]) -> float:
    relevant = set(needed)
    gained = sum(discount(rank) for rank, ref in enumerate(ranking[:k], start=1) if ref in relevant)
    ideal = sum(discount(rank) for rank in range(1, min(k, len(relevant)) + 1))
    return gained / ideal


def score_evidence(context: Context, needed: Sequence[str], sessions: Mapping[str, str]) -> tuple[Score, ...]:
    """Return every evidence score of one question.

    ``sessions`` names the session of each turn; refs it does not know count as a session of their own.
    """
    cited, ranking, evidence = (tuple(dict.fromkeys(refs)) for refs in (context.refs, context.ranking, needed))
    return (
        *_score_context(cited, evidence, sessions),
        *_score_ranking("turn", ranking, evidence, TURN_AT),
        *_score_ranking("session", _list_sessions(ranking, sessions), _list_sessions(evidence, sessions), SESSION_AT),
    )


def _list_sessions(refs: Sequence[str], sessions: Mapping[str, str]) -> tuple[str, ...]:
    """Return the sessions of refs in the order in which each comes first."""
    return tuple(dict.fromkeys(sessions.get(ref, ref) for ref in refs))


def _score_context(cited: tuple[str, ...], needed: tuple[str, ...], sessions: Mapping[str, str]) -> Iterator[Score]:
    names = ("evidence_recall", "evidence_precision", "evidence_session_recall")
    if needed:
        by_session = recall(_list_sessions(cited, sessions), _list_sessions(needed, sessions))
        values: tuple[float | None, ...] = (recall(cited, needed), precision(cited, needed), by_session)
    else:
        values = (None, None, None)
    yield from (Score(name, value, "" if needed else _NONE) for name, value in zip(names, values, strict=True))
    yield Score("evidence_jaccard", jaccard(cited, needed))
    yield Score("evidence_recall_official", recall(cited, needed) if needed else 1.0)


def _score_ranking(level: str, ranking: Sequence[str], needed: Sequence[str], at: Sequence[int]) -> Iterator[Score]:
    reason = _NONE if not needed else "" if ranking else _UNRANKED
    for k in at:
        for name, measure in _AT_K.items():
            yield Score(f"{level}_{name}_at_{k}", None if reason else measure(ranking, needed, k), reason)


_AT_K: Mapping[str, Callable[[Sequence[str], Sequence[str], int], float]] = {
    "recall": lambda ranking, needed, k: recall(ranking[:k], needed),
    "recall_all": lambda ranking, needed, k: recall_all(ranking[:k], needed),
    "recall_any": lambda ranking, needed, k: recall_any(ranking[:k], needed),
    "ndcg": ndcg,
    "ndcg_official": ndcg_official,
}
