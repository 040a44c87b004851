"""A few tries of every kind of the campaign, and the campaign's own parts: what it draws, how it judges and counts."""

from __future__ import annotations

import csv
import io
import random
import sqlite3
from pathlib import Path

import pytest

from tests.faults.campaign.command import Done, call, describe_badness
from tests.faults.campaign.damage import damage_file
from tests.faults.campaign.fault_list import FAULTS
from tests.faults.campaign.faults import EXPECTED, play_fault
from tests.faults.campaign.hostile import PAYLOADS
from tests.faults.campaign.line_words import draw_line
from tests.faults.campaign.lines import shrink
from tests.faults.campaign.parses import CHECKS, find_controls
from tests.faults.campaign.pool import play_tries
from tests.faults.campaign.shapes import SHAPES, find_damage, read_all
from tests.faults.campaign.tally import render_csv, render_markdown
from tests.faults.campaign.tries import ROOT, Found, Try

SURVIVED = (("kills", 0), ("lines", 2), ("lines", 11), ("lines", 23), ("files", 5), ("files", 12), ("hostile", 5))


def test_a_few_tries_of_each_kind_are_survived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT)  # each try is played in a process that imports this package by name
    shared = tmp_path / "shared"
    shared.mkdir()
    tries = [Try(kind, 0, number) for kind, number in SURVIVED]
    ended = dict(play_tries(tries, 1, shared))
    assert set(ended) == set(tries)
    assert {one: found for one, found in ended.items() if found.got} == {}
    assert list(tmp_path.iterdir()) == [shared]  # no try leaves its folder behind


