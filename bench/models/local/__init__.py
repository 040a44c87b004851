"""GGUF models in this process."""
