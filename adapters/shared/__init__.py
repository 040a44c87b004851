"""Code that several suites share. It knows no suite."""
