"""A key that a user wrote where it would be recorded: refused before any work, by a message that does not show it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

OPENAI, GROQ, HEXADECIMAL = "sk-proj-pLaNtEd1234567890", "gsk_pLaNtEd1234567890abcd", "0f3a9c" * 5 + "7e"
UUID, MIXED = "1b4e28ba-2fa1-11d2-883f-0016d3cca427", "Zx81pLaNtEdQw9Rt7Yu5Io"
KEYS = (OPENAI, GROQ, HEXADECIMAL, UUID, MIXED)
GOOD_URL = "http://127.0.0.1:9/v1"


def refuse(bench: Any, folder: Path, key: str, *words: str) -> str:
    """Call bench; return its message, having checked that the key is in nothing printed and nothing written."""
    before = set(folder.rglob("*"))
    done = bench(*words)
    assert done.code == 2, done.err
    assert key not in done.out + done.err
    assert done.err.startswith("bench: ")
    assert done.err.count("\n") == 1
    assert set(folder.rglob("*")) == before
    return str(done.err)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "address",
    ["https://{}@host/v1", "https://me:{}@host/v1", "https://me:p{}@ss@host/v1", "https://host/{}/v1",
     "https://host/v1/{}", "https://host/v1?x={}", "https://host/v1?{}", "https://host/v1?{}=1",
     "https://host/v1?api-version=1&apiKey={}", "https://host/v1#{}", "https://host/v1?#x={}", "me:{}@host/v1"],
)  # fmt: skip
def test_key_in_an_address_is_refused_wherever_it_stands(bench: Any, tmp_path: Path, address: str, key: str) -> None:
    url = address.format(key)
    said = refuse(bench, tmp_path, key, "run", "toy", "-m", "openai/x", "--base-url", url)
    assert "expected an address without credentials" in said or "expected no key in it" in said
    refuse(bench, tmp_path, key, "proxy", "--upstream", "openai/x", "--base-url", url, "-o", "calls.jsonl")
    refuse(bench, tmp_path, key, "judge", f"openai/x@{url}")
    refuse(bench, tmp_path, key, "run", "toy-talk", "--judge", f"openai/x@{url}")
    refuse(bench, tmp_path, key, "forecast", "toy", "-m", "openai/x", "--base-url", url)
    file = tmp_path / "endpoint.toml"
    file.write_text(f'[models."openai/small"]\nbase_url = "{url}"\n')
    refuse(bench, tmp_path, key, "run", "toy", "-m", "openai/x", "--base-url", GOOD_URL, "--endpoint", str(file))


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "text",
    [
        'api_key_env = "{}"',
        'api_key = "{}"',
        '[parameters]\napi_key = "{}"',
        '[parameters]\nanything = "{}"',
        '[parameters]\nextra_headers = "Authorization: Bearer {}"',
        '[parameters.extra_headers]\nAuthorization = "Bearer {}"',
        '[headers]\nx-api-key = "{}"',
        '[roles.act.parameters]\nuser = "{}"',
        '[models."openai/small".parameters]\nuser = "{}"',
        '[models."openai/small"]\napi_key_env = "{}"',
        '[models."openai/small".roles.act.parameters]\nsecret = "{}"',
    ],
)
def test_key_in_an_endpoint_file_is_refused(bench: Any, tmp_path: Path, text: str, key: str) -> None:
    file = tmp_path / "endpoint.toml"
    file.write_text(text.format(key))
    words = ("-m", "openai/x", "--base-url", GOOD_URL, "--endpoint", str(file))
    assert str(file) in refuse(bench, tmp_path, key, "run", "toy", *words)
    refuse(bench, tmp_path, key, "forecast", "toy", *words)
    refuse(bench, tmp_path, key, "judge", f"openai/x@{GOOD_URL}", "--endpoint", str(file))


@pytest.mark.parametrize("key", [OPENAI, GROQ])
@pytest.mark.parametrize(
    "text",
    ['"{}" = 1', '[parameters]\n"{}" = 1', '[limits]\n"{}" = 1', '[models."openai/{}"]\nclient = "direct"',
     '[roles."acme/{}"]\ntop_p = 1'],
)  # fmt: skip
def test_key_in_the_place_of_a_name_is_refused(bench: Any, tmp_path: Path, text: str, key: str) -> None:
    file = tmp_path / "endpoint.toml"
    file.write_text(text.format(key))
    words = ("-m", "openai/x", "--base-url", GOOD_URL, "--endpoint", str(file))
    refuse(bench, tmp_path, key, "run", "toy", *words)


@pytest.mark.parametrize("key", [OPENAI, GROQ])
@pytest.mark.parametrize(
    "words",
    [
        ("run", "toy", "-m", "{}"),
        ("run", "toy", "-m", "openai/{}", "--base-url", GOOD_URL),
        ("run", "toy", "-s", "{}"),
        ("run", "toy", "-s", "window:k={}"),
        ("run", "{}"),
        ("run", "toy", "--split", "{}"),
        ("run", "toy", "--embedder", "litellm/{}"),
        ("proxy", "--upstream", "openai/{}", "--base-url", GOOD_URL),
        ("judge", "openai/{}@" + GOOD_URL),
        ("serve", "{}"),
        ("list", "{}"),
        ("table", "{}"),
    ],
)
def test_key_given_as_a_name_is_refused(bench: Any, tmp_path: Path, words: tuple[str, ...], key: str) -> None:
    refuse(bench, tmp_path, key, *(word.format(key) for word in words))


@pytest.mark.parametrize(
    "text",
    ['suites = ["toy"]\nstrategies = ["window"]\n{}', 'suites = ["toy"]\nstrategies = ["window"]\nlearn = 3\n{}'],
)
@pytest.mark.parametrize("line", ['api_key = "{}"', 'base_url = ["https://host/{}"]', 'model = "{}"', '"{}" = 3'])
def test_key_in_a_run_file_is_refused(bench: Any, tmp_path: Path, text: str, line: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text.format(line.format(OPENAI)))
    refuse(bench, tmp_path, OPENAI, "run", str(file))


def test_value_of_a_variable_is_refused_although_it_has_no_shape(
    bench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACME_SECRET", "open sesame")
    refuse(bench, tmp_path, "sesame", "run", "toy", "-m", "openai/x", "--base-url", "http://h/v1?x=open%20sesame")
    file = tmp_path / "endpoint.toml"
    file.write_text('[parameters]\nuser = "open sesame"')
    refuse(bench, tmp_path, "sesame", "run", "toy", "-m", "openai/x", "--base-url", GOOD_URL, "--endpoint", str(file))


@pytest.mark.parametrize(
    "text",
    [
        'api_key_env = "MY_VERY_LONG_NAMED_SERVICE_KEY_2"',
        '[parameters]\nmax_completion_tokens = 4000\nprompt_cache_key = "bench-2026-11"\nreasoning_effort = "low"',
        '[parameters]\nuser = "group-7"\nservice_tier = "flex"',
        '[models."openai/Qwen3-235B-A22B-Instruct-2507"]\nbase_url = "https://host/deployments/gpt-4.1-mini-2025-04-14"',
        '[models."a/ft:gpt-4.1-mini-2025-04-14:org::AbC12345"]\nbase_url = "https://h/v1?api-version=2024-10-21-preview"',
    ],
)
def test_what_is_no_key_is_taken(bench: Any, tmp_path: Path, text: str) -> None:
    file = tmp_path / "endpoint.toml"
    file.write_text(text)
    done = bench("forecast", "toy", "-m", "openai/x", "--base-url", GOOD_URL, "--endpoint", str(file), "--pilot", "1")
    assert done.code == 0, done.err
