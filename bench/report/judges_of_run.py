"""The verdicts of a run folder as ``judges.py`` compares them: who gave them, and which answers got none."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.report.judges import Judged
from bench.report.role_models import is_rule_based
from bench.scoring.grading import NO_VERDICT
from bench.store.dataframe import read_items
from bench.store.ledger_queries import list_reasons

__all__ = ["JudgedFolder", "name_judges", "read_judged"]


@dataclass(frozen=True)
class JudgedFolder:
    """What one judge, with one set of rubrics, said in one folder."""

    folder: Path
    rubrics: str
    judged: Judged


def read_judged(folder: Path) -> list[JudgedFolder]:
    """Return what the judge of a run said, nothing where it had none. Raises: StoreError."""
    items = read_items([folder])
    fields = [json.loads(text) for text in items["fingerprint"].astype(str).unique() if text]
    found = [one for one in fields if "env.judge" in one]
    if not found:
        return []
    judge, rubrics = found[0]["env.judge"], found[0].get("env.rubrics", "")
    failed = frozenset(list_reasons(folder, NO_VERDICT))
    return [JudgedFolder(folder, rubrics, Judged(judge, is_rule_based(judge), items, failed))]


def name_judges(found: Sequence[JudgedFolder], own: Path) -> list[Judged]:
    """Return the judges under names of their own: with the rubrics where one judge had several; ``own`` is the run."""
    rubrics = Counter(one.judged.label for one in {(one.judged.label, one.rubrics): one for one in found}.values())
    return [
        replace(
            one.judged,
            label=one.judged.label
            + (f" ({one.rubrics[:8]})" if rubrics[one.judged.label] > 1 else "")
            + (" in the run" if one.folder == own else ""),
        )
        for one in found
    ]
