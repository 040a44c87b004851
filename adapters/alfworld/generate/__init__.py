"""Household tasks from a seed: a room with things, a reachable goal, and a walkthrough."""
