"""The published package ``mem0ai`` as a strategy of its own, with every call it makes in the ledger."""
