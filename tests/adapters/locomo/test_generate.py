"""Synthetic conversations: reproducible, varied, with reference answers that follow from their evidence."""

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

from adapters.locomo.generate import GeneratedConversation, Recipe, generate
from adapters.locomo.generate_plan import compute_quotas
from adapters.locomo.generate_topics import KINDS, load_names, load_topics
from adapters.locomo.loading import NO_ANSWER, LocomoQuestion, Turn

CONVERSATIONS = 6
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
GENERATED = [generate(number, Recipe()) for number in range(CONVERSATIONS)]
QUESTIONS = [(generated, one) for generated in GENERATED for one in generated.conversation.questions]
BY_KEY = {topic.key: topic for kind in KINDS for topic in load_topics(kind)}


def lines(generated: GeneratedConversation, refs: tuple[str, ...]) -> list[Turn]:
    turns_by_ref = {turn.ref: turn for turn in generated.conversation.turns}
    return [turns_by_ref[ref] for ref in refs]


def day_of(turn: Turn) -> date:
    day, month, year = turn.day.replace(",", "").split()
    return date(int(year), MONTHS.index(month) + 1, int(day))


def format_day(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def month_of(day: date, shift: int) -> str:
    first = day.replace(day=1)
    for _ in range(abs(shift)):
        first = (first + timedelta(days=31 if shift > 0 else -1)).replace(day=1)
    return f"{MONTHS[first.month - 1]} {first.year}"


def resolve(text: str, said_on: date) -> str:
    """Work out a date from words alone, in another way than the generator: by walking days."""
    text = text.lower()
    if "yesterday" in text:
        return format_day(said_on - timedelta(days=1))
    if "tomorrow" in text:
        return format_day(said_on + timedelta(days=1))
    if found := re.search(r"(\w+) weeks (ago|from) today", text):
        return format_day(said_on + timedelta(weeks=COUNTS[found[1]] * (-1 if found[2] == "ago" else 1)))
    if found := re.search(r"(?:in )?(\w+) days(?: ago)?", text):
        return format_day(said_on + timedelta(days=COUNTS[found[1]] * (-1 if "days ago" in text else 1)))
    if found := re.search(r"(\w+) months ago", text):
        return month_of(said_on, -COUNTS[found[1]])
    if found := re.search(r"\b(last|next) (month|year)\b", text):
        shift = -1 if found[1] == "last" else 1
        return month_of(said_on, shift) if found[2] == "month" else str(said_on.year + shift)
    if found := re.search(r"\blast (\w+day)\b", text):
        day = said_on - timedelta(days=1)
        while WEEKDAYS[day.weekday()].lower() != found[1]:
            day -= timedelta(days=1)
        return format_day(day)
    found = re.search(rf"\bon (\d+) ({'|'.join(MONTHS)})".lower(), text)
    assert found is not None, text
    return f"{found[1]} {found[2].title()} {said_on.year}"


def join_caption(turn: Turn) -> str:
    return f"{turn.text} {turn.caption}"


def find_statement(generated: GeneratedConversation, turn: Turn) -> str:
    """Return the sentences of a line that are about its topic: those that no small talk writes."""
    topic = BY_KEY[next(fact.topic for fact in generated.facts if fact.ref == turn.ref)]
    for line in sorted(topic.say, key=len, reverse=True):
        pattern = re.escape(line.lower()).replace(r"\{when\}", "([^.?!]+?)")
        if found := re.search(pattern, turn.text.lower()):
            return found[0]
    raise AssertionError(turn.text)


def test_generate_is_reproducible() -> None:
    digest = hashlib.sha256("".join(repr(astuple(generated)) for generated in GENERATED[:2]).encode()).hexdigest()
    generate.cache_clear()
    again = [generate(number, Recipe()) for number in range(2)]
    assert hashlib.sha256("".join(repr(astuple(generated)) for generated in again).encode()).hexdigest() == digest
    assert digest == "e161e5012415899b0eb3ee12f770d1251fe9f85e2010ab7170023e766c9512cc"
    assert generate(0, Recipe(draw=1)) != GENERATED[0]
    assert len({generated.conversation.turns for generated in GENERATED}) == CONVERSATIONS


def test_generate_gives_requested_size() -> None:
    for generated in GENERATED:
        conversation = generated.conversation
        assert len(conversation.turns) == 240
        assert len({turn.ref for turn in conversation.turns}) == 240
        assert Counter(turn.session for turn in conversation.turns) == dict.fromkeys(range(1, 13), 20)
        assert {turn.speaker for turn in conversation.turns} == set(conversation.speakers) <= set(load_names())
        assert len(conversation.questions) >= 38
        assert all(
            one.speaker != other.speaker for one, other in pairwise(conversation.turns) if one.session == other.session
        )
        days = [day_of(turn) for turn in conversation.turns]
        assert days == sorted(days)
        gaps = {(later - earlier).days for earlier, later in pairwise(days) if later != earlier}
        assert min(gaps) >= 6
        assert max(gaps) <= 30


def test_generate_gives_released_category_proportions() -> None:
    assert compute_quotas(1986) == {1: 282, 2: 321, 3: 96, 4: 841, 5: 446}
    assert compute_quotas(40) == {1: 6, 2: 6, 3: 2, 4: 17, 5: 9}
    counts = Counter(one.category for _, one in QUESTIONS)
    assert all(
        abs(counts[category] - CONVERSATIONS * wanted) <= CONVERSATIONS
        for category, wanted in compute_quotas(40).items()
    ), counts


@given(st.integers(0, 3000))
def test_compute_quotas_adds_up(questions: int) -> None:
    assert sum(compute_quotas(questions).values()) == questions


def test_evidence_is_by_the_person_in_the_question() -> None:
    for generated, one in QUESTIONS:
        cited = lines(generated, one.evidence)
        asked = {name for name in generated.conversation.speakers if name in one.text}
        assert asked
        if one.category == 5:
            assert asked.isdisjoint(turn.speaker for turn in cited)
        else:
            assert {turn.speaker for turn in cited} == asked


def test_dates_follow_from_turn_and_session_day() -> None:
    seen = set()
    for generated, one in QUESTIONS:
        if one.category == 2:
            (turn,) = lines(generated, one.evidence)
            part = find_statement(generated, turn)
            assert resolve(part, day_of(turn)) == one.reference_answer, (part, turn.day)
            seen.add(len(one.reference_answer.split()))
    assert seen == {1, 2, 3}


def test_reference_answers_are_in_their_evidence() -> None:
    for generated, one in QUESTIONS:
        cited = lines(generated, one.evidence)
        if one.category == 4:
            assert [one.reference_answer.lower() in join_caption(turn).lower() for turn in cited] == [True], one
        if one.category == 1:
            parts = one.reference_answer.split(", ")
            assert len(cited) >= 2
            assert all(any(part.lower() in join_caption(turn).lower() for turn in cited) for part in parts), one
        if one.category == 3:
            _check_inference(one, " ".join(join_caption(turn) for turn in cited))


def _check_inference(one: LocomoQuestion, said: str) -> None:
    """An inference gives its reason in words of the line; a country is that of the town in it."""
    if "country" in one.text:
        (topic,) = load_topics("origins")
        towns = dict(pair.split(" = ") for pair in topic.values)
        assert [town for town in towns if town in said and towns[town] == one.reference_answer]
        return
    verdict, _, reason = one.reference_answer.partition("; ")
    assert verdict in ("Yes", "No")
    words = [word for word in re.findall(r"\w+", reason) if word not in one.text and len(word) > 4]
    stems = [word.lower().rstrip("s") for word in words]
    assert sum(word in said.lower() for word in stems) * 2 >= len(stems) > 0, (reason, said)


def test_later_turns_do_not_change_answers() -> None:
    for generated, one in QUESTIONS:
        if one.category == 5:
            continue
        facts = [fact for fact in generated.facts if fact.ref in one.evidence]
        assert {fact.ref for fact in facts} == set(one.evidence)
        keys = {(fact.speaker, fact.topic) for fact in facts}
        same = [fact for fact in generated.facts if (fact.speaker, fact.topic) in keys]
        last = {key: [fact for fact in same if (fact.speaker, fact.topic) == key][-1] for key in sorted(keys)}
        kind = BY_KEY[facts[0].topic].kind
        if kind == "lists":
            assert "both" in one.text or same == facts
        elif one.category == 1:
            assert [fact.value for fact in facts] == [one.reference_answer, last[min(keys)].value]
        else:
            assert [facts[0]] == list(last.values())


def test_common_list_questions_have_one_answer() -> None:
    common = [(generated, one) for generated, one in QUESTIONS if "both" in one.text]
    assert common
    for generated, one in common:
        key = next(fact.topic for fact in generated.facts if fact.ref in one.evidence)
        facts = [
            {f.value for f in generated.facts if f.topic == key and f.speaker == name}
            for name in generated.conversation.speakers
        ]
        assert facts[0] & facts[1] == {one.reference_answer}


def test_adversarial_questions_ask_about_unstated_topics() -> None:
    shares = Counter[bool]()
    for generated, one in QUESTIONS:
        if one.category != 5:
            continue
        assert one.reference_answer == NO_ANSWER
        assert one.adversarial
        (name,) = [name for name in generated.conversation.speakers if name in one.text]
        asked = [key for key, topic in BY_KEY.items() if one.text.replace(name, "{name}") in topic.ask]
        assert len(asked) == 1
        assert (name, asked[0]) not in {(fact.speaker, fact.topic) for fact in generated.facts}
        if one.evidence:
            assert {fact.topic for fact in generated.facts if fact.ref in one.evidence} == set(asked)
        shares[bool(one.evidence)] += 1
    assert shares[True] > shares[False] > 0


def test_questions_and_values_are_unique() -> None:
    for generated in GENERATED:
        texts = [one.text for one in generated.conversation.questions]
        assert len(set(texts)) == len(texts)
        assert not any("{" in turn.text + turn.caption for turn in generated.conversation.turns)
        assert not any(
            "{" in one.text + one.reference_answer + one.adversarial for one in generated.conversation.questions
        )
    values = Counter(value.lower() for topic in BY_KEY.values() for value in topic.values)
    assert max(values.values()) == 1
    assert not {value for topic in BY_KEY.values() for value in topic.values} & set(load_names())


def test_small_talk_contains_no_values() -> None:
    for generated in GENERATED:
        values = {
            fact.value.lower(): fact for fact in generated.facts if len(fact.value) > 5 and not fact.value[-1].isdigit()
        }
        telling = {fact.ref for fact in generated.facts}
        for turn in generated.conversation.turns:
            if turn.ref in telling:
                continue
            leaked = [value for value in values if value in join_caption(turn).lower()]
            assert all(values[value].speaker != turn.speaker or echoes(generated, turn, value) for value in leaked), (
                turn
            )


def echoes(generated: GeneratedConversation, turn: Turn, value: str) -> bool:
    """True if the line takes up what the other person said just before."""
    before = generated.conversation.turns[generated.conversation.turns.index(turn) - 1]
    return value in join_caption(before).lower()


def test_generated_sentences_are_varied() -> None:
    for generated, least in ((GENERATED[0], 0.75), (generate(0, Recipe(30, 30)), 0.6)):
        sentences = [part for turn in generated.conversation.turns for part in re.split(r"(?<=[.!?])\s+", turn.text)]
        assert len(set(sentences)) / len(sentences) > least
        assert len({turn.text for turn in generated.conversation.turns}) / len(generated.conversation.turns) > 0.97


def test_captions_occur_with_and_without_questions() -> None:
    asked = {ref for _, one in QUESTIONS if one.category == 4 for ref in one.evidence}
    captions = [turn.caption for generated in GENERATED for turn in generated.conversation.turns if turn.caption]
    assert len(captions) > 20
    assert any(turn.caption for generated in GENERATED for turn in generated.conversation.turns if turn.ref in asked)


@settings(max_examples=40)
@given(st.integers(1, 8), st.integers(4, 12), st.integers(1, 60), st.integers(0, 5))
def test_generate_accepts_any_size(sessions: int, turns: int, questions: int, draw: int) -> None:
    generated = generate(0, Recipe(sessions, turns, questions, draw))
    assert len(generated.conversation.turns) == sessions * turns
    assert len(generated.conversation.questions) <= questions + 1
    refs = {turn.ref for turn in generated.conversation.turns}
    assert {ref for one in generated.conversation.questions for ref in one.evidence} <= refs
    assert len({fact.ref for fact in generated.facts}) == len(generated.facts)


@pytest.mark.parametrize("kind", KINDS)
def test_load_topics_gives_complete_topics(kind: str) -> None:
    for topic in load_topics(kind):
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
