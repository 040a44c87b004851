"""Combination lock: read the notes one by one, then enter the code. A memory must keep every digit it has read."""

import hashlib
import random
import re
from collections.abc import Sequence

from bench.protocols import SuiteOptions, SuiteSpec
from bench.types import Fingerprint, Frame, Limits, Message, Observation, Opening, Shape, Task

HEADER = "You stand before a lock. Each note holds one digit of its code."
FRAME = Frame("lock-v1", f"{HEADER}\nCommands: read note N, enter CODE. Reply with one line: Action: <command>")


class LockWorld:
    """One episode: a code, and the notes that were read. Progress: the share of notes read, and 1.0 when open."""

    def __init__(self, code: str):
        self._code, self._read, self._won = code, set[int](), False

    def reset(self) -> Opening:
        return Opening(f"There are {len(self._code)} notes. Your task is to: open the lock.", FRAME)

    def step(self, action: str) -> Observation:
        text = ""
        if (note := re.fullmatch(r"read note (\d+)", action)) and 1 <= int(note[1]) <= len(self._code):
            self._read.add(int(note[1]))
            text = f"Note {note[1]} says {self._code[int(note[1]) - 1]}."
        elif code := re.fullmatch(r"enter (\d+)", action):
            self._won = self._won or code[1] == self._code
            text = "The lock opens." if self._won else "The lock stays shut."
        progress = 1.0 if self._won else len(self._read) / (len(self._code) + 1)
        problem = "" if text else "unparsable"
        return Observation(
            text or "Nothing happens.", self._won, self._won, progress, not problem, action, invalid_reason=problem
        )

    def close(self) -> None: ...


class LockSuite:
    """Twelve locks with four, six or eight notes; a group for each length."""

    def __init__(self, options: SuiteOptions):
        self._split, self._cap = options.split, options.step_cap or 20

    def tasks(self) -> list[Task]:
        return [self._make_task(number) for number in range(12)]

    def _make_task(self, number: int) -> Task:
        code = "".join(random.Random(f"lock-v1/{number}").choices("0123456789", k=4 + number % 3 * 2))
        name, digest = f"lock-{number:02}", hashlib.sha256(code.encode()).hexdigest()
        return Task(name, "lock-v1", self._split, f"{len(code)} notes", cluster=name, payload=code, digest=digest)

    def open(self, task: Task) -> LockWorld:
        return LockWorld(task.payload)

    def limits(self) -> Limits:
        return Limits(step_cap=self._cap)

    def fingerprint(self) -> Fingerprint:
        return Fingerprint.of(suite="lock-v1", split=self._split, step_cap=str(self._cap))

    def close(self) -> None: ...


class LockPlayer:
    """The offline model's rule for this frame: it sees the messages of one call and nothing else."""

    role, header = "act", HEADER

    def reply(self, messages: Sequence[Message]) -> str:
        text = messages[-1].content
        count = re.search(r"There are (\d+) notes", text)
        digits = dict(re.findall(r"Note (\d+) says (\d)", text))
        for note in range(1, 1 + int(count[1] if count else 0)):
            if str(note) not in digits:
                return f"Action: read note {note}"
        return f"Action: enter {''.join(digits[note] for note in sorted(digits))}"


SUITE = SuiteSpec("lock-v1", LockSuite, Shape.EPISODE, ("locks",), "locks", offline_splits=("locks",))
RULES = (LockPlayer(),)
