"""The right answers to the questions of a recorded conversation, read from the benchmark data: no run stores them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from bench.config import RUN_FILE, read_config
from bench.errors import BenchError
from bench.protocols import Conversation, HasJudgeCase
from bench.runner.resolve import resolve_run
from bench.runner.tasks import BuiltSuite, build_suites
from bench.types import Shape, TrialKey

__all__ = ["ReferenceReader"]


class ReferenceReader:
    """Opens the conversations of a run. Where the data or the suite is not here, there are no references.

    ``root``: folder of the benchmark data; None = the user's data root.
    """

    def __init__(self, folder: Path, root: Path | None = None):
        self._suites: dict[str, BuiltSuite] = {}
        self._found: dict[tuple[str, str], dict[str, tuple[str, str]]] = {}
        with suppress(BenchError):
            self._suites = build_suites(resolve_run(read_config(folder / RUN_FILE), root))

    def read(self, key: TrialKey) -> dict[str, tuple[str, str]]:
        """Return the right answer and the rubric of each question of a trial's conversation; empty for an episode."""
        place = key.suite, key.task
        if place not in self._found:
            self._found[place] = {}
            with suppress(BenchError):
                self._found[place] = self._open(key)
        return self._found[place]

    def _open(self, key: TrialKey) -> dict[str, tuple[str, str]]:
        built = self._suites.get(key.suite)
        if built is None or built.shape is not Shape.CONVERSATION or key.task not in built.tasks:
            return {}
        world = built.suite.open(built.tasks[key.task])
        if not isinstance(world, HasJudgeCase) or not hasattr(world, "questions"):
            return {}
        conversation: Conversation = world  # type: ignore[assignment]
        cases = {question.id: world.judge_case(question) for question in conversation.questions()}
        return {name: (case.reference_answer, case.rubric) for name, case in cases.items() if case}

    def close(self) -> None:
        """Close the suites."""
        for built in self._suites.values():
            built.suite.close()
