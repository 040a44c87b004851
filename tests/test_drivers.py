"""The drivers: the same events for every memory, caps that hold, a record that survives any exception."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.drivers import GOAL_REF, UNREADABLE, DriverHooks, run_conversation, run_episode
from bench.errors import BenchError, EnvError, Interrupted, ModelError, StrategyError
from bench.protocols import NeededFact, Question
from bench.types import (
    Call,
    CallStatus,
    Context,
    Decision,
    EndReason,
    Event,
    EventKind,
    Evidence,
    Frame,
    Limits,
    Observation,
    Opening,
    Phase,
    Query,
    Score,
    Shape,
    Step,
    Stimulus,
    ThoughtRule,
    Usage,
)

FRAME = Frame("f", "Act.")


@dataclass
class Scribe:
    """An agent that acts from a list and keeps every event and stimulus."""

    actions: Sequence[str]
    boom_at: int = 0
    events: list[Event] = field(default_factory=list)
    stimuli: list[Stimulus] = field(default_factory=list)

    @property
    def memory(self) -> Scribe:
        return self

    def observe(self, event: Event) -> None:
        if event.text == "unbearable":
            raise ValueError("cannot look")
        self.events.append(event)

    def recall(self, query: Query) -> Context:
        return Context("two words")

    def decide(self, stimulus: Stimulus) -> Decision:
        self.stimuli.append(stimulus)
        if len(self.stimuli) == self.boom_at:
            raise RuntimeError("cannot think")
        text = self.actions[(stimulus.step - 1) % len(self.actions)]
        return Decision(text, f"Action: {text}", Context("two words", ("goal",)))


class Script:
    """An environment that says its lines; the last may be a win or a loss."""

    def __init__(self, lines: Sequence[str], *, won: bool = False, lost: bool = False):
        self.lines, self.won, self.lost, self.taken = lines, won, lost, 0

    def reset(self) -> Opening:
        return Opening("Find it.", FRAME)

    def step(self, action: str) -> Observation:
        if self.taken >= len(self.lines):
            raise IndexError("the script has run out")
        text, self.taken = self.lines[self.taken], self.taken + 1
        last = self.taken == len(self.lines)
        won = last and self.won
        return Observation(text, done=won or (last and self.lost), won=won, progress=float(won), executed=action)

    def close(self) -> None:
        pass


@dataclass
class Meter:
    """A meter that books one call whenever a decision begins: ten prompt tokens, unless its usage is missing."""

    prompt: int | None = 10
    latency_s: float = 0.0
    entered: list[tuple[Phase, int]] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)

    def enter(self, phase: Phase, step: int) -> None:
        self.entered.append((phase, step))
        if phase is Phase.ACT:
            self.book(phase, step, "act")

    def book(self, phase: Phase, step: int, role: str, status: CallStatus = CallStatus.OK) -> None:
        usage = Usage(self.prompt)
        self.calls.append(
            Call(len(self.calls), phase, role, "m", "h", "x", usage, step, status=status, latency_s=self.latency_s)
        )

    def hooks(self, **more: Any) -> DriverHooks:
        return DriverHooks(enter=self.enter, calls=self.calls, **more)


@dataclass
class Clock:
    """A clock that moves a second whenever it is read."""

    now_s: float = 0.0

    def __call__(self) -> float:
        self.now_s += 1.0
        return self.now_s


@dataclass(frozen=True)
class TwoQuestions:
    texts: Sequence[str] = ("Who?", "Where?")
    frame: Frame = FRAME

    def events(self) -> Iterator[Event]:
        yield Event("t1", EventKind.TURN, "I moved to Oslo.", 1, "Ann", "8 May")
        yield Event("m1", EventKind.SESSION_END, "end", 1)

    def questions(self) -> Sequence[Question]:
        return [Question(text, text, "g", "9 May" if text == "Where?" else "") for text in self.texts]

    def score(self, question: Question, answer: str) -> tuple[Score, ...]:
        return ()


def opened(observation: str = "") -> Opening:
    return Opening("Find it.", FRAME, observation)


LINES = st.lists(st.text(max_size=6), min_size=1, max_size=12)
ACTIONS = st.lists(st.sampled_from(["look", "go", "wait"]), min_size=1, max_size=5)


@given(LINES, ACTIONS, st.sampled_from(["", "First."]), st.integers(0, 14), st.sampled_from(["won", "lost", "on"]))
def test_run_episode_shows_all_events_but_the_last_step_in_order_and_stops_at_cap(
    lines: list[str], actions: list[str], first: str, cap: int, ending: str
) -> None:
    agent, record = Scribe(actions), list[Step]()
    env = Script([*lines, *["…"] * (20 if ending == "on" else 0)], won=ending == "won", lost=ending == "lost")
    end = run_episode(agent, env, opened(first), Limits(step_cap=cap), record)
    steps = min(cap, len(lines)) if ending != "on" else cap
    assert [step.index for step in record] == list(range(1, steps + 1))
    finished = ending != "on" and cap >= len(lines)
    assert end is (EndReason(ending) if finished else EndReason.STEP_CAP)
    assert [event.ref for event in agent.events] == [
        GOAL_REF, *(["o0"] if first else []), *(f"{kind}{i}" for i in range(1, steps) for kind in "ao")
    ]  # fmt: skip
    assert len({event.ref for event in agent.events}) == len(agent.events)
    shown = [event.text for event in agent.events if event.kind is EventKind.ACTION]
    assert shown == [step.decision.text for step in record[:-1]]  # nothing is decided after the last
    for step in record:
        # A decision is made when everything before it was shown; its stimulus names the last event.
        before = [event for event in agent.events if event.step < step.index]
        assert step.stimulus.ref == before[-1].ref
        assert step.stimulus.text == ("" if before[-1].kind is EventKind.GOAL else before[-1].text)
        assert (step.stimulus.goal, step.stimulus.step) == ("Find it.", step.index)
        assert step.context_tokens == 2


def test_unreadable_action_costs_a_step_and_never_reaches_the_environment() -> None:
    agent, env, record = Scribe(["go", "", " \n"]), Script(["a", "b", "c", "d"]), list[Step]()
    assert run_episode(agent, env, opened(), Limits(step_cap=4), record) is EndReason.STEP_CAP
    assert env.taken == 2
    assert [step.observation.invalid_reason for step in record] == ["", "unreadable", "unreadable", ""]
    assert [step.observation.valid for step in record] == [True, False, False, True]
    assert [event.text for event in agent.events if event.kind is EventKind.OBSERVATION] == [
        "a",
        *[UNREADABLE] * 2,
    ]


def test_run_episode_returns_lost_for_done_without_won() -> None:
    record: list[Step] = []
    assert run_episode(Scribe(["x"]), Script(["a", "b"], lost=True), opened(), Limits(), record) is EndReason.LOST
    assert run_episode(Scribe(["x"]), Script(["a", "b"], won=True), opened(), Limits(), record) is EndReason.WON


@given(st.lists(st.sampled_from("ab"), min_size=1, max_size=20), st.integers(1, 4))
def test_run_episode_stops_at_loop_cap(actions: list[str], cap: int) -> None:
    record: list[Step] = []
    end = run_episode(
        Scribe(actions), Script(["…"] * 30), opened(), Limits(step_cap=len(actions), loop_cap=cap), record
    )  # fmt: skip
    did = "".join(actions)
    runs = [i + 1 for i in range(len(did)) if i + 1 >= cap and len(set(did[i + 1 - cap : i + 1])) == 1]
    assert (end, len(record)) == ((EndReason.LOOP_CAP, runs[0]) if runs else (EndReason.STEP_CAP, len(did)))


@pytest.mark.parametrize(("cap", "steps"), [(1, 1), (10, 1), (11, 2), (30, 3)])
def test_run_episode_stops_at_token_cap_before_next_decision(cap: int, steps: int) -> None:
    record: list[Step] = []
    hooks = Meter().hooks()
    end = run_episode(Scribe(["x"]), Script(["…"] * 9), opened(), Limits(token_cap=cap), record, hooks)
    assert (end, len(record)) == (EndReason.TOKEN_CAP, steps)


def test_run_conversation_stops_at_token_cap() -> None:
    record: list[Step] = []
    end = run_conversation(Scribe(["x"]), TwoQuestions(), Limits(token_cap=5), record, Meter().hooks())
    assert (end, len(record)) == (EndReason.TOKEN_CAP, 1)


@pytest.mark.parametrize(("model_s", "error"), [(0.0, EnvError), (1e6, ModelError)])
def test_wall_limit_raises_error_of_the_slower_side(model_s: float, error: type[BenchError]) -> None:
    record: list[Step] = []
    hooks = Meter(latency_s=model_s).hooks(clock=Clock())
    with pytest.raises(error, match=r"task: expected an end within 20 s, got 2\d s"):
        run_episode(Scribe(["x"]), Script(["…"] * 99), opened(), Limits(step_cap=99, task_wall_s=20), record, hooks)
    assert 0 < len(record) < 20


def test_stop_flag_interrupts_before_next_decision_and_keeps_record() -> None:
    record: list[Step] = []
    hooks = DriverHooks(stopped=lambda: len(record) == 3)
    with pytest.raises(Interrupted):
        run_episode(Scribe(["x"]), Script(["…"] * 9), opened(), Limits(), record, hooks)
    assert len(record) == 3
    with pytest.raises(Interrupted):
        run_conversation(Scribe(["x"]), TwoQuestions(), Limits(), record, hooks)


@pytest.mark.parametrize(
    ("agent", "env", "error", "steps"),
    [
        (Scribe(["x"], boom_at=3), Script(["…"] * 9), StrategyError, 2),
        (Scribe(["x"]), Script(["…", "unbearable"]), StrategyError, 1),
        (Scribe(["x"]), Script(["…"] * 4), EnvError, 4),
    ],
)
def test_exception_becomes_error_of_its_source_and_keeps_record(
    agent: Scribe, env: Script, error: type[BenchError], steps: int
) -> None:
    record: list[Step] = []
    with pytest.raises(error):
        run_episode(agent, env, opened(), Limits(), record)
    assert len(record) == steps


def test_step_has_time_and_tokens_of_its_own_calls() -> None:
    record: list[Step] = []
    meter = Meter(latency_s=0.5)
    run_episode(
        Scribe(["x"]), Script(["…"] * 9), opened(), Limits(step_cap=2), record, meter.hooks(clock=Clock())
    )  # fmt: skip
    # The clock moves at every reading: the environment's share is the one reading between its two.
    assert [step.timings.env_s for step in record] == [1.0, 1.0]
    assert [step.timings.model_s for step in record] == [0.5, 0.5]
    assert all(step.timings.memory_s > 0 for step in record)
    assert [step.prompt_tokens for step in record] == [10, 10]
    assert [phase for phase, step in meter.entered if step == 1] == [Phase.ACT, Phase.WRITE]


@pytest.mark.parametrize(
    ("role", "status", "prompt"),
    [
        ("act", CallStatus.OK, 20),
        ("embed", CallStatus.OK, 10),
        ("act", CallStatus.OVERFLOW, 10),
        ("act", CallStatus.TIMEOUT, 10),
        ("act", CallStatus.NO_VERDICT, 10),
    ],
)
def test_prompt_tokens_count_completed_chat_calls_only(role: str, status: CallStatus, prompt: int) -> None:
    class Books(Scribe):
        def decide(self, stimulus: Stimulus) -> Decision:
            meter.book(Phase.READ, stimulus.step, role, status)
            return super().decide(stimulus)

    meter, record = Meter(), list[Step]()
    run_episode(Books(["x"]), Script(["…"]), opened(), Limits(step_cap=1), record, meter.hooks())
    assert record[0].prompt_tokens == prompt


def test_prompt_tokens_are_missing_for_the_step_whose_usage_is() -> None:
    meter, record = Meter(), list[Step]()

    class Forgets(Scribe):
        def decide(self, stimulus: Stimulus) -> Decision:
            meter.prompt = None if stimulus.step == 1 else 10  # of the next step's call
            return super().decide(stimulus)

    run_episode(Forgets(["x"]), Script(["…"] * 9), opened(), Limits(step_cap=3), record, meter.hooks())
    assert [step.prompt_tokens for step in record] == [10, None, 10]


def test_run_conversation_shows_all_events_then_asks_each_question_once() -> None:
    agent, record = Scribe(["x"]), list[Step]()
    assert run_conversation(agent, TwoQuestions(), Limits(step_cap=0), record) is EndReason.ANSWERED
    assert [event.ref for event in agent.events] == ["t1", "m1"]
    assert [step.stimulus for step in record] == [
        Stimulus(Shape.CONVERSATION, "Who?", "Who?", 1),
        Stimulus(Shape.CONVERSATION, "Where?", "Where? (asked on 9 May)", 2),
    ]
    assert all(step.observation.done and step.observation.executed == step.decision.text for step in record)


class Echo(Scribe):
    """Answers with the question and the number of events so far, so that any event between questions would show."""

    def decide(self, stimulus: Stimulus) -> Decision:
        return Decision(f"{stimulus.text} {len(self.events)}")


@given(st.permutations(["Who?", "Where?", "When?", "Why?"]))
def test_run_conversation_answers_do_not_depend_on_question_order(order: list[str]) -> None:
    def answers(texts: Sequence[str]) -> dict[str, str]:
        record: list[Step] = []
        run_conversation(Echo(["x"]), TwoQuestions(texts), Limits(), record)
        return {step.stimulus.text: step.decision.text for step in record}

    assert answers(order) == answers(sorted(order))


def test_run_conversation_books_write_time_with_first_question() -> None:
    record: list[Step] = []
    meter = Meter()
    run_conversation(Scribe(["x"]), TwoQuestions(), Limits(), record, meter.hooks(clock=Clock()))
    assert record[0].timings.memory_s > record[1].timings.memory_s
    assert meter.entered == [(Phase.WRITE, 0), (Phase.ACT, 1), (Phase.ACT, 2)]


class Forgetful(Scribe):
    """A memory that cites one event and can still give another."""

    shows: tuple[str, ...] = ()
    holds: frozenset[str] | None = None

    def decide(self, stimulus: Stimulus) -> Decision:
        return replace(super().decide(stimulus), context=Context("…", self.shows))


class Reaching(Forgetful):
    def reach(self) -> frozenset[str]:
        assert self.holds is not None
        return self.holds


@dataclass(frozen=True)
class Evident(TwoQuestions):
    """A conversation whose first question rests on turns, of which one was never said."""

    def evidence(self, question: Question) -> tuple[str, ...]:
        return ("t1", "m1", "t9", "t1") if question.text == "Who?" else ()


def asked(agent: Scribe, conversation: TwoQuestions) -> list[Evidence | None]:
    record: list[Step] = []
    run_conversation(agent, conversation, Limits(), record)
    return [step.evidence for step in record]


def test_question_keeps_what_it_needed_and_what_was_in_reach() -> None:
    agent = Reaching(["x"])
    agent.holds = frozenset({"m1"})
    assert asked(agent, Evident()) == [Evidence(("t1", "m1"), ("m1",)), None]


def test_what_is_recalled_is_in_reach_whatever_the_memory_says() -> None:
    agent = Reaching(["x"])
    agent.holds, agent.shows = frozenset(), ("t1",)
    assert asked(agent, Evident())[0] == Evidence(("t1", "m1"), ("t1",))


def test_memory_that_does_not_say_reaches_all_it_observed() -> None:
    assert asked(Forgetful(["x"]), Evident())[0] == Evidence(("t1", "m1"), ("t1", "m1"))
    assert asked(Scribe(["x"]), TwoQuestions()) == [None, None]


def test_reach_that_fails_is_the_strategy_s_error() -> None:
    with pytest.raises(StrategyError, match="reach: AssertionError"):
        asked(Reaching(["x"]), Evident())


def test_time_of_asking_for_reach_is_nobodys() -> None:
    class Slow(Reaching):
        def reach(self) -> frozenset[str]:
            clock.now_s += 1000
            return frozenset()

    record, clock = list[Step](), Clock()
    run_conversation(Slow(["x"]), Evident(), Limits(), record, DriverHooks(clock=clock))
    assert record[0].timings.memory_s < 1000


class Knowing(Script):
    """An environment that says what each decision needs: the opening, its own first step, its last one."""

    def find_needed(self) -> list[NeededFact]:
        return [NeededFact(at, (f"fact {at}",)) for at in sorted({0, min(1, self.taken), self.taken})]

    def followed_plan(self) -> bool:
        return self.last == "right"

    last = ""

    def step(self, action: str) -> Observation:
        self.last = action
        return super().step(action)


def played(actions: list[str], observation: str = "", rule: ThoughtRule | None = None) -> list[Evidence | None]:
    record: list[Step] = []
    opening = Opening("Find it.", replace(FRAME, thoughts=rule), observation)
    run_episode(Scribe(actions), Knowing(["a", "b", "c", "d"]), opening, Limits(step_cap=len(actions)), record)
    return [step.evidence for step in record]


def test_decision_needs_neither_the_opening_nor_the_current_observation() -> None:
    first, second, third, fourth = played(["right", "wrong", "right", "wrong"])
    assert first is None
    assert second is None
    assert third == Evidence(("o1",), ("o1",), (("fact 1",),), missed=False)
    assert fourth == Evidence(("o1",), ("o1",), (("fact 1",),), missed=True)


def test_opening_that_is_an_observation_of_its_own_can_be_needed() -> None:
    assert played(["right", "right"], "First.")[1] == Evidence(("o0",), ("o0",), (("fact 0",),), missed=False)


def test_steps_of_the_environment_are_matched_with_events_across_thoughts() -> None:
    rule = ThoughtRule(most=3)
    found = played(["think: hm", "right", "think: so", "wrong", "", "right"], rule=rule)
    assert found[0] is None  # nothing was told yet
    assert found[2] is None  # a thought is no action
    assert found[3] == Evidence(("o2",), ("o2",), (("fact 1",),), missed=True)
    assert found[4] == Evidence(("o2",), ("o2",), (("fact 1",),), missed=True)  # no action could be read
    assert found[5] == Evidence(("o2", "o4"), ("o2", "o4"), (("fact 1",), ("fact 2",)), missed=False)
