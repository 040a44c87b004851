"""Made-up long conversations with gold answers and evidence: the split that needs no download, as large as wanted.

Two people talk over months. They tell what they own, plan, did and like, change their lives, take things back, and chat
about nothing in between; questions of LoCoMo's five categories rest on single lines whose refs are the evidence. A
conversation is a pure function of its number and the recipe. This file weaves; what is told lies in ``generate_plan``,
the wordings in text files.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from adapters.locomo.generate_chat import Chat, sentence
from adapters.locomo.generate_dates import When, day_text, past, shown_day, soon
from adapters.locomo.generate_plan import Beat, Bundle, Draft, quotas, written
from adapters.locomo.generate_topics import Topic, names, topics
from adapters.locomo.loading import NO_ANSWER, Asked, Talk, Turn

__all__ = ["Fact", "Made", "Recipe", "generate"]

_FIRST_DAY, _DAYS = date(2021, 1, 4), 900
_GAP_DAYS = (6, 30)
_ROOM = 0.6
"""The largest share of a person's lines in a session that tell something."""
_CUE, _ECHO, _LEAD, _TAIL, _PICTURE = 0.5, 0.2, 0.35, 0.35, 0.06
_UNTOLD_SHARE = 4
"""One in so many adversarial questions is about what nobody told; the others about what the other person told."""
_TRAPPED = ("facts", "pictures", "updates", "corrections", "events", "plans", "lists")


@dataclass(frozen=True, slots=True)
class Recipe:
    """How large the conversations are. ``questions`` is aimed at: a short conversation has room for fewer."""

    sessions: int = 12
    turns: int = 20
    questions: int = 40
    draw: int = 0


@dataclass(frozen=True, slots=True)
class Fact:
    """What one line tells: who, about which topic, and the value or the date."""

    ref: str
    speaker: str
    topic: str
    value: str


@dataclass(frozen=True, slots=True)
class Made:
    """A conversation as a file would hold it, and the facts that were woven in."""

    conversation: Talk
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    session: int
    turn: int


@dataclass(frozen=True, slots=True)
class _Told:
    beat: Beat
    place: _Place
    when: When | None

    @property
    def ref(self) -> str:
        return f"D{self.place.session + 1}:{self.place.turn + 1}"

    @property
    def value(self) -> str:
        return self.when.meant if self.when else self.beat.value


@dataclass(frozen=True, slots=True)
class _Answered:
    """A draft with its answer and the lines that tell it."""

    draft: Draft
    reference_answer: str
    evidence: tuple[str, ...]


@lru_cache(maxsize=64)
def generate(number: int, recipe: Recipe) -> Made:
    """Return conversation ``number`` of a recipe."""
    return _Weaver(number, recipe).made()


