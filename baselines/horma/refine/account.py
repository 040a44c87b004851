"""What is kept of a refinement beside the skills: every version of the list, operations, feedback, and an account.

``versions/skills-<n>.md`` are the lists before each round and after the last one; ``refinement.md`` says how each did,
which one was taken, and why. No prompt shows any of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from baselines.horma.refine.calls import Feedback
from baselines.horma.refine.changes import Origin, Rejection, Skill
from baselines.horma.refine.contrast import Contrast, Outcome
from baselines.horma.refine.skill_list import SkillList
from bench.types import Artifact

__all__ = ["Version", "write_account"]

_ACCOUNT, _OPERATIONS = "refinement.md", "log/operations.jsonl"
_COLUMNS = ("version", "skills", "held out", "learned from", "D_exo", "D_end", "feedback", "applied", "rejected")
_NO_CONTRAST = "No task was done in one way and not in the other"


@dataclass(frozen=True, slots=True)
class Version:
    """The skill list before a round, or after the last one; how it did, and what was made of that."""

    skills: tuple[Skill, ...] = ()
    held: Outcome | None = None
    """On the tasks that are held out; None if it was not rehearsed."""
    fitted: Outcome | None = None
    """On the tasks that are learned from."""
    contrasts: tuple[Contrast, ...] = ()
    feedback: tuple[Feedback, ...] = ()
    empty: int = 0
    """Feedback replies without a text."""
    applied: int = 0
    rejected: tuple[tuple[Rejection, int], ...] = ()

    def count(self, origin: Origin) -> int:
        """Return how many tasks or questions one way did and the other did not."""
        return sum(one.size for one in self.contrasts if one.origin is origin)


def write_account(versions: Sequence[Version], chosen: int, held: Sequence[str], skills: SkillList) -> Artifact:
    """Return the files; they are based on all tasks."""
    files = {f"versions/skills-{n}.md": _write_version(one, n == chosen) for n, one in enumerate(versions)}
    for number, one in enumerate(versions):
        if one.feedback:
            files[f"log/feedback-{number}.md"] = "".join(
                f"- {said.cause.origin}, {said.cause.task}: {said.text}\n" for said in one.feedback
            )
    account = "\n".join(_iterate_account(versions, chosen, held))
    return Artifact({**files, _OPERATIONS: skills.log, _ACCOUNT: f"{account}\n"})


def _write_version(version: Version, is_chosen: bool) -> str:
    lines = ["This version was taken.", ""] if is_chosen else []
    if not version.skills:
        return "\n".join([*lines, "The base list: no skills.", ""])
    for number, one in enumerate(version.skills, start=1):
        origin = " and ".join(one.origins)
        lines.append(f"{number}. {one.text} ({one.reader}; {origin}; round {one.round}; {', '.join(one.tasks)})")
    return "\n".join([*lines, ""])


def _iterate_account(versions: Sequence[Version], chosen: int, held: Sequence[str]) -> Iterator[str]:
    yield f"Held out: {', '.join(held) or 'no task'}."
    yield ""
    yield f"| {' | '.join(_COLUMNS)} |"
    yield f"|{' --- |' * len(_COLUMNS)}"
    for number, one in enumerate(versions):
        rejected = ", ".join(f"{count} {reason}" for reason, count in one.rejected)
        cells = (number, len(one.skills), _describe(one.held), _describe(one.fitted), one.count(Origin.EXO),
                 one.count(Origin.END), len(one.feedback), one.applied, rejected or 0)  # fmt: skip
        yield f"| {' | '.join(map(str, cells))} |"
    yield ""
    yield from _explain_end(versions[-1])
    yield f"Version {chosen} was taken: {_explain_choice(versions, chosen)}"


def _describe(outcome: Outcome | None) -> str:
    if outcome is None or not outcome.asked:
        return "-"
    steps = f", {outcome.steps} steps" if outcome.steps else ""
    return f"{outcome.right} of {outcome.asked} right{steps}"


def _explain_end(last: Version) -> Iterator[str]:
    """Yield why there was no further round, where one more was possible."""
    if last.empty:
        yield f"{last.empty} replies held no feedback."
    if last.feedback and not last.applied:
        yield "The last round changed nothing."
    if last.fitted and not last.contrasts:
        yield f"{_NO_CONTRAST} under the last version."


def _explain_choice(versions: Sequence[Version], chosen: int) -> str:
    taken = versions[chosen]
    if not any(one.contrasts for one in versions):
        return f"{_NO_CONTRAST.lower()}, so there was nothing to learn; it is the base list."
    if taken.held is None or not taken.held.asked:
        return "the last one, for nothing was held out to check it on."
    if not taken.skills:
        return "no list of skills did better on what was held out than the base list."
    return "none did better on what was held out, and no earlier one as well."
