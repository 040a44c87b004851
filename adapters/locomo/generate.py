"""Synthetic long conversations with reference answers and evidence: the split ``generated``, which needs no download.

Two people talk over months about what they own, plan, did and like; they change their lives, correct themselves and
make small talk. Questions of LoCoMo's five categories each rest on one or more turns, whose refs are the evidence. A
conversation is a pure function of its number and the recipe. ``generate_plan`` has the statements and questions,
``generate_turns`` the texts; this module places the statements in sessions and builds the questions.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache

from adapters.locomo.generate_dates import TimePhrase, draw_future, draw_past, format_day, format_session_day
from adapters.locomo.generate_plan import Bundle, Draft, compute_quotas, plan_bundles
from adapters.locomo.generate_topics import Topic, load_names, load_topics
from adapters.locomo.generate_turns import Place, PlacedStatement, TurnWriter
from adapters.locomo.loading import NO_ANSWER, LoadedConversation, LocomoQuestion, Turn

__all__ = ["Fact", "GeneratedConversation", "Recipe", "generate"]

_FIRST_DAY, _DAYS = date(2021, 1, 4), 900
_GAP_DAYS = (6, 30)
_STATEMENT_SHARE = 0.6
"""The largest share of a person's turns in a session that make a statement."""
_UNMENTIONED_SHARE = 4
"""One in so many adversarial questions is about an unmentioned topic, the others about facts of the other person."""
_ADVERSARIAL_KINDS = ("facts", "pictures", "updates", "corrections", "events", "plans", "lists")


@dataclass(frozen=True, slots=True)
class Recipe:
    """The size of a conversation. ``questions`` is a target: a short conversation has room for fewer."""

    sessions: int = 12
    turns: int = 20
    questions: int = 40
    draw: int = 0


@dataclass(frozen=True, slots=True)
class Fact:
    """The fact in one turn: who, about which topic, and the value or the date."""

    ref: str
    speaker: str
    topic: str
    value: str


@dataclass(frozen=True, slots=True)
class GeneratedConversation:
    """A conversation as the file would give it, and the facts in it."""

    conversation: LoadedConversation
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class _Answer:
    """A draft question with its reference answer and the refs of its evidence."""

    draft: Draft
    reference_answer: str
    evidence: tuple[str, ...]


@lru_cache(maxsize=64)
def generate(number: int, recipe: Recipe) -> GeneratedConversation:
    """Return conversation ``number`` of a recipe."""
    return _Generator(number, recipe).generate()


