"""ACON: a history compressor and an observation compressor, each with guidelines in plain words."""
