"""The offline model's policy for tyreworld: the next action from goal and believed state, hub by hub."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.pddl.domain import Atom
from adapters.pddl.offline.facts import Facts

__all__ = ["tyreworld"]


def tyreworld(goal: Sequence[Atom], facts: Facts) -> Atom | None:
    """Finish the hub that is up, then the others, then everything without a hub; tools and containers come last."""
    plan = _Tyres(goal, facts)
    hubs = sorted(set(facts.firsts("on-ground") + facts.firsts("not-on-ground")))
    for hub in sorted(hubs, key=lambda h: (not facts.has("not-on-ground", h), h)):
        if action := plan.work_on(hub):
            return action
    return plan.finish_rest()


class _Tyres:
    def __init__(self, goal: Sequence[Atom], facts: Facts):
        self.facts = facts
        self.goal = goal
        self.unmet = [a for a in goal if not facts.has(a.name, *a.args)]
        self.homes = {a.args[0]: a.args[1] for a in self.unmet if a.name == "in"}

    def work_on(self, hub: str) -> Atom | None:
        """Return the next action on one hub, or None if nothing there is left to do."""
        facts = self.facts
        wheel = next(iter(facts.firsts("on", hub)), "")
        target = next((a.args[0] for a in self.goal if a.name == "on" and a.args[1] == hub), "")
        moved_away = wheel in self.homes or any(
            a.name == "on" and a.args[0] == wheel and a.args[1] != hub for a in self.unmet
        )
        if wheel and wheel != target and (target or moved_away):
            return self._bare(hub) or Atom("remove-wheel", (wheel, hub))
        if target and not wheel:
            return self._bare(hub) or self._get(target) or self._blow_up(target) or Atom("put-on-wheel", (target, hub))
        return self._nuts(hub)

    def _bare(self, hub: str) -> Atom | None:
        """Get the hub up and unfastened."""
        facts = self.facts
        if facts.has("fastened", hub):
            nut = next(iter(facts.firsts("tight", hub)), "")
            if nut:
                return self._get("wrench") or self._down(hub) or Atom("loosen", (nut, hub))
            nut = next(iter(facts.firsts("loose", hub)), "")
            return self._get("wrench") or self._up(hub) or (Atom("undo", (nut, hub)) if nut else None)
        return self._up(hub)

    def _nuts(self, hub: str) -> Atom | None:
        """Put nuts back and tighten them as the goal asks."""
        facts = self.facts
        for atom in self.unmet:
            if atom.name in ("tight", "loose", "fastened") and atom.args[-1] == hub:
                nut = atom.args[0] if len(atom.args) == 2 else next(iter(facts.firsts("have")), "")
                if facts.has("unfastened", hub):
                    return self._get("wrench") or self._get(nut) or self._up(hub) or Atom("do-up", (nut, hub))
                if atom.name == "tight":
                    return self._get("wrench") or self._down(hub) or Atom("tighten", (nut, hub))
            if atom.name == "on-ground" and atom.args[0] == hub:
                return self._down(hub)
        return None

    def finish_rest(self) -> Atom | None:
        """Return the next action that needs no hub; tools are put away and containers closed last."""
        facts = self.facts
        for atom in self.unmet:
            if atom.name == "inflated":
                return self._blow_up(atom.args[0])
        for thing, home in sorted(self.homes.items()):
            if not facts.has("have", thing) and (action := self._get(thing)):
                return action
            return self._open(home) or Atom("put-away", (thing, home))
        for atom in self.unmet:
            if atom.name == "have":
                return self._get(atom.args[0])
            if atom.name in ("closed", "isopen"):
                return Atom("close" if atom.name == "closed" else "open", atom.args)
        return None

    def _blow_up(self, wheel: str) -> Atom | None:
        required = any(a.name == "inflated" and a.args[0] == wheel for a in self.unmet)
        return (self._get("pump") or Atom("inflate", (wheel,))) if required else None

    def _get(self, thing: str) -> Atom | None:
        """Return the next action towards having ``thing``, None if it is in hand; the jack may have to leave a hub."""
        facts = self.facts
        if facts.has("have", thing):
            return None
        container = next(iter(facts.seconds("in", thing)), "")
        if container:
            return self._open(container) or Atom("fetch", (thing, container))
        up = facts.firsts("not-on-ground")
        return Atom("jack-down", (up[0],)) if thing == "jack" and up else None

    def _open(self, container: str) -> Atom | None:
        return Atom("open", (container,)) if self.facts.has("closed", container) else None

    def _up(self, hub: str) -> Atom | None:
        if self.facts.has("not-on-ground", hub):
            return None
        return self._get("jack") or Atom("jack-up", (hub,))

    def _down(self, hub: str) -> Atom | None:
        return Atom("jack-down", (hub,)) if self.facts.has("not-on-ground", hub) else None