class _Weaver:
    """Writes one conversation."""

    def __init__(self, number: int, recipe: Recipe):
        key = f"locomo-v1/generated/{recipe.draw}/{number}/{recipe.sessions}/{recipe.turns}/{recipe.questions}"
        self._rng = random.Random(key)
        self._number, self._recipe = number, recipe
        first, second = self._rng.sample(names(), 2)
        self._pair = (first, second)
        self._days = self._dates()
        self._starts = [self._rng.randrange(2) for _ in range(recipe.sessions)]
        self._free = self._rooms()
        self._chat = Chat(self._rng)
        self._told: dict[_Place, _Told] = {}

    def _dates(self) -> list[date]:
        day = _FIRST_DAY + timedelta(days=self._rng.randrange(_DAYS))
        days = []
        for _ in range(self._recipe.sessions):
            days.append(day)
            day += timedelta(days=self._rng.randint(*_GAP_DAYS))
        return days

    def _rooms(self) -> dict[tuple[int, int], list[int]]:
        """Return the turns of each session and person that may tell something, in random order."""
        rooms = {}
        for session in range(self._recipe.sessions):
            for speaker in range(2):
                inner = [turn for turn in range(1, self._recipe.turns - 1) if self._speaker(session, turn) == speaker]
                self._rng.shuffle(inner)
                rooms[session, speaker] = inner[: max(1, round(_ROOM * len(inner)))]
        return rooms

    def _speaker(self, session: int, turn: int) -> int:
        return (self._starts[session] + turn) % 2

    def made(self) -> Made:
        answered: list[_Answered] = []
        for bundle in written(self._rng, self._recipe.questions):
            if placed := self._placed(bundle):
                answered += [self._answered(draft, placed) for draft in bundle.drafts]
        turns = tuple(
            self._turn(session, turn) for session in range(self._recipe.sessions) for turn in range(self._recipe.turns)
        )
        asked = self._asked(answered)
        facts = [Fact(t.ref, self._pair[t.beat.speaker], t.beat.topic.key, t.value) for t in self._told.values()]
        conversation = Talk(f"made-{self._number:02d}", self._pair, turns, asked, ())
        order = {turn.ref: index for index, turn in enumerate(turns)}
        return Made(conversation, tuple(sorted(facts, key=lambda fact: order[fact.ref])))

    def _placed(self, bundle: Bundle) -> list[_Told]:
        """Give each beat a line in a session of its own, in order; empty if there is no room left."""
        places: dict[int, list[int]] = {}
        for speaker in range(2):
            count = sum(beat.speaker == speaker for beat in bundle.beats)
            open_ = [session for session in range(self._recipe.sessions) if self._free[session, speaker]]
            if count > len(open_):
                return []
            places[speaker] = sorted(self._rng.sample(open_, count))
        placed = []
        for beat in bundle.beats:
            session = places[beat.speaker].pop(0)
            place = _Place(session, self._free[session, beat.speaker].pop())
            self._told[place] = told = _Told(beat, place, self._when(beat.topic, self._days[session]))
            placed.append(told)
        return placed

    def _when(self, topic: Topic, said_on: date) -> When | None:
        if topic.kind == "events":
            return past(said_on, self._rng)
        return soon(said_on, self._rng) if topic.kind == "plans" else None

    def _answered(self, draft: Draft, placed: Sequence[_Told]) -> _Answered:
        rests = [placed[index] for index in draft.rests]
        reference_answer = draft.reference_answer or ", ".join(told.value for told in rests)
        return _Answered(draft, self._named(reference_answer, draft), tuple(told.ref for told in rests))

    def _named(self, text: str, draft: Draft, speaker: int | None = None) -> str:
        name = self._pair[draft.speaker if speaker is None else speaker]
        filled = text.replace("{name}", name).replace("{new}", draft.new)
        return filled.replace("{a}", self._pair[0]).replace("{b}", self._pair[1])

    def _asked(self, answered: list[_Answered]) -> tuple[Asked, ...]:
        asked = [
            Asked(0, self._named(one.draft.ask, one.draft), one.draft.category, one.reference_answer, one.evidence)
            for one in answered
        ]
        asked += self._traps(answered, round(len(asked) * _adversarial_share(self._recipe.questions)))
        self._rng.shuffle(asked)
        return tuple(
            Asked(index, one.text, one.category, one.reference_answer, one.evidence, one.adversarial)
            for index, one in enumerate(asked)
        )

    def _traps(self, answered: list[_Answered], wanted: int) -> list[Asked]:
        """Ask one person about what only the other told, or about what nobody told."""
        told = {(told.beat.topic.key, told.beat.speaker) for told in self._told.values()}
        silent = [
            one
            for one in answered
            if one.draft.topic.kind in _TRAPPED
            and one.draft.ask in one.draft.topic.ask
            and (one.draft.topic.key, 1 - one.draft.speaker) not in told
        ]
        self._rng.shuffle(silent)
        untold = [
            topic
            for kind in _TRAPPED
            for topic in topics(kind)
            if not {(topic.key, 0), (topic.key, 1)} & told and kind not in ("updates", "corrections")
        ]
        self._rng.shuffle(untold)
        apart = untold[: max(wanted // _UNTOLD_SHARE, wanted - len(silent))]
        traps = [self._untold(topic) for topic in apart[:wanted]]
        for one in silent[: wanted - len(traps)]:
            text = self._named(one.draft.ask, one.draft, 1 - one.draft.speaker)
            traps.append(Asked(0, text, 5, NO_ANSWER, one.evidence, one.reference_answer))
        return traps

    def _untold(self, topic: Topic) -> Asked:
        name = self._rng.choice(self._pair)
        adversarial = self._rng.choice(topic.values) if topic.values else day_text(self._rng.choice(self._days))
        return Asked(0, self._rng.choice(topic.ask).replace("{name}", name), 5, NO_ANSWER, (), adversarial)

    def _turn(self, session: int, turn: int) -> Turn:
        speaker = self._speaker(session, turn)
        other = self._pair[1 - speaker]
        before, told = self._told.get(_Place(session, turn - 1)), self._told.get(_Place(session, turn))
        parts = []
        if turn == 0:
            parts.append(self._chat.write("hello", other))
        elif before:
            parts.append(self._reaction(before, other))
        if told:
            parts.append(self._line(told))
        if turn == self._recipe.turns - 1 and turn:
            parts.append(self._chat.write("bye", other))
        elif not told or self._rng.random() < _TAIL:
            parts.append(self._chat.write("filler", other))
        if (ahead := self._told.get(_Place(session, turn + 1))) and self._rng.random() < _CUE:
            parts.append(self._rng.choice(ahead.beat.topic.cue))
        text = " ".join(parts)
        return Turn(
            f"D{session + 1}:{turn + 1}",
            session + 1,
            shown_day(self._days[session]),
            self._pair[speaker],
            text,
            self._caption(told),
        )

    def _reaction(self, before: _Told, other: str) -> str:
        if before.beat.value and not before.beat.topic.caption and self._rng.random() < _ECHO:
            return self._chat.write("echo", other, before.beat.value)
        return self._chat.write("react", other)

    def _line(self, told: _Told) -> str:
        beat = told.beat
        when = told.when.said if told.when else ""
        text = beat.line.replace("{When}", sentence(when)).replace("{when}", when)
        text = text.replace("{v}", beat.value).replace("{old}", beat.old)
        if self._rng.random() >= _LEAD:
            return sentence(text)
        lead = self._chat.write("lead")
        plain = lead.endswith(".") or beat.line.startswith("{v}") or text.split()[0] in ("I", "Guess")
        return f"{lead} {sentence(text) if plain else text[:1].lower() + text[1:]}"

    def _caption(self, told: _Told | None) -> str:
        if told and told.beat.topic.caption:
            return told.beat.topic.caption[0].replace("{v}", told.beat.value)
        return self._chat.write("picture").lower() if not told and self._rng.random() < _PICTURE else ""


def _adversarial_share(questions: int) -> float:
    """Return how many adversarial questions there are for each of the others."""
    wanted = quotas(questions)
    others = questions - wanted[5]
    return wanted[5] / others if others else 0.0
