"""OpenAI-compatible servers of our own, and the metered client for other people's packages."""
