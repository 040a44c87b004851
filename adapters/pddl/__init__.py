"""Four planning domains as text worlds: the AgentBoard problems and generated ones."""
