"""Suite ``longmemeval``: questions about months of chat between a user and an assistant."""
