"""A judge that gives no verdict, fails or is killed: what is scored, what is paid, what a resume costs.

The agent and the judge are two remote endpoints that count their calls; the last tests are real processes against a
loopback server.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bench.errors import ContextOverflow, ModelError
from bench.models.offline.reader import OfflineReader
from bench.models.options import ModelOptions
from bench.models.scripted import ScriptedSource
from bench.protocols import ModelSource
from bench.registry import offline_rules
from bench.report.table import build_table, render_table
from bench.runner import build
from bench.scoring.judge_probes import probes
from bench.store.dataframe import read_items
from bench.types import Message
from tests.servers.openai_server import Answer, FakeOpenAI, ReceivedRequest, completion, usage

SAMPLED = ("--temperature", "0.7", "--top-p", "0.9", "--model-seed", "5")
"""The agent's own; a judge is called at temperature 0 whatever they are."""
WORDS = ("toy-talk:talks=3", "-s", "no-memory,full-history", "-m", "remote/agent", *SAMPLED, "--judge", "remote/judge")
TRIALS, QUESTIONS = 6, 6
PROBED = {probe.judge_case.question for probe in probes()}


def sound(messages: Sequence[Message], role: str) -> str:
    """Reply as the offline rules do; a judge case is the first user message, whatever follows it."""
    return OfflineReader(offline_rules()).chat(messages[:2], role=role).text


def question_of(messages: Sequence[Message]) -> str:
    """Return the question of a judge case."""
    return messages[1].content.partition("\n")[0].removeprefix("Question: ")


@dataclass
class Bend:
    """A judge with correct replies, but for those that ``says`` replaces; None = the correct one."""

    says: Callable[[Sequence[Message]], str | None] = lambda _messages: None

    def __call__(self, messages: Sequence[Message], role: str, _number: int) -> str:
        assert role == "judge"
        bent = None if question_of(messages) in PROBED else self.says(messages)
        return sound(messages, role) if bent is None else bent


@dataclass
class Ends:
    """The two endpoints of a run."""

    bend: Bend = field(default_factory=Bend)

    def __post_init__(self) -> None:
        self.agent = ScriptedSource(lambda messages, role, _: sound(messages, role), name="remote/agent")
        self.judge = ScriptedSource(self.bend, usd=0.5, name="remote/judge")

    def load(self, name: str, options: ModelOptions) -> ModelSource:
        if name == "remote/judge":
            assert (options.temperature, options.top_p, options.seed, options.base_url) == (0.0, None, None, "")
        return {"remote/agent": self.agent, "remote/judge": self.judge}[name]


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> Ends:
    made = Ends()
    monkeypatch.setattr(build, "load_source", made.load)
    return made


def rows(run: Path, query: str) -> list[tuple[Any, ...]]:
    db = sqlite3.connect(f"{(run / 'run.sqlite').as_uri()}?mode=ro", uri=True)
    try:
        return db.execute(query).fetchall()
    finally:
        db.close()


def statuses(run: Path) -> Counter[str]:
    return Counter(dict(rows(run, "SELECT status, COUNT(*) FROM trials WHERE attempt > 0 GROUP BY status")))


def ledger(run: Path, phase: str, attempt: int = 1) -> Counter[str]:
    """The calls of the first attempts at tasks by status; ``attempt`` 0 = those of the calibration."""
    query = (
        "SELECT c.status, COUNT(*) FROM calls c JOIN trials t ON t.id = c.trial "
        f"WHERE phase = '{phase}' AND call >= 0 AND t.attempt = {attempt} GROUP BY c.status"
    )
    return Counter(dict(rows(run, query)))


def render_run(run: Path) -> str:
    return render_table(build_table(read_items([run]), reference="full-history"), "md")


def pets(messages: Sequence[Message]) -> str | None:
    """No verdict on a question about pets."""
    return "CORRECT, I would say" if "Which pet" in question_of(messages) else None


