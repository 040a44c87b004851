"""Benchmark, not a test: how many functions and files of this project lie on the way of one step of an episode.

Plays ``bench run toy -s window -m offline/reader --limit 1`` in this process and watches the driver's first step that
makes a model call. Run: ``PYTHONPATH=$PWD python tests/perf/count_step_path.py [-v]``; with another checkout first in
``PYTHONPATH`` it counts that one.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import FrameType

from bench.config import RunConfig
from bench.runner import batch, workers

PACKAGES = ("bench", "adapters", "baselines")
DRIVERS = ("bench/drive.py", "bench/drivers.py", "bench/drivers/episode.py")
STEP = ("take", "take_step")
"""What the function that takes one step is called."""
ROOT = Path(str(batch.__file__)).parents[2]


class StepWatch:
    """A profile function that counts the calls made inside the driver's second step."""

    def __init__(self) -> None:
        self.calls: Counter[tuple[str, str]] = Counter()
        self._steps = 0
        self._within: FrameType | None = None

    def __call__(self, frame: FrameType, event: str, _argument: object) -> None:
        if event not in ("call", "return"):
            return
        code = frame.f_code
        path = Path(code.co_filename)
        if not path.is_relative_to(ROOT):
            return
        name = path.relative_to(ROOT).as_posix()
        if name in DRIVERS and code.co_name in STEP:
            if event == "call":
                self._steps += 1
                self._within = frame if self._steps == 2 else None  # the first step imports and compiles
            elif frame is self._within:
                self._within = None
        if self._within is not None and event == "call" and name.split("/")[0] in PACKAGES:
            self.calls[name, code.co_qualname] += 1


def watch_step() -> StepWatch:
    """Play one trial and return what its second step called."""
    watch = StepWatch()
    simulate = workers.simulate

    def watched(*args: object, **named: object) -> object:
        sys.setprofile(watch)
        try:
            return simulate(*args, **named)  # type: ignore[arg-type]
        finally:
            sys.setprofile(None)

    workers.simulate = watched  # type: ignore[assignment]
    # The watch sees one process: the toy suite plays in threads here.
    batch.ProcessWorker = lambda *_: batch.ThreadWorker(*_)  # type: ignore[assignment, misc, arg-type]
    with tempfile.TemporaryDirectory() as folder:
        config = RunConfig(suites=("toy",), strategies=("window",), model="offline/reader", limit=1, workers=1)
        batch.run(config, Path(folder) / "run")
    return watch


def main() -> None:
    watch = watch_step()
    files = {path for path, _ in watch.calls}
    if "-v" in sys.argv:
        for path in sorted(files):
            functions = sorted(f"{name} x{count}" for (at, name), count in watch.calls.items() if at == path)
            print(f"{path}\n    " + "\n    ".join(functions))
    print(f"one step: {watch.calls.total()} calls of {len(watch.calls)} functions in {len(files)} files")


if __name__ == "__main__":
    main()
