"""From a question to its record: resolve the names, build the objects, simulate each trial, run them as a batch."""
