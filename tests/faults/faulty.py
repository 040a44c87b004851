"""A plug-in of suites, rules and strategies that break on demand, for the fault tests; installed by ``conftest.py``.

World: press a button four times. What breaks stands in the suite's parameter, always in the task ``t1`` and at its
third step; everything is sound again once a file ``is_fixed`` lies in the data root.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from bench.agents import DefaultAgent, default_agent
from bench.errors import DataError
from bench.protocols import Agent, Environment, Kit, Param, Strategy, SuiteOptions, SuiteSpec
from bench.types import (
    Context,
    Event,
    EventKind,
    Fingerprint,
    Frame,
    Limits,
    Message,
    Observation,
    Opening,
    Query,
    Shape,
    Stimulus,
    Task,
)

FRAME = Frame("faulty", "You press a button until it clicks.")
BREAKS = ("nothing", "open", "reset", "step", "hang", "die", "terminate", "drift", "model-raises", "model-silent")
PRESSES, TASKS = 4, 3


def is_fixed(root: Path) -> bool:
    return (root / "fixed").exists()


class Button:
    """The world of one task."""

    def __init__(self, task: Task, breaks: str, root: Path):
        self._task, self._root, self._pressed = task, root, 0
        self._said = breaks if task.id == "t1" else "nothing"
        self._breaks = self._said if not is_fixed(root) else "nothing"

    def reset(self) -> Opening:
        if self._breaks == "reset":
            raise RuntimeError("the button fell off")
        # What the model is to do stands in the prompt, because it sees nothing else.
        return Opening(f"Press the button of {self._task.id} ({self._said}) in {self._root}.", FRAME)

    def step(self, action: str) -> Observation:
        self._pressed += action == "press"
        if self._pressed == 3:
            if self._breaks == "step":
                raise OSError("the button is stuck")
            if self._breaks == "drift":
                raise OSError("the button is loose")
            if self._breaks == "hang":
                time.sleep(600)
            if self._breaks == "die":
                os.kill(os.getpid(), signal.SIGKILL)
            if self._breaks == "terminate":
                os.kill(os.getpid(), signal.SIGTERM)
        won = self._pressed == PRESSES
        where = " The button has moved." if self._said == "drift" and is_fixed(self._root) else ""
        return Observation(
            f"Pressed {self._pressed} times.{where}", won, won, self._pressed / PRESSES, action == "press"
        )

    def close(self) -> None:
        pass


class Buttons:
    """The suite."""

    def __init__(self, options: SuiteOptions):
        self._options, self._breaks = options, options.params.text("breaks")

    def tasks(self) -> list[Task]:
        return [Task(f"t{i}", "faulty-v1", "all", "button", f"t{i}") for i in range(TASKS)]

    def open(self, task: Task) -> Environment:
        if self._breaks == "open" and task.id == "t1" and not is_fixed(self._options.data_root):
            raise DataError(f"faulty {task.id}: expected a button, got nothing; press elsewhere")
        return Button(task, self._breaks, self._options.data_root)

    def limits(self) -> Limits:
        return Limits(step_cap=6)

    def fingerprint(self) -> Fingerprint:
        return Fingerprint.of(suite="faulty-v1")

    def close(self) -> None:
        pass


def _suite(name: str, workers: str) -> SuiteSpec:
    what = Param("breaks", "nothing", "what breaks", choices=BREAKS)
    return SuiteSpec(name, Buttons, Shape.EPISODE, ("all",), "all", ("all",), (what,), workers=workers)


THREADS = _suite("faulty-v1", "thread")
PROCESSES = _suite("faulty-process-v1", "process")


class Presser:
    """The offline model's rule: presses, unless the prompt says that the model is to fail."""

    role = "act"
    header = FRAME.instructions

    def reply(self, messages: Sequence[Message]) -> str:
        text = messages[-1].content
        if "Pressed 2 times." in text:
            broken = not is_fixed(Path(text.partition(" in ")[2].partition(".\n")[0]))
            if "(model-raises)" in text and broken:
                raise ConnectionError("503")
            if "(model-silent)" in text and broken:
                return ""
        return "Action: press"


RULES = (Presser(),)


class Notes:
    """A sound memory of everything."""

    def __init__(self, kit: Kit):
        self.events: list[Event] = []

    def observe(self, event: Event) -> None:
        self.events.append(event)

    def recall(self, query: Query) -> Context:
        return Context("\n".join(event.text for event in self.events if event.kind is EventKind.ACTION))


class Raiser(Notes):
    def observe(self, event: Event) -> None:
        super().observe(event)
        if event.ref == "o2":
            raise ZeroDivisionError("cannot remember")


class Hoarder(Notes):
    def recall(self, query: Query) -> Context:
        return Context("word " * 100 if query.step == 3 else "")


class Chatterbox(DefaultAgent):
    """Asks the model again and again from the third step on."""

    def __init__(self, kit: Kit):
        super().__init__(Notes(kit), kit)

    def decide(self, stimulus: Stimulus):  # type: ignore[no-untyped-def]
        for _ in range(9 if stimulus.step == 3 else 1):
            decision = super().decide(stimulus)
        return decision


def _chatterbox(kit: Kit) -> Agent:
    return Chatterbox(kit)


NOTES = Strategy("notes-v1", default_agent(Notes))
RAISER = Strategy("raiser-v1", default_agent(Raiser))
HOARDER = Strategy("hoarder-v1", default_agent(Hoarder))
CHATTERBOX = Strategy("chatterbox-v1", _chatterbox)


def _broken(_: Kit) -> Agent:
    raise LookupError("no memory today")


UNBUILT = Strategy("unbuilt-v1", _broken)
