"""Trials of programs: what they are told, how their calls are booked, and whose fault an end is."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from bench.config import RunConfig
from bench.errors import BudgetStop, Interrupted, UsageError
from bench.models.ledger.meter import reserve_nothing
from bench.models.scripted import ScriptedModel
from bench.protocols import Budget
from bench.registry import resolve_strategy
from bench.runner.build import build_run
from bench.runner.simulate import Job, simulate
from bench.runner.trained import hash_inputs
from bench.types import Call, CallStatus, EndReason, Message, Phase, Reply, Status, Trial, TrialKey
from tests.baselines.agent_program.programs import write_program

ECHO = "for line in asked(): say(line, action=call(line.get('goal', 'on')))"
ANSWERS = """
for line in asked():
    if line["type"] == "event":
        call("note", role="extract") if line["kind"] == "session-end" else None
        say(line, type="ok")
    else:
        say(line, type="answer", answer=call(line["question"]))
"""


@dataclass
class Paper:
    """A recorder that keeps the calls in a list; ``stop`` is raised at the third."""

    stop: BaseException | None = None
    calls: list[Call] = field(default_factory=list)
    superseded: list[TrialKey] = field(default_factory=list)

    def commit_call(self, key: TrialKey, call: Call) -> None:
        if self.stop and len(self.calls) == 2:
            raise self.stop
        self.calls.append(call)

    def supersede(self, key: TrialKey) -> None:
        self.superseded.append(key)

    reserve = staticmethod(reserve_nothing)


class Refusing:
    """A model that declines."""

    name = "refusing"

    def chat(self, messages: Sequence[Message], **_: object) -> Reply:
        return Reply("no", finish="refusal")


Play = Callable[..., Trial]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Return a function that plays a trial of a program, whose code is its first argument."""

    def play_it(
        body: str,
        params: str = "",
        suite: str = "toy",
        recorder: Paper | None = None,
        committed: tuple[Call, ...] = (),
        **more: Any,
    ) -> Trial:
        label = f"agent:cmd={write_program(tmp_path, body)}{params}"
        context = build_run(RunConfig(suites=(suite,), strategies=(label,), limit=1), tmp_path)
        (plan,) = context.plans
        parts = replace(context.build_parts(plan.key), **{"model": ScriptedModel(lambda *_: "look"), **more})
        try:
            return simulate(Job(plan.key, plan.task, committed), parts, recorder or Paper())
        finally:
            context.close()

    return play_it


def test_episode_is_played_by_the_program(play: Play) -> None:
    trial = play(ECHO)
    assert (trial.status, trial.end, trial.error) == (Status.DONE, EndReason.STEP_CAP, "")
    assert len(trial.steps) == len(trial.calls) == 30
    assert {(call.phase, call.role, call.status) for call in trial.calls} == {(Phase.ACT, "act", CallStatus.OK)}
    assert [call.step for call in trial.calls] == list(range(1, 31))
    assert {step.decision.text for step in trial.steps} == {"look"}
    assert json.loads(trial.steps[0].decision.reply) == {"type": "action", "action": "look"}


def test_conversation_is_told_event_by_event(play: Play) -> None:
    trial = play(ANSWERS, suite="toy-talk")
    assert (trial.status, trial.end) == (Status.DONE, EndReason.ANSWERED)
    assert len(trial.items) == len(trial.steps) == 6
    booked = [(call.phase, call.role) for call in trial.calls]
    assert booked == [(Phase.WRITE, "extract")] * 4 + [(Phase.ACT, "answer")] * 6


def test_program_is_told_the_task_and_no_name_of_it(play: Play, tmp_path: Path) -> None:
    body = f"for text in sys.stdin:\n  open({str(tmp_path / 'heard')!r}, 'a').write(text)\n  line = json.loads(text)\n"
    play(body + "  say(line, action='go to hall') if 'id' in line else None")
    hello, first, second, *_, end = map(json.loads, (tmp_path / "heard").read_text().splitlines())
    assert (hello["type"], hello["protocol"], hello["task"]) == ("hello", 1, "episode")
    assert hello["instructions"].startswith("You are in a small house")
    assert "Your task is to" in first["goal"]
    assert first["feedback"] == []
    assert set(second) == {"type", "observation", "id"}
    assert second["id"] == 2
    assert end == {"type": "end"}
    assert "house-0" not in (tmp_path / "heard").read_text()


def test_program_gets_no_key_but_those_that_it_names(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-real-real-real-1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-real-real-real-2")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "https://example.org")
    monkeypatch.setenv("SEARCH_API_KEY", "of-a-search-1")
    monkeypatch.setenv("SEARCH_PLACE", "here")
    show = f"open({str(tmp_path / 'seen')!r}, 'w').write(json.dumps(dict(os.environ)))\n{ECHO}"
    play(show, budget=Budget(100))
    seen = json.loads((tmp_path / "seen").read_text())
    assert "sk-real" not in str(seen)
    assert "SEARCH_API_KEY" not in seen
    assert "ANTHROPIC_BASE_URL" not in seen
    assert seen["SEARCH_PLACE"] == "here"
    assert seen["OPENAI_BASE_URL"].startswith("http://127.0.0.1:")
    assert seen["OPENAI_BASE_URL"].endswith("/act/v1")
    assert (seen["MEMFRONTIER_MODEL"], seen["MEMFRONTIER_BUDGET_TOKENS"]) == ("scripted", "100")
    words = write_program(tmp_path, show).split()
    (tmp_path / "mine.toml").write_text(f"command = {json.dumps(words)}\nvariables = ['SEARCH_API_KEY']\n")
    trial = play_label(f"agent:cmd={tmp_path / 'mine.toml'}", tmp_path)
    assert trial.status is Status.DONE
    assert json.loads((tmp_path / "seen").read_text())["SEARCH_API_KEY"] == "of-a-search-1"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "for line in asked(): say(line, id=7)",
            "expected a line with id 1, type 'action' or 'give-up' and its text, got {",
        ),
        (
            "for line in asked(): say(line, action=3)",
            "expected a line with id 1, type 'action' or 'give-up' and its text",
        ),
        ("for line in asked(): say(line, type=['action'])", "expected a line with id 1"),
        ("for line in asked(): say(line, action='x' * 20000)", "expected an action of at most 10,000 characters"),
        ("for line in asked():\n  while True: call('more')", "expected at most 20 model calls for one decision"),
        ("for line in asked(): call('a', tools=[{}])", "tools: expected a request without it"),
        ("for line in asked(): call('a', role='judge')", "expected a role of its own in the address, got judge"),
    ],
)
def test_fault_of_a_program_is_a_strategy_error(play: Play, body: str, message: str) -> None:
    trial = play(body)
    assert trial.status is Status.STRATEGY_ERROR
    assert message in trial.error
    assert trial.items  # scored, as a failure