@pytest.mark.parametrize("name", ["status 503", "usage {'prompt_tokens': -4", "cut in the body", "status 400"])
def test_fault_has_its_outcome(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fault = next(one for one in FAULTS if one.name.startswith(name))
    assert play_fault(fault, 3, tmp_path) == ""


def test_a_wrong_expectation_of_a_fault_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    refused = next(one for one in FAULTS if one.name == "status 400")
    assert "exit 1" in play_fault(type(refused)(refused.name, "passing", refused.answer), 3, tmp_path)


def test_faults_have_a_name_of_their_own_and_a_known_outcome() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 60
    assert {fault.outcome for fault in FAULTS} == set(EXPECTED)


def test_difference_between_two_records_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert call(tmp_path, "run", "toy:houses=1", "-s", "full-history", "--workers", "1", "-o", "run").code == 0
    whole = read_all(tmp_path / "run")
    assert find_damage(tmp_path / "run", whole) == ""
    with sqlite3.connect(tmp_path / "run" / "run.sqlite") as db:
        db.execute("UPDATE steps SET observation = 'other' WHERE step = 2")
    db.close()
    assert "steps: " in find_damage(tmp_path / "run", whole)


def test_shapes_have_names_of_their_own() -> None:
    assert len({shape.name for shape in SHAPES}) == len(SHAPES)


@pytest.mark.parametrize(
    ("done", "said"),
    [
        (Done(0, "a table", ""), ""),
        (Done(2, "", "run: 3 trials\nbench: run: expected a suite, got 'x'\n"), ""),
        (Done(2, "", "bench: one\nand another\n"), "no message of one line"),
        (Done(2, "", ""), "no message of one line"),
        (Done(7, "", "oops"), "exit 7: oops"),
        (Done(1, "", "Traceback (most recent call last):\n  File \"x\", line 1, in y\nKeyError: 9\n"), "KeyError: 9"),
    ],
)  # fmt: skip
def test_end_of_a_command_is_judged(done: Done, said: str) -> None:
    found = describe_badness(done)
    assert (said in found) if said else found == ""


@pytest.mark.parametrize(
    ("kind", "harmless", "harmful"),
    [
        ("text", "a\tb\n", "a\x1b[2Jb"),
        ("text", "é", "a\u202eb"),
        ("csv", "a,b\n-1.5,x\n", "a,b\n=1+1,x\n"),
        ("csv", 'a,b\n"x,y",2\n', "a,b\n1,2,3\n"),
        ("json", '{"a": "\\u001b"}', "{"),
        ("jsonl", '{"a": 1}\n{"a": 2}\n', '{"a": 1}\n{"a"\n'),
        ("md", "| a | b |\n|---|---|\n| 1 \\| 2 | 3 |", "| a | b |\n|---|---|\n| 1 | 2 | 3 |"),
        ("md", "\\[x\\](http://a)", "[x](http://a)"),
        ("latex", "a & \\{b \\\\", "a & {b \\\\"),
        ("latex", "\\textbackslash input", "\\input{x}"),
        ("svg", "<svg><text>a</text></svg>", "<svg><script>a()</script></svg>"),
        ("svg", '<svg><use href="#m"/></svg>', "<svg><text></svg>"),
    ],
)
def test_outputs_are_checked(kind: str, harmless: str, harmful: str) -> None:
    assert CHECKS[kind](harmless) == ""
    assert CHECKS[kind](harmful) != ""


def test_controls_are_found_where_they_stand() -> None:
    assert find_controls("ab\x07c", terminal=False) == "a raw \\x07 in 'ab\\x07c'"
    assert find_controls("a\u202eb", terminal=False) == ""
    assert sum(bool(find_controls(text, terminal=True)) for text in PAYLOADS.values()) >= 10


def test_lines_are_drawn_from_the_real_options_by_the_seed() -> None:
    lines = [draw_line(random.Random(f"{number}")) for number in range(400)]
    assert lines == [draw_line(random.Random(f"{number}")) for number in range(400)]
    words = {word for line in lines for word in line}
    assert {"run", "table", "show", "cache", "--by", "--seeds", "--format"} <= words
    assert len({tuple(line) for line in lines}) > 300


def test_failing_line_is_shrunk_to_the_words_that_matter() -> None:
    words = ["run", "toy", "-s", "window", "--steps", "1e9", "--limit", "2"]
    assert shrink(words, lambda fewer: "--steps" in fewer and "1e9" in fewer) == ["run", "--steps", "1e9"]


@pytest.mark.parametrize("name", ["a.toml", "a.json", "a.sqlite", "a.jsonl"])
def test_damage_is_the_same_for_a_seed_and_changes_the_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    texts = {"a.toml": 'x = 1\n[y]\nz = "a"\n', "a.json": '[{"a": [1, null]}, {"b": "c"}]', "a.jsonl": '{"a": 1}\n' * 9}

    def make() -> bytes:
        path.unlink(missing_ok=True)
        if name.endswith(".sqlite"):
            db = sqlite3.connect(path)
            db.executescript("CREATE TABLE t (a INTEGER, b TEXT); INSERT INTO t VALUES (1, 'x'), (2, 'y')")
            db.close()
        else:
            path.write_text(texts[name])
        return path.read_bytes()

    changed = 0
    for seed in (seed for seed in range(12) if not _replaces(path, make, seed)):
        whole = make()
        said = damage_file(path, random.Random(seed))
        damaged = path.read_bytes()
        changed += damaged != whole
        make()
        assert damage_file(path, random.Random(seed)) == said
        assert path.read_bytes() == damaged or name.endswith(".sqlite")
        for log in tmp_path.glob("*-wal"):
            log.unlink()
    assert changed > 3


def _replaces(path: Path, make: object, seed: int) -> bool:
    """True where the file itself gives way to something else."""
    make()  # type: ignore[operator]
    said = damage_file(path, random.Random(seed))
    if path.is_dir():
        path.rmdir()
    if path.is_symlink():
        path.unlink()
    for log in path.parent.glob("*-wal"):
        log.unlink()
    return said.endswith("in its place")


ENDED = [
    (Try("kills", 0, 0), Found("SIGKILL, offline", "at 5%", "the record", counts={"in flight": 2})),
    (Try("kills", 0, 1), Found("SIGKILL, offline", "at 9%", "the record", counts={"in flight": 1})),
    (Try("lines", 0, 4), Found("run", "bench run a|b --x 12", "exit 0", "exit 1, KeyError: 12")),
    (Try("lines", 0, 9), Found("run", "bench run", "exit 0", "exit 1, KeyError: 99")),
]


def test_page_counts_kinds_and_shows_each_exception_once_with_its_shortest_reproduction() -> None:
    lines = render_markdown(ENDED, "--seed 0").splitlines()
    assert "| kills | 2 | 2 | 0 | in flight: 3 |" in lines
    assert "| lines | 2 | 0 | 2 |  |" in lines
    assert [line for line in lines if "KeyError" in line] == [
        "| lines | 2 | bench run | exit 0 | exit 1, KeyError: 99 | `--only lines --seed 0 --number 9` |"
    ]


def test_table_has_a_line_for_each_try() -> None:
    rows = list(csv.DictReader(io.StringIO(render_csv(ENDED))))
    assert [(row["kind"], row["number"], row["survived"]) for row in rows] == [
        ("kills", "0", "1"), ("kills", "1", "1"), ("lines", "4", "0"), ("lines", "9", "0"),
    ]  # fmt: skip
    assert rows[2]["reproduction"] == "bench run a|b --x 12"


def test_try_draws_the_same_whenever_it_is_played() -> None:
    assert Try("lines", 0, 7).rng.random() == Try("lines", 0, 7).rng.random() != Try("lines", 1, 7).rng.random()
    assert Try("files", 3, 7).command == "python -m tests.faults.campaign --only files --seed 3 --number 7"
