"""Suites ``toy`` and ``toy-talk``: a small world and small conversations for tests and benchmarks; no data needed."""
