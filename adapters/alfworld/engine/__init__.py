"""ALFWorld's text games in plain Python: the same texts and worlds as the official engine, about 100 times faster.

::

    game = Game.load(path.read_bytes(), name=str(path))     # immutable; share it between threads
    session = game.start()
    session.step("go to desk 1")
    session.feedback, session.admissible, session.won, session.facts

Reads the ``game.tw-pddl`` files of both wordings. Source: alfworld 0.4.2 (its demangler), textworld 1.7.0 (its PDDL
environment) and fast_downward_textworld 20.6.4 (its translator), rebuilt from their behaviour; no planner, no
temporary file, no state outside a session. Difference: a command that could mean two different things is refused with
a DataError, and so is a game that the official engine would only crash on later.

Faults of the official engine and of its games that ``strict=True``, the default, reproduces:

* A fact made false stays in the facts as ``not_fact``, though only if it was ever true or could become so; one never
  made false has no such entry. So ``look`` lists "objects on the floor" that were only moved to another place at
  this spot after being picked up here.
* The facts follow conditional effects and ignore the condition: a lamp's ``ison`` is never listed after a
  toggle.
* A comma after a type is part of its name, and an unknown type has no objects: ``examine`` is not offered for objects
  that are not held.
* Blanks at the start of a text are lost (the first line break of ``help``), and all text behind a character that does
  not fit the grammar.
* Two placeholders of a text rule never stand for the same entity, whatever their types.
* A parameter declared with a supertype matches no fact about an object of a subtype in texts.
* Going to a place that shares the agent's spot does nothing; "You turn on" is said at every toggle. These are the
  games' own rules and hold with ``strict=False`` too.

``strict=False`` shows the true facts only, never a ``not_fact``, and ignores a comma after a type.
"""

from __future__ import annotations

from adapters.alfworld.engine.facts import Fact
from adapters.alfworld.engine.game import Game
from adapters.alfworld.engine.session import NOTHING, Session

__all__ = ["NOTHING", "Fact", "Game", "Session"]
