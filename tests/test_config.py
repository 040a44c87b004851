"""The question of a run: what is accepted, what is refused and how, what counts as another question."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.config import FREE_FIELDS, RunConfig, difference, package_versions, read_config, validate, write_config
from bench.errors import StoreError, UsageError
from bench.secrets import find_credentials

TEXTS = st.text(max_size=8).filter(lambda text: not find_credentials(text))
NAMES = st.lists(TEXTS.filter(bool), min_size=1, max_size=3).map(tuple)
CONFIGS = st.builds(
    RunConfig,
    suites=NAMES,
    strategies=NAMES,
    model=TEXTS,
    split=TEXTS,
    limit=st.integers(0, 99),
    seeds=st.lists(st.integers(-9, 9), min_size=1, max_size=3).map(tuple),
    temperature=st.none() | st.floats(0, 2),
    steps=st.integers(0, 99),
    budget_tokens=st.none() | st.integers(0, 9999),
    task_wall_s=st.floats(0, 1e6),
    workers=st.integers(0, 9),
    max_usd=st.floats(0, 1e6),
    max_tokens=st.integers(0, 10**9),
)
PLAIN = RunConfig(suites=("toy",), strategies=("window:k=5",))


@given(CONFIGS)
def test_read_config_returns_what_write_config_wrote(
    tmp_path_factory: pytest.TempPathFactory, config: RunConfig
) -> None:
    path = tmp_path_factory.getbasetemp() / "round.toml"
    write_config(config, path)
    assert read_config(path) == config
    assert RunConfig.model_validate_json(config.model_dump_json()) == config


def test_write_config_adds_version_stamp_that_read_config_ignores(tmp_path: Path) -> None:
    write_config(PLAIN, tmp_path / "run.toml")
    assert tomllib.loads((tmp_path / "run.toml").read_text())["stamp"] == package_versions()
    assert package_versions()["numpy"][0].isdigit()


@given(CONFIGS, CONFIGS)
def test_difference_names_exactly_the_fields_that_change_numbers(one: RunConfig, two: RunConfig) -> None:
    changed = {line.split(":")[0] for line in difference(one, two)}
    assert changed == {
        name for name in RunConfig.model_fields if name not in FREE_FIELDS and getattr(one, name) != getattr(two, name)
    }
    assert difference(one, one) == []


def test_difference_ignores_workers_and_spending_limits() -> None:
    assert difference(PLAIN, PLAIN.model_copy(update={"workers": 7, "max_usd": 1.0, "max_tokens": 9})) == []
    assert difference(PLAIN, PLAIN.model_copy(update={"steps": 30})) == ["steps: 0 -> 30"]


@pytest.mark.parametrize("word", ["provider", "none"])
def test_temperature_is_0_unless_it_is_left_to_the_provider(word: str) -> None:
    asked = {"suites": ["toy"], "strategies": ["window"]}
    assert validate(asked, "here").temperature == 0.0
    assert validate({**asked, "temperature": word}, "here").temperature is None
    assert validate({**asked, "temperature": "0.5"}, "here").temperature == 0.5


def test_temperature_matters_where_a_strategy_names_a_model() -> None:
    small = RunConfig(suites=("toy",), strategies=("files-grep:navigator_model=openai/small",))
    for config, changed in ((PLAIN, []), (small, ["temperature: 0.0 -> 'provider'"])):
        assert difference(config, config.model_copy(update={"temperature": None})) == changed


def test_old_run_without_a_temperature_is_another_question_for_a_remote_model_only() -> None:
    old = PLAIN.model_copy(update={"temperature": None})
    assert difference(old, PLAIN) == []
    remote = {"model": "openai/m"}
    changed = difference(old.model_copy(update=remote), PLAIN.model_copy(update=remote))
    assert changed == ["temperature: 'provider' -> 0.0"]


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("limt", 3, r"expected a known field, got 'limt'; did you mean limit"),
        ("zzzzzz", 3, r"expected a known field, got 'zzzzzz'; known: suites, strategies"),
        ("limit", -1, r"expected limit to be valid, got -1; Input should be greater than or equal to 0"),
        ("limit", "many", r"expected limit to be valid, got 'many'; Input should be a valid integer"),
        ("seeds", [], r"expected seeds to be valid, got \[\]"),
        ("seeds", [0, "x"], r"expected seeds.1 to be valid, got 'x'"),
        ("suites", "toy", r"expected suites to be valid, got 'toy'"),
        ("budget_tokens", -5, r"expected budget_tokens to be valid, got -5"),
    ],
)
def test_validate_rejects_wrong_field_in_one_line(field: str, value: object, message: str) -> None:
    with pytest.raises(UsageError, match=f"^here: {message}") as caught:
        validate({"suites": ["toy"], "strategies": ["window"], field: value}, "here")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("missing", ["suites", "strategies"])
def test_validate_rejects_missing_field(missing: str) -> None:
    with pytest.raises(UsageError, match=f"expected {missing} to be valid.*Field required"):
        validate({name: ["toy"] for name in ("suites", "strategies") if name != missing}, "here")


def test_read_config_rejects_missing_file_and_bad_toml(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no\.toml: expected a TOML file, got nothing there"):
        read_config(tmp_path / "no.toml")
    for content in (b"suites = [", b"\xff\xfe"):
        (tmp_path / "bad.toml").write_bytes(content)
        with pytest.raises(UsageError, match=r"bad\.toml: expected TOML, got a file that is not") as caught:
            read_config(tmp_path / "bad.toml")
        assert "\n" not in str(caught.value)
    with pytest.raises(UsageError, match="expected TOML"):
        read_config(tmp_path)


def test_write_config_raises_store_error_for_unwritable_folder(tmp_path: Path) -> None:
    with pytest.raises(
        StoreError,
        match=r"run folder: expected a file that can be written, got .*; free space, or choose another with -o",
    ):
        write_config(PLAIN, tmp_path / "nowhere" / "run.toml")
