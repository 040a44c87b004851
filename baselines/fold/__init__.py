"""Context folding: parts of a task are worked on in branches, of which only a returned message stays."""
