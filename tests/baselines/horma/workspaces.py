"""Workspaces for the tests of HORMA."""

from __future__ import annotations

from baselines.horma.notes import Line, Meta
from baselines.horma.workspace import Workspace
from bench.types import Event, EventKind

TALK = (
    ("D1:1", "Ann", "I moved to Oslo last week.", "8 May, 2023"),
    ("D1:2", "Bob", "Great! Did you take the cat?", "8 May, 2023"),
    ("D1:3", "Ann", "Yes, Momo came by train.", "8 May, 2023"),
    ("D2:1", "Bob", "I broke my arm at the climbing hall.", "2 June, 2023"),
    ("D2:2", "Ann", "Oh no! I painted a sunset for you.", "2 June, 2023"),
)


def make_turn(ref: str, speaker: str, text: str, time: str) -> Event:
    return Event(ref, EventKind.TURN, text, int(ref[1 : ref.index(":")]), speaker, time)


def fill_raw(workspace: Workspace) -> Workspace:
    for turn in TALK:
        workspace.write_raw(make_turn(*turn))
    return workspace


def make_workspace() -> Workspace:
    """Return two sessions, with notes about Ann, Bob and a move."""
    workspace = fill_raw(Workspace())
    workspace.write("entities/ann.md", Meta(), [Line("moved to Oslo around 1 May 2023", ("D1:1",))])
    workspace.append("entities/ann.md", [Line("painted a sunset for Bob", ("D2:2",))])
    workspace.write("entities/bob.md", Meta(), [Line("broke his arm climbing", ("D2:1",))])
    workspace.write("events/2023-05-01_move.md", Meta(sources=("D1:1", "D1:3")), [Line("Ann and the cat Momo moved")])
    return workspace
