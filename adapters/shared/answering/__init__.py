"""What answerers of the offline model share: reading a memory, finding in it, dates, cutting a span; no suite."""
