"""Rows in which other models than the acting one are called for some roles: how they are labelled.

Knows the fields of a fingerprint; averages nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from bench.store.dataframe import OFFLINE_PREFIX
from bench.types import read_role_models

__all__ = ["RULE_BASED", "RULE_BASED_NOTE", "describe_role_models", "find_role_models", "is_rule_based"]

RULE_BASED = "offline (rule-based)"
RULE_BASED_NOTE = f"{RULE_BASED}: a fixed program read the prompts, not a language model"
"""What that means; without a full stop, as some notes go on."""


def is_rule_based(model: str) -> bool:
    """True for the offline models: what they do is never a result of a language model."""
    return model.startswith(OFFLINE_PREFIX)


def find_role_models(items: pd.DataFrame) -> dict[str, str]:
    """Return the models of a row's roles, by role; ``items``: those of the row."""
    found: dict[str, str] = {}
    for text in items["fingerprint"].astype(str).unique():
        found |= read_role_models(json.loads(text)) if text else {}
    return found


def describe_role_models(
    strategy: str,
    acting: str,
    by_role: Mapping[str, str],
    describe_amount: Callable[[Sequence[str]], str] = lambda _roles: "",
) -> str:
    """Return one sentence: which model was called for which roles, and which of them are rule-based.

    ``describe_amount`` returns what the calls of some roles took, in words; empty = nothing is said of it.
    """
    parts = []
    for model in sorted(set(by_role.values())):
        roles = sorted(role for role, name in by_role.items() if name == model)
        label = f"{model}, {RULE_BASED}" if is_rule_based(model) else model
        parts.append(f"{', '.join(roles)} by {label}{describe_amount(roles)}")
    others = f"; all else by {acting}, {RULE_BASED}" if is_rule_based(acting) else ""
    return f"{strategy}: calls of role {'; '.join(parts)}{others}."
