"""What the two people of a made-up conversation will tell, and what will be asked about it, before anything is said.

A bundle is what belongs together: things to be told in this order, and the questions that rest on them. Categories come
in LoCoMo's proportions. This file knows no session and no date; who tells what is drawn so that for most topics one
person stays silent: those are what an adversarial question can be about.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from adapters.locomo.generate_topics import Topic, topics

__all__ = ["Beat", "Bundle", "Draft", "quotas", "written"]

_COUNTS = {1: 282, 2: 321, 3: 96, 4: 841, 5: 446}
"""Questions of each category in the released file."""
_FACTS = ("facts", "pictures", "updates", "corrections")
_CHANGES = ("updates", "corrections")
_BEFORE_SHARE, _BOTH_SHARE, _EXTRA_SHARE = 3, 0.4, 4


@dataclass(frozen=True, slots=True)
class Beat:
    """One thing that one person tells once."""

    speaker: int
    topic: Topic
    line: str
    value: str = ""
    old: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """One question; its names are still to be filled in. ``rests`` are the beats of its bundle that tell the answer."""

    category: int
    ask: str
    speaker: int
    topic: Topic
    rests: tuple[int, ...]
    reference_answer: str = ""
    """Empty = what was told: the values, or the date."""
    new: str = ""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Things that are told in this order, each each in another session of the person, and the questions."""

    beats: tuple[Beat, ...]
    drafts: tuple[Draft, ...] = ()


def quotas(questions: int) -> dict[int, int]:
    """Return how many questions of each category there should be, by largest remainder."""
    total = sum(_COUNTS.values())
    exact = {category: questions * count / total for category, count in _COUNTS.items()}
    whole = {category: int(share) for category, share in exact.items()}
    left = sorted(exact, key=lambda category: whole[category] - exact[category])
    for category in left[: questions - sum(whole.values())]:
        whole[category] += 1
    return whole


