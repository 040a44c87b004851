"""ReSum: when the context is nearly full, everything so far becomes a summary and the history starts again."""
