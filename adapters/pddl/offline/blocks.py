"""How the offline reader plays blockworld and gripper: the next action from goal and believed state alone.

Each policy looks at nothing else, so the plan does not waver from one step to the next.
"""

from __future__ import annotations

from collections.abc import Sequence

from adapters.pddl.domain import Atom
from adapters.pddl.offline.facts import Facts

__all__ = ["blockworld", "gripper"]


def blockworld(goal: Sequence[Atom], facts: Facts) -> Atom | None:
    """Build what can be built; else clear the way to what is nearest; blocks in the way go to the table."""
    towers = _Towers(goal, facts)
    held = facts.firsts("holding")
    if held:
        block = held[0]
        target = towers.below_wanted.get(block, "")
        if target and facts.has("clear", target) and towers.settled(target):
            return Atom("stack", (block, target))
        return Atom("putdown", (block,))
    best: list[tuple[int, str]] = []
    for block, target in sorted(towers.below_wanted.items()):
        if towers.settled(block) or (target and not towers.settled(target)):
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
    """What stands on what, and what should. ``below_wanted`` maps a block to its target, empty = the table."""

    def __init__(self, goal: Sequence[Atom], facts: Facts):
        self.facts = facts
        self.below_wanted = {a.args[0]: a.args[1] for a in goal if a.name == "on"}
        self.below_wanted |= {a.args[0]: "" for a in goal if a.name == "on-table"}
        self._owner = {below: block for block, below in self.below_wanted.items() if below}
        for block in facts.firsts("on"):  # nobody wants it anywhere, but where it is it will not be able to stay
            if block not in self.below_wanted and not self.settled(block):
                self.below_wanted[block] = ""

    def settled(self, block: str, depth: int = 0) -> bool:
        """True if the block, and all below it, may stay where they are."""
        below = (self.facts.seconds("on", block) or [""])[0]
        if block in self.below_wanted and self.below_wanted[block] != below:
            return False
        if self._owner.get(below, block) != block:
            return False
        return not below or depth > 50 or self.settled(below, depth + 1)

    def above(self, block: str) -> list[str]:
        """Return the blocks on top of one, topmost first; none if the belief is confused."""
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
    wanted = {ball: room for ball, room in target.items() if not facts.has("at", ball, room)}
    waiting = [ball for ball in facts.firsts("at", here) if ball in wanted]
    headings = [target[ball] for ball in loads.values() if ball in target]
    if free and waiting:
        ball = min(waiting, key=lambda b: (-(headings.count(target[b]) + _company(b, waiting, target)), b))
        return Atom("pick", (ball, here, free[0]))
    if headings:
        return Atom("move", (here, min(headings)))
    if not free and loads:  # both arms full of balls that nobody wants moved
        arm, ball = min(loads.items())
        return Atom("drop", (ball, here, arm))
    crowds = [(-len([b for b in facts.firsts("at", room) if b in wanted]), room) for room in facts.firsts("room")]
    busiest = min((crowd for crowd in crowds if crowd[0]), default=None)
    return Atom("move", (here, busiest[1])) if busiest else None


def _company(ball: str, waiting: Sequence[str], target: dict[str, str]) -> int:
    """Return how many other balls wait here for the same trip, at most one: two arms, one trip."""
    return min(1, sum(target[other] == target[ball] for other in waiting) - 1)
