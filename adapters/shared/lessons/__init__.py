"""Reads what a prompt teaches: trajectories, insights, reflections, sub-goals, workflows, in many wordings.

One reader for every suite whose offline player can be taught. It knows English and no suite, no strategy, no appliance
and no usual place; no strategy may import it, or share its word lists.
"""

from adapters.shared.lessons.counting import count_teaching
from adapters.shared.lessons.english import is_kind
from adapters.shared.lessons.reader import VERSION, describe_reader, read_lessons
from adapters.shared.lessons.records import Act, Lessons, PlaceCounts, Recipe, Trajectory
from adapters.shared.lessons.trajectories import is_refusal

__all__ = [
    "VERSION",
    "Act",
    "Lessons",
    "PlaceCounts",
    "Recipe",
    "Trajectory",
    "count_teaching",
    "describe_reader",
    "is_kind",
    "is_refusal",
    "read_lessons",
]
