"""Models, each behind the same one-method face, and the wrappers that stack on it."""
