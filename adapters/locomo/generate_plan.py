"""The plan of a synthetic conversation: the statements of both people, and the questions about them.

A bundle has statements in a fixed order and the questions that they answer. Categories come in LoCoMo's proportions.
For most topics only one of the two people makes a statement: an adversarial question asks the other person about it.
Knows no session and no date.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from adapters.locomo.generate_topics import Topic, load_topics

__all__ = ["Bundle", "Draft", "PlannedStatement", "compute_quotas", "plan_bundles"]

_COUNTS = {1: 282, 2: 321, 3: 96, 4: 841, 5: 446}
"""Questions of each category in the released file."""
_FACTS = ("facts", "pictures", "updates", "corrections")
_CHANGES = ("updates", "corrections")
_BEFORE_SHARE, _BOTH_SHARE, _EXTRA_SHARE = 3, 0.4, 4


@dataclass(frozen=True, slots=True)
class PlannedStatement:
    """One statement that one person makes once."""

    speaker: int
    topic: Topic
    line: str
    value: str = ""
    old: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """One question without names. ``sources`` are the indexes of the statements that give the answer."""

    category: int
    ask: str
    speaker: int
    topic: Topic
    sources: tuple[int, ...]
    reference_answer: str = ""
    """Empty = the values of the statements, or their date."""
    new: str = ""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Statements in order, each in another session of its person, and the questions about them."""

    statements: tuple[PlannedStatement, ...]
    drafts: tuple[Draft, ...] = ()


def compute_quotas(questions: int) -> dict[int, int]:
    """Return the number of questions of each category, by largest remainder."""
    total = sum(_COUNTS.values())
    exact = {category: questions * count / total for category, count in _COUNTS.items()}
    counts = {category: int(share) for category, share in exact.items()}
    by_remainder = sorted(exact, key=lambda category: counts[category] - exact[category])
    for category in by_remainder[: questions - sum(counts.values())]:
        counts[category] += 1
    return counts


