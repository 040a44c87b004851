"""Household tasks made from a seed: a room, its things, a goal that can be reached, and a way to reach it."""
