"""Suite ``locomo``: ten very long conversations and 1,986 questions about them."""