def plan_bundles(rng: random.Random, questions: int) -> list[Bundle]:
    """Return the bundles of one conversation in the order in which they are placed; the last ones have no questions.

    Adversarial questions are not among them: they are built from the statements that only one person made.
    """
    quotas = compute_quotas(questions)
    facts = _draw_topics(rng, _FACTS)
    dated = _draw_topics(rng, ("events", "plans"))
    inferences = _draw_topics(rng, ("inferences", "origins"))
    fact_bundles = [_plan_fact(rng, *next(facts)) for _ in range(quotas[4])]
    before = _add_before_questions(rng, fact_bundles, quotas[1] // _BEFORE_SHARE)
    bundles = [
        *before,
        *_plan_lists(rng, quotas[1] - sum(len(bundle.drafts) - 1 for bundle in before)),
        *[_plan_event(rng, *next(dated)) for _ in range(quotas[2])],
        *[_plan_inference(rng, *next(inferences)) for _ in range(quotas[3])],
    ]
    bundles = [bundle for bundle in bundles if bundle.statements]
    rng.shuffle(bundles)
    extra = [_plan_fact(rng, *next(facts)) for _ in range(questions // _EXTRA_SHARE)]
    return bundles + [Bundle(bundle.statements) for bundle in extra if bundle.statements]


def _draw_topics(rng: random.Random, kinds: Sequence[str]) -> Iterator[tuple[Topic | None, int]]:
    """Yield each topic with one of the two people, then each with the other, then (None, 0) without end."""
    shuffled = [topic for kind in kinds for topic in load_topics(kind)]
    rng.shuffle(shuffled)
    first = [rng.randrange(2) for _ in shuffled]
    yield from zip(shuffled, first, strict=True)
    yield from ((topic, 1 - speaker) for topic, speaker in zip(shuffled, first, strict=True))
    while True:
        yield None, 0


def _plan_fact(rng: random.Random, topic: Topic | None, speaker: int) -> Bundle:
    if topic is None:
        return Bundle(())
    old, new = rng.sample(topic.values, 2)
    ask = rng.choice(topic.ask)
    if topic.kind not in _CHANGES:
        return Bundle(
            (PlannedStatement(speaker, topic, rng.choice(topic.say), new),), (Draft(4, ask, speaker, topic, (0,)),)
        )
    statements = (
        PlannedStatement(speaker, topic, rng.choice(topic.say), old),
        PlannedStatement(speaker, topic, rng.choice(topic.then), new, old),
    )
    return Bundle(statements, (Draft(4, ask, speaker, topic, (1,)),))


def _add_before_questions(rng: random.Random, bundles: list[Bundle], count: int) -> list[Bundle]:
    """Add to some bundles about a change a question about the earlier value."""
    extended = []
    for bundle in bundles:
        topic = bundle.statements[0].topic if bundle.statements else None
        if count and topic and topic.before:
            old, new = bundle.statements
            ask = rng.choice(topic.before)
            draft = Draft(1, ask, old.speaker, topic, (0, 1), old.value, new.value)
            bundle, count = Bundle(bundle.statements, (*bundle.drafts, draft)), count - 1
        extended.append(bundle)
    return extended


def _plan_lists(rng: random.Random, count: int) -> list[Bundle]:
    shuffled = list(load_topics("lists"))
    rng.shuffle(shuffled)
    bundles: list[Bundle] = []
    spare: list[tuple[Topic, int]] = []
    for topic in shuffled:
        if count >= 3 and rng.random() < _BOTH_SHARE:
            bundles.append(_plan_common_list(rng, topic))
            count -= 3
        elif count > 0:
            speaker = rng.randrange(2)
            bundles.append(_plan_one_list(rng, topic, speaker))
            spare.append((topic, 1 - speaker))
            count -= 1
    return bundles + [_plan_one_list(rng, *offer) for offer in spare[: max(0, count)]]


def _plan_list(rng: random.Random, topic: Topic, speaker: int, values: Sequence[str]) -> tuple[PlannedStatement, ...]:
    lines = [*rng.sample(topic.say, len(topic.say)), rng.choice(topic.say)]
    return tuple(PlannedStatement(speaker, topic, line, value) for line, value in zip(lines, values, strict=False))


def _plan_one_list(rng: random.Random, topic: Topic, speaker: int) -> Bundle:
    statements = _plan_list(rng, topic, speaker, rng.sample(topic.values, rng.randint(2, 3)))
    return Bundle(statements, (Draft(1, rng.choice(topic.ask), speaker, topic, tuple(range(len(statements)))),))


def _plan_common_list(rng: random.Random, topic: Topic) -> Bundle:
    """Return a bundle in which both people list things and have exactly one in common."""
    shared, *others = rng.sample(topic.values, 4)
    mine, yours = [shared, others[0]], [shared, *others[1:]]
    rng.shuffle(mine)
    rng.shuffle(yours)
    statements = _plan_list(rng, topic, 0, mine) + _plan_list(rng, topic, 1, yours)
    both = mine.index(shared), len(mine) + yours.index(shared)
    ask, ends = rng.choice(topic.ask), len(mine)
    return Bundle(
        statements,
        (
            Draft(1, ask, 0, topic, tuple(range(ends))),
            Draft(1, ask, 1, topic, tuple(range(ends, len(statements)))),
            Draft(1, rng.choice(topic.both), 0, topic, both, shared),
        ),
    )


def _plan_event(rng: random.Random, topic: Topic | None, speaker: int) -> Bundle:
    if topic is None:
        return Bundle(())
    return Bundle(
        (PlannedStatement(speaker, topic, rng.choice(topic.say)),),
        (Draft(2, rng.choice(topic.ask), speaker, topic, (0,)),),
    )


def _plan_inference(rng: random.Random, topic: Topic | None, speaker: int) -> Bundle:
    if topic is None:
        return Bundle(())
    line, ask = rng.choice(topic.say), rng.choice(topic.ask)
    if topic.kind == "origins":
        town, _, country = rng.choice(topic.values).partition(" = ")
        return Bundle((PlannedStatement(speaker, topic, line, town),), (Draft(3, ask, speaker, topic, (0,), country),))
    return Bundle(
        (PlannedStatement(speaker, topic, line),), (Draft(3, ask, speaker, topic, (0,), topic.reference_answer[0]),)
    )
