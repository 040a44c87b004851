"""The offline model's rule for this suite."""
