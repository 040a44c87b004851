"""Suite ``pddl``: four planning domains as text worlds, with AgentBoard's problems or generated ones."""
