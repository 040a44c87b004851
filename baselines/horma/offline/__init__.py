"""The offline model as manager and navigator of a workspace: a novice that skills can teach."""
