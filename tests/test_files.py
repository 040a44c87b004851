"""Text files: read and written the same under any locale, with or without a byte order mark, however deep."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from bench.config import RunConfig, difference, read_config, validate
from bench.errors import StoreError, UsageError, writing
from bench.models.remote.endpoint_config import read_endpoint

ROOT = Path(__file__).parents[1]
MARK = b"\xef\xbb\xbf"
PLAIN = b'suites = ["toy"]\nstrategies = ["no-memory"]\n'
HUGE = b"9" * 5000


def _list_text_files() -> list[str]:
    """Return where a text file is opened without saying its encoding."""
    found = []
    for package in ("bench", "adapters", "baselines"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and _opens_text(node):
                    found.append(f"{path.relative_to(ROOT)}:{node.lineno} {ast.unparse(node)[:60]}")
    return found


def _opens_text(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if any(word.arg == "encoding" for word in call.keywords):
        return False
    if name == "read_text":  # the function of ``bench.replies`` has a text, that of a path has none
        return isinstance(call.func, ast.Attribute) and not call.args
    if name in ("write_text", "TextIOWrapper"):
        return True
    modes = [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    mode = next((one for one in modes if re.fullmatch(r"[rwax+bt]{1,3}", one)), "")
    # ``open`` of a suite, an archive or a memory takes no mode.
    plain = bool(mode) or name == "fdopen" or isinstance(call.func, ast.Name)
    return name in ("open", "fdopen") and "b" not in mode and plain


def test_every_text_file_is_opened_with_an_encoding() -> None:
    assert _list_text_files() == []


@pytest.mark.parametrize(
    "code", ["path.read_text()", "path.write_text(x)", "open(p)", "path.open('w')", "path.open('a+')"]
)
def test_a_file_without_an_encoding_would_be_found(code: str) -> None:
    call = ast.parse(code, mode="eval").body
    assert isinstance(call, ast.Call)
    assert _opens_text(call)


@pytest.mark.parametrize(
    "code", ["path.read_text(encoding='utf-8')", "path.open('rb')", "suite.open(task)", "read_text(x)"]
)
def test_other_calls_are_not_taken_for_one(code: str) -> None:
    call = ast.parse(code, mode="eval").body
    assert isinstance(call, ast.Call)
    assert not _opens_text(call)


def test_mark_in_front_of_toml_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "marked.toml"
    path.write_bytes(MARK + PLAIN + "# é\n".encode())
    assert read_config(path).suites == ("toy",)
    path.write_bytes(MARK + b"[limits]\nconcurrency = 2\n")
    assert read_endpoint(path).limits.concurrency == 2


@pytest.mark.parametrize(
    "content",
    [
        b"suites = " + b"[" * 3000 + b"]" * 3000,
        b"a." * 5000 + b"b = 1",
        PLAIN + b"steps = " + HUGE,
        PLAIN + b"steps = 1" + b"0" * 20,
        PLAIN + b"max_usd = inf",
        PLAIN + b"task_wall_s = nan",
        PLAIN + b"max_usd = 2020-01-01",
        PLAIN + b"seeds = [9223372036854775808]",
        PLAIN + b"temperature = inf",
        PLAIN + "# é".encode("latin-1"),
        b"\x00" * 50,
    ],
    ids=range(11),
)
def test_toml_that_cannot_be_used_is_one_short_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "odd.toml"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=r"(odd\.toml|run): expected .*, got ") as caught:
        read_config(path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 700


@pytest.mark.parametrize(
    "content",
    [
        b"parameters = " + b"[" * 3000,
        b"[limits]\ntimeout_s = inf",
        b"[limits]\nbackoff_s = nan",
        b"[limits]\nconcurrency = 1" + b"0" * 20,
        b"[limits]\nretries = " + HUGE,
        b"[prices]\ndate = 2026-01-01\ninput = inf\noutput = 1",
        b"[roles.summarize]\ntemperature = inf",
    ],
    ids=range(7),
)
def test_endpoint_that_cannot_be_used_is_one_short_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "odd.toml"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=r"^endpoint .*odd\.toml: expected ") as caught:
        read_endpoint(path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 700


def test_writing_says_what_the_disk_says(tmp_path: Path) -> None:
    said = r"^here: expected a file that can be written, got .*gone.x \(No such file"
    with pytest.raises(StoreError, match=said), writing("here", tmp_path / "gone" / "x"):
        (tmp_path / "gone" / "x").write_bytes(b"")
    with pytest.raises(StoreError, match=r"embedded null"), writing("here", "a"):
        Path("a\0b").write_bytes(b"")


@pytest.mark.parametrize(
    ("strategy", "matters"),
    [
        ("horma:navigator=runs/nav", False),
        ("window:k=5", False),
        ("files-grep:navigator_model=offline/novice", False),
        ("files-grep:navigator_model=actor", False),
        ("files-grep:navigator_model=openai/small", True),
        ("horma:navigator=runs/nav,manager_model=openai/small", True),
    ],
)
def test_temperature_matters_for_a_model_and_not_for_a_path(strategy: str, matters: bool) -> None:
    config: RunConfig = validate({"suites": ["toy"], "strategies": [strategy]}, "here")
    changed = ["temperature: 0.0 -> 'provider'"] if matters else []
    assert difference(config, config.model_copy(update={"temperature": None})) == changed
