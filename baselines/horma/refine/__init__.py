"""Contrastive refinement: skills from tasks that the whole past solved and the notes did not, and the other way."""
