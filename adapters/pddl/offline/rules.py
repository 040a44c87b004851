"""What the offline reader does in the four domains (role ``act``): read the messages, believe, plan one step.

The domain is recognised by the first line of the instructions. What is known comes from the messages alone
(``offline_view``); the knowledge of each domain's rules is a policy that maps goal and belief to an action. If the
planned action is shown to have failed in the believed state, the belief must be wrong: ask for the valid actions, and
take the plan or the least tried of them. A reader that cannot see what it tried cannot find out, and repeats itself.
It never looks around: that would fetch from the world what its memory should have kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from adapters.pddl.domain import DOMAINS, Atom
from adapters.pddl.frames import first_line
from adapters.pddl.offline.bar import barman
from adapters.pddl.offline.blocks import blockworld, gripper
from adapters.pddl.offline.facts import Facts
from adapters.pddl.offline.tyres import tyreworld
from adapters.pddl.offline.view import View, read_view
from adapters.pddl.phrases import CHECK
from adapters.pddl.wording import wording
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
    if view.valid:
        return _from_list(view)
    action = _plan(view.domain, view.goal, view.belief)
    written = wording(view.domain).phrase(action) if action else ""
    if written and written not in view.failed:
        return written
    return CHECK


def _from_list(view: View) -> str:
    """After asking what is possible: the plan if it is on the list, else the action tried least often."""
    action = _plan(view.domain, view.goal, view.belief)
    written = wording(view.domain).phrase(action) if action else ""
    if written in view.valid and written not in view.failed:
        return written
    return min(view.valid, key=lambda phrase: (view.tried.count(phrase), phrase))


@lru_cache(maxsize=4096)
def _plan(domain_name: str, goal: tuple[Atom, ...], belief: frozenset[Atom]) -> Atom | None:
    return _POLICIES[domain_name](goal, Facts(belief))


RULES: tuple[OfflineRule, ...] = tuple(PddlRule(name) for name in DOMAINS)
