"""The papers' own prompts and protocols: read at run time from files that the user gets, never part of this project."""
