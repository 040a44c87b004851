"""Packages that ``bench new`` writes: templates as text files, filled with a name."""
