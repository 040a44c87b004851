"""The offline model's policy for barman: the next action from goal and believed state, one cocktail at a time."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.pddl.domain import Atom
from adapters.pddl.offline.facts import Facts

__all__ = ["barman"]


def barman(goal: Sequence[Atom], facts: Facts) -> Atom | None:
    """Mix the ordered cocktails, with a shot of an ingredient order as carrier; then serve the ingredients."""
    bar = _Bar(goal, facts)
    if bar.orders_mixed:
        if bar.ready_to_shake and (action := bar.serve_in_hand()):
            return action
        return bar.mix()
    return bar.serve_in_hand() or bar.serve()


class _Bar:
    def __init__(self, goal: Sequence[Atom], facts: Facts):
        self.facts = facts
        orders = [a.args for a in goal if a.name == "contains"]
        unmet = [order for order in orders if not facts.has("contains", *order)]
        self.recipes = {
            c: (*facts.seconds("cocktail-part1", c), *facts.seconds("cocktail-part2", c))
            for c in facts.firsts("cocktail-part1")
        }
        self.orders_mixed = [order for order in unmet if order[1] in self.recipes]
        self.orders_plain = {shot: drink for shot, drink in unmet if drink not in self.recipes}
        self.served = {shot for shot, drink in orders if facts.has("contains", shot, drink)}
        self.reserved = {shot for shot, _ in self.orders_mixed}
        self.shaker = next(iter(facts.firsts("shaker-empty-level")), "")
        self.in_shaker = facts.seconds("contains", self.shaker)
        self.shots = sorted(
            {args for name in ("clean", "empty", "contains", "used", "ontable") for args in facts.firsts(name)}
            | set(facts.seconds("holding")) - {self.shaker}
        )
        self.shots = [shot for shot in self.shots if shot != self.shaker]

    # -- hands

    def _hand_of(self, container: str) -> str:
        return next(iter(self.facts.firsts("holding", container)), "")

    def _empty_hand(self) -> str:
        return next(iter(self.facts.firsts("handempty")), "")

    def _hold(self, container: str, both: bool = False) -> Atom | None:
        """Return what leads to holding ``container`` (with ``both``: and the other hand empty), None when done."""
        holder, free = self._hand_of(container), self._empty_hand()
        others = [(h, c) for h in self.facts.firsts("holding") for c in self.facts.seconds("holding", h)]
        others = [(h, c) for h, c in others if c != container]
        if others and (both or not (holder or free)):
            return Atom("leave", others[0])
        if not holder:
            return Atom("grasp", (free, container)) if free else None
        return None

    # -- one shot

    def _fill(self, shot: str, drink: str) -> Atom | None:
        """Return the next action towards an ingredient in a shot, None if it is there."""
        facts = self.facts
        if facts.has("contains", shot, drink):
            return None
        contents = facts.seconds("contains", shot)
        if action := self._hold(shot, both=not contents):
            return action
        hand, other = self._hand_of(shot), self._empty_hand()
        if contents:
            return Atom("empty-shot", (hand, shot, contents[0]))
        tap = next(iter(facts.firsts("dispenses", drink)), "")
        if facts.has("clean", shot):
            return Atom("fill-shot", (shot, drink, hand, other, tap))
        traces = facts.seconds("used", shot)
        if drink in traces:
            return Atom("refill-shot", (shot, drink, hand, other, tap))
        return Atom("clean-shot", (shot, traces[0], hand, other)) if traces else None

    def _make_clean(self, shot: str) -> Atom | None:
        """Return the next action towards an empty and clean shot, None if it is."""
        facts = self.facts
        contents, traces = facts.seconds("contains", shot), facts.seconds("used", shot)
        if not contents and (facts.has("clean", shot) or not traces):
            return None
        if action := self._hold(shot, both=not contents):
            return action
        hand = self._hand_of(shot)
        if contents:
            return Atom("empty-shot", (hand, shot, contents[0]))
        return Atom("clean-shot", (shot, traces[0], hand, self._empty_hand()))

    def serve_in_hand(self) -> Atom | None:
        """Return the next action for an ingredient order whose shot is held."""
        for shot, drink in sorted(self.orders_plain.items()):
            if self._hand_of(shot):
                return self._fill(shot, drink)
        return None

    def serve(self) -> Atom | None:
        """Return the next action for the first ingredient order."""
        for shot, drink in sorted(self.orders_plain.items()):
            return self._fill(shot, drink)
        return None

    # -- the shaker

    @property
    def ready_to_shake(self) -> bool:
        return self.facts.has("unshaked", self.shaker) and len(self.in_shaker) == 2

    def mix(self) -> Atom | None:
        """Return the next action towards the ordered cocktails."""
        facts = self.facts
        if facts.has("shaked", self.shaker):
            return self._pour_out()
        cocktail = self._next_cocktail()
        missing = [part for part in self.recipes[cocktail] if part not in self.in_shaker]
        if not missing:
            if action := self._hold(self.shaker, both=True):
                return action
            parts = self.recipes[cocktail]
            return Atom("shake", (cocktail, *parts, self.shaker, self._hand_of(self.shaker), self._empty_hand()))
        if not self.in_shaker and not facts.has("clean", self.shaker):
            if action := self._hold(self.shaker, both=True):
                return action
            return Atom("clean-shaker", (self._hand_of(self.shaker), self._empty_hand(), self.shaker))
        return self._carry(missing)

    def _next_cocktail(self) -> str:
        """Return the cocktail to mix; the shaker can only be emptied by shaking its content into some cocktail."""
        fits = [c for c in sorted(self.recipes) if set(self.in_shaker) <= set(self.recipes[c])]
        ordered = [cocktail for _, cocktail in self.orders_mixed]
        return next(iter([c for c in ordered if c in fits] + fits + ordered))

    def _pour_out(self) -> Atom | None:
        """Pour the shaken cocktail into the glass that needs it, else away."""
        facts, shaker = self.facts, self.shaker
        level = next(iter(facts.seconds("shaker-level", shaker)), "")
        bottom = next(iter(facts.seconds("shaker-empty-level", shaker)), "")
        lower = next(iter(facts.firsts("next", level)), "")
        cocktail = next(iter(self.in_shaker), "")
        for glass, drink in self.orders_mixed:
            if drink == cocktail and lower:
                if action := self._make_clean(glass) or self._hold(shaker):
                    return action
                return Atom("pour-shaker-to-shot", (cocktail, glass, self._hand_of(shaker), shaker, level, lower))
        if action := self._hold(shaker):
            return action
        return Atom("empty-shaker", (self._hand_of(shaker), shaker, cocktail, level, bottom))

    def _carry(self, missing: Sequence[str]) -> Atom | None:
        """Bring one missing ingredient to the shaker."""
        facts, shaker = self.facts, self.shaker
        shot = self._carrier(missing)
        if not shot:
            return None
        loaded = next((part for part in missing if facts.has("contains", shot, part)), "")
        if not loaded:
            return self._fill(shot, self._first_part(shot, missing))
        if action := self._hold(shot):
            return action
        level = next(iter(facts.seconds("shaker-level", shaker)), "")
        higher = next(iter(facts.seconds("next", level)), "")
        name = "pour-shot-to-used-shaker" if self.in_shaker else "pour-shot-to-clean-shaker"
        return Atom(name, (shot, loaded, shaker, self._hand_of(shot), level, higher))

    def _first_part(self, shot: str, missing: Sequence[str]) -> str:
        """Choose the part that saves a cleaning: first one that left traces, last one that is needed again later."""
        later = [part for _, cocktail in self.orders_mixed[1:] for part in self.recipes[cocktail]]

        def cost(part: str) -> tuple[bool, bool, bool, str]:
            return (
                not self.facts.has("used", shot, part),
                part == self.orders_plain.get(shot, ""),
                part in later,
                part,
            )

        return min(missing, key=cost)

    def _is_loaded(self, shot: str, missing: Sequence[str]) -> bool:
        return any(self.facts.has("contains", shot, part) for part in missing)

    def _carrier(self, missing: Sequence[str]) -> str:
        """Choose the shot to carry with: in hand, loaded, ordered for an ingredient, free. A served shot
        counts only while it is in hand with a part that the shaker needs."""
        facts = self.facts
        fit = [
            shot
            for shot in self.shots
            if (shot not in self.served or (self._hand_of(shot) and self._is_loaded(shot, missing)))
            and (facts.has("clean", shot) or facts.seconds("used", shot))
        ]

        def cost(shot: str) -> tuple[bool, bool, bool, bool, bool, str]:
            return (
                shot in self.reserved,
                not self._hand_of(shot),
                not self._is_loaded(shot, missing),
                self.orders_plain.get(shot, "") not in missing,
                shot not in self.orders_plain,
                shot,
            )

        return min(fit, key=cost, default="")
