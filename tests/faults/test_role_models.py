"""Two models in one run, end to end: two servers, each with its key, prices and limits, through the command line."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from bench.models.offline.reader import OfflineReader
from bench.registry import offline_rules
from bench.store.dataframe import read_items
from bench.types import Message
from tests.servers.openai_server import Answer, FakeOpenAI, ReceivedRequest, completion, usage

ACTOR_KEY, SMALL_KEY = "sk-actor-0123456789abcdef", "plain-small-0123456789abcdef"
READER = OfflineReader(offline_rules())
SMALL_ROW = "files-grep:navigator_model=hosted_vllm/small"
PRICES = '[prices]\ndate = "2026-11-30"\ninput = 2.0\noutput = 8.0\n'
SMALL_PRICES = '[models."hosted_vllm/small".prices]\ndate = "2026-11-30"\ninput = 0.5\noutput = 1.0\n'
_PATIENCE_S = 120.0


def read_role(request: ReceivedRequest) -> str:
    return READER.find_role([Message(one["role"], one["content"]) for one in request.body["messages"]])


def play(request: ReceivedRequest) -> Answer:
    """Reply as the offline model does."""
    messages = [Message(one["role"], one["content"]) for one in request.body["messages"]]
    reply = READER.chat(messages, role=READER.find_role(messages), max_tokens=request.body.get("max_tokens"))
    return completion(reply.text, usage(reply.usage.prompt or 0, reply.usage.completion or 0))


@dataclass
class Pair:
    """The servers of the acting model and of the small one, and the words of a run that uses both."""

    actor: FakeOpenAI
    small: FakeOpenAI
    folder: Path
    limits: str = ""
    prices: str = SMALL_PRICES
    rows: str = f"full-history,files-grep,{SMALL_ROW}"

    def words(self, *more: str, command: str = "run") -> tuple[str, ...]:
        (self.folder / "end.toml").write_text(
            f'api_key_env = "ACTOR_KEY"\n{PRICES}[models."hosted_vllm/small"]\nbase_url = "{self.small.url}"\n'
            f'api_key_env = "SMALL_VARIABLE"\n{self.limits}{self.prices}'
        )
        model = ("-m", "openai/big", "--base-url", self.actor.url, "--endpoint", "end.toml", "--embedder", "hash")
        return (command, "toy-talk:talks=2", "-s", self.rows, *model, *more)


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pair]:
    monkeypatch.setenv("ACTOR_KEY", ACTOR_KEY)
    monkeypatch.setenv("SMALL_VARIABLE", SMALL_KEY)
    monkeypatch.setenv("BENCH_CACHE", str(tmp_path / "cache"))
    with FakeOpenAI(play) as actor, FakeOpenAI(play) as small:
        yield Pair(actor, small, tmp_path)


def read_calls(run: Path) -> list[tuple[Any, ...]]:
    db = sqlite3.connect(run / "run.sqlite")
    try:
        return db.execute(
            "SELECT t.strategy, t.task, c.call, c.role, c.model, c.request_hash, c.reply, c.cost_usd, c.prompt, "
            "c.completion FROM calls c JOIN trials t ON t.id = c.trial ORDER BY 1, 2, 3"
        ).fetchall()
    finally:
        db.close()


def test_calls_of_a_role_reach_its_endpoint_alone(bench: Any, pair: Pair, tmp_path: Path) -> None:
    done = bench(*pair.words("-o", "run"))
    assert done.code == 0, done.err
    assert "run: model openai/big: temperature 0" in done.err
    assert "run: model of role navigate hosted_vllm/small: temperature 0" in done.err
    assert {read_role(one) for one in pair.small.requests} == {"navigate"}
    assert Counter(map(read_role, pair.actor.requests)) == {"answer": 36, "navigate": len(pair.small.requests)}
    assert {one.headers.get("Authorization") for one in pair.small.requests} == {f"Bearer {SMALL_KEY}"}
    assert {one.headers.get("Authorization") for one in pair.actor.requests} == {f"Bearer {ACTOR_KEY}"}
    assert {one.body["model"] for one in pair.small.requests} == {"small"}
    record = (tmp_path / "run" / "run.sqlite").read_bytes() + (tmp_path / "run" / "run.toml").read_bytes()
    assert SMALL_KEY.encode() not in record
    for strategy, _, _, role, model, _, _, cost, prompt, reply in read_calls(tmp_path / "run"):
        routed = strategy == SMALL_ROW and role == "navigate"
        assert model == ("hosted_vllm/small" if routed else "openai/big")
        rates = (0.5, 1.0) if routed else (2.0, 8.0)
        assert cost == pytest.approx((prompt * rates[0] + reply * rates[1]) / 1e6)


def test_table_export_and_show_split_the_costs(bench: Any, pair: Pair) -> None:
    assert bench(*pair.words("-o", "run")).code == 0
    rows = {row["strategy"]: row for row in json.loads(bench("table", "run", "--format", "json").out)}
    plain, routed = rows["files-grep"], rows[SMALL_ROW]
    assert (plain["role_models"], routed["role_models"]) == (None, {"navigate": "hosted_vllm/small"})
    assert (routed["offline"], plain["tokens_role_navigate"]) == (False, None)
    assert routed["tokens_role_navigate"] == plain["tokens_read"] == routed["tokens_read"]
    assert 0 < routed["cost_usd_role_navigate"] < routed["cost_usd"] < plain["cost_usd"]
    assert f"{SMALL_ROW}: calls of role navigate by hosted_vllm/small (" in bench("table", "run", "--format", "md").out
    columns = ("--columns", "tokens_role_navigate,cost_usd_role_navigate")
    (header, *lines) = bench("export", "run", *columns).out.splitlines()
    assert header.endswith("tokens_role_navigate,cost_usd_role_navigate")
    assert {line.endswith(",,") for line in lines if SMALL_ROW in line} == {False}
    shown = bench("show", "run", f"{SMALL_ROW}@talk-00", "--context").out
    assert "navigate by hosted_vllm/small, " in shown
    assert "answer, " in shown
    assert f"{SMALL_ROW}: calls of role navigate by hosted_vllm/small." in shown
    assert "by hosted_vllm/small" not in bench("show", "run", "files-grep@talk-00", "--context").out


def test_each_endpoint_keeps_to_its_own_limit(bench: Any, pair: Pair) -> None:
    pair.limits = '[models."hosted_vllm/small".limits]\nconcurrency = 1\n'
    pair.rows = f"{SMALL_ROW},mem0:writer_model=hosted_vllm/small"
    pair.small.script = lambda request: replace(play(request), delay_s=0.02)  # long enough to meet, were it allowed
    assert bench(*pair.words("-o", "run", "--workers", "8")).code == 0
    assert pair.small.most_at_once == 1


@dataclass
class Hold:
    """A script that keeps one request waiting until it is told to go on."""

    number: int
    reached: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)

    def __call__(self, request: ReceivedRequest) -> Answer:
        if request.number == self.number:
            self.reached.set()
            assert self.go_on.wait(_PATIENCE_S)
        return play(request)


def test_killed_run_goes_on_and_pays_neither_model_twice(bench: Any, pair: Pair, tmp_path: Path) -> None:
    words = pair.words("--workers", "1", "--max-usd", "100")  # under a limit there is one call at a time
    assert bench(*words, "-o", "whole").code == 0
    whole = len(pair.actor.requests), len(pair.small.requests)
    pair.actor.requests.clear()
    pair.small.requests.clear()
    pair.small.script = hold = Hold(number=3)
    command = (sys.executable, "-c", "from bench.cli.app import main; main()")
    process = subprocess.Popen([*command, *words, "-o", "broken"], cwd=tmp_path, stderr=subprocess.DEVNULL)
    try:
        assert hold.reached.wait(_PATIENCE_S)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        hold.go_on.set()
    committed = read_calls(tmp_path / "broken")
    assert {call[4] for call in committed} == {"openai/big", "hosted_vllm/small"}
    assert bench("run", "broken").code == 0
    # The one request that was under way had no reply, so it was sent again; no other was.
    assert (len(pair.actor.requests), len(pair.small.requests)) == (whole[0], whole[1] + 1)
    assert read_calls(tmp_path / "broken") == read_calls(tmp_path / "whole")
    tables = [read_items([tmp_path / name]).drop(columns=["run"]) for name in ("whole", "broken")]
    first, second = (table.loc[:, [c for c in table if not c.startswith("wall_")]] for table in tables)
    assert first.equals(second)


def test_unknown_price_of_a_role_is_refused_before_any_work(bench: Any, pair: Pair, tmp_path: Path) -> None:
    pair.prices = ""
    refused = bench(*pair.words("-o", "run", "--max-usd", "5", "--workers", "1"))
    assert refused.code == 2
    assert 'hosted_vllm/small: price unknown, so its cost is null; give prices in [models."hosted_v' in refused.err
    assert "expected a known price of all that is called under max_usd, got none of hosted_vllm/small" in refused.err
    assert (len(pair.small.requests), (tmp_path / "run").exists()) == (0, False)
    pair.prices = SMALL_PRICES
    assert bench(*pair.words("-o", "run"), "--max-usd", "0").code == 0


def test_cassette_holds_the_replies_of_every_model_and_needs_no_key(
    bench: Any, pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair.rows += ",mem0:writer_model=hosted_vllm/small"
    judged = ("--judge", f"hosted_vllm/judge@{pair.small.url}")
    assert bench(*pair.words("-o", "run", "--cache", "read-write", *judged)).code == 0
    requests = len(pair.actor.requests) + len(pair.small.requests)
    done = bench("cache", "export", "tape.jsonl", "--run", "run")
    assert done.code == 0, done.err
    monkeypatch.setenv("BENCH_CACHE", str(tmp_path / "elsewhere"))
    for name in ("ACTOR_KEY", "SMALL_VARIABLE"):
        monkeypatch.delenv(name)
    assert bench("cache", "import", "tape.jsonl").code == 0
    assert bench(*pair.words("-o", "again", "--cache", "read", *judged)).code == 0
    assert len(pair.actor.requests) + len(pair.small.requests) == requests
    was, now = (read_items([tmp_path / name]) for name in ("run", "again"))
    assert was["tokens_role_navigate"].equals(now["tokens_role_navigate"])
    assert (now["cost_usd"] == 0).all()


def test_forecast_prices_each_model_by_itself(bench: Any, pair: Pair) -> None:
    def read(*more: str) -> tuple[dict[str, Any], list[str]]:
        done = bench(*pair.words("--format", "json", *more, command="forecast"))
        assert done.code == 0, done.err
        found = json.loads(done.out)
        return {row["strategy"]: row["cost_usd"] for row in found["rows"]}, found["notes"]

    offline, _ = read()
    assert bench(*pair.words("-o", "pilot")).code == 0
    piloted, _ = read("--from", "pilot")
    paid = read_items([pair.folder / "pilot"]).groupby("strategy")["cost_usd"].sum()
    for strategy in ("files-grep", SMALL_ROW):
        assert offline[strategy]["likely"] == pytest.approx(paid[strategy])
        assert piloted[strategy]["likely"] == pytest.approx(paid[strategy])
    pair.prices = ""
    unpriced, notes = read()
    assert unpriced[SMALL_ROW] is None
    assert unpriced["files-grep"] == offline["files-grep"]
    assert any("US$: price unknown of hosted_vllm/small; " in note for note in notes)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            "files-grep:navigator_model=offline/readr",
            "expected a model, got 'offline/readr'; did you mean offline/reader",
        ),
        ("files-grep:navigator_model=local/smollm3", "got 'smollm3'; did you mean smollm2-135m"),
        ("files-grep:navigator_model=openai/x@http://h/v1", "expected navigator_model=MODEL, got an address as well"),
        ("mem0:writer_model=offline/novice:depth=9", "expected depth <= 3, got 9"),
        ("mem0:writr_model=offline/novice", "expected a parameter, got 'writr_model'; did you mean writer_model"),
    ],
)
def test_wrong_model_of_a_role_leaves_nothing_behind(bench: Any, tmp_path: Path, row: str, message: str) -> None:
    done = bench("run", "toy-talk:talks=1", "-s", row, "-o", "run")
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert not (tmp_path / "run").exists()


def test_missing_key_of_a_role_leaves_nothing_behind(
    bench: Any, pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SMALL_VARIABLE")
    pair.words()
    text = (tmp_path / "end.toml").read_text().replace(pair.small.url, "https://small.example/v1")
    words = pair.words("-o", "run")
    (tmp_path / "end.toml").write_text(text)
    done = bench(*words)
    assert done.code == 2
    assert "model hosted_vllm/small: expected a key in SMALL_VARIABLE, got none; export it" in done.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("row", "same"),
    [
        ("files-grep:navigator_model=offline/novice", "files-grep"),
        ("files-grep:navigator_model=offline/reader", "files-grep"),  # the acting model by its name
        ("mem0:writer_model=offline/novice", "mem0"),
    ],
)
def test_offline_models_play_roles_in_worker_processes_and_threads(bench: Any, row: str, same: str) -> None:
    assert bench("run", "locomo", "--split", "generated", "--limit", "1", "-s", f"{same},{row}", "-o", "run").code == 0
    rows = {one["strategy"]: one for one in json.loads(bench("table", "run", "--format", "json").out)}
    assert rows[row]["offline"]
    # The novice does as the reader does in these roles: the same row under another name.
    named = ("success_rate", "tokens_total", "calls", "evidence_recall", "tokens_write", "tokens_read")
    assert [rows[row][name] for name in named] == [rows[same][name] for name in named]
    roles = rows[row]["role_models"]
    assert sum(rows[row][f"tokens_role_{role}"] for role in roles) > 0
