"""Suite ``toy-v1``: small houses in which one thing must be found and brought to a room.

Source: this project; not from a publication, so there are no differences to list.

Tasks: one episode per house; the group is the number of rooms (4, 6, 8 or 12), each house is a cluster of its own.

* split ``houses`` (default): 20 seeded houses; no download. The parameter ``houses`` changes the number.

Score: success = the thing lies in its target room. Progress = 0.5 for having held the thing, 1.0 for success, as a
running maximum. The step cap is 30.
"""

from __future__ import annotations

import hashlib

from adapters.toy.world import ToyWorld, build_house
from bench.errors import DataError
from bench.protocols import Environment, Param, SuiteOptions, SuiteSpec
from bench.types import Fingerprint, Limits, Shape, Task

__all__ = ["SUITE", "ToySuite"]

_SIZES = (4, 6, 8, 12)
_DEFAULT_CAP = 30


class ToySuite:
    """The houses of one split."""

    def __init__(self, options: SuiteOptions):
        self._options = options
        self._houses = options.params.integer("houses")

    def tasks(self) -> list[Task]:
        return [self._task(seed) for seed in range(self._houses)]

    def _task(self, seed: int) -> Task:
        rooms = _SIZES[seed % len(_SIZES)]
        name = f"house-{seed:03d}"
        payload = f"{seed}/{rooms}"
        return Task(
            id=name,
            suite="toy-v1",
            split=self._options.split,
            group=f"{rooms:02d} rooms",
            cluster=name,
            source=f"seed {seed}",
            payload=payload,
            digest=hashlib.sha256(payload.encode()).hexdigest(),
        )

    def open(self, task: Task) -> Environment:
        seed, _, rooms = task.payload.partition("/")
        if not (seed.isdigit() and rooms.isdigit() and 3 <= int(rooms) <= 12):
            raise DataError(f"toy {task.id}: expected seed/rooms with 3 to 12 rooms, got {task.payload!r}")
        return ToyWorld(build_house(int(seed), int(rooms)))

    def limits(self) -> Limits:
        return Limits(step_cap=self._options.step_cap or _DEFAULT_CAP)

    def fingerprint(self) -> Fingerprint:
        return Fingerprint.of(suite="toy-v1", split=self._options.split, step_cap=str(self.limits().step_cap))

    def close(self) -> None:
        pass


SUITE = SuiteSpec(
    name="toy-v1",
    build=ToySuite,
    shape=Shape.EPISODE,
    splits=("houses",),
    default_split="houses",
    offline_splits=("houses",),
    params=(Param("houses", 20, "how many houses to play", minimum=1, maximum=10_000),),
    workers="thread",
    source="this project; seeded, no download",
)
