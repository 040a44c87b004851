"""Models behind an address: providers, rate limits, prices."""
