"""The conformance suite for benchmarks: is a suite repeatable, does it give nothing away, does it leave nothing behind?

``bench check --suite NAME`` prints what these functions return, and the tests run them over every registered suite.
Knows no suite by name.
"""

from __future__ import annotations

import gc
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.conformance.conversations import check_conversation, check_evidence, check_questions, check_scores
from bench.conformance.episodes import (
    check_garbage,
    check_goal,
    check_hidden_actions,
    check_progress,
    check_step_cap,
    check_transcript,
)
from bench.conformance.parameters import check_params
from bench.conformance.rules import CheckResult, run_check
from bench.conformance.suite_case import SuiteCase
from bench.errors import DataError
from bench.protocols import Model, SuiteOptions, SuiteSpec
from bench.types import BOTH, Fingerprint, Frame, Shape

__all__ = ["SUITE_CHECKS", "SuiteCheck", "check_suite"]

_NOWHERE = Path("/nowhere/at/all")
_PLACE_OR_TIME = re.compile(r"/(?:home|tmp|root|usr|Users)/|\d\d:\d\d:\d\d|20\d\d-\d\d-\d\d")


def _check_name(case: SuiteCase) -> str:
    if re.fullmatch(r"[a-z0-9]+([-_][a-z0-9]+)*-v[0-9]+", case.spec.name):
        return ""
    return f"expected a name such as alfworld-v1, got {case.spec.name!r}"


def _check_declaration(case: SuiteCase) -> str:
    spec = case.spec
    if unknown := sorted({spec.default_split, *spec.offline_splits} - set(spec.splits)):
        return f"expected the default split and those without download among the splits, got {unknown[0]!r}"
    if not spec.offline_splits and spec.data is None:
        return "expected SuiteSpec.data where every split needs files, got none"
    return check_params(spec.params)


def _check_tasks(case: SuiteCase) -> str:
    with case.build() as one, case.build() as two:
        tasks, again = list(one.tasks()), list(two.tasks())
        if not tasks:
            return "expected tasks, got none"
        if tasks != again or tasks != list(one.tasks()):
            return "expected the same tasks from every build and every time, got others"
    ids = [task.id for task in tasks]
    if ids != sorted(set(ids)):
        return "expected task ids that are sorted and each there once, got others"
    for task in tasks:
        if (task.suite, task.split) != (case.spec.name, case.options.split):
            got = f"{task.suite}, {task.split}"
            return f"{task.id}: expected suite and split {case.spec.name}, {case.options.split}, got {got}"
        if not task.group or not task.cluster:
            return f"{task.id}: expected a group and a cluster, got none"
        if not re.fullmatch("[0-9a-f]{64}", task.digest):
            return f"{task.id}: expected a SHA-256 of what defines the task as its digest, got {task.digest!r}"
    if len({task.digest for task in tasks}) < len(tasks):
        return (
            "expected a digest of its own for every task, got one twice: two tasks are the same, or it leaves much out"
        )
    return ""


def _check_fingerprint(case: SuiteCase) -> str:
    is_offline = case.options.split in case.spec.offline_splits
    with case.build() as one, case.build(**({"data_root": _NOWHERE / "else"} if is_offline else {})) as two:
        found = one.fingerprint()
        if not isinstance(found, Fingerprint) or found.entries != tuple(sorted(found.entries)):
            return "expected a Fingerprint with sorted entries (Fingerprint.of), got another"
        if found != two.fingerprint() or found != one.fingerprint():
            return "expected the same fingerprint from every build, wherever the data lies, got another"
    text = " ".join(f"{key}={value}" for key, value in found.entries)
    if case.spec.name not in text:
        return f"expected the fingerprint to name {case.spec.name}, got {text[:80]!r}"
    if place := _PLACE_OR_TIME.search(text):
        return f"expected neither a path nor a time in the fingerprint, got {place[0]!r}"
    return ""


def _check_download(case: SuiteCase) -> str:
    for split in case.spec.offline_splits:
        with case.build(split=split, data_root=_NOWHERE) as suite:
            try:
                task = suite.tasks()[0]
                if case.is_episode:
                    with case.open(suite, task):
                        continue
                suite.open(task)
            except DataError as error:
                return f"{split}: expected a split that needs no download, got {error}"
    return ""


