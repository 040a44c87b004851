"""The offline model's policies for blockworld and gripper: the next action from goal and believed state alone.

A policy uses nothing else, so the plan stays the same from one step to the next.
"""

from __future__ import annotations

from collections.abc import Sequence

from adapters.pddl.domain import Atom
from adapters.pddl.offline.facts import Facts

__all__ = ["blockworld", "gripper"]


def blockworld(goal: Sequence[Atom], facts: Facts) -> Atom | None:
    """Build what can be built, else clear the block with the fewest blocks in the way; those go to the table."""
    towers = _Towers(goal, facts)
    held = facts.firsts("holding")
    if held:
        block = held[0]
        target = towers.targets.get(block, "")
        if target and facts.has("clear", target) and towers.may_stay(target):
            return Atom("stack", (block, target))
        return Atom("putdown", (block,))
    best: list[tuple[int, str]] = []
    for block, target in sorted(towers.targets.items()):
        if towers.may_stay(block) or (target and not towers.may_stay(target)):
            continue
        in_the_way = towers.above(block) + (towers.above(target) if target else [])
        if not in_the_way:
            return _take(block, facts)
        best.append((len(in_the_way), in_the_way[0]))
    return _take(min(best)[1], facts) if best else None


def _take(block: str, facts: Facts) -> Atom:
    below = facts.seconds("on", block)
    return Atom("unstack", (block, below[0])) if below else Atom("pickup", (block,))


class _Towers:
    """The towers now and in the goal. ``targets`` maps a block to the block to put it on; empty = the table."""

    def __init__(self, goal: Sequence[Atom], facts: Facts):
        self.facts = facts
        self.targets = {a.args[0]: a.args[1] for a in goal if a.name == "on"}
        self.targets |= {a.args[0]: "" for a in goal if a.name == "on-table"}
        self._owner = {below: block for block, below in self.targets.items() if below}
        for block in facts.firsts("on"):  # not part of the goal, but it cannot stay where it is
            if block not in self.targets and not self.may_stay(block):
                self.targets[block] = ""

    def may_stay(self, block: str, depth: int = 0) -> bool:
        """True if the block, and all below it, may stay where they are."""
        below = (self.facts.seconds("on", block) or [""])[0]
        if block in self.targets and self.targets[block] != below:
            return False
        if self._owner.get(below, block) != block:
            return False
        return not below or depth > 50 or self.may_stay(below, depth + 1)

    def above(self, block: str) -> list[str]:
        """Return the blocks above one, topmost first; a cycle in the belief ends the list."""
        found: list[str] = []
        while (on_top := self.facts.firsts("on", block)) and on_top[0] not in found:
            block = on_top[0]
            found.insert(0, block)
        return found


def gripper(goal: Sequence[Atom], facts: Facts) -> Atom | None:
    """Drop what belongs here, load what belongs elsewhere, go where the load belongs, else where work is."""
    here = next(iter(facts.firsts("at-robby")), "")
    target = {a.args[0]: a.args[1] for a in goal if a.name == "at"}
    loads = {arm: ball for arm in facts.firsts("gripper") for ball in facts.firsts("carry", arm)}
    for arm, ball in loads.items():
        if target.get(ball) == here:
            return Atom("drop", (ball, here, arm))
    free = facts.firsts("free")
    unmet = {ball: room for ball, room in target.items() if not facts.has("at", ball, room)}
    waiting = [ball for ball in facts.firsts("at", here) if ball in unmet]
    headings = [target[ball] for ball in loads.values() if ball in target]
    if free and waiting:
        ball = min(waiting, key=lambda b: (-(headings.count(target[b]) + _company(b, waiting, target)), b))
        return Atom("pick", (ball, here, free[0]))
    if headings:
        return Atom("move", (here, min(headings)))
    if not free and loads:  # both arms hold balls that are not part of the goal
        arm, ball = min(loads.items())
        return Atom("drop", (ball, here, arm))
    crowds = [(-len([b for b in facts.firsts("at", room) if b in unmet]), room) for room in facts.firsts("room")]
    busiest = min((crowd for crowd in crowds if crowd[0]), default=None)
    return Atom("move", (here, busiest[1])) if busiest else None


def _company(ball: str, waiting: Sequence[str], target: dict[str, str]) -> int:
    """Return how many other balls wait here for the same trip, at most one: two arms, one trip."""
    return min(1, sum(target[other] == target[ball] for other in waiting) - 1)
