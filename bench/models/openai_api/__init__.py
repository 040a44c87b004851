"""OpenAI-compatible servers of this project, and the metered client for memory libraries."""
