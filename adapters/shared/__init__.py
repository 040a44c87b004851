"""What several suites share; it knows none of them."""
