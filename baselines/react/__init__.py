"""ReAct: everything that happened, and thoughts between the actions."""
