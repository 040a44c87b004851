"""Papers: the numbers that they print, and recipes that measure the same here."""
