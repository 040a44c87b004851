"""The numbered steps of a context, and which of them cannot be of the episode at hand.

Only the last rising run of steps is of this episode: one begins again where a number falls, and the first step is there
again or another one is told differently. Lines in another order alone are one run, shown best first. Knows no suite and
no strategy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

__all__ = ["Step", "find_earlier_steps", "is_bare_action", "read_step"]

_STEP = re.compile(r"[\s*>-]*\[(?P<step>\d+)\]\s*(?:(?P<label>[a-z][a-z -]{0,14}):)?(?P<text>.*)", re.IGNORECASE)
_ACTION = re.compile(r"\s*(?:>\s*\w|(?:action|act)(?: \d+)?\s*:)", re.IGNORECASE)
_ASIDE = frozenset(("note", "feedback", "task", "goal"))
"""Labels of numbered lines that are no step: a memory may show them in any order."""


@dataclass(frozen=True, slots=True)
class Step:
    """What one line says of a step."""

    number: int
    label: str
    text: str


def read_step(line: str) -> Step | None:
    """Return what a line says of a step; None for lines without a number, and for notes."""
    match = _STEP.match(line)
    label = (match["label"] or "").strip().lower() if match else ""
    return Step(int(match["step"]), label, match["text"].strip()) if match and label not in _ASIDE else None


def is_bare_action(line: str) -> bool:
    """True for an action without a number: ``> open it``, ``Action: open it``, ``Act 2: open it``."""
    return bool(_ACTION.match(line))


@dataclass(slots=True)
class _Run:
    """What was said of steps since they began, and in which line they did; -1 = they have not."""

    first: int = -1
    said: dict[tuple[int, str], str] = field(default_factory=dict)

    def begins_again(self, rising: Sequence[Step]) -> bool:
        """True if a rising run cannot be of the same episode as what was said before it."""
        first = rising[0]
        if first.number <= 1 and (first.number, first.label) in self.said:
            return True
        return any(self.said.get((step.number, step.label), step.text) != step.text for step in rising)


def find_earlier_steps(lines: Sequence[str], started: bool) -> list[tuple[int, int]]:
    """Return the stretches of lines, as first and end, that hold steps of other episodes.

    ``started``: False before the first action, when every step is of another episode. Actions without a number are of
    another episode if steps with one stand below them.
    """
    found, run = list[tuple[int, int]](), _Run()
    for rising in _split_rising([(at, step) for at, line in enumerate(lines) if (step := read_step(line))]):
        first = rising[0][0]
        if run.begins_again([step for _, step in rising]):
            found.append((run.first, first))
            run = _Run()
        run.first = first if run.first < 0 else run.first
        run.said.update({(step.number, step.label): step.text for _, step in rising})
    end = run.first if started else len(lines)
    if not started and run.first >= 0:
        found.append((run.first, end))
    bare = next((at for at, line in enumerate(lines[: max(0, end)]) if is_bare_action(line)), None)
    return found if bare is None else [*found, (bare, end)]


def _split_rising(steps: Sequence[tuple[int, Step]]) -> Iterator[list[tuple[int, Step]]]:
    run: list[tuple[int, Step]] = []
    for at, step in steps:
        if run and step.number < run[-1][1].number:
            yield run
            run = []
        run.append((at, step))
    if run:
        yield run
