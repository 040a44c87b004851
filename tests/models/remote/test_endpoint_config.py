from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from bench.errors import UsageError
from bench.models.remote.endpoint_config import Endpoint, read_endpoint

WHOLE = """
api_key_env = "MY_KEY"
client = "litellm"
thinking_tokens = 4000
[parameters]
reasoning_effort = "low"
[roles.judge]
temperature = 0.5
[roles."acme/route"]
top_p = "provider"
[limits]
concurrency = 32
requests_per_minute = 500
tokens_per_minute = 100000
retries = 2
timeout_s = 30
backoff_s = 0.1
longest_wait_s = 10
[prices]
date = "2026-11-30"
input = 2.5
cached_read = 0.25
output = 10
"""


def write_file(folder: Path, text: str) -> Path:
    path = folder / "endpoint.toml"
    path.write_text(text)
    return path


def test_read_endpoint_reads_every_field(tmp_path: Path) -> None:
    found = read_endpoint(write_file(tmp_path, WHOLE))
    assert (found.api_key_env, found.client, found.thinking_tokens) == ("MY_KEY", "litellm", 4000)
    assert found.parameters == {"reasoning_effort": "low"}
    assert (found.limits.concurrency, found.limits.retries, found.limits.timeout_s) == (32, 2, 30)
    assert (found.roles["judge"].temperature, found.roles["acme/route"].top_p) == (0.5, "provider")
    assert found.prices is not None
    assert (found.prices.date, found.prices.input, found.prices.cache_write) == (date(2026, 11, 30), 2.5, None)


def test_table_of_a_model_has_the_fields_of_a_file_and_an_address(tmp_path: Path) -> None:
    table = WHOLE.replace("[", '[models."openai/small".').replace(
        "api_key_env", '[models."openai/small"]\nbase_url = "http://host/v1"\napi_key_env', 1
    )
    found = read_endpoint(write_file(tmp_path, f"thinking_tokens = 7\n{table}"))
    assert (found.thinking_tokens, found.api_key_env, found.prices) == (7, "", None)
    one = found.models["openai/small"]
    assert one.base_url == "http://host/v1"
    whole = read_endpoint(write_file(tmp_path, WHOLE))
    assert one.model_dump(exclude={"base_url"}) == whole.model_dump(exclude={"models"})


def test_empty_file_gives_the_defaults(tmp_path: Path) -> None:
    assert read_endpoint(write_file(tmp_path, "")) == Endpoint()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[limits]\nconcurency = 3", "'limits.concurency'; did you mean limits.concurrency"),
        ("zzz = 1", "known: client, api_key_env"),
        ("[limits]\nconcurrency = 0", "limits.concurrency to be valid"),
        ("[prices]\ninput = 1\noutput = 2", "prices.date to be valid"),
        ("[prices]\ndate = 2026-01-01\ninput = -1\noutput = 2", "prices.input to be valid"),
        ('client = "other"', "client to be valid"),
        ('api_key_env = "sk-a secret"', "api_key_env to be valid"),
        ("[parameters]\ntemperature = 1", "'temperature', which a run sets itself"),
        (
            "[roles.summarise]\ntemperature = 1",
            "expected a role or strategy/role, got 'summarise'; did you mean summarize",
        ),
        ("[roles.embed]\ntemperature = 1", "got 'embed'"),
        ("[roles.act]\ntemprature = 1", "'roles.act.temprature'; did you mean roles.act.temperature"),
        ("[roles.act]\ntemperature = -1", "roles.act.temperature to be valid"),
        ("[roles.act.parameters]\ntop_p = 1", "'top_p', which a run sets itself; use the fields of roles.act"),
        ("models = 3", "expected models to be valid"),
        ('[models."a/b"]\nbase_urll = "http://h"', """'models."a/b".base_urll'; did you mean models."a/b".base_url"""),
        ('[models."a/b"]\nbase_url = "h"', 'expected models."a/b".base_url to be valid'),
        ('[models."a/b".limits]\nconcurency = 3', """did you mean models."a/b".limits.concurrency"""),
        ('[models."a/b".models."c/d"]\nbase_url = "http://h"', """'models."a/b".models'; did you mean"""),
        ('[models."a/b".roles.navigat]\ntop_p = 1', "got 'navigat'; did you mean navigate"),
        ('[models."a/b".parameters]\nseed = 1', "'seed', which a run sets itself"),
        ("a = = b", "expected TOML, got a file that is not"),
    ],
)
def test_invalid_field_is_named_in_one_line(text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        read_endpoint(write_file(tmp_path, text))
    message = str(caught.value)
    assert says in message
    assert str(tmp_path) in message
    assert "\n" not in message


def test_error_does_not_show_a_pasted_key(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        read_endpoint(write_file(tmp_path, 'api_key_env = "sk-live-0123456789"'))
    assert "sk-live" not in str(caught.value)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nothing there; check --endpoint"):
        read_endpoint(tmp_path / "no.toml")