class _Generator:
    """Generates one conversation."""

    def __init__(self, number: int, recipe: Recipe):
        key = f"locomo-v1/generated/{recipe.draw}/{number}/{recipe.sessions}/{recipe.turns}/{recipe.questions}"
        self._rng = random.Random(key)
        self._number, self._recipe = number, recipe
        first, second = self._rng.sample(load_names(), 2)
        self._pair = (first, second)
        self._days = self._draw_days()
        self._starts = [self._rng.randrange(2) for _ in range(recipe.sessions)]
        self._free = self._draw_free_turns()
        self._statements: dict[Place, PlacedStatement] = {}
        self._writer = TurnWriter(self._rng, self._statements, recipe.turns)

    def _draw_days(self) -> list[date]:
        day = _FIRST_DAY + timedelta(days=self._rng.randrange(_DAYS))
        days = []
        for _ in range(self._recipe.sessions):
            days.append(day)
            day += timedelta(days=self._rng.randint(*_GAP_DAYS))
        return days

    def _draw_free_turns(self) -> dict[tuple[int, int], list[int]]:
        """Return the turns of each session and person that may make a statement, in random order."""
        free = {}
        for session in range(self._recipe.sessions):
            for speaker in range(2):
                inner = [turn for turn in range(1, self._recipe.turns - 1) if self._speaker(session, turn) == speaker]
                self._rng.shuffle(inner)
                free[session, speaker] = inner[: max(1, round(_STATEMENT_SHARE * len(inner)))]
        return free

    def _speaker(self, session: int, turn: int) -> int:
        return (self._starts[session] + turn) % 2

    def generate(self) -> GeneratedConversation:
        answers: list[_Answer] = []
        for bundle in plan_bundles(self._rng, self._recipe.questions):
            if placed := self._place(bundle):
                answers += [self._answer(draft, placed) for draft in bundle.drafts]
        places = [
            Place(session, turn) for session in range(self._recipe.sessions) for turn in range(self._recipe.turns)
        ]
        turns = tuple(self._write_turn(place) for place in places)
        questions = self._build_questions(answers)
        facts = [
            Fact(one.ref, self._pair[one.planned.speaker], one.planned.topic.key, one.value)
            for one in self._statements.values()
        ]
        conversation = LoadedConversation(f"made-{self._number:02d}", self._pair, turns, questions, ())
        order = {turn.ref: index for index, turn in enumerate(turns)}
        return GeneratedConversation(conversation, tuple(sorted(facts, key=lambda fact: order[fact.ref])))

    def _place(self, bundle: Bundle) -> list[PlacedStatement]:
        """Give each statement a turn, in order and in a session of its own; empty if there is no room left."""
        sessions: dict[int, list[int]] = {}
        for speaker in range(2):
            count = sum(statement.speaker == speaker for statement in bundle.statements)
            free = [session for session in range(self._recipe.sessions) if self._free[session, speaker]]
            if count > len(free):
                return []
            sessions[speaker] = sorted(self._rng.sample(free, count))
        placed = []
        for statement in bundle.statements:
            session = sessions[statement.speaker].pop(0)
            place = Place(session, self._free[session, statement.speaker].pop())
            when = self._draw_time(statement.topic, self._days[session])
            self._statements[place] = one = PlacedStatement(statement, place, when)
            placed.append(one)
        return placed

    def _draw_time(self, topic: Topic, said_on: date) -> TimePhrase | None:
        if topic.kind == "events":
            return draw_past(said_on, self._rng)
        return draw_future(said_on, self._rng) if topic.kind == "plans" else None

    def _write_turn(self, place: Place) -> Turn:
        speaker = self._speaker(place.session, place.turn)
        text, caption = self._writer.write(place, self._pair[1 - speaker])
        day = format_session_day(self._days[place.session])
        ref = f"D{place.session + 1}:{place.turn + 1}"
        return Turn(ref, place.session + 1, day, self._pair[speaker], text, caption)

    def _answer(self, draft: Draft, placed: Sequence[PlacedStatement]) -> _Answer:
        sources = [placed[index] for index in draft.sources]
        reference_answer = draft.reference_answer or ", ".join(one.value for one in sources)
        return _Answer(draft, self._fill_names(reference_answer, draft), tuple(one.ref for one in sources))

    def _fill_names(self, text: str, draft: Draft, speaker: int | None = None) -> str:
        name = self._pair[draft.speaker if speaker is None else speaker]
        filled = text.replace("{name}", name).replace("{new}", draft.new)
        return filled.replace("{a}", self._pair[0]).replace("{b}", self._pair[1])

    def _build_questions(self, answers: list[_Answer]) -> tuple[LocomoQuestion, ...]:
        questions = [
            LocomoQuestion(
                0, self._fill_names(one.draft.ask, one.draft), one.draft.category, one.reference_answer, one.evidence
            )
            for one in answers
        ]
        questions += self._build_adversarial(
            answers, round(len(questions) * _adversarial_share(self._recipe.questions))
        )
        self._rng.shuffle(questions)
        return tuple(replace(one, index=index) for index, one in enumerate(questions))

    def _build_adversarial(self, answers: list[_Answer], count: int) -> list[LocomoQuestion]:
        """Return questions to one person about what only the other stated, or about what nobody mentioned."""
        stated = {(one.planned.topic.key, one.planned.speaker) for one in self._statements.values()}
        one_sided = [
            one
            for one in answers
            if one.draft.topic.kind in _ADVERSARIAL_KINDS
            and one.draft.ask in one.draft.topic.ask
            and (one.draft.topic.key, 1 - one.draft.speaker) not in stated
        ]
        self._rng.shuffle(one_sided)
        unmentioned = [
            topic
            for kind in _ADVERSARIAL_KINDS
            for topic in load_topics(kind)
            if not {(topic.key, 0), (topic.key, 1)} & stated and kind not in ("updates", "corrections")
        ]
        self._rng.shuffle(unmentioned)
        selected = unmentioned[: max(count // _UNMENTIONED_SHARE, count - len(one_sided))]
        questions = [self._ask_unmentioned(topic) for topic in selected[:count]]
        for one in one_sided[: count - len(questions)]:
            text = self._fill_names(one.draft.ask, one.draft, 1 - one.draft.speaker)
            questions.append(LocomoQuestion(0, text, 5, NO_ANSWER, one.evidence, one.reference_answer))
        return questions

    def _ask_unmentioned(self, topic: Topic) -> LocomoQuestion:
        name = self._rng.choice(self._pair)
        adversarial = self._rng.choice(topic.values) if topic.values else format_day(self._rng.choice(self._days))
        return LocomoQuestion(0, self._rng.choice(topic.ask).replace("{name}", name), 5, NO_ANSWER, (), adversarial)


def _adversarial_share(questions: int) -> float:
    """Return how many adversarial questions there are for each of the others."""
    quotas = compute_quotas(questions)
    others = questions - quotas[5]
    return quotas[5] / others if others else 0.0