def test_missing_verdict_leaves_the_trial_unscored_and_resume_calls_only_the_judge(
    bench: Any, ends: Ends, tmp_path: Path
) -> None:
    whole = bench("run", *WORDS, "-o", "whole")
    assert (whole.code, statuses(tmp_path / "whole")) == (0, Counter(done=TRIALS))
    once = ends.agent.calls, ends.judge.calls
    assert once == (TRIALS * QUESTIONS, len(probes()) + TRIALS * QUESTIONS)

    run = tmp_path / "run"
    ends.bend.says = pets
    broken = bench("run", *WORDS, "-o", "run")
    assert broken.code == 1
    assert f"{TRIALS} trials unscored" in broken.err
    assert statuses(run) == Counter({"judge-error": TRIALS})
    assert rows(run, "SELECT COUNT(*) FROM items") == [(0,)]
    errors = {text for (text,) in rows(run, "SELECT error FROM trials WHERE attempt > 0")}
    assert len(errors) == 1
    assert "expected CORRECT or WRONG and nothing else, got 'CORRECT, I would say'" in errors.pop()
    assert ledger(run, "judge")["no-verdict"] == 3 * TRIALS
    frame = read_items([run])
    assert not frame["scored"].any()

    ends.bend.says = lambda _messages: None
    before = ends.agent.calls
    again = bench("run", "run")
    assert again.code == 0
    assert ends.agent.calls == before  # the agent's replies were replayed
    assert statuses(run) == Counter(done=TRIALS)
    assert ledger(run, "judge") == Counter({"ok": TRIALS * QUESTIONS, "no-verdict": 3 * TRIALS})
    assert columns(render_run(run), "US$") == columns(render_run(tmp_path / "whole"), "US$")
    assert render_run(run) == render_run(tmp_path / "whole")


def columns(text: str, header: str) -> list[str]:
    """The cells of one column of a Markdown table."""
    lines = [[cell.strip() for cell in line.split("|")] for line in text.splitlines() if line.startswith("|")]
    at = lines[0].index(header)
    return [line[at] for line in lines[2:]]


def test_rejected_judge_replies_are_judge_spend_only(bench: Any, ends: Ends, tmp_path: Path) -> None:
    bench("run", *WORDS, "-o", "whole")
    ends.bend.says = lambda messages: "Well." if len(messages) == 2 and pets(messages) else None
    assert bench("run", *WORDS, "-o", "run").code == 0
    assert ledger(tmp_path / "run", "judge") == Counter({"ok": TRIALS * QUESTIONS, "no-verdict": 2 * TRIALS})
    calm, bent = (read_items([tmp_path / name]).set_index(["task", "strategy", "item"]) for name in ("whole", "run"))
    for name in ("tokens_total", "tokens_act", "cost_usd", "retries", "calls", "query_tokens", "judge_accuracy"):
        assert (calm[name] == bent[name]).all(), name
    assert bent["judge_cost_usd"].sum() == calm["judge_cost_usd"].sum() + 0.5 * 2 * TRIALS
    # A verdict that took two tries has the longer prompt of the second; the first is spend, and no logical token.
    assert (bent["tokens_judge"] >= calm["tokens_judge"]).all()


