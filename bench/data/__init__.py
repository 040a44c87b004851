"""Where benchmark data lies, and how it is downloaded and verified."""
