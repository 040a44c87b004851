"""Which values are keys, in which spellings they are redacted, and that all other text stays unchanged."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import secrets
from bench.config import RunConfig
from bench.errors import UsageError
from bench.secrets import Secrets, find_credentials, find_key, holds_key, is_secret_name, mark_secret, scrub

KEY = "sk-Ab3/+=\"'\\ö-planted"


@pytest.mark.parametrize(
    "name",
    ["OPENAI_API_KEY", "OPENAI_APIKEY", "KEY", "HF_TOKEN", "TOKENS", "aws_secret", "AWS_SECRET_ACCESS_KEY",
     "DB_PASSWORD", "X_PASSWD", "MYSQL_PWD", "GCP_CREDENTIALS", "BASIC_AUTH"],
)  # fmt: skip
def test_key_variables_are_redacted_in_every_spelling(name: str) -> None:
    redact = Secrets({name: KEY}).redact
    for spelt in (KEY, quote(KEY), quote(KEY, safe=""), json.dumps(KEY)[1:-1], repr(KEY)[1:-1]):
        assert redact(f"401: {spelt}!") == f"401: <{name}>!"


@pytest.mark.parametrize("name", ["PWD", "OLDPWD", "HOME", "KEYBOARD", "TOKENIZERS_PARALLELISM", "MONKEYS_EAT", "PATH"])
def test_other_variables_are_not_redacted(name: str) -> None:
    assert Secrets({name: "/home/somebody"}).redact("in /home/somebody") == "in /home/somebody"


def test_short_values_stay_and_a_longer_key_is_redacted_first() -> None:
    assert Secrets({"A_KEY": "kitchen"}).redact("the kitchen") == "the kitchen"
    redact = Secrets({"A_KEY": "abcdefgh", "B_KEY": "xabcdefghx"}).redact
    assert redact("xabcdefghx abcdefgh") == "<B_KEY> <A_KEY>"


def test_password_of_an_address_variable_is_redacted_everywhere() -> None:
    redact = Secrets({"HTTPS_PROXY": "http://me:opensesame@proxy:1", "SERVER": "http://loginonly@host"}).redact
    assert redact("cannot log in with opensesame as loginonly") == "cannot log in with <HTTPS_PROXY> as <SERVER>"


@given(st.text())
def test_text_without_a_key_is_unchanged(text: str) -> None:
    assert Secrets({"A_KEY": "planted-planted"}).redact(text) == text.replace("planted-planted", "<A_KEY>")


def test_scrub_removes_logins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "planted-value")
    assert scrub("GET https://me:pw@host/v1?key=planted-value") == "GET https://***@host/v1?key=<MY_KEY>"
    assert scrub("write to me@host, see https://host/@me") == "write to me@host, see https://host/@me"


def test_mark_secret_adds_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "_marked", set())
    monkeypatch.setenv("MY_ACCESS", "planted-value")
    assert scrub("planted-value") == "planted-value"
    mark_secret("MY_ACCESS")
    assert scrub("planted-value") == "<MY_ACCESS>"


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("http://me:pw@host/v1", "user:password@"),
        ("https://token@host", "user:password@"),
        ("https://host/v1?api-key=abc", "?api-key="),
        ("https://host/v1?a=1&access_token=x", "?access_token="),
        ("http://127.0.0.1:8000/v1", ""),
        ("https://host/v1?api-version=2026-01-01", ""),
        ("", ""),
    ],
)
def test_find_credentials_names_the_credential_and_a_run_rejects_it(address: str, found: str) -> None:
    assert find_credentials(address) == found
    if not found:
        RunConfig(suites=("toy",), strategies=("window",), base_url=address)
        return
    with pytest.raises(UsageError, match="base_url: expected an address without credentials") as refused:
        RunConfig(suites=("toy",), strategies=("window",), base_url=address)
    assert address not in str(refused.value)
    with pytest.raises(UsageError, match="judge: expected an address without credentials"):
        RunConfig(suites=("toy",), strategies=("window",), judge=f"openai/judge@{address}")


@pytest.mark.parametrize(
    ("text", "is_key"),
    [
        ("sk-ant-api03-abcdefgh1234", True),
        ("sk-ab***yz", False),
        ("Bearer abcdef123456", True),
        ("x-api-key: whatever-it-is", True),
        ("the bearer arrives on 12 May", False),
        ("AIzaSyD1234567890abcdefghij", True),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc", True),
        ("hf_hub_download_progress_2", False),
        ("task-management-system-12345", False),
        ("risk-assessment-2026-01-01", False),
        ("gpt-4.1-mini-2025-04-14", False),
    ],
)
def test_holds_key_knows_keys_by_their_shape(text: str, is_key: bool) -> None:
    assert holds_key(text) is is_key
    assert (scrub(text) != text) is (is_key and not text.startswith(("Bearer", "x-api")))


@pytest.mark.parametrize(
    ("text", "is_key"),
    [
        ("0123456789abcdef0123456789abcdef", True),
        ("1b4e28ba-2fa1-11d2-883f-0016d3cca427", True),
        ("an-ordinary-sentence-about-houses", False),
        ("12345678901234567890", False),
        ("accounts/fireworks/models/llama-v3p1-405b-instruct", False),
    ],
)
def test_holds_key_strictly_knows_what_no_name_is(text: str, is_key: bool) -> None:
    assert holds_key(text, strict=True) is is_key
    assert not holds_key(text)


def test_find_key_names_the_place_and_never_the_key() -> None:
    key = "sk-proj-abcdefgh12345678"
    assert find_key({"a": 1, "b": ["x", {"c": f"at {key}"}]}) == "b.c"
    assert find_key({"a": {key: 1}}) == "a.<key>"
    assert find_key({"a": "b", "c": [1.5, None, True]}) is None


@pytest.mark.parametrize(
    "name", ["api-key", "apiKey", "accessToken", "Authorization", "X-Api-Key", "sig", "client_secret"]
)
def test_is_secret_name_knows_fields_and_headers(name: str) -> None:
    assert is_secret_name(name)
    assert not is_secret_name(f"{name}_count")
