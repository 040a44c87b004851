"""HiAgent's five tasks as one suite."""
