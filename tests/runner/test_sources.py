"""The models of a run: each opened once, at its own endpoint, and refused where a setting would change nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.config import RunConfig
from bench.errors import UsageError
from bench.models.options import ModelOptions
from bench.models.scripted import ScriptedSource
from bench.protocols import ACTOR, Kit, Param, Params, Strategy
from bench.registry import load_source
from bench.runner import build
from bench.runner.build import RunContext
from bench.runner.resolve import _choose_role_models, resolve_run
from bench.runner.sources import Sources, open_sources
from bench.secrets import scrub

NOWHERE = Path("/nowhere")
SMALL = ("files-grep:navigator_model=remote/small", "mem0:writer_model=remote/small")
ROWS = ("files-grep", *SMALL, "files-grep:navigator_model=remote/big")
TABLE = """
[models."remote/small"]
base_url = "http://small/v1"
api_key_env = "A_PLAIN_NAME"
"""


class Opened(ScriptedSource):
    """A source that knows how it was asked for."""

    request_changes = ("temperature: not sent",)

    def __init__(self, name: str, options: ModelOptions):
        super().__init__(lambda _messages, _role, _number: "x", name=name)
        self.options, self.identity = options, f"{name} at {options.base_url or 'home'}"
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


Open = Callable[..., tuple[Sources, list[Opened]]]


@pytest.fixture
def open_all(tmp_path: Path) -> Open:
    def call(text: str = "", rows: tuple[str, ...] = ROWS, **fields: object) -> tuple[Sources, list[Opened]]:
        (tmp_path / "end.toml").write_text(text)
        given = {"suites": ["toy"], "strategies": rows, "model": "remote/big", "endpoint": str(tmp_path / "end.toml")}
        opened: list[Opened] = []

        def load(name: str, options: ModelOptions) -> Opened:
            opened.append(Opened(name, options))
            return opened[-1]

        return open_sources(resolve_run(RunConfig.model_validate({**given, **fields}), NOWHERE), load), opened

    return call


def test_each_model_is_opened_and_closed_once(open_all: Open) -> None:
    sources, opened = open_all()
    assert [one.name for one in opened] == ["remote/big", "remote/small"]
    by_row = {row: sources.find(Params(*read(row))) for row in ROWS}
    assert by_row["files-grep"] == {}
    assert by_row["files-grep:navigator_model=remote/big"] == {"navigate": sources.acting}
    assert set(by_row["mem0:writer_model=remote/small"]) == {"extract", "update", "summarize"}
    assert {id(one) for row in SMALL for one in by_row[row].values()} == {id(opened[1])}
    sources.close()
    assert [one.closed for one in opened] == [1, 1]


def read(row: str) -> tuple[tuple[Param, ...], dict[str, str]]:
    """The declared parameters of a strategy and those given."""
    one = resolve_run(RunConfig(suites=("toy",), strategies=(row,)), NOWHERE).strategies[0]
    return one.strategy.params, dict(one.params.resolved)


def test_model_of_a_role_is_sampled_as_the_run_at_its_own_endpoint(open_all: Open, tmp_path: Path) -> None:
    asked = {"temperature": 0.5, "top_p": 0.9, "model_seed": 3, "base_url": "http://big/v1", "workers": 4}
    _, (big, small) = open_all(f"thinking_tokens = 9\n{TABLE}", **asked)
    sampling = (0.5, 0.9, 3)
    assert [(one.options.temperature, one.options.top_p, one.options.seed) for one in (big, small)] == [sampling] * 2
    assert (big.options.base_url, big.options.table) == ("http://big/v1", "")
    assert (small.options.base_url, small.options.table) == ("http://small/v1", "remote/small")
    assert small.options.endpoint == big.options.endpoint == tmp_path / "end.toml"
    _, (_, bare) = open_all("thinking_tokens = 9\n", **asked)
    assert (bare.options.base_url, bare.options.endpoint) == ("", None)  # nothing of the acting model's


def test_key_of_a_table_is_a_secret_whatever_its_variable_is_called(
    open_all: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_PLAIN_NAME", "plain-0123456789")
    open_all(TABLE)
    assert scrub("with plain-0123456789") == "with <A_PLAIN_NAME>"


@pytest.mark.parametrize(
    ("text", "fields", "message"),
    [
        ('[models."remote/big"]\nthinking_tokens = 3', {}, r'other models than the acting one, got \[models."remote/b'),
        (
            TABLE,
            {"judge": "offline/reader", "judge_endpoint": "SAME"},
            r"judge\'s settings alone, got a table \[models",
        ),
    ],
)
def test_table_that_would_change_nothing_is_refused(
    open_all: Open, tmp_path: Path, text: str, fields: dict[str, str], message: str
) -> None:
    given = {name: str(tmp_path / "end.toml") if value == "SAME" else value for name, value in fields.items()}
    with pytest.raises(UsageError, match=message):
        open_all(text, **given)


def test_local_model_may_act_beside_a_file_about_others_alone(tmp_path: Path) -> None:
    (tmp_path / "end.toml").write_text(TABLE)
    config = RunConfig(
        suites=("toy",), strategies=ROWS[:1], model="local/smollm2-135m", endpoint=str(tmp_path / "end.toml")
    )
    assert open_sources(resolve_run(config, NOWHERE), load_source).acting.name == "local/smollm2-135m"
    (tmp_path / "end.toml").write_text(f"thinking_tokens = 3\n{TABLE}")
    with pytest.raises(UsageError, match="no endpoint file for an in-process model"):
        open_sources(resolve_run(config, NOWHERE), load_source)


def test_a_run_is_remote_and_limited_by_any_of_its_models() -> None:
    local = load_source("local/smollm2-135m")
    reader = load_source("offline/reader")
    assert (Sources(reader).remote, Sources(reader).workers) == (False, 0)
    mixed = Sources(reader, others={"local/smollm2-135m": local})
    assert (mixed.remote, mixed.workers) == (True, 1)
    assert Sources(reader, judge=local).workers == 0


def test_identities_are_recorded_by_model(open_all: Open) -> None:
    sources, _ = open_all(TABLE, judge="offline/reader")
    assert sources.identities == {
        "identity": "remote/big at home",
        "identity of remote/small": "remote/small at http://small/v1",
        "identity of judge": "offline/reader at home",
    }


def test_fingerprint_names_the_models_of_the_roles_of_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "load_source", Opened)
    config = RunConfig(suites=("toy",), strategies=ROWS, model="remote/big", limit=1)
    context = RunContext(resolve_run(config, NOWHERE))
    found = {plan.key.strategy: dict(context.build_parts(plan.key).fingerprint.entries) for plan in context.plans}
    changes = {row: dict(context.describe_changes(row).entries) for row in ROWS}
    roles = {row: {k: v for k, v in one.items() if k.startswith("row.model.")} for row, one in found.items()}
    assert roles["files-grep"] == {}
    assert roles["files-grep:navigator_model=remote/big"] == {"row.model.navigate": "remote/big"}
    assert roles["mem0:writer_model=remote/small"] == {
        f"row.model.{role}": "remote/small" for role in ("extract", "summarize", "update")
    }
    assert found["files-grep:navigator_model=remote/small"]["row.request.navigate"] == "remote/small at home"
    assert all(one["row.request"] == "remote/big at home" for one in found.values())
    assert set(changes["files-grep"]) == {"row.request_changes"}
    assert set(changes["files-grep:navigator_model=remote/small"]) == {
        "row.request_changes",
        "row.request_changes.navigate",
    }


@pytest.mark.parametrize("role", ["act", "answer"])
def test_acting_and_answering_stay_with_the_model_of_the_run(role: str) -> None:
    def refuse(_kit: Kit) -> None:
        raise AssertionError

    param = Param("actor_model", ACTOR, "acts", roles=(role,))
    strategy = Strategy("bad-v1", refuse, params=(param,))  # type: ignore[arg-type]
    named = build.ResolvedStrategy("bad", strategy, Params((param,), {"actor_model": "a/b"}), "nowhere:BAD")
    with pytest.raises(UsageError, match=f"other roles than acting and answering, got one for {role}; name it with -m"):
        _choose_role_models(RunConfig(suites=("toy",), strategies=("bad",)), [named])


def test_resolved_models_of_roles_are_part_of_what_a_worker_process_gets() -> None:
    config = RunConfig(suites=("toy",), strategies=("files-grep:navigator_model=offline/novice:depth=1",))
    run = resolve_run(config, NOWHERE)
    assert list(run.role_models) == ["offline/novice:depth=1"]
    assert json.loads(run.config.model_dump_json())["strategies"] == [
        "files-grep:navigator_model=offline/novice:depth=1"
    ]
