"""GGUF models, run in-process."""
