"""The offline model's rules for this suite."""
