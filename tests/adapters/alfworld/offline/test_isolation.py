"""The offline model depends on the messages alone: an isolated process that gets only JSON gives the same replies.

The process has an empty environment and working folder and a guard that forbids it to open, list, connect or start
anything once the rules are loaded. The rules' imports are checked too: nothing that could reach a game.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from adapters.alfworld.grammar import Grammar, frame_for
from adapters.alfworld.offline import rules
from bench.agents import compose, render
from bench.models.offline.reader import OfflineReader
from bench.types import Event, EventKind, Message, Shape, Stimulus

ROOT = Path(rules.__file__).parents[3]
MODULES = sorted(Path(rules.__file__).parent.glob("*.py"))
ALLOWED = {"__future__", "re", "collections.abc", "dataclasses", "functools"}
ALLOWED |= {"bench.types", "bench.protocols", "bench.errors"}
ALLOWED |= {"adapters.shared.teaching", "adapters.shared.lessons"}
ALLOWED |= {f"adapters.alfworld.offline.{path.stem}" for path in MODULES}

SEALED = """
import json, sys
sys.path.insert(0, sys.argv[1])
from adapters.alfworld.offline.rules import RULES
from bench.models.offline.reader import OfflineReader
from bench.types import Message

CLOSED = "open os socket subprocess shutil glob sqlite3 ctypes urllib import".split()

def guard(event, args):
    if event.split(".")[0] in CLOSED:
        raise PermissionError(f"sealed: {event} {args}")

given = sys.stdin.read()
model = OfflineReader(RULES)
sys.addaudithook(guard)
if sys.argv[2] == "break":
    open(sys.argv[0] or "x")
replies = []
for call in json.loads(given):
    messages = [Message(m["role"], m["content"]) for m in call]
    replies.append(model.chat(messages, role="act").text)
sys.stdout.write(json.dumps(replies))
"""

ROOM = "You are in the middle of a room. Looking quickly around you, you see a cabinet 2, a cabinet 1, a countertop 1, "
ROOM += "a diningtable 1, a fridge 1, a microwave 1, a shelf 1, and a sinkbasin 1."
TASKS = (
    "put a mug in shelf",
    "find two mug and put them in cabinet",
    "heat some mug and put it in shelf",
    "clean some cup and put it in cabinet",
    "put a cool plate in microwave",
    "look at mug under the desklamp",
)
TOLD = (
    ("go to countertop 1", "You arrive at countertop 1. On the countertop 1, you see a cup 1, and a knife 1."),
    ("go to cabinet 1", "You arrive at cabinet 1. The cabinet 1 is closed."),
    ("open cabinet 1", "You open the cabinet 1. The cabinet 1 is open. In it, you see a mug 1, and a mug 2."),
    ("take mug 1 from cabinet 1", "You pick up the mug 1 from the cabinet 1."),
    ("go to cabinet 2", "Nothing happens."),
    ("go to microwave 1", "You arrive at microwave 1. The microwave 1 is closed."),
    ("heat mug 1 with microwave 1", "You heat the mug 1 using the microwave 1."),
    ("go to shelf 1", "You arrive at shelf 1. On the shelf 1, you see a desklamp 1."),
    ("move mug 1 to shelf 1", "You move the mug 1 to the shelf 1."),
)


def prompts() -> list[tuple[Message, ...]]:
    """Return the prompts of every step of one told episode: each task, both wordings, three kinds of context."""
    events: list[Event] = []
    made = []
    for step, (action, answer) in enumerate((("", ""), *TOLD), start=0):
        if step:
            events.append(Event(f"a{step}", EventKind.ACTION, action, step))
            events.append(Event(f"o{step}", EventKind.OBSERVATION, answer, step))
        for task in TASKS:
            stimulus = Stimulus(Shape.EPISODE, answer, f"{ROOM}\n\nYour task is to: {task}.", step + 1)
            for shown in (events[:-1], events[-5:-1], []):
                made += [compose(frame_for(grammar), stimulus, render(shown)) for grammar in Grammar]
    return made


def run_isolated(
    calls: list[tuple[Message, ...]], folder: Path, seed: str, mode: str = "run"
) -> subprocess.CompletedProcess[str]:
    given = json.dumps([[{"role": m.role, "content": m.content} for m in call] for call in calls])
    command = [sys.executable, "-c", SEALED, str(ROOT), mode]
    environment = {"PYTHONHASHSEED": seed, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        command, input=given, capture_output=True, text=True, cwd=folder, env=environment, timeout=120, check=False
    )


@pytest.mark.parametrize("seed", ["0", "1"])
def test_isolated_process_gives_same_replies(tmp_path: Path, seed: str) -> None:
    calls = prompts()
    model = OfflineReader(rules.RULES)
    here = [model.chat(call, role="act").text for call in calls]
    there = run_isolated(calls, tmp_path, seed)
    assert there.returncode == 0, there.stderr
    assert json.loads(there.stdout) == here
    assert len(set(here)) > 15, "the prompts must call for many different actions"


def test_isolated_process_cannot_open_files(tmp_path: Path) -> None:
    broken = run_isolated([], tmp_path, "0", "break")
    assert broken.returncode != 0
    assert "PermissionError: sealed: open" in broken.stderr


def test_rules_keep_no_state_between_calls() -> None:
    calls = prompts()
    model = OfflineReader(rules.RULES)
    forwards = [model.chat(call, role="act") for call in calls]
    backwards = [model.chat(call, role="act") for call in reversed(calls)]
    assert forwards == backwards[::-1]


@pytest.mark.parametrize("path", MODULES, ids=[path.name for path in MODULES])
def test_offline_modules_import_no_game_code(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert imported <= ALLOWED
    called = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert not called & {"open", "eval", "exec", "globals", "vars", "getattr", "__import__", "breakpoint", "input"}
