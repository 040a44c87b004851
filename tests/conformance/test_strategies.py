"""Every registered strategy obeys every rule, and every rule detects a strategy that breaks it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec

import pytest

from bench.agents import DefaultAgent, compose, default_agent, recall, render
from bench.conformance.rules import CHECKS, CheckResult, check_strategy
from bench.errors import StrategyError, UsageError
from bench.protocols import Agent, Kit, Memory, Param, Strategy
from bench.registry import load_strategy, resolve_strategy, strategy_names
from bench.types import Artifact, Context, Decision, Event, EventKind, Message, Query, Shape, Stimulus

VARIANTS = (
    "bm25:k=1",
    "embedding:k=20",
    "truncation:keep=head",
    "truncation:tokens=30",
    "window:k=1",
    "window:tokens=30",
)


@pytest.mark.parametrize("check", [check.name for check in CHECKS])
@pytest.mark.parametrize("name", [name for name in strategy_names() if name != "agent"])  # a program of the user's
def test_registered_strategies_conform(
    name: str, check: str, results: Callable[[str], Mapping[str, CheckResult]]
) -> None:
    needs = load_strategy(name).needs
    if needs and find_spec(needs) is None:
        pytest.skip(f"{name} needs the package {needs}")
    assert results(name)[check].passed, results(name)[check].detail


@pytest.mark.parametrize("text", VARIANTS)
def test_parameters_do_not_break_a_rule(text: str) -> None:
    given = dict(piece.split("=") for piece in text.split(":")[1].split(","))
    assert [result for result in check_strategy(resolve_strategy(text).strategy, given) if not result.passed] == []


@pytest.fixture(scope="module")
def results() -> Callable[[str], Mapping[str, CheckResult]]:
    seen: dict[str, Mapping[str, CheckResult]] = {}

    def check(name: str) -> Mapping[str, CheckResult]:
        if name not in seen:
            seen[name] = {result.name: result for result in check_strategy(load_strategy(name))}
        return seen[name]

    return check


def test_check_strategy_rejects_unknown_parameter() -> None:
    with pytest.raises(UsageError, match="window-v1: expected a parameter, got 'kk'; did you mean k"):
        check_strategy(load_strategy("window"), {"kk": "1"})


class Notebook:
    """A sound memory of the last four events, to be broken one rule at a time."""

    def __init__(self, kit: Kit):
        self.kit = kit
        self.events: list[Event] = []

    def observe(self, event: Event) -> None:
        self.events.append(event)

    def recall(self, query: Query) -> Context:
        events = [event for event in self.events[-4:] if event.ref != query.ref]
        while query.budget_tokens is not None and self.kit.budget.count(render(events)) > query.budget_tokens:
            events.pop()
        return Context(render(events), tuple(event.ref for event in events))


class Picky(Notebook):
    def observe(self, event: Event) -> None:
        if event.kind is EventKind.FEEDBACK:
            raise ValueError(event.kind)
        super().observe(event)


class Moody(Notebook):
    seed = random.Random(1)

    def recall(self, query: Query) -> Context:
        return replace(super().recall(query), text=str(self.seed.random()))


class Worn(Notebook):
    def recall(self, query: Query) -> Context:
        context = super().recall(query)
        self.events[:1] = []
        return context


class Shared(Notebook):
    pages: list[Event] = []  # noqa: RUF012 - shared by all builds: the fault

    def observe(self, event: Event) -> None:
        self.pages.append(event)

    def recall(self, query: Query) -> Context:
        return Context(render(self.pages[-2:]))


class Verbose(Notebook):
    def recall(self, query: Query) -> Context:
        return super().recall(replace(query, budget_tokens=None))


class Fabulous(Notebook):
    def recall(self, query: Query) -> Context:
        return replace(super().recall(query), refs=("o999",))


class Echoing(Notebook):
    def recall(self, query: Query) -> Context:
        return replace(super().recall(query), refs=("t0", "t0") if self.events else ())


class Boasting(Notebook):
    def recall(self, query: Query) -> Context:
        return replace(super().recall(query), ranking=("o999",))


class Repetitive(Notebook):
    def recall(self, query: Query) -> Context:
        return replace(super().recall(query), ranking=("t0", "t0") if self.events else ())


class Grasping(Notebook):
    def reach(self) -> frozenset[str]:
        return frozenset({"o999"})


class Peeping(Notebook):
    def recall(self, query: Query) -> Context:
        return Context(self.kit.frame.id) if query.budget_tokens is None else Context()


class Diary(Notebook):
    """Remembers its queries, which makes the order of questions matter."""

    def recall(self, query: Query) -> Context:
        self.events.append(Event(f"q{len(self.events)}", EventKind.NOTE, query.text))
        return Context(render(self.events[-2:]))


class Loud(DefaultAgent):
    """Puts its complete memory into the prompt, over the budget."""

    def decide(self, stimulus: Stimulus) -> Decision:
        kit = self._kit
        context = recall(kit, self.memory, stimulus)
        more = render(self.memory.events) if isinstance(self.memory, Notebook) else ""
        reply = kit.model.chat(compose(kit.frame, stimulus, more), role="act")
        return Decision(reply.text.removeprefix("Action: "), reply.text, context)


class Raw(DefaultAgent):
    """Hands the reply on as it is."""

    def decide(self, stimulus: Stimulus) -> Decision:
        reply = self._kit.model.chat(compose(self._kit.frame, stimulus, ""), role="act")
        return Decision(reply.text)


class Brittle(DefaultAgent):
    """Takes for granted that a reply has a second word."""

    def decide(self, stimulus: Stimulus) -> Decision:
        reply = self._kit.model.chat(compose(self._kit.frame, stimulus, ""), role="act")
        return Decision(reply.text.split()[1])


class Dithering(DefaultAgent):
    """Asks until it likes the answer."""

    def decide(self, stimulus: Stimulus) -> Decision:
        for _ in range(9):
            decision = super().decide(stimulus)
        return decision


class Careful(Dithering):
    """Asks twice, as its strategy declares, and refuses on purpose what it cannot use."""

    def decide(self, stimulus: Stimulus) -> Decision:
        reply = self._kit.model.chat(compose(self._kit.frame, stimulus, ""), role="plan")
        decision = DefaultAgent.decide(self, stimulus)
        if not reply.text or decision.text.startswith("recall("):
            raise StrategyError("careful: expected a usable reply, got none; use another model")
        return decision


class Inattentive(Notebook):
    """Takes no notice of what is said about earlier attempts."""

    def observe(self, event: Event) -> None:
        if event.kind is not EventKind.FEEDBACK:
            super().observe(event)


def _agent(kind: type[DefaultAgent]) -> Callable[[Kit], Agent]:
    return lambda kit: kind(Notebook(kit), kit)


def _strategy(memory: Callable[[Kit], Memory]) -> Strategy:
    return Strategy("notebook-v1", default_agent(memory), source="here")


SOUND = _strategy(Notebook)
BROKEN: Sequence[tuple[str, Strategy, str]] = [
    ("name-carries-version", replace(SOUND, name="notebook"), "such as window-v1, got 'notebook'"),
    ("source-is-named", replace(SOUND, source=" "), "got nothing"),
    ("parameters-are-documented", replace(SOUND, params=(Param("k", 1, ""),)), "expected a doc for parameter 'k'"),
    ("parameters-are-documented", replace(SOUND, params=(Param("K", 1, "x"),)), "lower-case parameter name, got 'K'"),
    ("parameters-are-documented", replace(SOUND, params=(Param("k", 0, "x", minimum=1),)), "expected k >= 1, got 0"),
    (
        "parameters-are-documented",
        replace(SOUND, params=(Param("k", "c", "x", ("a", "b")),)),
        "expected k=a|b, got 'c'",
    ),
    ("accepts-every-event", _strategy(Picky), "ValueError: feedback"),
    ("repeats-itself", _strategy(Moody), "got another the second time"),
    ("recall-is-read-only", _strategy(Worn), "two equal queries in a row"),
    ("recall-is-read-only", _strategy(Diary), "two equal queries in a row"),
    ("builds-share-nothing", _strategy(Shared), "that another build's events changed"),
    ("budget-is-kept", _strategy(Verbose), "budget 0: expected contexts that fit, got recall: expected at most 0"),
    ("budget-is-kept", replace(SOUND, keeps_budget=False), "expected keeps_budget=True where every context fits"),
    ("budget-is-kept", replace(SOUND, build=_agent(Loud)), "frame, goal, context and stimulus in the prompt"),
    ("refs-were-observed", _strategy(Fabulous), "refs of observed events, got 'o999'"),
    ("refs-were-observed", replace(_strategy(Echoing), serves=frozenset({Shape.CONVERSATION})), "each ref once"),
    ("refs-were-observed", _strategy(Boasting), "refs of observed events, got 'o999'"),
    ("refs-were-observed", _strategy(Grasping), "a reach of observed events, got 'o999'"),
    ("refs-were-observed", replace(_strategy(Repetitive), serves=frozenset({Shape.CONVERSATION})), "a ranking once"),
    (
        "one-decision-one-action",
        replace(SOUND, build=_agent(Dithering)),
        "model calls a decision and one that asks again, got 9",
    ),
    ("one-decision-one-action", replace(SOUND, build=_agent(Raw)), "without the grammar around it, got 'Action:'"),
    ("survives-hostile-replies", replace(SOUND, build=_agent(Brittle)), "IndexError"),
    ("survives-hostile-replies", replace(SOUND, build=_agent(Raw)), "an action of one line"),
    ("survives-hostile-replies", replace(SOUND, dialect="Subgoal: what you want now"), "got 'Subgoal:'"),
    ("survives-hostile-replies", replace(SOUND, dialect="Say recall(word) to remember"), "got 'recall('"),
    ("question-order-does-not-matter", _strategy(Diary), "in any order of questions"),
    ("blind-to-the-suite", _strategy(Peeping), "frame's id to change nothing"),
    (
        "learns-repeatably-and-uses-it",
        replace(SOUND, learn=lambda _trials, _kit: Artifact({"a": "b"})),
        "reach a prompt",
    ),
    (
        "learns-repeatably-and-uses-it",
        replace(SOUND, learn=lambda _trials, _kit: Artifact({"a": str(random.random())})),
        "got another the second time",
    ),
    (
        "learns-repeatably-and-uses-it",
        replace(SOUND, learn=lambda _trials, _kit: Artifact({"a": "b"}, {"a": ("task-9",)})),
        "among the tasks of the trials, got 'task-9'",
    ),
    (
        "learns-repeatably-and-uses-it",
        replace(SOUND, learn=lambda _trials, _kit: Artifact({}, {"a": ()})),
        "expected sources of files, got some of 'a'",
    ),
    ("learns-repeatably-and-uses-it", replace(SOUND, learn=lambda trials, _kit: trials[0]), "IndexError"),
    ("learns-repeatably-and-uses-it", replace(SOUND, update=lambda _trial, kit: kit.artifact), "expected learn beside"),
    (
        "learns-repeatably-and-uses-it",
        replace(load_strategy("exprag"), update=lambda _trial, _kit: Artifact({"a": str(random.random())})),
        "got another the second time",
    ),
    (
        "learns-repeatably-and-uses-it",
        replace(load_strategy("exprag"), update=lambda trial, _kit: Artifact({"a": "b"}, {"a": (trial.opening,)})),
        "among the tasks of the trials",
    ),
    ("reflection-reaches-the-prompt", replace(_strategy(Inattentive), reflect=lambda _trial, _kit: "x"), "got none"),
    (
        "reflection-reaches-the-prompt",
        replace(SOUND, reflect=lambda trial, kit: kit.model.chat((Message("user", trial.opening),), role="act").text),
        "expected calls of role reflect, got act",
    ),
    (
        "reflection-reaches-the-prompt",
        replace(SOUND, reflect=lambda _trial, _kit: str(random.random())),
        "got another the second time",
    ),
]


def test_sound_strategy_passes_every_rule() -> None:
    assert [result for result in check_strategy(SOUND) if not result.passed] == []
    careful = replace(SOUND, build=_agent(Careful), dialect="Say recall(word) to remember", inner_calls=2)
    assert [result for result in check_strategy(careful) if not result.passed] == []


@pytest.mark.parametrize(("name", "strategy", "detail"), BROKEN)
def test_rule_detects_broken_strategy(name: str, strategy: Strategy, detail: str) -> None:
    result = {result.name: result for result in check_strategy(strategy)}[name]
    assert not result.passed
    assert detail in result.detail


def test_every_rule_has_a_broken_example() -> None:
    assert {name for name, _, _ in BROKEN} == {check.name for check in CHECKS}


def _find_budget_result(strategy: Strategy) -> CheckResult:
    return {result.name: result for result in check_strategy(strategy)}["budget-is-kept"]


def test_budget_rule_accepts_strategy_error_of_one_that_shows_all_it_has() -> None:
    assert _find_budget_result(replace(_strategy(Verbose), keeps_budget=False)).passed


def test_budget_rule_detects_one_that_raises_on_purpose() -> None:
    class Stubborn(Notebook):
        def recall(self, query: Query) -> Context:
            if query.budget_tokens == 1:
                raise StrategyError("stubborn: expected more room, got 1 token; raise the budget")
            return super().recall(query)

    result = _find_budget_result(_strategy(Stubborn))
    assert "budget 1: expected contexts that fit, got stubborn: expected more room" in result.detail


def test_budget_rule_detects_agent_that_bypasses_recall() -> None:
    class Silent(DefaultAgent):
        def decide(self, stimulus: Stimulus) -> Decision:
            query = Query(stimulus.text, stimulus.goal, stimulus.step, stimulus.shape, None, stimulus.ref)
            return Decision("look", context=self.memory.recall(query))

    result = {result.name: result for result in check_strategy(replace(SOUND, build=_agent(Silent)))}["budget-is-kept"]
    assert "at most 0 context tokens or a StrategyError, got" in result.detail


def test_shares_nothing_rule_detects_shared_agent() -> None:
    agents: list[Agent] = []

    def build(kit: Kit) -> Agent:
        agents.append(agents[0] if agents else DefaultAgent(Notebook(kit), kit))
        return agents[0]

    result = {result.name: result for result in check_strategy(replace(SOUND, build=build))}["builds-share-nothing"]
    assert "the same object twice" in result.detail


def test_question_order_rule_ignores_episode_strategy() -> None:
    strategy = replace(_strategy(Diary), serves=frozenset({Shape.EPISODE}))
    result = {result.name: result for result in check_strategy(strategy)}["question-order-does-not-matter"]
    assert result == CheckResult("question-order-does-not-matter", True, "")
