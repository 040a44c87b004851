"""What counts as a key, in which spellings it is found, and that everything else is left as it is."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import secrets
from bench.config import RunConfig
from bench.errors import UsageError
from bench.secrets import Secrets, credentials_in, mark_secret, scrub

KEY = "sk-Ab3/+=\"'\\ö-planted"


@pytest.mark.parametrize(
    "name",
    ["OPENAI_API_KEY", "OPENAI_APIKEY", "KEY", "HF_TOKEN", "TOKENS", "aws_secret", "AWS_SECRET_ACCESS_KEY",
     "DB_PASSWORD", "X_PASSWD", "MYSQL_PWD", "GCP_CREDENTIALS", "BASIC_AUTH"],
)  # fmt: skip
def test_named_secrets_are_redacted_in_every_spelling(name: str) -> None:
    hide = Secrets({name: KEY}).hide
    for spelt in (KEY, quote(KEY), quote(KEY, safe=""), json.dumps(KEY)[1:-1], repr(KEY)[1:-1]):
        assert hide(f"401: {spelt}!") == f"401: <{name}>!"


@pytest.mark.parametrize("name", ["PWD", "OLDPWD", "HOME", "KEYBOARD", "TOKENIZERS_PARALLELISM", "MONKEYS_EAT", "PATH"])
def test_other_variables_are_not_redacted(name: str) -> None:
    assert Secrets({name: "/home/somebody"}).hide("in /home/somebody") == "in /home/somebody"


def test_short_values_stay_and_longest_secret_is_redacted_first() -> None:
    assert Secrets({"A_KEY": "kitchen"}).hide("the kitchen") == "the kitchen"
    hide = Secrets({"A_KEY": "abcdefgh", "B_KEY": "xabcdefghx"}).hide
    assert hide("xabcdefghx abcdefgh") == "<B_KEY> <A_KEY>"


def test_password_of_an_address_is_redacted_everywhere() -> None:
    hide = Secrets({"HTTPS_PROXY": "http://me:opensesame@proxy:1", "SERVER": "http://loginonly@host"}).hide
    assert hide("cannot log in with opensesame as loginonly") == "cannot log in with <HTTPS_PROXY> as <SERVER>"


@given(st.text())
def test_text_without_secret_is_returned_unchanged(text: str) -> None:
    assert Secrets({"A_KEY": "planted-planted"}).hide(text) == text.replace("planted-planted", "<A_KEY>")


def test_scrub_removes_logins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "planted-value")
    assert scrub("GET https://me:pw@host/v1?key=planted-value") == "GET https://***@host/v1?key=<MY_KEY>"
    assert scrub("write to me@host, see https://host/@me") == "write to me@host, see https://host/@me"


def test_marked_variable_is_redacted(monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_config_rejects_address_with_credentials(address: str, found: str) -> None:
    assert credentials_in(address) == found
    if not found:
        RunConfig(suites=("toy",), strategies=("window",), base_url=address)
        return
    with pytest.raises(UsageError, match="base_url: expected an address without credentials") as refused:
        RunConfig(suites=("toy",), strategies=("window",), base_url=address)
    assert address not in str(refused.value)
    with pytest.raises(UsageError, match="judge: expected an address without credentials"):
        RunConfig(suites=("toy",), strategies=("window",), judge=f"openai/judge@{address}")
