"""What answers are worth: own score first, evidence, verdicts, doubts; and who is told the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from baselines.full_history import STRATEGY
from bench.agents import default_agent
from bench.config import RunConfig
from bench.errors import JudgeError
from bench.models.ledger.meter import reserve_nothing
from bench.models.scripted import ScriptedModel
from bench.protocols import Agent, Kit, Memory, Question, Strategy
from bench.runner.build import build_run
from bench.runner.simulate import Job, Parts, simulate
from bench.scoring.evidence import score_evidence
from bench.scoring.grading import GradingContext, grade, sessions_of
from bench.scoring.judge import CORRECT, WRONG, Judge, rubrics_digest
from bench.scoring.metrics import measure_questions
from bench.types import (
    Call,
    Context,
    Decision,
    EndReason,
    Event,
    EventKind,
    Evidence,
    Frame,
    Item,
    JudgeCase,
    Observation,
    Phase,
    Query,
    Score,
    Shape,
    Status,
    Step,
    Stimulus,
    Task,
    Trial,
    TrialKey,
    Usage,
)

TASK = Task("talk-00", "s", "p", "talk", "cluster-7")
EVENTS = (
    Event("D1:1", EventKind.TURN, "I moved to Oslo.", 1, "Ann"),
    Event("D1", EventKind.SESSION_END, "end", 1),
    Event("D2:1", EventKind.TURN, "I got a cat.", 2, "Ann"),
    Event("D2:2", EventKind.TURN, "Nice.", 2, "Ben"),
)
GOLD = {"city": "Oslo", "pet": "cat", "job": "unknown"}


class Plain:
    """A conversation that has a score of its own and says nothing else."""

    frame = Frame("t", "Answer.")

    def events(self) -> Sequence[Event]:
        return EVENTS

    def questions(self) -> Sequence[Question]:
        return [Question(name, f"Which {name}?", f"group of {name}") for name in GOLD]

    def score(self, question: Question, answer: str) -> tuple[Score, ...]:
        return (Score("f1", float(answer == GOLD[question.id])), Score("length", float(len(answer))))


class Full(Plain):
    """One that knows evidence, what a judge may see, and one bad gold."""

    def evidence(self, question: Question) -> tuple[str, ...]:
        return {"city": ("D1:1",), "pet": ("D2:1",), "job": ()}[question.id]

    def judge_case(self, question: Question) -> JudgeCase | None:
        return None if question.id == "job" else JudgeCase("answer", question.text, GOLD[question.id])

    def find_known_issue(self, question: Question) -> str:
        return "the gold is another pet (an audit)" if question.id == "pet" else ""


@dataclass
class Entered:
    """Where the judge was told it is."""

    at: list[tuple[Phase, int]] = field(default_factory=list)

    def __call__(self, phase: Phase, step: int) -> None:
        self.at.append((phase, step))


def step(index: int, answer: str, *refs: str) -> Step:
    stimulus = Stimulus(Shape.CONVERSATION, "q", "q", index)
    decision = Decision(answer, answer, Context("text", refs, ranking=refs[::-1]))
    return Step(index, stimulus, decision, Observation("", done=True))


STEPS = (step(1, "Oslo", "D1:1", "D2:2"), step(2, "dog", "D1:1"), step(3, "no idea at all"))


def grading(judge: ScriptedModel | None = None, entered: Entered | None = None) -> GradingContext:
    return GradingContext(Judge(judge) if judge else None, entered or Entered(), lambda text: len(text.split()))


def by_name(item: Item) -> dict[str, Score]:
    assert len({score.name for score in item.scores}) == len(item.scores)
    return {score.name: score for score in item.scores}


def test_an_item_a_question_with_the_suite_s_own_score_first() -> None:
    items = grade(Plain(), STEPS, TASK, grading())
    assert [(item.id, item.group, item.cluster) for item in items] == [
        (name, f"group of {name}", "cluster-7") for name in GOLD
    ]
    assert [item.scores for item in items] == [
        (Score("f1", 1.0), Score("length", 4.0), Score("answer_tokens", 1.0)),
        (Score("f1", 0.0), Score("length", 3.0), Score("answer_tokens", 1.0)),
        (Score("f1", 0.0), Score("length", 14.0), Score("answer_tokens", 4.0)),
    ]


def test_a_plain_conversation_has_no_verdict_to_count() -> None:
    model = ScriptedModel([])
    for item in grade(Plain(), STEPS, TASK, grading(model)):
        assert by_name(item)["judge_accuracy"] == Score("judge_accuracy", None, "left to the suite's own score")
    assert model.calls == 0


def test_evidence_is_compared_with_cited_turns() -> None:
    sessions = {"D1:1": "1", "D2:1": "2", "D2:2": "2"}
    assert sessions_of(Full()) == sessions
    items = [by_name(item) for item in grade(Full(), STEPS, TASK, grading())]
    for item, played, needed in zip(items, STEPS, [("D1:1",), ("D2:1",), ()], strict=True):
        for score in score_evidence(played.decision.context, needed, sessions):
            assert item[score.name] == score
    assert (items[0]["evidence_recall"].value, items[0]["evidence_precision"].value) == (1.0, 0.5)
    assert items[0]["turn_ndcg_at_5"].value == pytest.approx(0.6309, abs=1e-4)
    assert items[1]["evidence_recall"].value == 0.0
    assert items[2]["evidence_recall"] == Score("evidence_recall", None, "no evidence")


def test_the_judge_is_asked_about_what_it_may_see_and_at_its_question() -> None:
    entered, model = Entered(), ScriptedModel([CORRECT, WRONG])
    items = [by_name(item) for item in grade(Full(), STEPS, TASK, grading(model, entered))]
    assert [item["judge_accuracy"].value for item in items] == [1.0, 0.0, None]
    assert items[2]["judge_accuracy"].reason == "left to the suite's own score"
    assert entered.at == [(Phase.JUDGE, 1), (Phase.JUDGE, 2)]
    assert model.calls == 2


def test_without_a_judge_there_is_no_verdict() -> None:
    for item in grade(Full(), STEPS, TASK, grading()):
        assert not {"judge_accuracy", "judge_sound"} & set(by_name(item))


def test_known_issue_leaves_sound_scores_empty_with_reason() -> None:
    known_issue = "the gold is another pet (an audit)"
    items = [by_name(item) for item in grade(Full(), STEPS, TASK, grading(ScriptedModel([CORRECT, CORRECT])))]
    assert [item["success_sound"] for item in items] == [
        Score("success_sound", 1.0), Score("success_sound", None, known_issue), Score("success_sound", 0.0),
    ]  # fmt: skip
    assert [item["judge_sound"] for item in items] == [
        Score("judge_sound", 1.0),
        Score("judge_sound", None, known_issue),
        Score("judge_sound", None, "left to the suite's own score"),
    ]
    assert items[1]["judge_accuracy"].value == 1.0  # both stand side by side
    assert "success_sound" not in by_name(grade(Plain(), STEPS, TASK, grading())[0])


def test_questions_that_were_never_answered_are_failures_that_cost_the_judge_nothing() -> None:
    model = ScriptedModel([CORRECT])
    items = grade(Full(), STEPS[:1], TASK, grading(model))
    assert [item.id for item in items] == list(GOLD)
    assert by_name(items[0])["judge_accuracy"].value == 1.0
    for item in items[1:]:
        scores = by_name(item)
        assert all(score.value in (0.0, None) for score in item.scores)
        if item.id != "job":  # which is left to the suite's own score
            assert scores["judge_accuracy"] == Score("judge_accuracy", 0.0, "not answered")
        assert scores["evidence_recall"].value == (None if item.id == "job" else 0.0)
    assert model.calls == 1


CAUSES = ("construction", "retrieval", "reasoning")


def told(
    answer: str, *refs: str, text: str = "", reached: tuple[str, ...] = (), needed: tuple[str, ...] = ("D1:1",)
) -> Step:
    """The answer to the first question, whose reference answer is Oslo."""
    given_ = step(1, answer, *refs)
    decision = replace(given_.decision, context=replace(given_.decision.context, text=text))
    return replace(given_, decision=decision, evidence=Evidence(needed, reached) if needed else None)


def errors(found: Step, conversation: Plain | None = None, judge: ScriptedModel | None = None) -> dict[str, Score]:
    scores = by_name(grade(conversation or Full(), [found], TASK, grading(judge))[0])
    return {cause: scores[f"error_{cause}"] for cause in CAUSES}


@pytest.mark.parametrize(
    ("found", "cause"),
    [
        (told("Oslo", "D2:2", text="Nice."), ""),
        (told("Rome", "D2:2", text="Nice."), "construction"),
        (told("Rome", "D2:2", text="Nice.", reached=("D1:1",)), "retrieval"),
        (told("Rome", "D1:1", text="She moved.", reached=("D1:1",)), "construction"),
        (told("Rome", "D1:1", text="She moved to OSLO!", reached=("D1:1",)), "reasoning"),
        (told("", text=""), ""),
    ],
)
def test_a_failed_question_has_one_cause(found: Step, cause: str) -> None:
    values = {name: score.value for name, score in errors(found).items()}
    if found.decision.text:
        assert values == {name: float(name == cause) for name in CAUSES}
    else:
        assert {score.reason for score in errors(replace(found, decision=Decision(""))).values()} == {"no answer"}


def test_the_judge_says_what_failed_where_there_is_one() -> None:
    right_by_score = told("Oslo", "D1:1", text="She moved to Oslo.", reached=("D1:1",))
    assert errors(right_by_score, judge=ScriptedModel([WRONG]))["reasoning"].value == 1.0
    wrong_by_score = told("The capital of Norway", "D1:1", text="She moved to Oslo.")
    assert {score.value for score in errors(wrong_by_score, judge=ScriptedModel([CORRECT])).values()} == {0.0}


def test_no_cause_is_named_where_none_can_be() -> None:
    class Refusing(Full):
        def judge_case(self, question: Question) -> JudgeCase | None:
            return JudgeCase("abstention", question.text, "Nobody said it.")

    class Ungraded(Full):
        def score(self, question: Question, answer: str) -> tuple[Score, ...]:
            return (Score("success", None, "needs a judge"),)

    cases = {
        "a refusal rests on no fact": (told("Rome", "D1:1", text="x"), Refusing()),
        "needs a judge": (told("Rome", "D1:1", text="x"), Ungraded()),
        "cites no turns": (told("Rome", text="She moved."), None),
        "no evidence": (told("Rome", "D1:1", text="x", needed=()), None),
    }
    for reason, (found, conversation) in cases.items():
        assert {(score.value, score.reason) for score in errors(found, conversation).values()} == {(None, reason)}
    unanswered = by_name(grade(Full(), [], TASK, grading())[0])
    assert {unanswered[f"error_{cause}"] for cause in CAUSES} == {
        Score(f"error_{cause}", None, "not answered") for cause in CAUSES
    }
    assert unanswered["retained"] == Score("retained", 0.0, "not answered")


def test_a_conversation_without_evidence_has_neither_retention_nor_causes() -> None:
    found = by_name(grade(Plain(), STEPS, TASK, grading())[0])
    assert not {"retention", "retained", "error_reasoning"} & set(found)


def test_retention_is_a_score_of_each_question() -> None:
    held, lost, _ = (
        by_name(item) for item in grade(Full(), [told("x", text="in Oslo"), STEPS[1], STEPS[2]], TASK, grading())
    )
    assert (held["retention"].value, lost["retention"].value) == (1.0, 0.0)


def test_a_scorer_that_breaks_and_a_judge_without_a_verdict_are_named() -> None:
    class Broken(Full):
        def score(self, question: Question, answer: str) -> tuple[Score, ...]:
            raise KeyError(question.id)

    with pytest.raises(JudgeError, match="score city: KeyError: 'city'"):
        grade(Broken(), STEPS, TASK, grading())
    with pytest.raises(JudgeError, match="expected CORRECT or WRONG"):
        grade(Full(), STEPS, TASK, grading(ScriptedModel(["maybe"] * 3)))


@dataclass
class Paper:
    """A recorder that keeps what it is told."""

    calls: list[Call] = field(default_factory=list)
    superseded: list[TrialKey] = field(default_factory=list)

    def commit_call(self, key: TrialKey, call: Call) -> None:
        assert key
        self.calls.append(call)

    def supersede(self, key: TrialKey) -> None:
        self.superseded.append(key)

    reserve = staticmethod(reserve_nothing)


@pytest.fixture
def conversation() -> tuple[Job, Parts]:
    bench = build_run(RunConfig(suites=("toy-talk",), strategies=("full-history",), limit=1), Path("/nowhere"))
    (plan,) = bench.plans
    return Job(plan.key, plan.task), bench.build_parts(plan.key)


class Nosy:
    """A memory that asks its kit for the evidence of each question."""

    told: list[tuple[str, ...] | None]

    def __init__(self, kit: Kit):
        self._evidence = kit.evidence

    def observe(self, event: Event) -> None:
        pass

    def recall(self, query: Query) -> Context:
        found = self._evidence(query) if self._evidence else None
        Nosy.told.append(found)
        return Context("", found or ())


NOSY = Strategy("nosy-v1", default_agent(Nosy))


def played(conversation: tuple[Job, Parts], strategy: Strategy, suite: object = None) -> Trial:
    job, parts = conversation
    Nosy.told = []
    model = ScriptedModel(lambda *_: "Answer: x")
    changed = replace(parts, strategy=strategy, model=model, suite=suite or parts.suite)  # type: ignore[arg-type]
    return simulate(job, changed, Paper())


def test_only_privileged_strategy_gets_the_evidence(conversation: tuple[Job, Parts]) -> None:
    job, parts = conversation
    played(conversation, NOSY)
    assert Nosy.told == [None] * 6
    trial = played(conversation, replace(NOSY, privileged=True))
    world = parts.suite.open(job.task)
    assert Nosy.told == [world.evidence(question) for question in world.questions()]  # type: ignore[union-attr]
    recalls = [by_name(item)["evidence_recall"].value for item in trial.items]
    assert set(recalls) <= {1.0, None}
    assert 1.0 in recalls


@dataclass(frozen=True)
class One:
    """A suite of one conversation."""

    conversation: Plain

    def open(self, _task: Task) -> Plain:
        return self.conversation


def test_fingerprint_names_judge_and_marks_privileged_strategy() -> None:
    fields_of: dict[tuple[str, str], dict[str, str]] = {}
    for judge in ("", "offline/reader"):
        config = RunConfig(
            suites=("toy", "toy-talk"), strategies=("full-history", "oracle-evidence"), limit=1, judge=judge
        )  # fmt: skip
        bench = build_run(config, Path("/nowhere"))
        for plan in bench.plans:
            entries = bench.build_parts(plan.key).fingerprint.entries
            fields_of[judge, f"{plan.key.suite} {plan.key.strategy}"] = dict(entries)
    bare, judged = fields_of["", "toy-talk full-history"], fields_of["offline/reader", "toy-talk full-history"]
    assert {name: value for name, value in judged.items() if bare.get(name) != value} == {
        "env.judge": "offline/reader", "env.rubrics": rubrics_digest(), "row.judge_request": "offline/reader",
    }  # fmt: skip
    assert fields_of["", "toy full-history"] == fields_of["offline/reader", "toy full-history"]
    marked = {where for (_, where), fields in fields_of.items() if "row.privileged" in fields}
    assert marked == {"toy-talk oracle-evidence"}


def test_privileged_strategy_gets_nothing_without_evidence(
    conversation: tuple[Job, Parts],
) -> None:
    played(conversation, replace(NOSY, privileged=True), One(Plain()))
    assert Nosy.told == [None] * 3


def test_a_question_asked_twice_has_the_evidence_of_both_and_one_never_asked_has_none(
    conversation: tuple[Job, Parts],
) -> None:
    class Twice(Full):
        def questions(self) -> Sequence[Question]:
            return [Question(name, "Which?", "g", time="1 May" if name == "job" else "") for name in GOLD]

    class Asks(Nosy):
        def recall(self, query: Query) -> Context:
            assert self._evidence is not None
            assert self._evidence(replace(query, goal="Never asked?")) == ()
            return super().recall(query)

    trial = played(conversation, Strategy("asks-v1", default_agent(Asks), privileged=True), One(Twice()))
    assert (trial.status, trial.error) == (Status.DONE, "")
    assert Nosy.told == [("D1:1", "D2:1"), ("D1:1", "D2:1"), ()]


def test_judge_tokens_are_not_the_agents(conversation: tuple[Job, Parts]) -> None:
    job, parts = conversation
    bare = simulate(job, parts, Paper())
    model = ScriptedModel(lambda *_: CORRECT, "far/judge")
    paper = Paper()
    trial = simulate(job, replace(parts, judge=model), paper)
    judged = [call for call in paper.calls if call.phase is Phase.JUDGE]
    assert [(call.role, call.step, call.model) for call in judged] == [("judge", n, "far/judge") for n in range(1, 7)]
    for before, item in zip(bare.items, trial.items, strict=True):
        was, now = by_name(before), by_name(item)
        assert now["tokens_judge"].value
        assert now["judge_accuracy"].value == 1.0
        for name in set(was) - {"tokens_judge"}:
            assert now[name] == was[name]


def call(index: int, phase: Phase, step: int, prompt: int | None, status: str = "ok") -> Call:
    return Call(index, phase, "x", "m", "h", "r", Usage(prompt, completion=1), step, status=status, cost_usd=0.0)


def measured(*calls: Call) -> list[dict[str, Score]]:
    items = tuple(Item(name, "g", "c", (Score("f1", 0.5),)) for name in ("q1", "q2"))
    key = TrialKey("s", "p", "t", "r", "m")
    steps = (step(1, "a"), step(2, "b"))
    trial = Trial(key, Status.DONE, EndReason.ANSWERED, items, steps, calls)
    return [by_name(item) for item in measure_questions(trial)]


def test_ingest_tokens_are_separate_from_query_tokens() -> None:
    one, two = measured(
        call(0, Phase.WRITE, 0, 100),
        call(1, Phase.WRITE, 0, 50),
        call(2, Phase.LEARN, 0, 7000),
        call(3, Phase.READ, 1, 10),
        call(4, Phase.ACT, 1, 20),
        call(5, Phase.ACT, 1, 900, "empty"),
        call(5, Phase.JUDGE, 1, 4000),
        call(6, Phase.ACT, 2, 30),
        call(7, Phase.JUDGE, 2, 5000, "no-verdict"),
        call(7, Phase.JUDGE, 2, 6000),
    )
    assert one["ingest_tokens"].value == two["ingest_tokens"].value == 101 + 51
    assert (one["query_tokens"].value, two["query_tokens"].value) == (11 + 21, 31)
    assert (one["tokens_judge"].value, two["tokens_judge"].value) == (4001, 6001)
    assert (one["tokens_total"].value, two["tokens_total"].value) == (76 + 32, 76 + 31)
    assert one["success"] == Score("success", 0.5)


def test_missing_usage_gives_no_ingest_tokens() -> None:
    one, two = measured(
        call(0, Phase.WRITE, 0, None), call(1, Phase.WRITE, 0, 5), call(2, Phase.ACT, 1, None), call(3, Phase.ACT, 2, 4)
    )
    assert one["ingest_tokens"] == two["ingest_tokens"] == Score("ingest_tokens", None, "missing in 1 of 2 calls")
    assert (one["query_tokens"].value, two["query_tokens"].value) == (None, 5)
    nothing = measured()
    assert (
        [item["ingest_tokens"].value for item in nothing] == [item["query_tokens"].value for item in nothing] == [0, 0]
    )


class Tires:
    """An agent that breaks at its third question."""

    def __init__(self, inner: Agent):
        self._inner, self._left = inner, 2

    @property
    def memory(self) -> Memory:
        return self._inner.memory

    def decide(self, stimulus: Stimulus) -> Decision:
        self._left -= 1
        if self._left < 0:
            raise RuntimeError("tired")
        return self._inner.decide(stimulus)


def test_unanswered_questions_count_against_the_judge_s_score_too(conversation: tuple[Job, Parts]) -> None:
    job, parts = conversation
    tired = Strategy("tired-v1", lambda kit: Tires(STRATEGY.build(kit)), params=STRATEGY.params)
    trial = simulate(job, replace(parts, strategy=tired, judge=ScriptedModel(lambda *_: CORRECT)), Paper())
    got = [{s.name: s.value for s in item.scores}.get("judge_accuracy", "absent") for item in trial.items]
    assert got == [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]
