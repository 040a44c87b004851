"""Runs as files for other tools: one module a target, all named in ``targets.py``."""