def test_rejected_judge_reply_is_not_cached(
    bench: Any, ends: Ends, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCH_CACHE", str(tmp_path / "cache"))
    ends.bend.says = pets
    assert bench("run", *WORDS, "--cache", "read-write", "-o", "run").code == 1
    ends.bend.says = lambda _messages: None
    before = ends.agent.calls
    assert bench("run", *WORDS, "--cache", "read-write", "-o", "other").code == 0
    assert ends.agent.calls == before
    assert ledger(tmp_path / "other", "judge") == Counter({"ok": TRIALS * QUESTIONS})
    assert bench("run", *WORDS, "--cache", "read", "-o", "replayed").code == 0
    calls = ends.agent.calls, ends.judge.calls
    assert bench("run", *WORDS, "--cache", "read", "-o", "once-more").code == 0
    assert (ends.agent.calls, ends.judge.calls) == calls  # not even probed
    frames = [read_items([tmp_path / name]) for name in ("other", "replayed")]
    assert list(frames[0]["judge_accuracy"]) == list(frames[1]["judge_accuracy"])


def test_unreachable_judge_is_a_model_error_and_leaves_trials_unscored(bench: Any, ends: Ends, tmp_path: Path) -> None:
    def down(messages: Sequence[Message]) -> str | None:
        raise ModelError(f"remote/judge: gone at {question_of(messages)}")

    ends.bend.says = down
    assert bench("run", *WORDS, "-o", "run").code == 1
    assert statuses(tmp_path / "run") == Counter({"model-error": TRIALS})
    ends.bend.says = lambda _messages: None
    before = ends.agent.calls
    assert bench("run", "run").code == 0
    assert (ends.agent.calls, statuses(tmp_path / "run")) == (before, Counter(done=TRIALS))


def test_judge_is_probed_once_before_it_grades(bench: Any, ends: Ends, tmp_path: Path) -> None:
    order: list[bool] = []

    def record_order(messages: Sequence[Message], role: str, number: int) -> str:
        order.append(question_of(messages) in PROBED)
        return ends.bend(messages, role, number)

    ends.judge = ScriptedSource(record_order, name="remote/judge")
    ends.bend.says = pets
    assert bench("run", *WORDS, "-o", "run").code == 1
    assert order == [True] * len(probes()) + [False] * (len(order) - len(probes()))
    assert sum(order) == len(probes())
    ends.bend.says = lambda _messages: None
    assert bench("run", "run").code == 0
    assert sum(order) == len(probes())
    (line,) = {json.loads(text)["row.judge_probes"] for text in read_items([tmp_path / "run"])["fingerprint"]}
    assert line.startswith("remote/judge (rubrics ")
    assert line + "." in render_run(tmp_path / "run")


def test_judge_that_fails_its_probes_stops_the_run_before_the_first_trial(
    bench: Any, ends: Ends, tmp_path: Path
) -> None:
    def gone(_messages: Sequence[Message], _role: str, number: int) -> str:
        raise ModelError(f"remote/judge: gone at call {number}")

    sound_one, ends.judge = ends.judge, ScriptedSource(gone, name="remote/judge")
    done = bench("run", *WORDS, "-o", "run")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[-1].startswith("bench: remote/judge: gone at call ")
    assert ends.agent.calls == 0
    ends.judge = sound_one
    assert bench("run", "run").code == 0
    assert statuses(tmp_path / "run") == Counter(done=TRIALS)


COMMAND = (sys.executable, "-c", "from bench.cli.app import main; main()", "run")
_PATIENCE_S = 120.0


@dataclass
class Court:
    """The loopback judge: sound, but for one call that it never answers."""

    hold_at: int = 0
    """That call, counted from 1 after the probes; 0 = none."""
    graded: int = 0
    held: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, request: ReceivedRequest) -> Answer:
        messages = [Message(m["role"], m["content"]) for m in request.body["messages"]]
        if question_of(messages) not in PROBED:
            with self._lock:
                self.graded += 1
                hold = self.graded == self.hold_at
            if hold:
                self.held.set()
                self.over.wait(_PATIENCE_S)
                return Answer(cut_after=-1)
        return completion(sound(messages, "judge"), usage(100, 1))

    def hold(self, at: int) -> None:
        self.graded, self.hold_at = 0, at
        self.held.clear()


@dataclass(frozen=True)
class Whole:
    """An unbroken run, and the judge that graded it."""

    run: Path
    court: Court
    words: tuple[str, ...]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    court, folder = Court(), tmp_path_factory.mktemp("court")
    with FakeOpenAI(court.answer) as server:
        judge = f"openai/judge@{server.url}"
        # Under a limit one worker plays one trial at a time: what came before the call that is held is on record.
        serial = ("--workers", "1", "--max-tokens", "1000000000")
        words = ("toy-talk:talks=3", "-s", "no-memory,full-history", "--judge", judge, *serial)
        finish(folder, *words, "-o", "whole")
        assert court.graded == TRIALS * QUESTIONS
        yield Whole(folder / "whole", court, words)
        court.over.set()