def _read_frames(case: SuiteCase) -> list[Frame]:
    frames = []
    with case.build() as suite:
        for task in case.choose(suite):
            if not case.is_episode:
                frames.append(suite.open(task).frame)
                continue
            with case.open(suite, task) as (_, opening):
                frames.append(opening.frame)
    return frames


def _check_frame(case: SuiteCase) -> str:
    bare = re.sub(r"-v\d+$", "", case.spec.name)
    names = {case.spec.name, *([bare] if "-" in bare else [])}  # a name such as lock may be a word of its instructions
    for frame in _read_frames(case):
        shown = "\n".join((frame.instructions, frame.examples, frame.label, frame.stimulus_label))
        if not frame.instructions or frame.instructions != frame.instructions.strip():
            return "expected instructions without white space around them, got others"
        if named := next((name for name in sorted(names) if re.search(rf"\b{re.escape(name)}\b", shown, re.I)), ""):
            return f"expected a frame that does not name the suite, got {named!r} in it"
        if frame.label not in frame.instructions + frame.answer_format + frame.examples:
            return f"expected instructions that say the label of a reply, got none with {frame.label!r}"
    return ""


def _check_release(case: SuiteCase) -> str:
    _use(case)  # what is imported and cached at the first use stays
    before = _count_held()
    _use(case)
    after = _count_held()
    for what, count in after.items():
        if count > before[what]:
            return f"expected close to release everything, got {count - before[what]} more {what}"
    return ""


def _use(case: SuiteCase) -> None:
    """Build, open, step and close; a second close does nothing."""
    with case.build() as suite:
        for task in case.choose(suite):
            if case.is_episode:
                case.replay(suite, task, ("xyzzy",))
            else:
                list(suite.open(task).events())
        suite.close()


def _count_held() -> dict[str, int]:
    """Return how much this process holds; what a platform does not tell is left out."""
    gc.collect()
    held = {"threads": threading.active_count()}
    mine = Path("/proc/self")
    if (mine / "fd").is_dir():
        held["open files"] = len(list((mine / "fd").iterdir()))
        children = [path.read_text(encoding="utf-8").split() for path in mine.glob("task/*/children")]
        held["processes"] = sum(map(len, children))
    return held


@dataclass(frozen=True)
class SuiteCheck:
    """One rule: its name, a function that says how a suite breaks it (empty if it does not), the shapes it is for."""

    name: str
    run: Callable[[SuiteCase], str]
    shapes: frozenset[Shape] = BOTH


_EPISODE, _CONVERSATION = frozenset({Shape.EPISODE}), frozenset({Shape.CONVERSATION})
SUITE_CHECKS = (
    SuiteCheck("name-carries-version", _check_name),
    SuiteCheck("splits-and-parameters-are-declared", _check_declaration),
    SuiteCheck("tasks-are-unique-and-stable", _check_tasks),
    SuiteCheck("fingerprint-is-stable", _check_fingerprint),
    SuiteCheck("offline-splits-need-no-download", _check_download),
    SuiteCheck("frame-names-nobody", _check_frame),
    SuiteCheck("close-releases", _check_release),
    SuiteCheck("same-actions-same-transcript", check_transcript, _EPISODE),
    SuiteCheck("opening-states-the-goal", check_goal, _EPISODE),
    SuiteCheck("garbage-changes-nothing", check_garbage, _EPISODE),
    SuiteCheck("progress-is-honest", check_progress, _EPISODE),
    SuiteCheck("step-cap-ends-an-episode", check_step_cap, _EPISODE),
    SuiteCheck("shows-no-answers", check_hidden_actions, _EPISODE),
    SuiteCheck("same-conversation-twice", check_conversation, _CONVERSATION),
    SuiteCheck("scores-are-sound", check_scores, _CONVERSATION),
    SuiteCheck("evidence-exists", check_evidence, _CONVERSATION),
    SuiteCheck("questions-show-no-answers", check_questions, _CONVERSATION),
)
"""Every rule, in the order in which they are reported."""


def check_suite(spec: SuiteSpec, options: SuiteOptions, model: Model) -> tuple[CheckResult, ...]:
    """Return one result for each of ``SUITE_CHECKS`` that is for the suite's shape.

    ``model`` plays the episodes. Whatever the suite raises is a failed check.
    """
    case = SuiteCase(spec, options, model)
    return tuple(
        run_check(check.name, partial(check.run, case)) for check in SUITE_CHECKS if spec.shape in check.shapes
    )
