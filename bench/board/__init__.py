"""A board: a folder with the items of runs, what is made of them (``board.toml``), and the tables and figures made."""
