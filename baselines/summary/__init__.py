"""A rolling summary of what is older, and the most recent steps or turns as they were."""
