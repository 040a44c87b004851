"""Suite ``alfworld``: household tasks as text games; the games of the official release or generated ones."""
