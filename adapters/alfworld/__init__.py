"""ALFWorld: household tasks as text games, on the games of the official release or on generated ones."""
