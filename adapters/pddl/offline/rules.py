"""The offline model's rules for the four domains (role ``act``): parse the messages, derive a belief, plan one step.

The domain is known from the first line of the instructions, everything else from the messages (``view``). A policy per
domain maps goal and belief to an action. If the messages show that this action has failed in the believed state, the
belief is wrong: the model asks for the valid actions and takes the plan, else the least tried of them. Without that
in its memory it repeats itself. It never looks around: that would replace its memory by the world.

Known beforehand of the four: the exact conditions and effects of every action, the sentences of the domain, and a plan
for any problem. A memory can only show it where it stands. A user's domain has a rule of its own (``own``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from adapters.pddl.domain import DOMAINS, Atom
from adapters.pddl.frames import first_line
from adapters.pddl.offline.bar import barman
from adapters.pddl.offline.blocks import blockworld, gripper
from adapters.pddl.offline.facts import Facts
from adapters.pddl.offline.own import OwnRule
from adapters.pddl.offline.tyres import tyreworld
from adapters.pddl.offline.view import View, read_view
from adapters.pddl.phrases import CHECK
from adapters.pddl.wording import load_wording
from bench.protocols import OfflineRule
from bench.types import Message

__all__ = ["RULES", "PddlRule"]

Policy = Callable[[Sequence[Atom], Facts], Atom | None]

_POLICIES: dict[str, Policy] = {
    "barman": barman,
    "blockworld": blockworld,
    "gripper": gripper,
    "tyreworld": tyreworld,
}


class PddlRule:
    """The acting rule of one domain."""

    role = "act"

    def __init__(self, domain_name: str):
        self.domain = domain_name

    @property
    def header(self) -> str:
        """The sentence that opens the instructions."""
        return first_line(self.domain)

    def reply(self, messages: Sequence[Message]) -> str:
        """Return one action line; a pure function of the messages."""
        return f"Action: {_decide(read_view(messages, self.domain))}"


def _decide(view: View) -> str:
    """Return the planned action if it is possible as far as the messages show; else a valid one, or ask for those."""
    action = _plan(view.domain, view.goal, view.belief)
    phrase = load_wording(view.domain).phrase(action) if action else ""
    if phrase and phrase not in view.failed and (not view.valid or phrase in view.valid):
        return phrase
    return view.find_least_tried() if view.valid else CHECK


@lru_cache(maxsize=4096)
def _plan(domain_name: str, goal: tuple[Atom, ...], belief: frozenset[Atom]) -> Atom | None:
    return _POLICIES[domain_name](goal, Facts(belief))


RULES: tuple[OfflineRule, ...] = (*(PddlRule(name) for name in DOMAINS), OwnRule())
