"""The file: the same bytes for the same runs, a policy that allows its own scripts alone, libraries as npm has them."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.cli.report_file import write_report
from bench.report.page.document import write_document
from bench.report.page.packing import pack, pack_text
from bench.report.page.report import Report
from bench.report.page.vendor import list_libraries, read_asset
from tests.report.page.made_run import SCRIPT, MadeRun, make_run

PAGE = Path(__file__).parents[3] / "bench" / "report" / "page"


def write(title: str = "a run", *, live: bool = False) -> str:
    return "".join(write_document(title, iter([("overview", pack({"a": 1})), ("tasks", pack([]))]), live=live))


def test_equal_runs_give_equal_bytes(tmp_path: Path) -> None:
    run = make_run(tmp_path / "made", MadeRun(tasks=3))
    for name in ("a.html", "b.html"):
        write_report(Report([run]), tmp_path / name)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert not list(tmp_path.glob("*.partial"))


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=4)))
def test_packed_values_come_back_and_hold_no_markup(value: object) -> None:
    packed = pack(value)
    assert re.fullmatch(r"[A-Za-z0-9+/=]*", packed)
    assert json.loads(zlib.decompress(base64.b64decode(packed))) == value


def test_half_a_letter_is_packed_as_a_question_mark() -> None:
    assert zlib.decompress(base64.b64decode(pack_text("a\ud800b"))) == b"a?b"


def test_policy_allows_the_scripts_of_the_file_and_no_request() -> None:
    text = write()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    scripts = re.findall(r"<script>(.*?)</script>", text, flags=re.S)
    digests = {f"'sha256-{base64.b64encode(hashlib.sha256(one.encode()).digest()).decode()}'" for one in scripts}
    rules = {rule.split()[0]: set(rule.split()[1:]) for rule in policy.split("; ")}
    assert len(scripts) == 4
    assert rules["script-src"] == digests
    assert rules["default-src"] == rules["connect-src"] == rules["base-uri"] == {"'none'"}
    assert "'self'" in write(live=True).split("connect-src ")[1].split(";")[0]


def test_title_is_no_markup() -> None:
    assert SCRIPT not in write(SCRIPT)
    assert "&lt;script&gt;" in write(SCRIPT)


def test_first_block_stands_before_the_scripts_and_the_rest_behind() -> None:
    text = write()
    places = [text.index(mark) for mark in ('id="overview"', "<script>", 'id="tasks"')]
    assert places == sorted(places)


def test_nothing_in_the_file_names_an_address_to_load() -> None:
    text = re.sub(r"<script>.*?</script>", "", write(), flags=re.S)
    assert re.findall(r"(?:src|href)=\"(?!data:,|#)[^\"]*\"|@import|url\((?!data:)", text) == []


@pytest.mark.parametrize("library", list_libraries(), ids=lambda library: library.file)
def test_library_is_what_npm_delivered_with_its_licence(library: object) -> None:
    assert library.intact  # type: ignore[attr-defined]
    assert len(read_asset(f"vendor/{library.license_file}")) > 500  # type: ignore[attr-defined]


def test_no_file_of_a_library_is_unlisted() -> None:
    listed = {name for one in list_libraries() for name in (one.file, one.license_file)} | {"vendor.toml"}
    assert {path.name for path in (PAGE / "vendor").iterdir()} == listed


def test_own_scripts_never_write_markup() -> None:
    for path in PAGE.glob("*.js"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(inner|outer)HTML\s*=|insertAdjacentHTML|document\.write|\beval\(|new Function", text), (
            path
        )
