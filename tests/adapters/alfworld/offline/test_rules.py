"""The acting rules: every task type in both wordings, with and without memory.

``House`` is a small household that speaks the games' sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from adapters.alfworld.grammar import Grammar, frame_for
from adapters.alfworld.offline.rules import FIRST_LINE, RULES, Goal, read_goal
from bench.agents import compose, render
from bench.models.offline.rule_table import RuleTable
from bench.replies import read_action
from bench.types import Event, EventKind, Message, Shape, Stimulus

Keep = Callable[[list[Event], int], list[Event]]
FULL: Keep = lambda events, _step: events  # noqa: E731
NONE: Keep = lambda _events, _step: []  # noqa: E731
DOORS = ("cabinet", "drawer", "fridge", "microwave", "safe")
KITCHEN = {
    "countertop 1": ["bread 1"],
    "countertop 2": ["knife 1", "mug 2"],
    "cabinet 1": [],
    "cabinet 2": ["saltshaker 1"],
    "drawer 1": ["saltshaker 2"],
    "fridge 1": ["egg 1", "apple 1"],
    "microwave 1": [],
    "sinkbasin 1": ["plate 1"],
    "shelf 1": ["desklamp 1"],
    "shelf 2": ["bowl 1"],
}
ONE_SPOT = frozenset({"shelf 1", "shelf 2"})


class House:
    """Receptacles with things, doors, a hand, two shelves at one spot. ``state`` collects what was done to things."""

    def __init__(self, task: str, grammar: Grammar, things: Mapping[str, list[str]] = KITCHEN):
        self.inside = {r: list(v) for r, v in things.items()}
        self.shut = {r for r in things if r.startswith(DOORS)}
        self.at, self.hand, self.grammar = "", "", grammar
        self.state: set[tuple[str, str]] = set()
        names = ", ".join(f"a {r}" for r in sorted(things, reverse=True))
        self.goal = f"You are in the middle of a room. You see {names}.\n\nYour task is to: {task}."

    def near(self, place: str) -> bool:
        return place == self.at or {place, self.at} <= ONE_SPOT

    def look(self, r: str) -> str:
        if r in self.shut:
            return f"The {r} is closed."
        seen = ", ".join(f"a {o}" for o in self.inside[r]) or "nothing"
        return f"The {r} is open. In it, you see {seen}." if r.startswith(DOORS) else f"On the {r}, you see {seen}."

    def step(self, action: str) -> str:
        verb, _, rest = action.partition(" ")
        rest = rest.removeprefix("to ") if verb == "go" else rest
        return getattr(self, f"_{verb}", lambda _rest: "")(rest) or "Nothing happens."

    def _go(self, r: str) -> str:
        if r not in self.inside or self.near(r):
            return ""
        self.at = r
        return f"You arrive at {r if self.grammar is Grammar.MOVE else 'loc 7'}. {self.look(r)}"

    def _examine(self, r: str) -> str:
        return self.look(r) if self.near(r) else ""

    def _open(self, r: str) -> str:
        if not self.near(r) or r not in self.shut:
            return ""
        self.shut.discard(r)
        return f"You open the {r}. {self.look(r)}"

    def _take(self, rest: str) -> str:
        o, r = rest.split(" from ")
        if self.hand or not self.near(r) or r in self.shut or o not in self.inside[r]:
            return ""
        self.inside[r].remove(o)
        self.hand = o
        return f"You pick up the {o} from the {r}."

    def _drop(self, rest: str, word: str, reply: str) -> str:
        o, _, r = rest.partition(f" {word} ")
        if o != self.hand or not self.near(r) or r in self.shut:
            return ""
        self.inside[r].append(o)
        self.hand = ""
        return reply.format(o=o, r=r)

    def _move(self, rest: str) -> str:
        return self._drop(rest, "to", "You move the {o} to the {r}.") if self.grammar is Grammar.MOVE else ""

    def _put(self, rest: str) -> str:
        return self._drop(rest, "in/on", "You put the {o} in/on the {r}.") if self.grammar is Grammar.PUT else ""

    def _treat(self, verb: str, tool: str, rest: str) -> str:
        o, r = rest.split(" with ")
        if o != self.hand or not self.near(r) or not r.startswith(tool):
            return ""
        self.state.add((verb, o))
        return f"You {verb} the {o} using the {r}."

    def _heat(self, rest: str) -> str:
        return self._treat("heat", "microwave", rest)

    def _cool(self, rest: str) -> str:
        return self._treat("cool", "fridge", rest)

    def _clean(self, rest: str) -> str:
        return self._treat("clean", "sinkbasin", rest)

    def _use(self, lamp: str) -> str:
        if not any(lamp in things for r, things in self.inside.items() if self.near(r)):
            return ""
        self.state.add(("lit", self.hand))
        return f"You turn on the {lamp}."

    def _inventory(self, _rest: str) -> str:
        return f"You are carrying: a {self.hand}." if self.hand else "You are not carrying anything."


def holds(place: str, thing: str, count: int = 1) -> Callable[[House], bool]:
    def won(house: House) -> bool:
        return any(sum(o.startswith(thing) for o in v) >= count for r, v in house.inside.items() if r.startswith(place))

    return won


def treated(verb: str, place: str, thing: str) -> Callable[[House], bool]:
    return lambda house: any(
        (verb, o) in house.state
        for r, v in house.inside.items()
        if r.startswith(place)
        for o in v
        if o.startswith(thing)
    )


TASKS: list[tuple[str, Callable[[House], bool]]] = [
    ("put a mug in shelf", holds("shelf", "mug")),
    ("put some mug on cabinet", holds("cabinet", "mug")),
    ("clean some plate and put it in cabinet", treated("clean", "cabinet", "plate")),
    ("put a clean bowl in countertop", treated("clean", "countertop", "bowl")),
    ("heat some egg and put it in fridge", treated("heat", "fridge", "egg")),
    ("put a hot apple in countertop", treated("heat", "countertop", "apple")),
    ("cool some bread and put it in microwave", treated("cool", "microwave", "bread")),
    ("put a cool mug in shelf", treated("cool", "shelf", "mug")),
    ("put two saltshaker in drawer", holds("drawer", "saltshaker", 2)),
    ("find two saltshaker and put them in shelf", holds("shelf", "saltshaker", 2)),
    ("look at bowl under the desklamp", lambda house: ("lit", "bowl 1") in house.state),
    ("examine the mug with the desklamp", lambda house: ("lit", "mug 2") in house.state),
]


def ask(house: House, events: list[Event], step: int, keep: Keep) -> str:
    now = events[-1].text if events else ""
    context = render(keep(events[:-1], step))
    messages = compose(frame_for(house.grammar), Stimulus(Shape.EPISODE, now, house.goal, step), context)
    assert RuleTable(RULES).find(messages, "act") is RULES[0]
    return read_action(RULES[0].reply(messages)).value


def play(house: House, won: Callable[[House], bool], keep: Keep, cap: int = 40) -> list[str]:
    """Return the actions of one episode; it ends when won."""
    events: list[Event] = []
    actions: list[str] = []
    for step in range(1, cap + 1):
        action = ask(house, events, step, keep)
        actions.append(action)
        events.append(Event(f"a{step}", EventKind.ACTION, action, step))
        events.append(Event(f"o{step}", EventKind.OBSERVATION, house.step(action), step))
        if won(house):
            break
    return actions


def window(k: int) -> Keep:
    return lambda events, step: [event for event in events if event.step >= step - k]


@pytest.mark.parametrize("grammar", list(Grammar))
@pytest.mark.parametrize(("task", "won"), TASKS, ids=[task for task, _ in TASKS])
def test_full_history_solves_every_task_type(task: str, won: Callable[[House], bool], grammar: Grammar) -> None:
    house = House(task, grammar)
    actions = play(house, won, FULL)
    assert won(house), actions
    assert not {"look", "inventory"} & set(actions)
    assert len(actions) <= 25


@pytest.mark.parametrize(("task", "won"), TASKS, ids=[task for task, _ in TASKS])
def test_no_memory_fails_by_repetition(task: str, won: Callable[[House], bool]) -> None:
    house = House(task, Grammar.MOVE)
    actions = play(house, won, NONE)
    assert not won(house)
    assert len(set(actions[-12:])) <= 4, "it must repeat itself, not walk through the house"
    assert not {"look", "inventory"} & set(actions)


def test_window_must_cover_the_search() -> None:
    won = holds("shelf", "mug")
    assert len(play(House("put a mug in shelf", Grammar.PUT), won, window(10))) < 10
    rooms: dict[str, list[str]] = {f"countertop {i}": [] for i in range(1, 9)}
    rooms |= {"countertop 9": ["mug 1"], "shelf 1": []}
    short, long = House("put a mug in shelf", Grammar.MOVE, rooms), House("put a mug in shelf", Grammar.MOVE, rooms)
    play(short, won, window(3))
    assert not won(short)
    play(long, won, window(10))
    assert won(long)


def test_summary_replaces_history() -> None:
    house = House("put a mug in shelf", Grammar.MOVE)
    summary = "Summary: You pick up the mug 2 from the countertop 2. The hand is full."
    stimulus = Stimulus(Shape.EPISODE, "You arrive at fridge 1. The fridge 1 is closed.", house.goal, 9)
    messages = compose(frame_for(Grammar.MOVE), stimulus, summary)
    assert RULES[0].reply(messages) == "Action: go to shelf 1"


def test_current_place_does_not_imply_searched_places() -> None:
    """Standing at the last countertop must not mean that the ones before were searched."""
    house = House("put a spoon in drawer", Grammar.MOVE)
    now = "You arrive at countertop 2. On the countertop 2, you see a knife 1."
    messages = compose(frame_for(Grammar.MOVE), Stimulus(Shape.EPISODE, now, house.goal, 9), "")
    assert RULES[0].reply(messages) == "Action: go to countertop 1"


def test_unknown_held_thing_is_checked_with_inventory() -> None:
    house = House("put two saltshaker in shelf", Grammar.MOVE)
    house.hand, house.at = "knife 1", "countertop 1"
    house.inside["countertop 1"] = ["saltshaker 3", "saltshaker 4"]
    actions = play(house, holds("shelf", "saltshaker", 2), FULL)
    assert "inventory" in actions
    assert holds("shelf", "saltshaker", 2)(house)
    assert actions.count("inventory") == 1


def test_failed_wording_is_replaced_by_the_other() -> None:
    """A frame of one wording over a house of the other: the second form is tried after the first did nothing."""
    house = House("put a mug in shelf", Grammar.MOVE)
    frame = frame_for(Grammar.PUT)
    held = "[1] Observation: You pick up the mug 2 from the countertop 2.\n[2] Action: go to shelf 1\n"
    seen = "[2] Observation: You arrive at shelf 1. On the shelf 1, you see nothing.\n"
    stimulus = Stimulus(Shape.EPISODE, "Nothing happens.", house.goal, 4)
    first = RULES[0].reply(compose(frame, Stimulus(Shape.EPISODE, "ok", house.goal, 3), held + seen))
    assert first == "Action: put mug 2 in/on shelf 1"
    memory = held + seen + "[3] " + first
    assert RULES[0].reply(compose(frame, stimulus, memory)) == "Action: move mug 2 to shelf 1"


def test_matches_only_own_frame_and_role() -> None:
    ours = (Message("system", FIRST_LINE + "\nMore."), Message("user", "# Task\nx"))
    rules = RuleTable(RULES)
    assert rules.find(ours, "act") is RULES[0]
    assert rules.find(ours, "summarize") is None
    assert rules.find((Message("system", "Other."), ours[1]), "act") is None
    assert all(frame_for(grammar).instructions.startswith(FIRST_LINE) for grammar in Grammar)


def test_unknown_task_gets_look() -> None:
    messages = (Message("system", FIRST_LINE), Message("user", "# Task\nYour task is to: sing."))
    assert RULES[0].reply(messages) == "Action: look"


@pytest.mark.parametrize(
    ("task", "goal"),
    [
        ("put a mug in desk", Goal("mug", "desk")),
        ("put some soapbottle on toilet", Goal("soapbottle", "toilet")),
        ("put two cd in safe", Goal("cd", "safe", count=2)),
        ("find two pillow and put them in sofa", Goal("pillow", "sofa", count=2)),
        ("heat some egg and put it in garbagecan", Goal("egg", "garbagecan", treat="heat")),
        ("put a hot apple in fridge", Goal("apple", "fridge", treat="heat")),
        ("put a cool pan in countertop", Goal("pan", "countertop", treat="cool")),
        ("clean some cloth and put it in cart", Goal("cloth", "cart", treat="clean")),
        ("put a clean knife in drawer", Goal("knife", "drawer", treat="clean")),
        ("examine the book with the desklamp", Goal("book", lamp="desklamp")),
        ("look at cd under the desklamp", Goal("cd", lamp="desklamp")),
        ("sing", None),
    ],
)
def test_read_goal_parses_task_sentences(task: str, goal: Goal | None) -> None:
    assert read_goal(task) == goal


def test_replies_depend_on_messages_alone() -> None:
    """Two houses that differ only where nobody looked yet get the same replies until their answers differ."""
    other = {**KITCHEN, "fridge 1": ["mug 5"], "countertop 2": [], "drawer 1": ["mug 7"]}
    houses = [House("put a mug in drawer", Grammar.MOVE, things) for things in (KITCHEN, other)]
    told: list[list[Event]] = [[], []]
    same = 0
    for step in range(1, 20):
        replies = [ask(house, events, step, FULL) for house, events in zip(houses, told, strict=True)]
        if [e.text for e in told[0]] != [e.text for e in told[1]]:
            break
        assert replies[0] == replies[1]
        same += 1
        for house, events, action in zip(houses, told, replies, strict=True):
            events.append(Event(f"a{step}", EventKind.ACTION, action, step))
            events.append(Event(f"o{step}", EventKind.OBSERVATION, house.step(action), step))
    assert same >= 2
    assert replies[0] != replies[1]
