"""The published package ``mem0ai`` as a row of its own, with every call it makes in the ledger."""
