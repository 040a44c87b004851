"""G-Memory for a single agent: a graph of tasks, and insights that hang on the tasks they come from."""
