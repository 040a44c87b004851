"""memfrontier: a benchmark harness for agent memory whose numbers can be reproduced."""

__version__ = "0.1.0"
