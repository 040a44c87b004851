"""How skills are learned: rounds of rehearsal, contrasts, feedback and augmentation, and the choice of a version.

Source: HORMA (arXiv 2606.11680), contrastive skill refinement, no weights changed. Knows no suite.

In each round the training tasks are played with notes under the skills so far. Contrasts with the whole past, on the
tasks that are not held out, get a feedback each, and one call makes operations on the list of all feedback. After the
last round the version is kept under which most of the held-out tasks went right. Where nothing can be rehearsed, the
other gathered trials of a task stand for those with notes, there is one round, and nothing is checked.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from baselines.horma.refine.account import Version, write_account
from baselines.horma.refine.calls import ask_feedback, augment
from baselines.horma.refine.contrast import choose_whole, count_right, find_contrasts, pick_evenly
from baselines.horma.refine.skill_list import SkillList, write_skills
from baselines.shared.artifacts import join_artifacts
from bench.protocols import Kit
from bench.types import Artifact, Trial

__all__ = ["choose_version", "hold_out", "learn"]


def learn(trials: Sequence[Trial], kit: Kit) -> Artifact:
    """Return the skills of the best version; all versions, the operations, the feedback, and an account of it all."""
    refinement = _Refinement(trials, kit)
    refinement.refine()
    versions = tuple(refinement.versions)
    chosen = choose_version(versions)
    account = write_account(versions, chosen, refinement.held, refinement.skills)
    return join_artifacts([write_skills(versions[chosen].skills), account])


def hold_out(tasks: Sequence[str], share: float, rng: random.Random) -> tuple[str, ...]:
    """Return the tasks that are not learned from, at least one of two or more; none if the share is 0."""
    most = len(tasks) - 1
    wanted = min(most, max(1, round(share * len(tasks)))) if share and most > 0 else 0
    return tuple(sorted(rng.sample(sorted(tasks), wanted)))


def choose_version(versions: Sequence[Version]) -> int:
    """Return the number of the version that did best on the tasks held out, the first of equals.

    The last one where none was checked on such tasks.
    """
    checked = [(number, one.held) for number, one in enumerate(versions) if one.held and one.held.asked]
    if not checked:
        return len(versions) - 1
    best, outcome = checked[0]
    for number, held in checked[1:]:
        if held.beats(outcome):
            best, outcome = number, held
    return best


class _Refinement:
    """The rounds of one learner."""

    def __init__(self, trials: Sequence[Trial], kit: Kit):
        self._kit = kit
        self._whole = choose_whole(trials)
        chosen = {id(trial) for trial in self._whole.values()}
        self._others = [trial for trial in trials if id(trial) not in chosen]
        tasks = sorted({task for task, _ in self._whole})
        share = kit.params.number("held_out") if kit.rehearse else 0.0
        self.held = hold_out(tasks, share, kit.rng)
        self._fitted = [task for task in tasks if task not in self.held]
        self.skills = SkillList(kit.params.integer("cap"))
        self.versions: list[Version] = []

    def refine(self) -> None:
        """Go through the rounds; end before the last one where there is nothing to learn any more."""
        rounds = self._kit.params.integer("rounds")
        rounds = rounds if self._kit.rehearse else min(rounds, 1)
        for number in range(rounds + 1):
            version = self._look(is_checked=number == 0 or self._kit.rehearse is not None)
            self.versions.append(version if number == rounds else self._improve(version))
            if not self.versions[-1].applied:
                return

    def _look(self, *, is_checked: bool) -> Version:
        """Return the version of the skills so far with what the training trials under it show."""
        version = Version(self.skills.skills)
        if not (self._whole and is_checked):
            return version
        noted = self._others
        if self._kit.rehearse:
            noted = list(self._kit.rehearse(write_skills(version.skills)))
            held, fitted = (count_right(noted, tasks) for tasks in (self.held, self._fitted))
            version = replace(version, held=held, fitted=fitted)
        return replace(version, contrasts=tuple(find_contrasts(self._whole, noted, self._fitted)))

    def _improve(self, version: Version) -> Version:
        """Change the list by the contrasts of a version; return the version with what was done."""
        chosen = pick_evenly(version.contrasts, self._kit.params.integer("feedback"))
        said = [ask_feedback(one, self._kit) for one in chosen]
        feedback = tuple(one for one in said if one)
        before = self.skills.rejected.copy()
        applied = augment(self.skills, feedback, self._kit) if feedback else 0
        return replace(
            version,
            feedback=feedback,
            empty=len(said) - len(feedback),
            applied=applied,
            rejected=tuple(sorted((self.skills.rejected - before).items())),
        )
