"""Strategies of memfrontier, one module or package each."""
