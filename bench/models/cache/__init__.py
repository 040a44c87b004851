"""Replies shared between runs: the key of a reply, the store, and cassettes that others can replay."""
