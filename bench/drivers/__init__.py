"""The two drivers: run one episode, run one conversation. Each shows every memory the same events in the same order.

A driver owns control flow and caps; it knows no registry, no store and no configuration. The steps taken so far are in
the ``record`` list that the caller passes in, so an exception in the middle loses nothing.
"""

from bench.drivers.conversation import run_conversation
from bench.drivers.episode import GOAL_REF, UNREADABLE, run_episode
from bench.drivers.watch import DriverHooks

__all__ = ["GOAL_REF", "UNREADABLE", "DriverHooks", "run_conversation", "run_episode"]