def written(rng: random.Random, questions: int) -> list[Bundle]:
    """Return the bundles of one conversation in the order in which they find a place; the last ones are asked nowhere.

    Adversarial questions are not among them: they are drafted from what one person told and the other did not.
    """
    wanted = quotas(questions)
    facts = _offers(rng, _FACTS)
    dated = _offers(rng, ("events", "plans"))
    inferred = _offers(rng, ("inferences", "origins"))
    chosen = [_fact(rng, *next(facts)) for _ in range(wanted[4])]
    before = _with_before(rng, chosen, wanted[1] // _BEFORE_SHARE)
    bundles = [
        *before,
        *_lists(rng, wanted[1] - sum(len(bundle.drafts) - 1 for bundle in before)),
        *[_event(rng, *next(dated)) for _ in range(wanted[2])],
        *[_inference(rng, *next(inferred)) for _ in range(wanted[3])],
    ]
    bundles = [bundle for bundle in bundles if bundle.beats]
    rng.shuffle(bundles)
    extra = [_fact(rng, *next(facts)) for _ in range(questions // _EXTRA_SHARE)]
    return bundles + [Bundle(bundle.beats) for bundle in extra if bundle.beats]


def _offers(rng: random.Random, kinds: Sequence[str]) -> Iterator[tuple[Topic | None, int]]:
    """Yield each topic once, with one of the two people; then each with the other; then nothing more."""
    known = [topic for kind in kinds for topic in topics(kind)]
    rng.shuffle(known)
    first = [rng.randrange(2) for _ in known]
    yield from zip(known, first, strict=True)
    yield from ((topic, 1 - speaker) for topic, speaker in zip(known, first, strict=True))
    while True:
        yield None, 0


def _fact(rng: random.Random, topic: Topic | None, speaker: int) -> Bundle:
    if topic is None:
        return Bundle(())
    old, new = rng.sample(topic.values, 2)
    ask = rng.choice(topic.ask)
    if topic.kind not in _CHANGES:
        return Bundle((Beat(speaker, topic, rng.choice(topic.say), new),), (Draft(4, ask, speaker, topic, (0,)),))
    told = Beat(speaker, topic, rng.choice(topic.say), old), Beat(speaker, topic, rng.choice(topic.then), new, old)
    return Bundle(told, (Draft(4, ask, speaker, topic, (1,)),))


def _with_before(rng: random.Random, bundles: list[Bundle], wanted: int) -> list[Bundle]:
    """Add to some bundles about a change the question of how it was before."""
    made = []
    for bundle in bundles:
        topic = bundle.beats[0].topic if bundle.beats else None
        if wanted and topic and topic.before:
            old, new = bundle.beats
            ask = rng.choice(topic.before)
            draft = Draft(1, ask, old.speaker, topic, (0, 1), old.value, new.value)
            bundle, wanted = Bundle(bundle.beats, (*bundle.drafts, draft)), wanted - 1
        made.append(bundle)
    return made


def _lists(rng: random.Random, wanted: int) -> list[Bundle]:
    known = list(topics("lists"))
    rng.shuffle(known)
    bundles: list[Bundle] = []
    spare: list[tuple[Topic, int]] = []
    for topic in known:
        if wanted >= 3 and rng.random() < _BOTH_SHARE:
            bundles.append(_common(rng, topic))
            wanted -= 3
        elif wanted > 0:
            speaker = rng.randrange(2)
            bundles.append(_list(rng, topic, speaker))
            spare.append((topic, 1 - speaker))
            wanted -= 1
    return bundles + [_list(rng, *offer) for offer in spare[: max(0, wanted)]]


def _told(rng: random.Random, topic: Topic, speaker: int, values: Sequence[str]) -> tuple[Beat, ...]:
    lines = [*rng.sample(topic.say, len(topic.say)), rng.choice(topic.say)]
    return tuple(Beat(speaker, topic, line, value) for line, value in zip(lines, values, strict=False))


def _list(rng: random.Random, topic: Topic, speaker: int) -> Bundle:
    beats = _told(rng, topic, speaker, rng.sample(topic.values, rng.randint(2, 3)))
    return Bundle(beats, (Draft(1, rng.choice(topic.ask), speaker, topic, tuple(range(len(beats)))),))


def _common(rng: random.Random, topic: Topic) -> Bundle:
    """Both people list things, and have exactly one in common."""
    shared, *others = rng.sample(topic.values, 4)
    mine, yours = [shared, others[0]], [shared, *others[1:]]
    rng.shuffle(mine)
    rng.shuffle(yours)
    beats = _told(rng, topic, 0, mine) + _told(rng, topic, 1, yours)
    both = mine.index(shared), len(mine) + yours.index(shared)
    ask, ends = rng.choice(topic.ask), len(mine)
    return Bundle(
        beats,
        (
            Draft(1, ask, 0, topic, tuple(range(ends))),
            Draft(1, ask, 1, topic, tuple(range(ends, len(beats)))),
            Draft(1, rng.choice(topic.both), 0, topic, both, shared),
        ),
    )


def _event(rng: random.Random, topic: Topic | None, speaker: int) -> Bundle:
    if topic is None:
        return Bundle(())
    return Bundle(
        (Beat(speaker, topic, rng.choice(topic.say)),), (Draft(2, rng.choice(topic.ask), speaker, topic, (0,)),)
    )


def _inference(rng: random.Random, topic: Topic | None, speaker: int) -> Bundle:
    if topic is None:
        return Bundle(())
    line, ask = rng.choice(topic.say), rng.choice(topic.ask)
    if topic.kind == "origins":
        town, _, country = rng.choice(topic.values).partition(" = ")
        return Bundle((Beat(speaker, topic, line, town),), (Draft(3, ask, speaker, topic, (0,), country),))
    return Bundle((Beat(speaker, topic, line),), (Draft(3, ask, speaker, topic, (0,), topic.reference_answer[0]),))
