"""The run database: written by one process, committed before use, read as data frames."""
