"""Finished runs handed to other people's trackers: one module a tracker, each named in ``bench/export/targets.py``."""