def test_cap_of_calls_is_a_parameter(play: Play) -> None:
    body = "for line in asked():\n  for _ in range(25): call('more')\n  say(line)"
    assert play(body, ",calls=0").status is Status.DONE
    assert "at most 3 model calls" in play(body, ",calls=3").error


def test_action_is_one_line_of_storable_text(play: Play) -> None:
    trial = play("for line in asked(): say(line, action=' go\\n to \\ud800 hall ')")
    assert {step.decision.text for step in trial.steps} == {"go to ? hall"}


def test_give_up_ends_the_trial(play: Play) -> None:
    trial = play("for line in asked(): say(line, type='give-up')")
    assert (trial.status, trial.end) == (Status.DONE, EndReason.GAVE_UP)


_SWALLOWS = """
for line in asked():
    try:
        call("on")
    except OSError:
        time.sleep(600)
    say(line)
"""


def test_failed_call_ends_the_trial_whatever_the_program_makes_of_it(play: Play) -> None:
    trial = play(_SWALLOWS, model=ScriptedModel(["a", "b"], name="short"))
    assert (trial.status, len(trial.steps)) == (Status.MODEL_ERROR, 2)
    assert trial.error == "short: expected at most 2 calls, got one more; add replies"


@pytest.mark.parametrize("stop", [BudgetStop("enough"), Interrupted()])
def test_end_of_the_run_passes_through_the_program(play: Play, stop: BaseException) -> None:
    with pytest.raises(type(stop)):
        play(_SWALLOWS, recorder=Paper(stop))


def test_stopped_run_does_not_wait_for_a_silent_program(tmp_path: Path) -> None:
    asked = iter([False, False])
    with pytest.raises(Interrupted):
        play_label(f"agent:cmd={write_program(tmp_path, 'time.sleep(600)')}", tmp_path, lambda: next(asked, True))


def test_committed_calls_are_replayed_and_not_made_again(play: Play) -> None:
    first = play(ECHO)
    unused = ScriptedModel([], name="scripted")
    again = play(ECHO, committed=first.calls, model=unused)
    assert unused.calls == 0
    assert (again.status, again.items, again.calls) == (first.status, first.items, first.calls)


def test_program_with_other_calls_than_before_is_superseded(play: Play) -> None:
    recorder, first = Paper(), play(ECHO)
    trial = play("for line in asked(): say(line, action=call('other'))", committed=first.calls, recorder=recorder)
    assert trial.status is Status.ENV_ERROR
    assert "not deterministic" in trial.error
    assert len(recorder.superseded) == 1


def test_refusal_ends_an_episode(play: Play) -> None:
    assert play(ECHO, model=Refusing()).end is EndReason.REFUSED


def test_fingerprint_holds_the_files_of_the_program(tmp_path: Path) -> None:
    text = f"agent:cmd={write_program(tmp_path, ECHO)}"
    before = hash_inputs(resolve_strategy(text))
    assert set(before) == {"row.program", "row.program_2"}  # the interpreter, the file
    write_program(tmp_path, ECHO + "\n")
    after = hash_inputs(resolve_strategy(text))
    assert (after["row.program"], after["row.program_2"] != before["row.program_2"]) == (before["row.program"], True)


def test_missing_program_is_refused_before_any_work() -> None:
    with pytest.raises(UsageError, match="expected cmd=PROGRAM, got none"):
        build_run(RunConfig(suites=("toy",), strategies=("agent",)), Path("/nowhere"))


def test_program_that_went_missing_is_a_strategy_error(tmp_path: Path) -> None:
    program = tmp_path / "agent.py"
    program.write_text("")
    trial = play_label(f"agent:cmd={program}", tmp_path, before=program.unlink)
    assert trial.status is Status.STRATEGY_ERROR
    assert "expected a program, got" in trial.error


def play_label(
    label: str,
    folder: Path,
    stopped: Callable[[], bool] = lambda: False,
    before: Callable[[], object] = lambda: None,
) -> Trial:
    """Play one trial of a row, with a model that says ``look``. ``before`` is called when all is planned."""
    context = build_run(RunConfig(suites=("toy",), strategies=(label,), limit=1), folder)
    (plan,) = context.plans
    parts = replace(context.build_parts(plan.key), model=ScriptedModel(lambda *_: "look"))
    before()
    try:
        return simulate(Job(plan.key, plan.task), parts, Paper(), stopped)
    finally:
        context.close()
