"""The headings inside a context that tell the present from what is only shown to learn from.

Exported by ``bench.types``. ``bench.agents.render_experience`` writes them; whoever reads a prompt by rule knows by
them what is true here and now. All stand below the prompt's own ``# Memory``.
"""

from __future__ import annotations

__all__ = ["ATTEMPTS_HEADING", "EXPERIENCE_HEADING", "EXPERIENCE_NOTE", "PRESENT_HEADING"]

EXPERIENCE_HEADING = "## Experience from other tasks"
"""Below it: trajectories, insights, skills, workflows of other tasks. Names there are those of other places."""
EXPERIENCE_NOTE = "Names and places here are those of other tasks, not of this one."
"""Stands once, right below that heading: it tells the model so, and teaches nothing."""
ATTEMPTS_HEADING = "## Earlier attempts at this task"
"""Below it: attempts and reflections on them. Names there are those of this task, but everything is as at its start."""
PRESENT_HEADING = "## This task so far"
"""Below it: what happened since this task began."""
