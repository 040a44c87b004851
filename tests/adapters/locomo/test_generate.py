"""Made-up conversations: the same for the same recipe, varied, and with golds that their evidence lines bear out."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import astuple
from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.locomo.generate import Made, Recipe, generate
from adapters.locomo.generate_plan import quotas
from adapters.locomo.generate_topics import KINDS, names, topics
from adapters.locomo.loading import NO_ANSWER, Asked, Turn

TALKS = 6
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
MADE = [generate(number, Recipe()) for number in range(TALKS)]
ASKED = [(made, one) for made in MADE for one in made.conversation.questions]
BY_KEY = {topic.key: topic for kind in KINDS for topic in topics(kind)}


def lines(made: Made, refs: tuple[str, ...]) -> list[Turn]:
    held = {turn.ref: turn for turn in made.conversation.turns}
    return [held[ref] for ref in refs]


def day_of(turn: Turn) -> date:
    day, month, year = turn.day.replace(",", "").split()
    return date(int(year), MONTHS.index(month) + 1, int(day))


def written(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def month_of(day: date, shift: int) -> str:
    first = day.replace(day=1)
    for _ in range(abs(shift)):
        first = (first + timedelta(days=31 if shift > 0 else -1)).replace(day=1)
    return f"{MONTHS[first.month - 1]} {first.year}"


def meant(text: str, said_on: date) -> str:
    """Work out a date from words alone, in another way than the generator: by walking days."""
    text = text.lower()
    if "yesterday" in text:
        return written(said_on - timedelta(days=1))
    if "tomorrow" in text:
        return written(said_on + timedelta(days=1))
    if found := re.search(r"(\w+) weeks (ago|from) today", text):
        return written(said_on + timedelta(weeks=COUNTS[found[1]] * (-1 if found[2] == "ago" else 1)))
    if found := re.search(r"(?:in )?(\w+) days(?: ago)?", text):
        return written(said_on + timedelta(days=COUNTS[found[1]] * (-1 if "days ago" in text else 1)))
    if found := re.search(r"(\w+) months ago", text):
        return month_of(said_on, -COUNTS[found[1]])
    if found := re.search(r"\b(last|next) (month|year)\b", text):
        shift = -1 if found[1] == "last" else 1
        return month_of(said_on, shift) if found[2] == "month" else str(said_on.year + shift)
    if found := re.search(r"\blast (\w+day)\b", text):
        day = said_on - timedelta(days=1)
        while WEEKDAYS[day.weekday()].lower() != found[1]:
            day -= timedelta(days=1)
        return written(day)
    found = re.search(rf"\bon (\d+) ({'|'.join(MONTHS)})".lower(), text)
    assert found is not None, text
    return f"{found[1]} {found[2].title()} {said_on.year}"


def shown(turn: Turn) -> str:
    return f"{turn.text} {turn.caption}"


def told_part(made: Made, turn: Turn) -> str:
    """Return the sentences of a line that are about its topic: those that no small talk writes."""
    topic = BY_KEY[next(fact.topic for fact in made.facts if fact.ref == turn.ref)]
    for line in sorted(topic.say, key=len, reverse=True):
        pattern = re.escape(line.lower()).replace(r"\{when\}", "([^.?!]+?)")
        if found := re.search(pattern, turn.text.lower()):
            return found[0]
    raise AssertionError(turn.text)


def test_the_same_recipe_gives_the_same_conversation() -> None:
    digest = hashlib.sha256("".join(repr(astuple(made)) for made in MADE[:2]).encode()).hexdigest()
    generate.cache_clear()
    again = [generate(number, Recipe()) for number in range(2)]
    assert hashlib.sha256("".join(repr(astuple(made)) for made in again).encode()).hexdigest() == digest
    assert digest == "e161e5012415899b0eb3ee12f770d1251fe9f85e2010ab7170023e766c9512cc"
    assert generate(0, Recipe(draw=1)) != MADE[0]
    assert len({made.conversation.turns for made in MADE}) == TALKS


def test_a_conversation_has_the_size_that_is_asked_for() -> None:
    for made in MADE:
        conversation = made.conversation
        assert len(conversation.turns) == 240
        assert len({turn.ref for turn in conversation.turns}) == 240
        assert Counter(turn.session for turn in conversation.turns) == dict.fromkeys(range(1, 13), 20)
        assert {turn.speaker for turn in conversation.turns} == set(conversation.speakers) <= set(names())
        assert len(conversation.questions) >= 38
        assert all(
            one.speaker != other.speaker for one, other in pairwise(conversation.turns) if one.session == other.session
        )
        days = [day_of(turn) for turn in conversation.turns]
        assert days == sorted(days)
        gaps = {(later - earlier).days for earlier, later in pairwise(days) if later != earlier}
        assert min(gaps) >= 6
        assert max(gaps) <= 30


def test_categories_come_in_the_proportions_of_the_released_file() -> None:
    assert quotas(1986) == {1: 282, 2: 321, 3: 96, 4: 841, 5: 446}
    assert quotas(40) == {1: 6, 2: 6, 3: 2, 4: 17, 5: 9}
    counts = Counter(one.category for _, one in ASKED)
    assert all(abs(counts[category] - TALKS * wanted) <= TALKS for category, wanted in quotas(40).items()), counts


@given(st.integers(0, 3000))
def test_quotas_add_up(questions: int) -> None:
    assert sum(quotas(questions).values()) == questions


def test_evidence_names_lines_of_the_person_asked_about() -> None:
    for made, one in ASKED:
        cited = lines(made, one.evidence)
        asked = {name for name in made.conversation.speakers if name in one.text}
        assert asked
        if one.category == 5:
            assert asked.isdisjoint(turn.speaker for turn in cited)
        else:
            assert {turn.speaker for turn in cited} == asked


def test_every_date_follows_from_its_line_and_the_day_it_was_said_on() -> None:
    seen = set()
    for made, one in ASKED:
        if one.category == 2:
            (turn,) = lines(made, one.evidence)
            part = told_part(made, turn)
            assert meant(part, day_of(turn)) == one.reference_answer, (part, turn.day)
            seen.add(len(one.reference_answer.split()))
    assert seen == {1, 2, 3}


def test_every_other_gold_is_in_the_words_of_its_lines() -> None:
    for made, one in ASKED:
        cited = lines(made, one.evidence)
        if one.category == 4:
            assert [one.reference_answer.lower() in shown(turn).lower() for turn in cited] == [True], one
        if one.category == 1:
            parts = one.reference_answer.split(", ")
            assert len(cited) >= 2
            assert all(any(part.lower() in shown(turn).lower() for turn in cited) for part in parts), one
        if one.category == 3:
            _borne_out(one, " ".join(shown(turn) for turn in cited))


def _borne_out(one: Asked, said: str) -> None:
    """An inference gives its reason in words of the line; a country is that of the town in it."""
    if "country" in one.text:
        (topic,) = topics("origins")
        towns = dict(pair.split(" = ") for pair in topic.values)
        assert [town for town in towns if town in said and towns[town] == one.reference_answer]
        return
    verdict, _, reason = one.reference_answer.partition("; ")
    assert verdict in ("Yes", "No")
    words = [word for word in re.findall(r"\w+", reason) if word not in one.text and len(word) > 4]
    stems = [word.lower().rstrip("s") for word in words]
    assert sum(word in said.lower() for word in stems) * 2 >= len(stems) > 0, (reason, said)


def test_nothing_that_is_said_later_changes_an_answer() -> None:
    for made, one in ASKED:
        if one.category == 5:
            continue
        told = [fact for fact in made.facts if fact.ref in one.evidence]
        assert {fact.ref for fact in told} == set(one.evidence)
        keys = {(fact.speaker, fact.topic) for fact in told}
        same = [fact for fact in made.facts if (fact.speaker, fact.topic) in keys]
        last = {key: [fact for fact in same if (fact.speaker, fact.topic) == key][-1] for key in sorted(keys)}
        kind = BY_KEY[told[0].topic].kind
        if kind == "lists":
            assert "both" in one.text or same == told
        elif one.category == 1:
            assert [fact.value for fact in told] == [one.reference_answer, last[min(keys)].value]
        else:
            assert [told[0]] == list(last.values())


def test_two_people_have_exactly_one_thing_in_common_where_that_is_asked() -> None:
    common = [(made, one) for made, one in ASKED if "both" in one.text]
    assert common
    for made, one in common:
        key = next(fact.topic for fact in made.facts if fact.ref in one.evidence)
        told = [
            {f.value for f in made.facts if f.topic == key and f.speaker == name} for name in made.conversation.speakers
        ]
        assert told[0] & told[1] == {one.reference_answer}


def test_who_is_asked_about_a_trap_never_told_it() -> None:
    shares = Counter[bool]()
    for made, one in ASKED:
        if one.category != 5:
            continue
        assert one.reference_answer == NO_ANSWER
        assert one.adversarial
        (name,) = [name for name in made.conversation.speakers if name in one.text]
        asked = [key for key, topic in BY_KEY.items() if one.text.replace(name, "{name}") in topic.ask]
        assert len(asked) == 1
        assert (name, asked[0]) not in {(fact.speaker, fact.topic) for fact in made.facts}
        if one.evidence:
            assert {fact.topic for fact in made.facts if fact.ref in one.evidence} == set(asked)
        shares[bool(one.evidence)] += 1
    assert shares[True] > shares[False] > 0


def test_no_question_is_asked_twice_and_no_value_belongs_to_two_topics() -> None:
    for made in MADE:
        texts = [one.text for one in made.conversation.questions]
        assert len(set(texts)) == len(texts)
        assert not any("{" in turn.text + turn.caption for turn in made.conversation.turns)
        assert not any("{" in one.text + one.reference_answer + one.adversarial for one in made.conversation.questions)
    values = Counter(value.lower() for topic in BY_KEY.values() for value in topic.values)
    assert max(values.values()) == 1
    assert not {value for topic in BY_KEY.values() for value in topic.values} & set(names())


def test_small_talk_gives_no_answer_away() -> None:
    for made in MADE:
        values = {
            fact.value.lower(): fact for fact in made.facts if len(fact.value) > 5 and not fact.value[-1].isdigit()
        }
        telling = {fact.ref for fact in made.facts}
        for turn in made.conversation.turns:
            if turn.ref in telling:
                continue
            leaked = [value for value in values if value in shown(turn).lower()]
            assert all(values[value].speaker != turn.speaker or echoes(made, turn, value) for value in leaked), turn


def echoes(made: Made, turn: Turn, value: str) -> bool:
    """True if the line takes up what the other person said just before."""
    before = made.conversation.turns[made.conversation.turns.index(turn) - 1]
    return value in shown(before).lower()


def test_people_seldom_repeat_themselves() -> None:
    for made, least in ((MADE[0], 0.75), (generate(0, Recipe(30, 30)), 0.6)):
        sentences = [part for turn in made.conversation.turns for part in re.split(r"(?<=[.!?])\s+", turn.text)]
        assert len(set(sentences)) / len(sentences) > least
        assert len({turn.text for turn in made.conversation.turns}) / len(made.conversation.turns) > 0.97


def test_pictures_are_shared_with_and_without_a_question_about_them() -> None:
    asked = {ref for _, one in ASKED if one.category == 4 for ref in one.evidence}
    captions = [turn.caption for made in MADE for turn in made.conversation.turns if turn.caption]
    assert len(captions) > 20
    assert any(turn.caption for made in MADE for turn in made.conversation.turns if turn.ref in asked)


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 8), st.integers(4, 12), st.integers(1, 60), st.integers(0, 5))
def test_any_size_can_be_made(sessions: int, turns: int, questions: int, draw: int) -> None:
    made = generate(0, Recipe(sessions, turns, questions, draw))
    assert len(made.conversation.turns) == sessions * turns
    assert len(made.conversation.questions) <= questions + 1
    refs = {turn.ref for turn in made.conversation.turns}
    assert {ref for one in made.conversation.questions for ref in one.evidence} <= refs
    assert len({fact.ref for fact in made.facts}) == len(made.facts)


@pytest.mark.parametrize("kind", KINDS)
def test_topics_are_complete(kind: str) -> None:
    for topic in topics(kind):
        assert topic.say
        assert topic.ask
        assert topic.cue
        assert bool(topic.values) == (kind not in ("events", "plans", "inferences"))
        assert bool(topic.then) == (kind in ("updates", "corrections"))
        assert bool(topic.both) == (kind == "lists")
        assert bool(topic.caption) == (kind == "pictures")
        assert all("{name}" in ask for ask in topic.ask)
        mark = "{v}" if topic.values and not topic.caption else ""
        assert all(mark in line for line in (*topic.say, *topic.then))
        assert len(set(topic.values)) == len(topic.values)
