"""Facts taken from what was said, kept consistent by a model: Mem0, our own implementation."""
