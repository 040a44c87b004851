"""Reflexion: after a failed attempt the model writes down why, and the next attempt begins with that."""
