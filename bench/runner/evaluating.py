"""Artifacts in an evaluation: which are given, whether they may be used on its tasks, and what is recorded of them.

Everything that is refused here is refused before any work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from bench.config import RunConfig
from bench.errors import StoreError, UsageError
from bench.runner.artifacts import LearnedArtifact, find_artifacts, read_artifact
from bench.runner.controls import list_texts
from bench.runner.frames import digest_frame
from bench.runner.splits import name_kind, name_spec, rate_twins
from bench.types import Frame, Task

__all__ = [
    "ARTIFACTS",
    "check_frozen",
    "check_wording",
    "describe",
    "list_folders",
    "load_artifacts",
    "refuse_learned_tasks",
]

ARTIFACTS = "artifacts"
"""The folder of a run's own artifacts, below that of the run."""


def list_folders(config: RunConfig, run: Path) -> list[Path]:
    """Return where the artifacts of a run lie: those that it was given, and its own."""
    own = find_artifacts(run / ARTIFACTS) if (run / ARTIFACTS).is_dir() else []
    return [*own, *(folder for text in config.artifacts for folder in find_artifacts(Path(text)))]


def load_artifacts(config: RunConfig, strategies: Sequence[str], suites: Sequence[str]) -> tuple[LearnedArtifact, ...]:
    """Read the artifacts of a question; ``strategies`` are names with version, ``suites`` labels.

    Raises: UsageError for one that was changed by hand, or that is for nothing in this run.
    """
    found: list[LearnedArtifact] = []
    for folder in (folder for text in config.artifacts for folder in find_artifacts(Path(text))):
        one = read_artifact(folder)
        if config.allow_foreign and len(suites) == 1 and not one.fits(suites[0], one.about.strategy):
            one = replace(one, foreign=suites[0])
        about = one.about
        if one.edited and not config.allow_edited:
            raise UsageError(
                f"artifact {folder}: expected files as they were learned, got changed ones; learn it again, or take it "
                "with --allow-edited, which marks its rows"
            )
        if not any(one.fits(suite, strategy) for suite in suites for strategy in strategies):
            raise UsageError(
                f"artifact {folder}: expected one of a strategy and suite of this run ({', '.join(strategies)}; "
                f"{', '.join(suites)}), got {about.strategy} on {about.suite}; leave it out, learn it again, or use "
                "that of another suite on the one suite of a run with --allow-foreign, which marks the row"
            )
        found.append(one)
    return tuple(found)


def refuse_learned_tasks(artifacts: Iterable[LearnedArtifact], suite: str, split: str, tasks: Sequence[Task]) -> None:
    """Raises: UsageError if a task of an evaluation is among those that an artifact was learned from."""
    for one in artifacts:
        about = one.about
        both = sorted(_find_learned(one, suite, split, tasks))
        if both:
            raise UsageError(
                f"artifact of {about.label} on {suite}: expected no task that it was learned from, got {len(both)} "
                f"({both[0]}, ...); evaluate the other side (--learn-policy {about.policy}) or another split, or "
                "say --leak official, which marks the row"
            )


def _find_learned(one: LearnedArtifact, suite: str, split: str, tasks: Iterable[Task]) -> set[str]:
    if one.foreign or not one.fits(suite, one.about.strategy) or one.about.split != split:
        return set()
    return {task.id for task in tasks} & set(one.artifact.tasks)


def describe(
    one: LearnedArtifact, suite: str, split: str, tasks: Sequence[Task], count: Callable[[str], int]
) -> LearnedArtifact:
    """Return an artifact with what stands in the fingerprint of its evaluation on these tasks. ``count``: tokens."""
    about = one.about
    twins = rate_twins([name_spec(task) for task in tasks], set(about.specs.values()))
    kinds = rate_twins([name_kind(task) for task in tasks], set(about.kinds.values()))
    where = f"{about.suite} {about.split}" if one.foreign else about.split
    text = (
        f"{len(one.artifact.tasks)} tasks of {where} under {about.policy} ({about.gathered}); {100 * twins:.1f} % of "
        f"the evaluated tasks have a twin among them, {100 * kinds:.1f} % in any room"
    )
    if not list_texts(one.artifact):
        text = f"nothing that could be used in {text}"
    entries = {
        "row.artifact": one.digest[:16],
        "row.pool": about.pool,
        "row.learned": text,
        "row.learned_tasks": str(len(one.artifact.tasks)),
        **({"row.learned_every": about.every} if about.every != "run" else {}),
        "row.memory_tokens": str(sum(map(count, list_texts(one.artifact).values()))),
        **({"row.marks": ",".join(marks)} if (marks := _list_marks(one, suite, split, tasks)) else {}),
        **about.costs.describe(),
    }
    return replace(one, entries=tuple(sorted(entries.items())))


def _list_marks(one: LearnedArtifact, suite: str, split: str, tasks: Sequence[Task]) -> list[str]:
    """Return why the row is no fair comparison, a word for each reason (``bench.report.notes``)."""
    reasons = {
        "leak": bool(_find_learned(one, suite, split, tasks)),
        "edited": one.edited,
        "foreign": bool(one.foreign),
        one.about.control: bool(one.about.control),
    }
    return [mark for mark, holds in reasons.items() if holds]


def check_wording(one: LearnedArtifact, tasks: Iterable[Task], open_frame: Callable[[Task], Frame]) -> None:
    """Raises: UsageError if prompts are worded otherwise than those that an artifact was learned under.

    ``open_frame`` is called once for each group of tasks.
    """
    seen: set[str] = set()
    for task in tasks if not one.foreign else ():
        known = one.about.frames.get(task.group)
        if known and task.group not in seen and digest_frame(open_frame(task)) != known:
            raise UsageError(
                f"artifact of {one.about.label}: expected the wording of prompts that it was learned under, got "
                f"another for {task.group}; learn it again"
            )
        seen.add(task.group)


def check_frozen(artifacts: Iterable[LearnedArtifact], folders: Iterable[Path]) -> None:
    """Raises: StoreError if an artifact on disk is another than the one that was evaluated."""
    used = {one.digest for one in artifacts}
    for folder in folders:
        if read_artifact(folder).digest not in used:
            raise StoreError(
                f"artifact {folder}: expected it as it was when the evaluation began, got a changed one; restore it or "
                "learn it again, then evaluate in another folder"
            )
