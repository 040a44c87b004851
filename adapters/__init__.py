"""Suites of memfrontier, one package each."""
