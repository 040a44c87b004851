"""MemP: solved tasks with a script of how they were solved; the nearest are shown."""
