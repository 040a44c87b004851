"""A world and a talk small enough to read in a minute: for newcomers, tests and benchmarks. Needs no data."""