def start(folder: Path, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *more],
        cwd=folder,
        env={**os.environ, "OPENAI_API_KEY": "sk-test-0123456789abcdef"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(folder: Path, *more: str) -> None:
    process = start(folder, *more)
    try:
        _, err = process.communicate(timeout=_PATIENCE_S)
    finally:
        process.kill()
    assert process.returncode == 0, err


def record(run: Path) -> object:
    """What a run recorded, less times and what was tried in vain."""
    key = "t.task, t.strategy"
    queries = (
        f"SELECT {key}, t.status, t.end_reason, t.error, t.fingerprint FROM trials t ORDER BY {key}",
        f"SELECT {key}, x.item, x.scores FROM items x JOIN trials t ON t.id = x.trial ORDER BY {key}, x.item",
        f"SELECT {key}, x.call, x.phase, x.role, x.step, x.request_hash, x.reply, x.prompt FROM calls x "
        f"JOIN trials t ON t.id = x.trial WHERE x.status = 'ok' ORDER BY {key}, x.call",
    )
    return [rows(run, query) for query in queries]


@pytest.mark.parametrize("moment", [2, 20])
def test_run_killed_while_judging_resumes_to_the_same_record(tmp_path: Path, whole: Whole, moment: int) -> None:
    broken, court = tmp_path / "broken", whole.court
    court.hold(moment)
    process = start(tmp_path, *whole.words, "-o", "broken")
    assert court.held.wait(_PATIENCE_S)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=_PATIENCE_S)
    assert process.returncode == -9
    assert ledger(broken, "judge") == Counter(ok=moment - 1)
    assert ledger(broken, "judge", attempt=0) == Counter(ok=len(probes()))
    before = set(rows(broken, "SELECT trial, call, attempt, latency_s FROM calls"))
    court.hold(0)
    finish(tmp_path, "broken")
    assert before < set(rows(broken, "SELECT trial, call, attempt, latency_s FROM calls"))
    assert court.graded == TRIALS * QUESTIONS - (moment - 1)  # no verdict was paid twice
    assert record(broken) == record(whole.run)
    assert render_run(broken).encode() == render_run(whole.run).encode()


def stammers(messages: Sequence[Message]) -> str | None:
    """No verdict about pets at the first try."""
    return "Well." if len(messages) == 2 and pets(messages) else None


def stammers_and_hums(messages: Sequence[Message]) -> str | None:
    """The same, and never one about work."""
    return stammers(messages) or ("Hm." if "work as" in question_of(messages) else None)


@pytest.mark.parametrize("then", [lambda _messages: None, stammers])
def test_verdict_at_the_second_attempt_is_replayed_on_resume(
    bench: Any, ends: Ends, tmp_path: Path, then: Callable[[Sequence[Message]], str | None]
) -> None:
    ends.bend.says = stammers_and_hums
    assert bench("run", *WORDS, "-o", "run").code == 1
    assert statuses(tmp_path / "run") == Counter({"judge-error": TRIALS})
    ends.bend.says = then
    before = ends.agent.calls
    assert bench("run", "run").code == 0
    assert ends.agent.calls == before


def test_overflow_of_the_judge_affects_its_own_trials_only(bench: Any, ends: Ends, tmp_path: Path) -> None:
    def full(messages: Sequence[Message]) -> str | None:
        if pets(messages):
            raise ContextOverflow("too long")
        return None

    ends.bend.says = full
    done = bench("run", *WORDS, "-o", "run")
    assert done.code == 1
    assert "Traceback" not in done.err
    assert statuses(tmp_path / "run")["planned"] == 0
