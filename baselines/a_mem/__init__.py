"""A-MEM: a note for every turn, with keywords, tags and a context sentence, linked to its neighbours and evolving."""
