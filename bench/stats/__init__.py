"""Intervals, paired tests, effect sizes and the frontier, on plain numbers: this package knows no run and no table."""
