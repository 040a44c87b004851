"""What several strategies share; it knows none of them."""
