"""Texts to vectors: ``hash`` (the default, needs nothing), ``minilm`` (extra), ``litellm/<any name>`` (extra)."""
