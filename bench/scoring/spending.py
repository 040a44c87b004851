"""What the calls of a trial spent: tokens by phase and by role, dollars, calls and retries.

Tokens are prompt plus completion of the calls that succeeded, replayed ones included (logical tokens). Money is that of
every attempt, replayed ones excluded (spend). What cannot be known is a score without a value, never 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bench.types import Call, CallStatus, Phase, Role, Score, Trial, UsageSource, read_role_models

__all__ = ["AGENT_PHASES", "list_routed_roles", "score_ledger", "score_retrieval", "score_roles", "sum_tokens"]

AGENT_PHASES = (Phase.ACT, Phase.WRITE, Phase.READ, Phase.GATHER)
"""The phases whose tokens are the agent's own, of which a training trial has the last alone; a judge's never are."""

_OK = CallStatus.OK


def score_ledger(calls: Sequence[Call]) -> tuple[Score, ...]:
    """Return what a trial's calls spent; the judge is counted separately."""
    billed = [call for call in calls if call.phase is not Phase.JUDGE]
    agent = [call for call in calls if call.phase in AGENT_PHASES]
    done = [call for call in agent if call.status == _OK]
    chats = [call for call in done if call.role != Role.EMBED]
    return (
        *(sum_tokens(f"tokens_{phase}", [call for call in calls if call.phase is phase]) for phase in Phase),
        sum_tokens("tokens_total", agent),
        _sum_known("cached_tokens", [call.usage.cached_read for call in chats]),
        _sum_known("cost_usd", [_find_spend(call) for call in billed]),
        _sum_known("judge_cost_usd", [_find_spend(call) for call in calls if call.phase is Phase.JUDGE]),
        Score("calls", float(len(chats))),
        Score("embed_calls", float(len(done) - len(chats))),
        Score("retries", float(sum(call.attempt > 1 for call in billed))),
        Score("estimated_calls", float(sum(call.usage.source is UsageSource.TOKENIZER for call in done))),
        Score("unreported_calls", float(sum(_count_tokens(call) is None for call in done))),
    )


def score_roles(calls: Sequence[Call], roles: Iterable[str]) -> tuple[Score, ...]:
    """Return what the calls of these roles spent, counted as in ``score_ledger``."""
    scores: list[Score] = []
    for role in roles:
        mine = [call for call in calls if call.role == role and call.phase is not Phase.JUDGE]
        scores.append(sum_tokens(f"tokens_role_{role}", mine))
        scores.append(_sum_known(f"cost_usd_role_{role}", [_find_spend(call) for call in mine]))
    return tuple(scores)


def list_routed_roles(trial: Trial) -> list[str]:
    """Return the roles that have a model of their own in a trial."""
    return sorted(read_role_models(dict(trial.fingerprint.entries)))


def score_retrieval(calls: Sequence[Call], n_decisions: int) -> Iterator[Score]:
    """Yield what the memory spent on reading (phase read) for one decision: model calls, and tokens with embeddings."""
    reading = [call for call in calls if call.phase is Phase.READ and call.status == _OK]
    chats = float(sum(call.role != Role.EMBED for call in reading))
    for total in (Score("retrieval_calls", chats), sum_tokens("retrieval_tokens", reading)):
        if total.value is None or not n_decisions:
            yield Score(total.name, None, total.reason or "no step")
        else:
            yield Score(total.name, total.value / n_decisions)


def _count_tokens(call: Call) -> int | None:
    """Prompt plus completion; an embedding call has no completion."""
    prompt, completion = call.usage.prompt, call.usage.completion
    if call.role == Role.EMBED and completion is None:
        completion = 0
    return None if prompt is None or completion is None else prompt + completion


def sum_tokens(name: str, calls: Sequence[Call]) -> Score:
    """Return the tokens of the calls that succeeded; no value where one did not report them."""
    return _sum_known(name, [_count_tokens(call) for call in calls if call.status == _OK])


def _find_spend(call: Call) -> float | None:
    """Spend of one attempt: none for a replay or the offline model, none for a failed attempt that counted nothing."""
    if call.usage.source in (UsageSource.REPLAY, UsageSource.OFFLINE):
        return 0.0
    if call.cost_usd is None and call.status != _OK and call.usage.prompt is None:
        return 0.0
    return call.cost_usd


def _sum_known(name: str, parts: Sequence[float | None]) -> Score:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return Score(name, None, f"missing in {len(parts) - len(known)} of {len(parts)} calls")
    return Score(name, float(sum(known)))
