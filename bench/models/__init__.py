"""Models, each behind the same one-method interface, and the wrappers around it."""
