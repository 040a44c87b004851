"""The offline player's rules for this suite."""
