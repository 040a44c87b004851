"""The rule for parameters: documented, with a default that a user could write, and models named for roles alone.

Part of ``bench.conformance.rules``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bench.conformance.scripted_trial import Case
from bench.protocols import ACTOR, Param, Params
from bench.types import Role

__all__ = ["check_parameters", "check_params"]

_NOT_ROUTED = (Role.ACT, Role.ANSWER, Role.EMBED, Role.JUDGE)
"""What the model of the run, the embedder and the judge are for."""
_OWN_ROLE = re.compile(r"[\w.-]+/[\w.-]+")


def check_parameters(case: Case) -> str:
    """Return which parameter of a strategy breaks the rule and how; empty if none does."""
    return check_params(case.strategy.params) or _find_role_fault(case.strategy.params)


def check_params(params: Sequence[Param]) -> str:
    """Return which parameter is not documented or has a default that no user could write; empty if none."""
    for param in params:
        if not param.doc.strip():
            return f"expected a doc for parameter {param.name!r}, got none"
        if not re.fullmatch(r"[a-z][a-z0-9_]*", param.name):
            return f"expected a lower-case parameter name, got {param.name!r}"
        Params([param], {param.name: param.default_text}, who="its own default")  # raises if a user could not write it
    return ""


def _find_role_fault(params: Sequence[Param]) -> str:
    """Return what is wrong with the parameters that name a model; empty if nothing is."""
    named: set[str] = set()
    for param in params:
        if param.roles and param.default != ACTOR:
            return f"expected {ACTOR!r} as the default of {param.name!r}, which names a model, got {param.default!r}"
        for role in param.roles:
            if role in _NOT_ROUTED or not (role in tuple(Role) or _OWN_ROLE.fullmatch(role)):
                return f"expected {param.name!r} to name the model of roles of the strategy's own calls, got {role!r}"
            if role in named:
                return f"expected one parameter for the model of role {role!r}, got two"
            named.add(role)
    return ""
